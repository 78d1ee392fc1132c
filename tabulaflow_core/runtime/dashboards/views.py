"""Dashboards and their tiles as pages and commands see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from tabulaflow_core.output.changes import RowChange
from tabulaflow_core.output.dashboards import (
    DashboardFilter,
    FilterColumn,
    FilterKind,
    QueryTile,
    RefreshPolicy,
    Sharing,
    TextTile,
    TileHeight,
)
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import ArtifactSpec

Role = Literal["owner", "viewer"]


@dataclass(frozen=True, slots=True)
class DashboardInfo:
    """A dashboard in a list.

    Attributes:
        owner: Id of the principal who made it.
        owner_name: For display; empty for one's own.
        role: What the one who asks may do: a viewer changes nothing.
        refreshed_at: The oldest last good refresh among its query tiles; None before the first, or without any.
    """

    id: str
    title: str
    role: Role
    owner: str
    owner_name: str
    tile_count: int
    created_at: datetime
    updated_at: datetime
    refreshed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TileChanges:
    """What changed on a tile between the last two good refreshes.

    Attributes:
        since: When the earlier one was.
        sentence: All of it in one line for a person; says `No change.` where there is none.
        rows: Some of the changes, the largest first; `counts` has all of them by kind.
    """

    since: datetime
    sentence: str
    rows: tuple[RowChange, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TileView:
    """A tile as it is kept.

    Attributes:
        content: For a viewer who may not see the query, with an empty `sql` and origin.
        result_id: The last good result, of the owner; empty before the first.
        refreshed_at: When that was made.
        tried_at: When it was last tried.
        fault: Why the last try failed, as a sentence; empty when it did not.
    """

    id: str
    title: str
    text: str
    width: int
    height: TileHeight
    content: QueryTile | TextTile
    result_id: str = ""
    refreshed_at: datetime | None = None
    tried_at: datetime | None = None
    fault: str = ""
    changes: TileChanges | None = None


@dataclass(frozen=True, slots=True)
class FilterableColumn:
    """A column that a filter can be bound to.

    Attributes:
        type: The engine's own name of it.
        kinds: The kinds of filter that it takes.
    """

    place: FilterColumn
    type: str
    kinds: tuple[FilterKind, ...]


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """The values that can be chosen for a filter.

    Attributes:
        values: In order; empty where there are too many, or none are known.
        complete: These are all there are.
        waiting: They are being read; ask again.
    """

    values: tuple[str, ...]
    complete: bool
    waiting: bool = False


@dataclass(frozen=True, slots=True)
class DashboardView:
    """A dashboard with its tiles in their order.

    Attributes:
        sharing: None for a viewer.
        removed: Tiles that can be brought back, the last removed first; none for a viewer.
        next_refresh_at: When the schedule fires next.
        notice: What a viewer should know, such as whose source answers.
        filters: Without their columns for a viewer who may not see the queries.
        own_sources: A viewer's own sources answer, and nothing is kept of it.
    """

    info: DashboardInfo
    tiles: tuple[TileView, ...]
    refreshing: RefreshPolicy
    show_sql: bool
    sharing: Sharing | None = None
    removed: tuple[TileView, ...] = ()
    next_refresh_at: datetime | None = None
    notice: str = ""
    filters: tuple[DashboardFilter, ...] = ()
    own_sources: bool = False


@dataclass(frozen=True, slots=True)
class TileData:
    """What a tile shows.

    Attributes:
        result: The rows; None where there are none to show, and `fault` says why.
        spec: What is drawn of them: a chart, a metric, or None for the table.
        fault: Why the last refresh failed; `result` is then the last good one where there is one.
        refreshed_at: When the rows were read.
        summary: The rows or the chart in one line of text, for a screen reader and for the export.
        waiting: The rows are being read for this look; ask again.
        filtered: The rows are those of a choice.
        unapplied: Filters of the choice that the tile cannot take, a sentence each.
        undrawn: Why they are not drawn as they were pinned; empty where they are.
        choice_failed: The rows of the choice could not be read, and `fault` says why; `result` has all.
    """

    tile_id: str
    result: StoredResult | None
    spec: ArtifactSpec | None = None
    fault: str = ""
    refreshed_at: datetime | None = None
    summary: str = ""
    waiting: bool = False
    filtered: bool = False
    unapplied: tuple[str, ...] = ()
    choice_failed: bool = False
    undrawn: str = ""

    @property
    def fault_text(self) -> str:
        """Why it does not show what it should, and what it shows in its place; empty for no fault."""
        if not self.fault or self.result is None:
            return self.fault
        if self.choice_failed:
            return f"Not filtered: {self.fault} These are all rows as of the last refresh."
        return f"Not refreshed: {self.fault} These are the last good rows."
