"""A turn that another process runs, watched through the store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from tabulaflow_core.agents.events import Event, TurnInterrupted
from tabulaflow_core.errors import NotFound
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.engine_loop import EngineLoop
from tabulaflow_core.runtime.turn_log import TERMINAL
from tabulaflow_core.store.partial import coalesce, partial_result
from tabulaflow_core.store.records import TurnRecord, TurnState
from tabulaflow_core.store.turns import Turns

#: Text is committed every half second by the process that runs the turn; asking more often shows nothing sooner.
_POLL_SECONDS: Final = 0.3
_DELETED: Final = "The conversation was deleted."


class FollowedTurn:
    """A turn of another process. Ends as interrupted when that process dies."""

    def __init__(self, loop: EngineLoop, turns: Turns, principal: Principal, record: TurnRecord) -> None:
        self._loop = loop
        self._turns = turns
        self._principal = principal
        self._record = record

    @property
    def id(self) -> str:
        """Its id in the store."""
        return self._record.id

    @property
    def question(self) -> str:
        """As asked."""
        return self._record.question

    @property
    def model(self) -> str:
        """`provider:model`."""
        return self._record.model

    @property
    def state(self) -> TurnState:
        """As the store has it now."""
        if self._record.state == "running":
            self._loop.call(self._turns.end_stale_async(self._principal, self._record.conversation_id))
            self._record = self._loop.call(self._turns.get_async(self._principal, self.id))
        return self._record.state

    @property
    def seconds(self) -> float:
        """Wall time so far, by the clock that the processes share."""
        return max((datetime.now(UTC) - self._record.started_at).total_seconds(), 0.0)

    def attach(self, *, tick: float = 0.1) -> Iterator[list[Event]]:
        """Replay from the first event, then follow; see `TurnLog.attach`."""
        read = 0
        asked = 0.0
        while True:
            if time.monotonic() - asked < _POLL_SECONDS:
                time.sleep(min(tick, _POLL_SECONDS))
                yield []
                continue
            asked = time.monotonic()
            # The state first: a turn that ends in between has its last event in the batch.
            try:
                over = self.state != "running"
            except NotFound:
                yield [TurnInterrupted(result=partial_result((), seconds=0.0), reason=_DELETED)]
                return
            batch, read = self._loop.call(self._turns.events_from_async(self._principal, self.id, first=read))
            if batch or over:
                yield coalesce(batch)
            if over or (batch and batch[-1].kind in TERMINAL):
                return

    def cancel(self) -> None:
        """Ask the other process to stop; it looks once a second."""
        self._loop.call(self._turns.request_cancel_async(self._principal, self.id))
