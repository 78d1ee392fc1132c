"""Dashboards as their owner and their viewers see and change them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from tabulaflow_core.errors import ConfigurationError, NotFound, NotPermitted
from tabulaflow_core.output.changes import RowChange
from tabulaflow_core.output.dashboards import (
    GRID_COLUMNS,
    ChartChoice,
    DashboardFilter,
    QueryTile,
    RefreshPolicy,
    Sharing,
    TextTile,
    TileHeight,
    TileOrigin,
)
from tabulaflow_core.output.words import is_blank
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards import filtering, timing
from tabulaflow_core.runtime.dashboards.refreshing import TILE_RESULT
from tabulaflow_core.runtime.dashboards.views import (
    DashboardInfo,
    DashboardView,
    FilterableColumn,
    FilterChoices,
    TileChanges,
    TileView,
)
from tabulaflow_core.store.dashboard_records import DashboardRecord, TileRecord

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

#: So that one page stays readable, and one person's refreshes bounded.
MOST_TILES: Final = 100
MOST_DASHBOARDS: Final = 200
_TITLE_CHARACTERS: Final = 120
_TEXT_CHARACTERS: Final = 20_000
#: Removed tiles that can be brought back, of one dashboard.
_REMOVED_KEPT: Final = 20
_NO_TILE: Final = "This tile is not here. It may have been removed in another window; reload the page."


class DashboardBook:
    """The dashboards of every principal. Belongs to the engine loop."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store

    async def list_async(self, principal: Principal) -> tuple[DashboardInfo, ...]:
        """One's own and those shared with one."""
        return tuple(_info(record) for record in await self._store.dashboards.list_async(principal))

    async def create_async(self, principal: Principal, title: str) -> DashboardInfo:
        """Make an empty one; see `Runtime.create_dashboard`."""
        name = _title(title)
        if is_blank(name):
            raise ConfigurationError("A dashboard needs a name.")
        own = [found for found in await self._store.dashboards.list_async(principal) if found.role == "owner"]
        if len(own) >= MOST_DASHBOARDS:
            raise ConfigurationError(
                f"{MOST_DASHBOARDS} dashboards are the most. Delete one that is not used any more."
            )
        return _info(await self._store.dashboards.create_async(principal, title=name))

    async def get_async(self, principal: Principal, dashboard_id: str) -> DashboardView:
        """One with its tiles; see `Runtime.dashboard`."""
        return _view(await self._store.dashboards.get_async(principal, dashboard_id))

    async def rename_async(self, principal: Principal, dashboard_id: str, title: str) -> DashboardInfo:
        """Give it another title; an empty one is ignored."""
        name = _title(title)
        if is_blank(name):
            return _info(await self._store.dashboards.get_async(principal, dashboard_id))
        return _info(await self._store.dashboards.rename_async(principal, dashboard_id, title=name))

    async def delete_async(self, principal: Principal, dashboard_id: str) -> None:
        """Delete it with its tiles."""
        shown = await self._store.dashboards.delete_async(principal, dashboard_id)
        for result_id in shown:
            await self.drop_result_async(principal, result_id)

    async def pin_async(
        self, principal: Principal, dashboard_id: str, content: QueryTile, *, title: str, text: str, result_id: str
    ) -> TileView:
        """Put an answer on a dashboard; see `Runtime.pin`."""
        if result_id:
            await self._store.results.get_async(principal, result_id)
        width = 1 if content.show == "metric" else 2
        height: TileHeight = "small" if content.show == "metric" else "medium"
        await self._with_room(principal, dashboard_id)
        record = await self._store.tiles.add_async(
            principal,
            dashboard_id,
            title=_title(title),
            text=text[:_TEXT_CHARACTERS],
            width=width,
            height=height,
            content=content,
            result_id=result_id,
        )
        return _tile(record, show_sql=True)

    async def add_text_async(self, principal: Principal, dashboard_id: str, text: str, *, title: str) -> TileView:
        """Put a tile of words on a dashboard; see `Runtime.add_text_tile`."""
        if is_blank(text) and is_blank(title):
            raise ConfigurationError("A text needs some words.")
        await self._with_room(principal, dashboard_id)
        record = await self._store.tiles.add_async(
            principal,
            dashboard_id,
            title=_title(title),
            text=text[:_TEXT_CHARACTERS],
            width=GRID_COLUMNS,
            height="small",
            content=TextTile(),
        )
        return _tile(record, show_sql=True)

    async def change_tile_async(
        self,
        principal: Principal,
        dashboard_id: str,
        tile_id: str,
        *,
        title: str | None,
        text: str | None,
        width: int | None,
        height: TileHeight | None,
        chart: ChartChoice | None,
    ) -> TileView:
        """Change what is given; see `Runtime.change_tile`."""
        tile = await self._own_tile(principal, dashboard_id, tile_id)
        content: QueryTile | None = None
        if chart is not None and isinstance(tile.content, QueryTile):
            content = tile.content.model_copy(update={"chart": chart, "show": "chart"})
        record = await self._store.tiles.change_async(
            principal,
            tile_id,
            title=None if title is None else _title(title),
            text=None if text is None else text[:_TEXT_CHARACTERS],
            width=None if width is None else max(1, min(GRID_COLUMNS, width)),
            height=height,
            content=content,
        )
        return _tile(record, show_sql=True)

    async def requery_tile_async(self, principal: Principal, dashboard_id: str, tile_id: str, sql: str) -> None:
        """Give a tile another statement; its next refresh runs it."""
        tile = await self._own_tile(principal, dashboard_id, tile_id)
        if isinstance(tile.content, QueryTile):
            content = tile.content.model_copy(update={"sql": sql})
            await self._store.tiles.change_async(principal, tile_id, content=content)

    async def move_tile_async(self, principal: Principal, dashboard_id: str, tile_id: str, position: int) -> None:
        """Put it at another place."""
        await self._own_tile(principal, dashboard_id, tile_id)
        await self._store.tiles.move_async(principal, tile_id, position=position)

    async def duplicate_tile_async(self, principal: Principal, dashboard_id: str, tile_id: str) -> TileView:
        """Put a copy behind a tile."""
        tile = await self._own_tile(principal, dashboard_id, tile_id)
        board = await self._with_room(principal, dashboard_id)
        standing = [other.id for other in board.tiles if other.removed_at is None]
        record = await self._store.tiles.add_async(
            principal,
            dashboard_id,
            title=_title(f"{tile.title} (copy)"),
            text=tile.text,
            width=tile.width,
            height=tile.height,
            content=tile.content,
            result_id=tile.result_id,
            position=standing.index(tile_id) + 1 if tile_id in standing else None,
        )
        return _tile(record, show_sql=True)

    async def remove_tile_async(
        self, principal: Principal, dashboard_id: str, tile_id: str, *, back: bool = False
    ) -> TileView:
        """Take a tile off, or bring it back."""
        await self._own_tile(principal, dashboard_id, tile_id)
        if back:
            await self._with_room(principal, dashboard_id)
        removed = await self._store.tiles.remove_async(principal, tile_id, back=back)
        if not back:
            for result_id in await self._store.tiles.forget_removed_async(principal, dashboard_id, keep=_REMOVED_KEPT):
                await self.drop_result_async(principal, result_id)
        return _tile(removed, show_sql=True)

    async def schedule_async(self, principal: Principal, dashboard_id: str, policy: RefreshPolicy) -> None:
        """Keep when it is refreshed."""
        first = timing.next_run(timing.checked(policy), after=datetime.now(UTC))
        await self._store.dashboards.schedule_async(principal, dashboard_id, policy=policy, next_run_at=first)

    async def share_async(self, principal: Principal, dashboard_id: str, sharing: Sharing) -> None:
        """Keep who may see it."""
        names = [*sharing.people, *sharing.groups]
        if sharing.visibility == "chosen" and not names:
            raise ConfigurationError("Name the people or the groups who may see it, or keep it private.")
        if any(is_blank(name) or len(name) > 255 for name in names) or len(names) > 500:
            raise ConfigurationError("A person or a group has a name of 1 to 255 characters, and 500 are the most.")
        await self._store.dashboards.share_async(principal, dashboard_id, sharing=sharing)

    async def set_filters_async(
        self, principal: Principal, dashboard_id: str, filters: Sequence[DashboardFilter]
    ) -> None:
        """Keep its filters; see `Runtime.set_filters`."""
        board = await self.owned_async(principal, dashboard_id)
        kept = await filtering.checked_async(self._services, principal, board, filters)
        await self._store.dashboards.filter_async(principal, dashboard_id, filters=kept)

    async def filter_columns_async(self, principal: Principal, dashboard_id: str) -> tuple[FilterableColumn, ...]:
        """What its filters can be bound to; see `Runtime.filter_columns`."""
        board = await self.owned_async(principal, dashboard_id)
        return await filtering.columns_async(self._services, principal, board)

    async def filter_choices_async(self, principal: Principal, dashboard_id: str, filter_id: str) -> FilterChoices:
        """The values of a filter; see `Runtime.filter_choices`."""
        board = await self._store.dashboards.get_async(principal, dashboard_id)
        asked = next((each for each in board.filters if each.id == filter_id), None)
        if asked is None or asked.kind != "choice":
            return FilterChoices((), complete=False)
        return await self._services.choices.get_async(runner_of(board, principal), asked)

    async def drop_result_async(self, principal: Principal, result_id: str) -> None:
        """Forget rows that a refresh made and that no tile shows any more; those of an answer stay with it."""
        if not result_id.startswith(TILE_RESULT):
            return
        if await self._store.shown.has_async(principal, result_id):
            return
        try:
            await self._store.results.delete_async(principal, result_id)
        except NotFound:  # gone already, which is what was wanted
            return

    async def owned_async(self, principal: Principal, dashboard_id: str) -> DashboardRecord:
        """One of the principal's own.

        Raises:
            NotFound: There is none, or the principal may not see it.
            NotPermitted: It is somebody else's.
        """
        board = await self._store.dashboards.get_async(principal, dashboard_id)
        if board.role != "owner":
            raise NotPermitted("Only its owner can change this dashboard. Ask them, or make one of your own.")
        return board

    async def _own_tile(self, principal: Principal, dashboard_id: str, tile_id: str) -> TileRecord:
        board = await self.owned_async(principal, dashboard_id)
        for tile in board.tiles:
            if tile.id == tile_id:
                return tile
        raise NotFound(_NO_TILE)

    async def _with_room(self, principal: Principal, dashboard_id: str) -> DashboardRecord:
        board = await self._store.dashboards.get_async(principal, dashboard_id)
        if board.tile_count >= MOST_TILES:
            raise ConfigurationError(f"{MOST_TILES} tiles are the most on one dashboard. Begin another one.")
        return board


def runner_of(board: DashboardRecord, principal: Principal) -> Principal:
    """Whose sources answer when `principal` looks at a dashboard."""
    if board.role == "owner" or board.sharing.runs_with == "viewer":
        return principal
    return Principal(board.owner, board.owner_name)


def _title(text: str) -> str:
    return " ".join(text.split())[:_TITLE_CHARACTERS]


def _info(record: DashboardRecord) -> DashboardInfo:
    return DashboardInfo(
        id=record.id,
        title=record.title,
        role=record.role,
        owner=record.owner,
        owner_name="" if record.role == "owner" else record.owner_name or record.owner,
        tile_count=record.tile_count,
        created_at=record.created_at,
        updated_at=record.updated_at,
        refreshed_at=record.refreshed_at,
    )


def _view(record: DashboardRecord) -> DashboardView:
    own = record.role == "owner"
    show_sql = own or record.sharing.show_sql
    info = _info(record)
    removed = sorted((t for t in record.tiles if t.removed_at is not None), key=_removed_at, reverse=True)
    own_sources = not own and record.sharing.runs_with == "viewer"
    notice = "" if own else f"It runs with the data of {info.owner_name}, who shares it with you."
    if own_sources:
        notice = f"{info.owner_name} shares it with you. It runs with your own sources of the same names."
    tiles = tuple(_tile(tile, show_sql=show_sql) for tile in record.tiles if tile.removed_at is None)
    if own_sources:  # what its owner's sources gave is not for a viewer
        info = replace(info, refreshed_at=None)
        tiles = tuple(
            replace(tile, result_id="", refreshed_at=None, tried_at=None, fault="", changes=None) for tile in tiles
        )
    return DashboardView(
        info=info,
        tiles=tiles,
        refreshing=record.refreshing,
        show_sql=show_sql,
        sharing=record.sharing if own else None,
        removed=tuple(_tile(tile, show_sql=True) for tile in removed) if own else (),
        next_refresh_at=record.next_run_at,
        notice=notice,
        filters=record.filters if show_sql else tuple(f.model_copy(update={"columns": ()}) for f in record.filters),
        own_sources=own_sources,
    )


def _removed_at(tile: TileRecord) -> datetime:
    return tile.removed_at or datetime.now(UTC)


def _tile(record: TileRecord, *, show_sql: bool) -> TileView:
    content = record.content
    if isinstance(content, QueryTile) and not show_sql:
        content = content.model_copy(update={"sql": "", "origin": TileOrigin()})
    return TileView(
        id=record.id,
        title=record.title,
        text=record.text,
        width=record.width,
        height=record.height,
        content=content,
        result_id=record.result_id,
        refreshed_at=record.refreshed_at,
        tried_at=record.tried_at,
        fault=record.fault if show_sql else fault_for_viewers(record.fault),
        changes=_changes(record.changes),
    )


def fault_for_viewers(fault: str) -> str:
    """Why a tile was not refreshed, without what an engine says of the owner's tables; empty for none."""
    return "Its query gave an error, which its owner sees." if fault else ""


def _changes(kept: Mapping[str, JsonValue] | None) -> TileChanges | None:
    """What a refresh wrote down; see `refreshing`."""
    if kept is None:
        return None
    rows = kept.get("rows")
    counts = kept.get("counts")
    return TileChanges(
        since=datetime.fromisoformat(str(kept["since"])),
        sentence=str(kept["sentence"]),
        rows=tuple(RowChange(*map(str, row)) for row in rows if isinstance(row, list))  # type: ignore[arg-type]
        if isinstance(rows, list)
        else (),
        counts={str(kind): int(str(n)) for kind, n in counts.items()} if isinstance(counts, dict) else {},
    )
