"""Schedules kept: looks for dashboards that are due and refreshes each in one process only."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
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

    def start(self) -> None:
        """Look for what is due from now on; a second call does nothing."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch())

    async def stop_async(self) -> None:
        """Look no more; a refresh that runs is ended, and its dashboard stays due."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def run_due_async(self) -> tuple[str, ...]:
        """Refresh every dashboard that is due and that no other process took; their ids come back.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        schedules, done = self._services.store.schedules, []
        for owner, dashboard_id in await carried_out(schedules.due_async(SCHEDULER)):
            taken = schedules.take_async(owner, dashboard_id, holder=self._services.runner)
            if await carried_out(taken):
                await self._run_async(owner, dashboard_id)
                done.append(dashboard_id)
        return tuple(done)

    async def _watch(self) -> None:
        while True:
            try:
                await self.run_due_async()
            except TabulaflowError as error:  # the store is away for a while; the next look tries again
                _log.warning("schedules could not be looked at: %s", error)
            except Exception:
                _log.exception("a schedule broke")
            await asyncio.sleep(_LOOK_SECONDS)

    async def _run_async(self, owner: Principal, dashboard_id: str) -> None:
        store, holder = self._services.store, self._services.runner
        try:
            board = await store.dashboards.get_async(owner, dashboard_id)
        except NotFound:  # deleted since
            return
        run = self._services.refreshes.start(self._services, owner, board)
        renewing = asyncio.create_task(self._renew_async(owner, dashboard_id, run))
        try:
            await run.wait_async()
        except asyncio.CancelledError:  # the process ends: the lease runs out, and another one does it
            run.cancel()
            raise
        finally:
            renewing.cancel()
        if run.faults:
            _log.info("%d of %d tiles of %s could not be refreshed", len(run.faults), run.total, dashboard_id)
        later = next_run(board.refreshing, after=datetime.now(UTC))
        release = store.schedules.release_async(owner, dashboard_id, holder=holder, next_run_at=later)
        await carried_out(release)

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
