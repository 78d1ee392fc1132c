"""A turn as a replayable log: one writer on the engine loop, many readers on other threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Final

from tabulaflow_core.agents.events import Event
from tabulaflow_core.store.partial import coalesce
from tabulaflow_core.store.records import TurnState

#: Twenty batches a second look fluent; more only cost the browser.
_BATCH_SECONDS: Final = 0.05

#: What each terminal event makes of a turn.
TERMINAL: Final[dict[str, TurnState]] = {
    "turn_finished": "finished",
    "turn_failed": "failed",
    "turn_interrupted": "interrupted",
}


class TurnLog:
    """Events in order, complete once a terminal event is in. Thread-safe."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._changed = threading.Condition()
        self._state: TurnState = "running"

    @property
    def state(self) -> TurnState:
        """`running` until the terminal event."""
        return self._state

    def append(self, event: Event) -> None:
        """Add `event` and wake the readers.

        Raises:
            ValueError: The log is complete.
        """
        with self._changed:
            if self._state != "running":
                raise ValueError(f"the turn is {self._state}; nothing can follow")
            self._events.append(event)
            self._state = TERMINAL.get(event.kind, "running")
            self._changed.notify_all()

    def snapshot(self) -> tuple[Event, ...]:
        """What is there now, deltas joined."""
        with self._changed:
            events = tuple(self._events)
        return tuple(coalesce(events))

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the log is complete; False when `timeout` seconds were not enough."""
        with self._changed:
            return self._changed.wait_for(lambda: self._state != "running", timeout)

    def attach(self, *, tick: float = 0.1) -> Iterator[list[Event]]:
        """Replay from the first event, then follow.

        Yields batches, deltas joined, at most twenty a second; an empty one each `tick` seconds of silence, so
        that the reader may look at something else. Ends after the batch with the terminal event. A reader may leave
        at any time and come back.
        """
        read = 0
        while True:
            with self._changed:
                if read >= len(self._events) and self._state == "running":
                    self._changed.wait(tick)
                batch = self._events[read:]
                read += len(batch)
                complete = self._state != "running"
            yield coalesce(batch)
            if complete:
                return
            if batch:
                time.sleep(_BATCH_SECONDS)
