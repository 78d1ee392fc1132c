"""What a dashboard is made of: tiles with their queries, filters bound to columns, and when it is refreshed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tabulaflow_core.output.specs import ChartOrder, ChartType

TileHeight = Literal["small", "medium", "large"]
FilterKind = Literal["date_range", "choice", "number", "text"]
#: Tiles stand on rows of this many columns; a tile is 1 to 4 of them wide.
GRID_COLUMNS = 4


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ChartChoice(_Part):
    """How a tile's rows are drawn, by column names, so that it holds for the rows of the next refresh.

    Attributes:
        x: Column on the category or time axis; None is left to the program, as with the others.
        y: The measures.
        color: Column that splits the series.
    """

    type: ChartType
    x: str | None = None
    y: tuple[str, ...] = ()
    color: str | None = None
    order: ChartOrder | None = None
    title: str = ""


class TileOrigin(_Part):
    """The answer that a tile was pinned from.

    Attributes:
        question: As it was asked.
        notes: What was changed on the way to the query, and what was assumed.
    """

    conversation_id: str = ""
    turn_id: str = ""
    question: str = ""
    model: str = ""
    notes: tuple[str, ...] = ()


class QueryTile(_Part):
    """A tile that runs a query.

    Attributes:
        show: What is drawn of the rows. A metric is the one cell of the first row under `label`.
        source: Alias of the owner's source, or several with ` + ` between them, as in `StoredResult.source`.
        sql: The statement as it ran when it was pinned; each refresh runs it again through the guard.
    """

    kind: Literal["query"] = "query"
    show: Literal["table", "chart", "metric"]
    source: str
    dialect: str
    sql: str
    chart: ChartChoice | None = None
    label: str = ""
    origin: TileOrigin = TileOrigin()


class TextTile(_Part):
    """A tile of words only; they stand in the tile's `text`."""

    kind: Literal["text"] = "text"


TileContent = Annotated[QueryTile | TextTile, Field(discriminator="kind")]


class FilterColumn(_Part):
    """A column of a table that a filter holds for.

    Attributes:
        table: As in the source's schema: `name`, or `schema.name`.
    """

    source: str
    table: str
    column: str


class DashboardFilter(_Part):
    """A filter of a dashboard.

    Attributes:
        id: Short, of ASCII letters, digits and `-`: the name of its value in the URL (`?f-<id>=…`).
        columns: What it is bound to; each tile takes those whose source and table its query reads.
        default: The value's texts where the URL has none; none for no restriction.

    A value is a list of texts: of a `date_range` or a `number` one `low..high`, either side may be missing and both
    ends belong to it; of a `choice` each chosen value as text; of a `text` one, which the cell contains in any case.
    """

    id: str
    label: str
    kind: FilterKind
    columns: tuple[FilterColumn, ...]
    default: tuple[str, ...] = ()


class RefreshPolicy(_Part):
    """When a dashboard is refreshed besides by its button; everything can be None at once.

    Attributes:
        max_age_seconds: It is refreshed when it is opened and its data is older.
        every_seconds: By schedule, this often; at least 60.
        at: By schedule, each day at this time, `HH:MM` in `time_zone`.
        time_zone: IANA name, such as `Europe/Zurich`.
    """

    max_age_seconds: int | None = None
    every_seconds: int | None = None
    at: str | None = None
    time_zone: str = "UTC"


class Sharing(_Part):
    """Who besides the owner may see a dashboard.

    Attributes:
        visibility: `team` is everybody who can sign in to this installation.
        people: Ids of principals, for `chosen`.
        groups: Names of groups, for `chosen`.
        show_sql: Viewers see the queries too.
        runs_with: Whose sources answer a viewer: the owner's, or the viewer's own of the same names.
    """

    visibility: Literal["private", "team", "chosen"] = "private"
    people: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    show_sql: bool = False
    runs_with: Literal["owner", "viewer"] = "owner"
