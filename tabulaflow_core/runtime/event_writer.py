"""Commits a running turn's events to the store as they come, and keeps its lease alive."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Final

from tabulaflow_core.agents.events import Event
from tabulaflow_core.errors import NotFound, StoreUnavailable, TabulaflowError
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.partial import coalesce
from tabulaflow_core.store.records import TurnState
from tabulaflow_core.store.turns import Turns

#: Deltas wait so long for company. A killed process loses at most this much of the text of its step.
_DELTA_SECONDS: Final = 0.5
#: A tenth of what makes a lease stale.
_HEARTBEAT_SECONDS: Final = 1.0
#: A store that is away for less than the lease lasts is waited for.
_PATIENCE_SECONDS: Final = 8.0

_DELTAS: Final = frozenset({"answer_delta", "thinking_delta"})


class EventWriter:
    """The one writer of a turn's events, as a task of the engine loop.

    It never runs inside the task that makes the events: cancelling that one must not leave a commit half done.

    Args:
        on_stop: Called when somebody asked, in any process, to stop the turn.
        on_fault: Called when the lease is lost or the store stays away; nothing is committed after it.
    """

    def __init__(
        self,
        turns: Turns,
        principal: Principal,
        turn_id: str,
        *,
        runner: str,
        on_stop: Callable[[], None],
        on_fault: Callable[[TabulaflowError], None],
    ) -> None:
        self._turns = turns
        self._principal = principal
        self._turn_id = turn_id
        self._runner = runner
        self._on_stop = on_stop
        self._on_fault = on_fault
        self._pending: list[Event] = []
        self._next = 0
        self._written = time.monotonic()
        self._urgent = False
        self._closing = False
        self._wake = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    def add(self, event: Event) -> None:
        """Commit `event` at once, or a delta within half a second."""
        self._pending.append(event)
        if event.kind not in _DELTAS:
            self._urgent = True
            self._wake.set()

    async def beat_async(self) -> None:
        """Renew the lease now; a lost one is told like any other time."""
        try:
            await self._turns.append_async(self._principal, self._turn_id, runner=self._runner, first=self._next)
        except NotFound as error:
            self._on_fault(error)

    async def finish_async(self, last: Event, *, state: TurnState, history: str | None) -> int:
        """Commit what is left, the terminal event, the state and the history together; the version comes back.

        Raises:
            NotFound: The lease is lost, or the conversation was deleted.
            StoreUnavailable: The store stays away.
        """
        self._closing = True
        self._wake.set()
        await self._task
        for wait in (0.1, 0.5, 0.0):
            try:
                return await self._turns.finish_async(
                    self._principal,
                    self._turn_id,
                    runner=self._runner,
                    first=self._next,
                    new=coalesce([*self._pending, last]),
                    state=state,
                    history=history,
                )
            except StoreUnavailable:
                if not wait:
                    raise
                await asyncio.sleep(wait)
        raise AssertionError("unreachable")

    async def _run(self) -> None:
        last_success = time.monotonic()
        while not self._closing:
            await self._sleep()
            if self._closing:
                return
            try:
                await self._commit()
                last_success = time.monotonic()
            except NotFound as error:
                self._on_fault(error)
                return
            except StoreUnavailable as error:
                if time.monotonic() - last_success > _PATIENCE_SECONDS:
                    self._on_fault(error)
                    return

    async def _sleep(self) -> None:
        """Until something urgent comes, or deltas or the heartbeat are due."""
        due = _DELTA_SECONDS if self._pending else min(_HEARTBEAT_SECONDS, _DELTA_SECONDS)
        if not self._urgent:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), due)
        self._wake.clear()

    async def _commit(self) -> None:
        self._urgent = False
        if not self._pending and time.monotonic() - self._written < _HEARTBEAT_SECONDS:
            return
        taken = len(self._pending)
        new = coalesce(self._pending[:taken])
        stop = await self._turns.append_async(
            self._principal, self._turn_id, runner=self._runner, first=self._next, new=new
        )
        del self._pending[:taken]
        self._next += len(new)
        self._written = time.monotonic()
        if stop:
            self._on_stop()
