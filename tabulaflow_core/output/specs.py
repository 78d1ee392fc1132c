"""What an answer shows besides its text: tables, charts and metrics, by reference to stored results."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

ChartType = Literal["bar", "line", "scatter", "pie", "area", "histogram"]
#: In which order labels stand on an axis; `rows` is the query's own.
ChartOrder = Literal["largest", "smallest", "name", "rows"]


class _Spec(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TableSpec(_Spec):
    """A result shown as a table.

    Attributes:
        id: The result's id in the result store.
        rows: Rows in the result; the page shows fewer when there are many.
        notes: What was changed on the way to the query.
    """

    kind: Literal["table"] = "table"
    id: str
    source: str
    sql: str
    columns: tuple[str, ...]
    row_count: int
    truncated: bool = False
    title: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


class ChartSpec(_Spec):
    """A result drawn.

    Attributes:
        table_id: The result it draws.
        x: Index of the column on the category or time axis.
        y: Indexes of the measures.
        color: Index of the column that splits the series, None for one series a measure.
        summary: The chart in one line of text.
        plotly: The figure as plotly JSON, at most 2,000 points; built from the rows, never by the model.
    """

    kind: Literal["chart"] = "chart"
    id: str
    table_id: str
    type: ChartType
    title: str
    x: int
    y: tuple[int, ...]
    color: int | None = None
    summary: str = ""
    plotly: str = ""


class MetricSpec(_Spec):
    """One number, as exact text."""

    kind: Literal["metric"] = "metric"
    table_id: str
    label: str
    value: str


ArtifactSpec = Annotated[TableSpec | ChartSpec | MetricSpec, Field(discriminator="kind")]
