"""Everything that lives on the engine loop, wired together: the ports of the lower layers meet the store here."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections import OrderedDict
from dataclasses import replace
from typing import Final

from tabulaflow_core.agents.events import Event, TurnFailed, TurnFinished, TurnInterrupted
from tabulaflow_core.config import Settings
from tabulaflow_core.errors import TabulaflowError, TurnInProgress
from tabulaflow_core.models.resolve import parse_name
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards.book import DashboardBook
from tabulaflow_core.runtime.dashboards.filtering import Choices
from tabulaflow_core.runtime.dashboards.live import LiveReads
from tabulaflow_core.runtime.dashboards.reading import Drawings
from tabulaflow_core.runtime.dashboards.runs import DashboardRuns
from tabulaflow_core.runtime.dashboards.scheduler import Scheduler
from tabulaflow_core.runtime.engine_loop import EngineLoop, cancel_other_tasks
from tabulaflow_core.runtime.files import FileBook
from tabulaflow_core.runtime.manual import SqlRuns
from tabulaflow_core.runtime.model_tests import ModelTest
from tabulaflow_core.runtime.models import ModelFactory, Models
from tabulaflow_core.runtime.preferences import PreferenceBook, Preferences
from tabulaflow_core.runtime.questions.book import QuestionBook
from tabulaflow_core.runtime.questions.rechecking import Rechecks
from tabulaflow_core.runtime.reading_jobs import ReadingJobs
from tabulaflow_core.runtime.sessions import HeldSession, Sessions
from tabulaflow_core.runtime.sources import SourceBook
from tabulaflow_core.runtime.turns import SHUT_DOWN, LiveTurn
from tabulaflow_core.runtime.views import ConversationView, TurnView
from tabulaflow_core.store.partial import coalesce
from tabulaflow_core.store.records import TurnRecord
from tabulaflow_core.store.store import Store
from tabulaflow_core.store.turns import BUSY

_log = logging.getLogger(__name__)

#: Seconds that running turns get to be committed when the process ends.
_TURNS_SECONDS: Final = 0.9
#: Seconds that each of the sources, the models and the store gets to be closed.
_CLOSE_SECONDS: Final = 0.3
#: Ended turns kept as views: they never change, and a page asks for all of a conversation's at each of its runs.
_VIEWS: Final = 512


class Services:
    """One process's services over one store. Belongs to the engine loop; made by `open_async`."""

    def __init__(self, settings: Settings, loop: EngineLoop, store: Store, *, factory: ModelFactory | None) -> None:
        self.settings = settings
        self.store = store
        self.preferences = PreferenceBook(store)
        self.models = Models(settings, self.preferences, factory=factory)
        self.files = FileBook(settings, store)
        self.jobs = ReadingJobs(self.files)
        self.sources = SourceBook(settings, store, self.files)
        self.sessions = Sessions(settings, store, self.sources, self.models, self.preferences)
        self.manual = SqlRuns(loop)
        self.dashboards = DashboardBook(self)
        self.refreshes = DashboardRuns(loop)
        self.drawings = Drawings()
        self.live_reads = LiveReads(self)
        self.choices = Choices(self)
        self.questions = QuestionBook(self)
        self.rechecks = Rechecks(loop)
        self.scheduler = Scheduler(self)
        self.live: dict[str, LiveTurn] = {}
        self.warming: set[tuple[str, str]] = set()
        # The process id alone is used again, by the next process or by the same one in another container.
        self.runner: Final = f"{socket.gethostname()[:64]}:{os.getpid()}:{secrets.token_hex(6)}"
        self._loop = loop
        self._views: OrderedDict[tuple[str, str], TurnView] = OrderedDict()

    @classmethod
    async def open_async(cls, settings: Settings, loop: EngineLoop, *, factory: ModelFactory | None) -> Services:
        """Open the store.

        Raises:
            ConfigurationError: A setting cannot be used.
            StoreUnavailable: The store's database does not answer.
        """
        return cls(settings, loop, await Store.open_async(settings), factory=factory)

    async def start_turn_async(
        self, principal: Principal, conversation_id: str, question: str, model: str | None
    ) -> LiveTurn:
        """Begin a turn; see `Runtime.start_turn`."""
        if self.live_turn(principal, conversation_id) is not None:
            raise TurnInProgress(BUSY)
        name, _ = await self.models.get_async(principal, model)
        limits = (await self.preferences.get_async(principal)).limits(self.settings.limits)
        record = await self.store.turns.start_async(
            principal,
            conversation_id,
            question=question,
            model=name,
            runner=self.runner,
        )

        async def open_session(turn: TurnRecord) -> HeldSession:
            return await self.sessions.open_async(principal, turn)

        turn = LiveTurn(
            self._loop,
            self.store.turns,
            principal,
            record,
            open_session=open_session,
            seconds=limits.turn_seconds,
        )
        self.live[turn.id] = turn
        turn.task.add_done_callback(lambda _: self.live.pop(turn.id, None))
        return turn

    async def set_preferences_async(self, principal: Principal, chosen: Preferences) -> None:
        """Keep what a person chose; see `Runtime.set_preferences`."""
        if chosen.model:
            _, name = parse_name(chosen.model)
            chosen = replace(chosen, model=name)
        await self.preferences.set_async(principal, chosen)

    async def test_model_async(self, principal: Principal, model: str) -> ModelTest:
        """Begin to try a model; see `Runtime.test_model`."""
        test = ModelTest(self._loop, model)
        test.begin(self, principal)
        return test

    def live_turn(self, principal: Principal, conversation_id: str) -> LiveTurn | None:
        """The turn of this process that runs in the conversation."""
        for turn in tuple(self.live.values()):
            if turn.record.conversation_id == conversation_id and turn.principal.id == principal.id:
                return turn if turn.state == "running" else None
        return None

    async def conversation_async(self, principal: Principal, conversation_id: str) -> ConversationView:
        """A conversation with its turns.

        Raises:
            NotFound: This principal has no such conversation.
        """
        info = await self.store.conversations.get_async(principal, conversation_id)
        if (turn := self.live_turn(principal, conversation_id)) is not None:
            await turn.beat_async()
        records = await self.store.turns.list_async(principal, conversation_id)
        unseen = [record for record in records if (principal.id, record.id) not in self._views]
        events: dict[str, list[Event]] = {}
        if len(unseen) > 1:
            events = await self.store.turns.conversation_events_async(principal, conversation_id)
        elif unseen:
            events[unseen[0].id] = await self.store.turns.events_async(principal, unseen[0].id)
        verdicts, choices = await self.store.answers.of_conversation_async(principal, conversation_id)
        turns = tuple(self._viewed(principal, record, events) for record in records)
        return ConversationView(info, turns, verdicts, choices)

    def _viewed(self, principal: Principal, record: TurnRecord, events: dict[str, list[Event]]) -> TurnView:
        key = (principal.id, record.id)
        if key in self._views:
            self._views.move_to_end(key)
            return self._views[key]
        view = _view(record, events.get(record.id, []))
        if record.state != "running":
            self._views[key] = view
            while len(self._views) > _VIEWS:
                self._views.popitem(last=False)
        return view

    async def delete_conversation_async(self, principal: Principal, conversation_id: str) -> None:
        """Delete a conversation; its running turn is stopped.

        Raises:
            NotFound: This principal has no such conversation.
        """
        if (turn := self.live_turn(principal, conversation_id)) is not None:
            turn.stop("The conversation was deleted.")
            await asyncio.wait({turn.task}, timeout=_TURNS_SECONDS)
        await self.store.conversations.delete_async(principal, conversation_id)
        self.sessions.forget(principal, conversation_id)

    async def close_async(self) -> None:
        """End the running turns as interrupted, then close everything; two seconds at most."""
        running = [turn for turn in self.live.values() if not turn.task.done()]
        for turn in running:
            turn.stop(SHUT_DOWN)
        if running:
            await asyncio.wait({turn.task for turn in running}, timeout=_TURNS_SECONDS)
        # A background task that is cancelled after the pool was disposed of would leave its connection open.
        parts = (
            self.scheduler.stop_async,
            self.jobs.close_async,
            self.sources.close_async,
            self.models.close_async,
            cancel_other_tasks,
            self.store.close_async,
        )
        for close in parts:
            try:
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await close()
            except (TabulaflowError, OSError, RuntimeError, ExceptionGroup):  # a TimeoutError is an OSError
                _log.warning("not everything could be closed", exc_info=True)


def _view(record: TurnRecord, events: list[Event]) -> TurnView:
    last = events[-1] if events else None
    return TurnView(
        id=record.id,
        question=record.question,
        model=record.model,
        state=record.state,
        started_at=record.started_at,
        seconds=record.seconds,
        events=tuple(coalesce(events)),
        result=last.result if isinstance(last, (TurnFinished, TurnInterrupted)) else None,
        error=last.error if isinstance(last, TurnFailed) else None,
        reason=last.reason if isinstance(last, TurnInterrupted) else "",
    )
