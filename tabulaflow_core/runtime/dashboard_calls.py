"""The part of the facade that is about dashboards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from tabulaflow_core.output.dashboards import (
    ChartChoice,
    DashboardFilter,
    QueryTile,
    RefreshPolicy,
    Sharing,
    TileHeight,
)
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards import reading, talk
from tabulaflow_core.runtime.dashboards.book import runner_of
from tabulaflow_core.runtime.dashboards.runs import DashboardRun
from tabulaflow_core.runtime.dashboards.views import (
    DashboardInfo,
    DashboardView,
    FilterableColumn,
    FilterChoices,
    TileData,
    TileView,
)
from tabulaflow_core.runtime.services import Services
from tabulaflow_core.store.records import ConversationInfo

T = TypeVar("T")


class DashboardCalls(ABC):
    """Synchronous and thread-safe functions over dashboards; mixed into `Runtime`.

    Each raises `NotFound` where the principal may not see the dashboard, with the same words as where there is none,
    and `NotPermitted` where one who may see it would change it.
    """

    @property
    @abstractmethod
    def _services(self) -> Services: ...

    @abstractmethod
    def _call(self, work: Coroutine[Any, Any, T]) -> T: ...

    def dashboards(self, principal: Principal) -> tuple[DashboardInfo, ...]:
        """One's own and those shared with one, the last changed first."""
        return self._call(self._services.dashboards.list_async(principal))

    def create_dashboard(self, principal: Principal, title: str) -> DashboardInfo:
        """Make an empty, private one.

        Raises:
            ConfigurationError: It has no name, or there are too many.
        """
        return self._call(self._services.dashboards.create_async(principal, title))

    def dashboard(self, principal: Principal, dashboard_id: str) -> DashboardView:
        """One with its tiles; without its queries for a viewer who may not see them."""
        return self._call(self._services.dashboards.get_async(principal, dashboard_id))

    def rename_dashboard(self, principal: Principal, dashboard_id: str, title: str) -> DashboardInfo:
        """Give it another title; an empty one is ignored."""
        return self._call(self._services.dashboards.rename_async(principal, dashboard_id, title))

    def delete_dashboard(self, principal: Principal, dashboard_id: str) -> None:
        """Delete it with its tiles; the answers that they came from stay."""
        self._call(self._services.dashboards.delete_async(principal, dashboard_id))

    def pin(
        self,
        principal: Principal,
        dashboard_id: str,
        content: QueryTile,
        *,
        title: str,
        text: str = "",
        result_id: str = "",
    ) -> TileView:
        """Put an answer on a dashboard, behind its other tiles.

        Args:
            result_id: The rows of the answer, which the tile shows until it is refreshed.

        Raises:
            NotFound: Also when the rows are not there any more.
            ConfigurationError: There are too many tiles.
        """
        book = self._services.dashboards
        return self._call(book.pin_async(principal, dashboard_id, content, title=title, text=text, result_id=result_id))

    def add_text_tile(self, principal: Principal, dashboard_id: str, text: str, *, title: str = "") -> TileView:
        """Put a tile of words on a dashboard.

        Raises:
            ConfigurationError: There are no words, or too many tiles.
        """
        return self._call(self._services.dashboards.add_text_async(principal, dashboard_id, text, title=title))

    def change_tile(
        self,
        principal: Principal,
        dashboard_id: str,
        tile_id: str,
        *,
        title: str | None = None,
        text: str | None = None,
        width: int | None = None,
        height: TileHeight | None = None,
        chart: ChartChoice | None = None,
    ) -> TileView:
        """Change what is given of a tile.

        Args:
            width: Of `GRID_COLUMNS` columns.
        """
        book = self._services.dashboards
        change = book.change_tile_async(
            principal, dashboard_id, tile_id, title=title, text=text, width=width, height=height, chart=chart
        )
        return self._call(change)

    def move_tile(self, principal: Principal, dashboard_id: str, tile_id: str, position: int) -> None:
        """Put a tile at another place, 0 for the first."""
        self._call(self._services.dashboards.move_tile_async(principal, dashboard_id, tile_id, position))

    def duplicate_tile(self, principal: Principal, dashboard_id: str, tile_id: str) -> TileView:
        """Put a copy behind a tile."""
        return self._call(self._services.dashboards.duplicate_tile_async(principal, dashboard_id, tile_id))

    def remove_tile(self, principal: Principal, dashboard_id: str, tile_id: str) -> None:
        """Take a tile off; `restore_tile` brings it back."""
        self._call(self._services.dashboards.remove_tile_async(principal, dashboard_id, tile_id))

    def restore_tile(self, principal: Principal, dashboard_id: str, tile_id: str) -> TileView:
        """Bring a removed tile back to its place."""
        return self._call(self._services.dashboards.remove_tile_async(principal, dashboard_id, tile_id, back=True))

    def set_refreshing(self, principal: Principal, dashboard_id: str, policy: RefreshPolicy) -> None:
        """Keep when it is refreshed.

        Raises:
            ConfigurationError: A time, a zone or a span that cannot be used.
        """
        self._call(self._services.dashboards.schedule_async(principal, dashboard_id, policy))

    def share_dashboard(self, principal: Principal, dashboard_id: str, sharing: Sharing) -> None:
        """Keep who may see it.

        Raises:
            ConfigurationError: It is for chosen people or groups, and none is named.
        """
        self._call(self._services.dashboards.share_async(principal, dashboard_id, sharing))

    def set_filters(self, principal: Principal, dashboard_id: str, filters: Sequence[DashboardFilter]) -> None:
        """Keep the filters of a dashboard, in place of those before.

        Raises:
            ConfigurationError: One has no name, no column that a tile reads, or a column of the wrong type.
        """
        self._call(self._services.dashboards.set_filters_async(principal, dashboard_id, filters))

    def filter_columns(self, principal: Principal, dashboard_id: str) -> tuple[FilterableColumn, ...]:
        """The columns that filters of one's own dashboard can be bound to: those of the tables that its tiles read."""
        return self._call(self._services.dashboards.filter_columns_async(principal, dashboard_id))

    def filter_choices(self, principal: Principal, dashboard_id: str, filter_id: str) -> FilterChoices:
        """The values of a `choice`, read from its columns once in some minutes; waits 0.2 seconds at most."""
        return self._call(self._services.dashboards.filter_choices_async(principal, dashboard_id, filter_id))

    def tile_data(
        self,
        principal: Principal,
        dashboard_id: str,
        tile_ids: Sequence[str],
        *,
        chosen: Mapping[str, Sequence[str]] | None = None,
        seconds: float = 0.0,
    ) -> tuple[TileData, ...]:
        """What tiles show: their last good rows, and what is drawn of them.

        No query runs but for a choice, and for a viewer of a dashboard that runs with the viewer's own sources.

        Args:
            chosen: Values of filters by their ids, as in the URL; see `DashboardFilter`. A filter that is not among
                them has its default.
            seconds: How long to wait for queries that run for this look.
        """
        return self._call(_tile_data_async(self._services, principal, dashboard_id, tile_ids, chosen, seconds))

    def refresh_dashboard(
        self, principal: Principal, dashboard_id: str, *, tile_ids: Sequence[str] | None = None
    ) -> DashboardRun:
        """Run its queries again with the owner's sources, or join the refresh that runs; comes back at once.

        Args:
            tile_ids: Only these tiles.
        """
        return self._call(_refresh_async(self._services, principal, dashboard_id, tile_ids, only_old=False))

    def open_dashboard(self, principal: Principal, dashboard_id: str) -> DashboardRun:
        """Refresh the tiles that are older than the dashboard allows when it is opened; comes back at once."""
        return self._call(_refresh_async(self._services, principal, dashboard_id, None, only_old=True))

    def running_refresh(self, principal: Principal, dashboard_id: str) -> DashboardRun | None:
        """The refresh of a dashboard that runs in this process."""
        return self._call(_running_async(self._services, principal, dashboard_id))

    def ask_about_tile(
        self,
        principal: Principal,
        dashboard_id: str,
        tile_id: str,
        *,
        chosen: Mapping[str, Sequence[str]] | None = None,
    ) -> ConversationInfo:
        """Begin a conversation of the principal's own that knows the rows of a tile; no model is called yet.

        Args:
            chosen: Values of filters, as for `tile_data`.

        Raises:
            ConfigurationError: The tile has no rows.
        """
        return self._call(talk.ask_about_async(self._services, principal, dashboard_id, tile_id, chosen))

    def start_schedules(self, on_refreshed: Callable[[str], None] | None = None) -> None:
        """Keep everybody's schedules from now on, until `close`; for a server or a worker, not for a page.

        Args:
            on_refreshed: Told the id of each dashboard that was refreshed; called in another thread, and may not wait.
        """
        self._call(_start_schedules_async(self._services, on_refreshed))

    def run_due(self) -> tuple[str, ...]:
        """Refresh each dashboard that is due and that no other process took, and wait for it; their ids come back."""
        return self._call(self._services.scheduler.run_due_async())


# The services are opened by the caller: on the engine loop itself nobody could wait for that.


async def _start_schedules_async(services: Services, on_refreshed: Callable[[str], None] | None) -> None:
    services.scheduler.start(on_refreshed)


async def _running_async(services: Services, principal: Principal, dashboard_id: str) -> DashboardRun | None:
    await services.store.dashboards.get_async(principal, dashboard_id)
    return services.refreshes.running(dashboard_id)


async def _refresh_async(
    services: Services, principal: Principal, dashboard_id: str, tile_ids: Sequence[str] | None, *, only_old: bool
) -> DashboardRun:
    board = await services.store.dashboards.get_async(principal, dashboard_id)
    age = board.refreshing.max_age_seconds
    older_than = (float("inf") if age is None else age) if only_old else None
    if runner_of(board, principal).id != board.owner:  # their own rows, which are not kept
        if not only_old:
            every = [tile.id for tile in board.tiles]
            services.live_reads.forget(principal.id, set(every if tile_ids is None else tile_ids))
        return services.refreshes.none_of(board)
    owner = Principal(board.owner, board.owner_name)
    return services.refreshes.start(services, owner, board, tile_ids=tile_ids, older_than=older_than)


async def _tile_data_async(
    services: Services,
    principal: Principal,
    dashboard_id: str,
    tile_ids: Sequence[str],
    chosen: Mapping[str, Sequence[str]] | None,
    seconds: float,
) -> tuple[TileData, ...]:
    board = await services.store.dashboards.get_async(principal, dashboard_id)
    by_id = {tile.id: tile for tile in board.tiles if board.role == "owner" or tile.removed_at is None}
    wanted = [by_id[tile_id] for tile_id in tile_ids if tile_id in by_id]
    return await reading.tiles_data_async(services, principal, board, wanted, chosen=chosen, seconds=seconds)
