"""Schedules kept: looks for dashboards that are due and refreshes each in one process only."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from tabulaflow_core.errors import NotFound, TabulaflowError
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards.runs import DashboardRun
from tabulaflow_core.runtime.dashboards.timing import next_run
from tabulaflow_core.runtime.ports import carried_out
from tabulaflow_core.store.schedules import LEASE_SECONDS, SCHEDULER

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

_log = logging.getLogger(__name__)

#: How often is looked; a schedule is no finer than a minute.
_LOOK_SECONDS: Final = 5.0


class Scheduler:
    """The schedules of one process. Belongs to the engine loop; started by a server or a worker, never by a page."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._task: asyncio.Task[None] | None = None
        self._running: set[asyncio.Task[str]] = set()

    def start(self, on_refreshed: Callable[[str], None] | None = None) -> None:
        """Look for what is due from now on; a second call does nothing.

        Args:
            on_refreshed: Told the id of each dashboard that was refreshed, on the engine loop.
        """
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch(on_refreshed))

    async def stop_async(self) -> None:
        """Look no more; a refresh that runs is ended, and its dashboard stays due."""
        tasks = [*self._running, *([self._task] if self._task is not None else [])]
        self._task = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def run_due_async(self) -> tuple[str, ...]:
        """Refresh every dashboard that is due and that no other process took; their ids come back.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        return tuple(await asyncio.gather(*await self._begin_due_async()))

    async def _begin_due_async(self) -> list[asyncio.Task[str]]:
        """Begin to refresh what is due: one that takes long holds up no other."""
        schedules, begun = self._services.store.schedules, []
        for owner, dashboard_id in await carried_out(schedules.due_async(SCHEDULER)):
            taken = schedules.take_async(owner, dashboard_id, holder=self._services.runner)
            if await carried_out(taken):
                task = asyncio.create_task(self._run_async(owner, dashboard_id))
                self._running.add(task)
                task.add_done_callback(self._ended)
                begun.append(task)
        return begun

    def _ended(self, task: asyncio.Task[str]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("a dashboard could not be refreshed by its schedule: %s", error)

    async def _watch(self, on_refreshed: Callable[[str], None] | None) -> None:
        def tell(task: asyncio.Task[str]) -> None:
            if on_refreshed is not None and not task.cancelled() and task.exception() is None:
                on_refreshed(task.result())

        while True:
            try:
                for task in await self._begin_due_async():
                    task.add_done_callback(tell)
            except TabulaflowError as error:  # the store is away for a while; the next look tries again
                _log.warning("schedules could not be looked at: %s", error)
            except Exception:
                _log.exception("a schedule broke")
            await asyncio.sleep(_LOOK_SECONDS)

    async def _run_async(self, owner: Principal, dashboard_id: str) -> str:
        store, holder = self._services.store, self._services.runner
        try:
            board = await store.dashboards.get_async(owner, dashboard_id)
        except NotFound:  # deleted since
            return dashboard_id
        run = self._services.refreshes.start(self._services, owner, board)
        renewing = asyncio.create_task(self._renew_async(owner, dashboard_id, run))
        try:
            await run.wait_async()
        except asyncio.CancelledError:  # the process ends: the dashboard stays due, and another one takes it
            run.cancel()
            back = store.schedules.release_async(owner, dashboard_id, holder=holder, next_run_at=board.next_run_at)
            await carried_out(back)
            raise
        finally:
            renewing.cancel()
        if run.failed:
            _log.info("%d of %d tiles of %s could not be refreshed", len(run.failed), run.total, dashboard_id)
        later = await self._next_async(owner, dashboard_id)
        release = store.schedules.release_async(owner, dashboard_id, holder=holder, next_run_at=later)
        await carried_out(release)
        return dashboard_id

    async def _next_async(self, owner: Principal, dashboard_id: str) -> datetime | None:
        """When it fires next, by the schedule as it is now: it can have been changed meanwhile."""
        try:
            board = await carried_out(self._services.store.dashboards.get_async(owner, dashboard_id))
        except NotFound:
            return None
        return next_run(board.refreshing, after=datetime.now(UTC))

    async def _renew_async(self, owner: Principal, dashboard_id: str, run: DashboardRun) -> None:
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            renew = self._services.store.schedules.renew_async(owner, dashboard_id, holder=self._services.runner)
            try:
                if not await carried_out(renew):
                    run.cancel()  # taken for dead, and another process does it
                    return
            except TabulaflowError as error:
                _log.warning("a lease could not be renewed: %s", error)
