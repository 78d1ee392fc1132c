"""Dashboards and tiles as the store gives them back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import JsonValue, TypeAdapter
from sqlalchemy import Row

from tabulaflow_core.output.dashboards import (
    DashboardFilter,
    QueryTile,
    RefreshPolicy,
    Sharing,
    TextTile,
    TileContent,
    TileHeight,
)
from tabulaflow_core.store.records import moment

_CONTENT: Final[TypeAdapter[QueryTile | TextTile]] = TypeAdapter(TileContent)
_FILTERS: Final[TypeAdapter[tuple[DashboardFilter, ...]]] = TypeAdapter(tuple[DashboardFilter, ...])


@dataclass(frozen=True, slots=True)
class TileRecord:
    """A tile.

    Attributes:
        width: Of `GRID_COLUMNS` columns.
        result_id: The owner's result with its last good rows; empty before the first.
        changes: What the last good refresh changed, as its maker wrote it.
        removed_at: When it was taken off; it can be brought back.
    """

    id: str
    dashboard_id: str
    position: int
    title: str
    text: str
    width: int
    height: TileHeight
    content: QueryTile | TextTile
    result_id: str = ""
    refreshed_at: datetime | None = None
    tried_at: datetime | None = None
    fault: str = ""
    changes: dict[str, JsonValue] | None = None
    removed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DashboardRecord:
    """A dashboard.

    Attributes:
        role: What the one who asked may do with it.
        tiles: In their order, removed ones among them; empty in a list.
        tile_count: Those that are not removed.
        refreshed_at: The oldest last good refresh among them.
    """

    id: str
    owner: str
    owner_name: str
    role: Literal["owner", "viewer"]
    title: str
    filters: tuple[DashboardFilter, ...]
    refreshing: RefreshPolicy
    sharing: Sharing
    created_at: datetime
    updated_at: datetime
    next_run_at: datetime | None
    tile_count: int = 0
    refreshed_at: datetime | None = None
    tiles: tuple[TileRecord, ...] = field(default=())


def content_text(content: QueryTile | TextTile) -> str:
    """A tile's content as it is kept."""
    return content.model_dump_json()


def filters_text(filters: tuple[DashboardFilter, ...]) -> str:
    """Filters as they are kept."""
    return _FILTERS.dump_json(filters).decode()


def tile_of(row: Row[Any]) -> TileRecord:
    """A row of the tiles."""
    return TileRecord(
        id=row.id,
        dashboard_id=row.dashboard_id,
        position=row.position,
        title=row.title,
        text=row.text,
        width=row.width,
        height=row.height,
        content=_CONTENT.validate_json(row.content),
        result_id=row.result_id,
        refreshed_at=_moment(row.refreshed_at),
        tried_at=_moment(row.tried_at),
        fault=row.fault,
        changes=json.loads(row.changes) if row.changes else None,
        removed_at=_moment(row.removed_at),
    )


def dashboard_of(row: Row[Any], *, reader: str, tiles: tuple[TileRecord, ...] = ()) -> DashboardRecord:
    """A row of the dashboards with `tile_count` and `refreshed_at`, for the principal `reader`."""
    return DashboardRecord(
        id=row.id,
        owner=row.owner,
        owner_name=row.owner_name,
        role="owner" if row.owner == reader else "viewer",
        title=row.title,
        filters=_FILTERS.validate_json(row.filters),
        refreshing=RefreshPolicy.model_validate_json(row.refreshing),
        sharing=Sharing.model_validate_json(row.sharing),
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        next_run_at=_moment(row.next_run_at),
        tile_count=row.tile_count,
        refreshed_at=_moment(row.refreshed_at),
        tiles=tiles,
    )


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else moment(seconds)
