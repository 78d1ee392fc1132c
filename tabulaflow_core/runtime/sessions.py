"""The session of each conversation: built from the stored history, kept warm while it is what the store has."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.agents.events import SessionEvent, TurnFinished, TurnInterrupted
from tabulaflow_core.agents.history import messages_from_json, messages_to_json
from tabulaflow_core.config import Settings
from tabulaflow_core.errors import NotFound
from tabulaflow_core.models.contracts import AssistantMessage, ChatModel, Message, UserMessage
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.models import Models
from tabulaflow_core.runtime.ports import KeptResults, LedgerPermit, carried_out
from tabulaflow_core.runtime.preferences import PreferenceBook, Preferences
from tabulaflow_core.runtime.sources import SourceBook
from tabulaflow_core.store.records import History, TurnRecord
from tabulaflow_core.store.store import Store

_log = logging.getLogger(__name__)

#: Conversations kept warm; the one used longest ago is built again when it is needed.
_WARM: Final = 64

_Key = tuple[str, str]


@dataclass(slots=True)
class _Warm:
    session: ChatSession
    permit: LedgerPermit
    model: ChatModel
    chosen: Preferences
    version: int


class Sessions:
    """Gives each turn its session. Belongs to the engine loop."""

    def __init__(
        self, settings: Settings, store: Store, sources: SourceBook, models: Models, preferences: PreferenceBook
    ) -> None:
        self._settings = settings
        self._store = store
        self._sources = sources
        self._models = models
        self._preferences = preferences
        self._warm: OrderedDict[_Key, _Warm] = OrderedDict()

    async def open_async(self, principal: Principal, turn: TurnRecord) -> HeldSession:
        """The session for `turn`, its sources opened.

        Raises:
            NotFound: The conversation was deleted.
            ModelError: The model cannot be used.
        """
        self._sources.hold(principal)
        try:
            return await self._open_async(principal, turn)
        except BaseException:
            await self._sources.release_async(principal)
            raise

    async def _open_async(self, principal: Principal, turn: TurnRecord) -> HeldSession:
        history = await carried_out(self._store.conversations.history_async(principal, turn.conversation_id))
        # Out of the warm ones while its turn runs: it comes back when the turn was saved.
        warm = await self._warm_or_new(principal, turn.conversation_id, turn.model, history)
        warm.permit.turn_id = turn.id
        return HeldSession(self, principal, (principal.id, turn.conversation_id), warm)

    async def warm_async(self, principal: Principal, conversation_id: str) -> None:
        """Let the default model read what the next question of the conversation will begin with.

        Raises:
            ModelError: The model cannot be used.
        """
        name, _ = await self._models.get_async(principal, None)
        try:
            history = await self._store.conversations.history_async(principal, conversation_id)
        except NotFound:  # no conversation yet: the beginning is the same
            history = History(body="", through_turn=0, version=-1)
        warm = await self._warm_or_new(principal, conversation_id, name, history)
        await warm.session.warm()
        if history.version >= 0 and (principal.id, conversation_id) not in self._warm:
            self.keep((principal.id, conversation_id), warm)

    async def _warm_or_new(
        self, principal: Principal, conversation_id: str, model_name: str, history: History
    ) -> _Warm:
        registry = await self._sources.registry_async(principal)
        _, model = await self._models.get_async(principal, model_name)
        chosen = await carried_out(self._preferences.get_async(principal))
        warm = self._warm.pop((principal.id, conversation_id), None)
        if warm is not None and (warm.version, warm.model, warm.chosen) == (history.version, model, chosen):
            return warm
        permit = LedgerPermit(self._store.usage, conversation_id)
        session = ChatSession(
            registry=registry,
            model=model,
            principal=principal,
            results=KeptResults(self._store.results),
            model_permit=permit,
            settings=self._settings,
            limits=chosen.limits(self._settings.limits),
            reasoning=chosen.reasoning,
            history=await carried_out(self._messages(principal, conversation_id, history)),
        )
        return _Warm(session, permit, model, chosen, history.version)

    def forget(self, principal: Principal, conversation_id: str) -> None:
        """Drop the warm session of a deleted conversation."""
        self._warm.pop((principal.id, conversation_id), None)

    def keep(self, key: _Key, warm: _Warm) -> None:
        """Keep a session warm after its turn."""
        self._warm[key] = warm
        while len(self._warm) > _WARM:
            self._warm.popitem(last=False)

    async def release_async(self, principal: Principal) -> None:
        """Let go of the sources of a turn."""
        await self._sources.release_async(principal)

    async def _messages(self, principal: Principal, conversation_id: str, history: History) -> tuple[Message, ...]:
        """The stored history, and in short the turns that ended without it, such as those of a killed process."""
        kept: tuple[Message, ...] = ()
        if history.body:
            try:
                kept = messages_from_json(history.body)
            except ValidationError:
                _log.warning("the history of conversation %s is of another version; it begins anew", conversation_id)
        lost: list[Message] = []
        for record in await self._store.turns.list_async(principal, conversation_id):
            if history.through_turn < record.number and record.state != "running":
                events = await self._store.turns.events_async(principal, record.id)
                last = events[-1] if events else None
                said = last.result.text if isinstance(last, (TurnFinished, TurnInterrupted)) else ""
                lost += [UserMessage(record.question), AssistantMessage(said or "(This was not answered.)")]
        return (*kept, *lost)


class HeldSession:
    """A session while its turn runs; the `TurnSession` of `LiveTurn`."""

    def __init__(self, sessions: Sessions, principal: Principal, key: _Key, warm: _Warm) -> None:
        self._sessions = sessions
        self._principal = principal
        self._key = key
        self._warm = warm

    async def stream(self, question: str) -> AsyncGenerator[SessionEvent, None]:
        """Answer `question`."""
        async with aclosing(self._warm.session.run_stream(question)) as stream:
            async for event in stream:
                yield event

    def history(self) -> str | None:
        """What the model remembers now."""
        return messages_to_json(self._warm.session.history)

    def ended(self, *, version: int | None) -> None:
        """Keep the session warm when the store has its history."""
        if version is not None:
            self._warm.version = version
            self._sessions.keep(self._key, self._warm)

    async def release_async(self) -> None:
        """Let go of the sources that were held open for the turn."""
        await self._sessions.release_async(self._principal)
