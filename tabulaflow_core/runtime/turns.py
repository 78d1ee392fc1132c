"""A turn: a task on the engine loop that nothing ends but Stop, its deadline, or shutdown."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from typing import Final, Protocol

from tabulaflow_core.agents.events import (
    ErrorInfo,
    Event,
    SessionEvent,
    TurnFailed,
    TurnFinished,
    TurnInterrupted,
)
from tabulaflow_core.errors import NotFound, TabulaflowError, TurnLimitReached
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.engine_loop import EngineLoop
from tabulaflow_core.runtime.event_writer import EventWriter
from tabulaflow_core.runtime.turn_log import TERMINAL, TurnLog
from tabulaflow_core.store.partial import partial_result
from tabulaflow_core.store.records import TurnRecord, TurnState
from tabulaflow_core.store.turns import Turns

_log = logging.getLogger(__name__)

STOPPED: Final = "You stopped this answer."
SHUT_DOWN: Final = "The server was shut down while this was being answered."
#: The session keeps the deadline itself and ends more gently; this one is for whatever does not come back.
_GRACE_SECONDS: Final = 1.0
_BROKEN: Final = (
    "Something went wrong inside this program. The question was not answered; ask it again. "
    "If it happens again, the log of the server says what it was."
)


class Turn(Protocol):
    """A turn to watch and to stop, whichever process runs it. Thread-safe."""

    @property
    def id(self) -> str:
        """Its id in the store."""

    @property
    def question(self) -> str:
        """As asked."""

    @property
    def model(self) -> str:
        """`provider:model`."""

    @property
    def state(self) -> TurnState:
        """`running` until its terminal event."""

    @property
    def seconds(self) -> float:
        """Wall time so far."""

    def attach(self, *, tick: float = 0.1) -> Iterator[list[Event]]:
        """Replay from the first event, then follow; see `TurnLog.attach`."""

    def cancel(self) -> None:
        """Stop the model and the statement in the engine. Idempotent; the turn ends as interrupted."""


class TurnSession(Protocol):
    """What a turn asks of a conversation's session."""

    def stream(self, question: str) -> AsyncGenerator[SessionEvent, None]:
        """Answer `question`."""

    def history(self) -> str | None:
        """What the model remembers now, as JSON; None when it cannot be told."""

    def ended(self, *, version: int | None) -> None:
        """The turn is over; `version` is the conversation's in the store, None when it was not saved."""

    async def release_async(self) -> None:
        """Let go of the sources that were held open for the turn."""


class LiveTurn:
    """A turn that this process runs.

    Args:
        open_session: Gives the session, its sources opened; runs inside the turn, so that it too can be stopped.
        seconds: The deadline.
    """

    def __init__(
        self,
        loop: EngineLoop,
        turns: Turns,
        principal: Principal,
        record: TurnRecord,
        *,
        open_session: Callable[[TurnRecord], Awaitable[TurnSession]],
        seconds: float,
    ) -> None:
        self._loop = loop
        self.record = record
        self.principal = principal
        self._open_session = open_session
        self._session: TurnSession | None = None
        self._seconds = seconds
        self._begun = time.monotonic()
        self._reason = ""
        self._fault: TabulaflowError | None = None
        self._stopping = False
        self.log = TurnLog()
        self._writer = EventWriter(
            turns,
            principal,
            record.id,
            runner=record.runner,
            on_stop=lambda: self.stop(STOPPED),
            on_fault=self._give_up,
        )
        self.task = asyncio.create_task(self._run())

    @property
    def id(self) -> str:
        """Its id in the store."""
        return self.record.id

    @property
    def question(self) -> str:
        """As asked."""
        return self.record.question

    @property
    def model(self) -> str:
        """`provider:model`."""
        return self.record.model

    @property
    def state(self) -> TurnState:
        """`running` until its terminal event."""
        return self.log.state

    @property
    def seconds(self) -> float:
        """Wall time so far."""
        return time.monotonic() - self._begun

    def attach(self, *, tick: float = 0.1) -> Iterator[list[Event]]:
        """Replay from the first event, then follow; see `TurnLog.attach`."""
        return self.log.attach(tick=tick)

    def cancel(self) -> None:
        """Stop, from any thread."""
        self._loop.soon(lambda: self.stop(STOPPED))

    def stop(self, reason: str) -> None:
        """Stop, on the loop; only the first reason counts, and a turn that is ending anyway ends as it does."""
        if not self._stopping:
            self._stopping = True
            self._reason = reason
            self.task.cancel()

    async def beat_async(self) -> None:
        """Say that the turn lives, before anybody takes it for dead because this process was asleep."""
        await self._writer.beat_async()

    def _give_up(self, error: TabulaflowError) -> None:
        self._fault = error
        self.stop(error.user_message)

    async def _run(self) -> None:
        last: TurnFinished | TurnFailed | TurnInterrupted = self._interrupted(SHUT_DOWN)
        try:
            last = await self._produce()
            self._stopping = True  # from here on the ending is decided, and nothing may cut the commit short
            last, version = await self._save(last)
            if self._session is not None:
                self._session.ended(version=version)
        finally:
            self.log.append(last)  # whatever happened: readers wait for it
            if self._session is not None:
                await self._session.release_async()

    async def _save(
        self, last: TurnFinished | TurnFailed | TurnInterrupted
    ) -> tuple[TurnFinished | TurnFailed | TurnInterrupted, int | None]:
        """Commit the end; what the turn really ended with comes back, and the conversation's version if it is saved."""
        try:
            history = self._session.history() if self._session is not None else None
            return last, await self._writer.finish_async(last, state=TERMINAL[last.kind], history=history)
        except NotFound as error:
            return self._interrupted(error.user_message), None
        except TabulaflowError as error:
            return _failed(error), None
        except Exception:
            _log.exception("turn %s could not be saved", self.id)
            return TurnFailed(error=ErrorInfo(type="InternalError", user_message=_BROKEN)), None

    async def _produce(self) -> TurnFinished | TurnFailed | TurnInterrupted:
        try:
            async with asyncio.timeout(self._seconds + _GRACE_SECONDS):
                return await self._stream()
        except asyncio.CancelledError:
            self.task.uncancel()  # taken up here: what follows must not look cancelled to time limits
            if self._fault is not None and not isinstance(self._fault, NotFound):
                return _failed(self._fault)
            return self._interrupted(self._reason or SHUT_DOWN)
        except TimeoutError:
            limit = TurnLimitReached(
                f"This took longer than {self._seconds:g} seconds, the limit of one question, and was stopped. "
                "Ask for less at once, or raise TABULAFLOW_TURN_SECONDS."
            )
            return _failed(limit)
        except TabulaflowError as error:
            if error.detail:
                _log.info("turn %s failed: %s (%s)", self.id, error, error.detail)
            return _failed(error)
        except Exception:
            _log.exception("turn %s broke", self.id)
            return TurnFailed(error=ErrorInfo(type="InternalError", user_message=_BROKEN))

    async def _stream(self) -> TurnFinished:
        self._session = await self._open_session(self.record)
        stream = self._session.stream(self.question)
        try:
            async for event in stream:
                if isinstance(event, TurnFinished):
                    return event
                self.log.append(event)
                self._writer.add(event)
        finally:
            await stream.aclose()
        raise RuntimeError("the session ended without an answer")

    def _interrupted(self, reason: str) -> TurnInterrupted:
        return TurnInterrupted(result=partial_result(self.log.snapshot(), seconds=self.seconds), reason=reason)


def _failed(error: TabulaflowError) -> TurnFailed:
    return TurnFailed(error=ErrorInfo(type=type(error).__name__, user_message=error.user_message))
