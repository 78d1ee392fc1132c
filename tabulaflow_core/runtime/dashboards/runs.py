"""Refreshes of dashboards that run: begun once however many look on, watched and stopped from any thread."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards.refreshing import BROKEN, age_seconds, refresh_async
from tabulaflow_core.runtime.engine_loop import EngineLoop
from tabulaflow_core.store.dashboard_records import DashboardRecord, TileRecord

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

_log = logging.getLogger(__name__)

#: Queries of one dashboard at a time, and of all dashboards of this process: a database has other users too.
_AT_ONCE: Final = 4
_AT_ONCE_IN_ALL: Final = 8
_TICK: Final = 0.05


class DashboardRun:
    """One refresh of a dashboard. Reading the attributes is safe from any thread.

    Attributes:
        tile_ids: The tiles that it refreshes.
        total: How many these are.
        done: Those that ended, well or not.
        failed: The ids of tiles that could not be refreshed; why, the tile says to whoever may know.
        stopped: Whether a person ended it.
    """

    def __init__(self, loop: EngineLoop, dashboard_id: str, tiles: tuple[TileRecord, ...]) -> None:
        self.dashboard_id: Final = dashboard_id
        self.tile_ids: Final = frozenset(tile.id for tile in tiles)
        self.total: Final = len(tiles)
        self.done = 0
        self.failed: set[str] = set()
        self.stopped = False
        self._tiles = tiles
        self._loop = loop
        self._task: asyncio.Task[None] | None = None
        self._ended = False
        self._left = {tile.id for tile in tiles}

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return not self._ended

    def is_waiting(self, tile_id: str) -> bool:
        """Whether a tile is still to be refreshed."""
        return self.running and tile_id in self._left

    def cancel(self) -> None:
        """Stop the statements in the engines; what was refreshed stays. Idempotent; comes back at once."""
        self._loop.soon(self._cancel)

    def wait(self, seconds: float) -> bool:
        """Wait until it has ended, at most so long; whether it has. Not for the engine loop."""
        until = time.monotonic() + seconds
        while self.running and time.monotonic() < until:
            time.sleep(_TICK)
        return not self.running

    def wait_first(self, seconds: float) -> None:
        """Wait until a tile has been refreshed, at most so long. Not for the engine loop."""
        until = time.monotonic() + seconds
        while self.running and not self.done and time.monotonic() < until:
            time.sleep(_TICK)

    async def wait_async(self) -> None:
        """Wait until it has ended; on the engine loop."""
        if self._task is not None:
            await asyncio.wait({self._task})

    def begin(self, services: Services, owner: Principal, all_of_them: asyncio.Semaphore) -> None:
        """Start; on the engine loop."""
        self._task = asyncio.create_task(self._run(services, owner, all_of_them))

    def end(self) -> None:
        """Say that nothing is left to do."""
        self._ended = True

    def _cancel(self) -> None:
        if self._task is not None and not self._task.done():
            self.stopped = True
            self._task.cancel()

    async def _run(self, services: Services, owner: Principal, all_of_them: asyncio.Semaphore) -> None:
        own = asyncio.Semaphore(_AT_ONCE)

        async def one(tile: TileRecord) -> None:
            async with own, all_of_them:
                try:
                    fault = await refresh_async(services, owner, tile)
                except TabulaflowError as error:  # the store is away, or the tile was deleted meanwhile
                    fault = error.user_message
                except Exception:  # one tile's fault, whatever it was, is not to end the others
                    _log.exception("the tile %s could not be refreshed", tile.id)
                    fault = BROKEN
            if fault:
                self.failed.add(tile.id)
            self._left.discard(tile.id)
            self.done += 1

        try:
            async with asyncio.TaskGroup() as group:
                for tile in self._tiles:
                    group.create_task(one(tile))
        except asyncio.CancelledError:
            if not self.stopped:
                raise
        except ExceptionGroup:
            _log.exception("a refresh broke")
        finally:
            self._ended = True  # last: who sees it sees the rest


class DashboardRuns:
    """The refreshes of this process. Belongs to the engine loop."""

    def __init__(self, loop: EngineLoop) -> None:
        self._loop = loop
        self._all = asyncio.Semaphore(_AT_ONCE_IN_ALL)
        self._runs: dict[str, DashboardRun] = {}

    def running(self, dashboard_id: str) -> DashboardRun | None:
        """The one that goes on for a dashboard."""
        run = self._runs.get(dashboard_id)
        return run if run is not None and run.running else None

    def none_of(self, board: DashboardRecord) -> DashboardRun:
        """A refresh of nothing, which has ended."""
        run = DashboardRun(self._loop, board.id, ())
        run.end()
        return run

    def start(
        self,
        services: Services,
        owner: Principal,
        board: DashboardRecord,
        *,
        tile_ids: Collection[str] | None = None,
        older_than: float | None = None,
    ) -> DashboardRun:
        """Begin a refresh with the owner's sources, or join one that runs for all of these tiles; comes back at once.

        Args:
            tile_ids: Only these.
            older_than: Only tiles whose rows are older, in seconds.
        """
        wanted = tuple(
            tile
            for tile in board.tiles
            if tile.removed_at is None
            and isinstance(tile.content, QueryTile)
            and (tile_ids is None or tile.id in tile_ids)
            and (older_than is None or age_seconds(tile) > older_than)
        )
        there = self.running(board.id)
        if there is not None and {tile.id for tile in wanted} <= there.tile_ids:
            return there
        run = DashboardRun(self._loop, board.id, wanted)
        run.begin(services, owner, self._all)
        self._runs = {key: other for key, other in self._runs.items() if other.running}
        self._runs[board.id] = run
        return run
