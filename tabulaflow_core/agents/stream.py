"""The stream of a turn: ends cleanly when it is left early, closed from elsewhere, or simply dropped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Final, Self

from tabulaflow_core.agents.events import SessionEvent
from tabulaflow_core.errors import TurnError

CLOSED: Final = "The conversation was closed before the answer was complete. Ask again in a new one."


class TurnStream(AsyncIterator[SessionEvent]):
    """Events of one turn.

    A plain asynchronous generator would not do: it cannot be closed while another task waits for its next event.

    Args:
        events: The turn.
        claim: Called once, before the first event; raises `TurnInProgress`.
    """

    def __init__(self, events: AsyncGenerator[SessionEvent], *, claim: Callable[[TurnStream], None]) -> None:
        self.events = events
        self._claim: Callable[[TurnStream], None] | None = claim
        self._waiter: asyncio.Task[object] | None = None
        self._closing: asyncio.Event | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionEvent:
        if self._claim is not None:
            self._claim(self)
            self._claim = None
        task = asyncio.current_task()
        before = task.cancelling() if task else 0
        self._waiter = task
        try:
            return await anext(self.events)
        except asyncio.CancelledError:
            # Closed from another task: this one was cancelled only to get it out of its wait.
            if self._closing is not None and task is not None and task.uncancel() <= before:
                raise TurnError(CLOSED) from None
            raise
        finally:
            self._waiter = None
            if self._closing is not None:
                self._closing.set()

    async def aclose(self) -> None:
        """End the turn; returns when the model's request is closed and the statement stopped. May be called again."""
        waiter = self._waiter
        if waiter is None:
            await self.events.aclose()
        elif waiter is not asyncio.current_task():
            if self._closing is None:
                self._closing = asyncio.Event()
                waiter.cancel()
            await self._closing.wait()
