"""`ChatSession`: one conversation over the sources of a registry."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Final, Generic, Self, TypeVar, overload

from pydantic import BaseModel

from tabulaflow_core.agents.conversation import Conversation
from tabulaflow_core.agents.events import Outcome, SessionEvent, TurnFinished, TurnResult, UsageReport
from tabulaflow_core.agents.plan import TurnPlan
from tabulaflow_core.agents.ports import AllowAllModels, ModelPermit
from tabulaflow_core.agents.sources import Registry
from tabulaflow_core.agents.stream import TurnStream
from tabulaflow_core.config import Limits, Settings
from tabulaflow_core.data.ports import AllowAllQueries, NoKnowledge, QueryPermit, SourceKnowledge
from tabulaflow_core.errors import TurnError, TurnInProgress
from tabulaflow_core.models.contracts import ChatModel, Message, ReasoningLevel
from tabulaflow_core.output.results import MemoryResultStore, ResultStore
from tabulaflow_core.output.specs import ArtifactSpec
from tabulaflow_core.output.words import is_blank
from tabulaflow_core.principal import LOCAL_USER, Principal

if TYPE_CHECKING:
    from tabulaflow_core.agents.turn import Turn

T = TypeVar("T", bound=BaseModel)

_BUSY: Final = "A question is being answered in this conversation. Wait for it or stop it, then ask again."
_CLOSED: Final = "This session is closed. Open a new one."
_EMPTY: Final = "The question is empty. Write what you want to know."


@dataclass(frozen=True, slots=True)
class TypedResult(Generic[T]):
    """What a turn with an output type came to: the validated object, and the turn's result."""

    data: T
    result: TurnResult

    @property
    def text(self) -> str:
        """The final text, which is the object as JSON."""
        return self.result.text

    @property
    def outcome(self) -> Outcome:
        """How the turn ended."""
        return self.result.outcome

    @property
    def artifacts(self) -> tuple[ArtifactSpec, ...]:
        """Tables, charts and metrics."""
        return self.result.artifacts

    @property
    def usage(self) -> UsageReport | None:
        """What the turn used."""
        return self.result.usage

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the answer rests on."""
        return self.result.assumptions


class ChatSession:
    """Answers questions about the sources of a registry, one at a time, and keeps the conversation.

    Args:
        registry: The sources. One registered later is known to the next turn.
        model: A model's name (`provider:model`), a model, or None for the default of `settings`.
        reasoning: How much a model should think; ignored, and said once, by a model that has no such level.
        principal: Who asks; owner of the results.
        results: Where results go; in memory by default.
        model_permit: Asked before each model call and told after it.
        query_permit: Asked before each query.
        knowledge: What is known about a source beyond its schema.
        limits: Bounds of a turn; default those of `settings`.
        settings: Default: read from the environment.
        history: Messages of an earlier session to go on from; repaired where they broke off.
        instructions: Further rules for the model, such as house definitions; fixed for the session.
    """

    def __init__(
        self,
        *,
        registry: Registry,
        model: str | ChatModel | None = None,
        reasoning: ReasoningLevel | None = None,
        principal: Principal = LOCAL_USER,
        results: ResultStore | None = None,
        model_permit: ModelPermit | None = None,
        query_permit: QueryPermit | None = None,
        knowledge: SourceKnowledge | None = None,
        limits: Limits | None = None,
        settings: Settings | None = None,
        history: Sequence[Message] = (),
        instructions: str = "",
    ) -> None:
        self._settings = settings or Settings.from_env()
        self._model_given = model
        self._model: ChatModel | None = None
        self._plan = TurnPlan(
            registry=registry,
            reasoning=reasoning,
            principal=principal,
            results=results or MemoryResultStore(),
            model_permit=model_permit or AllowAllModels(),
            query_permit=query_permit or AllowAllQueries(),
            knowledge=knowledge or NoKnowledge(),
            limits=limits or self._settings.limits,
            instructions=instructions,
            hidden_columns=self._settings.hidden_columns,
        )
        self._conversation = Conversation.of(history)
        self._running: _Running | None = None
        self._last: Turn | None = None
        self._closed = False

    @property
    def history(self) -> tuple[Message, ...]:
        """The conversation so far, usable whatever happened; see `messages_to_json`."""
        return tuple(self._conversation.messages)

    @property
    def results(self) -> ResultStore:
        """Where results go."""
        return self._plan.results

    @property
    def last_result(self) -> TurnResult | None:
        """What the last turn came to, also when it was interrupted or failed; None before the first."""
        return None if self._last is None else self._last.last

    def run_stream(self, question: str) -> TurnStream:
        """Ask, and stream the events; the last is the one `turn_finished`.

        Raises (from the first event on):
            TurnInProgress: A turn runs already.
            TabulaflowError: See `docs/session.md`; the history stays usable.
        """
        return self._stream(question, None)

    @overload
    async def run(self, question: str) -> TurnResult: ...

    @overload
    async def run(self, question: str, *, output_type: type[T]) -> TypedResult[T]: ...

    async def run(self, question: str, *, output_type: type[T] | None = None) -> TurnResult | TypedResult[T]:
        """Ask, and return the result.

        Args:
            question: In any language.
            output_type: A pydantic model that the final answer must fit; the result then has it as `data`.

        Raises:
            TurnInProgress: A turn runs already.
            OutputInvalid: No answer fitted `output_type`, also after one repair.
            TabulaflowError: See `docs/session.md`; the history stays usable.
        """
        result: TurnResult | None = None
        async with aclosing(self._stream(question, output_type)) as stream:
            async for event in stream:
                if isinstance(event, TurnFinished):
                    result = event.result
        assert result is not None  # a stream that ends without an exception ends with `turn_finished`
        if output_type is None:
            return result
        return TypedResult(output_type.model_validate(result.data), result)

    def reset_conversation(self) -> None:
        """Begin a new conversation; the sources and the stored results stay.

        Raises:
            TurnInProgress: A turn runs.
        """
        if self._running is not None and self._running.attended:
            raise TurnInProgress(_BUSY)
        self._conversation = Conversation(said=self._conversation.said)
        self._last = None

    async def warm(self) -> None:
        """Load what the first question would wait for; let an embedded model read the static prompt.

        Does nothing while a turn runs.

        Raises:
            NoModelAvailable: There is no model, or it lacks its key or address.
            ModelError: The embedded model cannot be started.
        """
        from tabulaflow_core.agents.warming import warm

        if self._running is None and not self._closed:
            await warm(self._plan, await self._chosen_model(), self._conversation)

    async def aclose(self) -> None:
        """End a running turn and give up the model that this session opened; the registry stays open."""
        self._closed = True
        if (running := self._running) is not None:
            await running.aclose()
        model, self._model = self._model, None
        if model is not None and model is not self._model_given:
            await model.close_async()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _stream(self, question: str, output_type: type[BaseModel] | None) -> TurnStream:
        def claim(stream: TurnStream) -> None:
            if is_blank(question):
                raise TurnError(_EMPTY)
            self._claim(stream)

        return TurnStream(self._events(question, output_type), claim=claim)

    def _claim(self, stream: TurnStream) -> None:
        if self._closed:
            raise TurnError(_CLOSED)
        before = self._running
        if before is not None and before.attended:
            raise TurnInProgress(_BUSY)
        self._running = _Running(stream, before)

    async def _events(self, question: str, output_type: type[BaseModel] | None) -> AsyncGenerator[SessionEvent]:
        running = self._running
        assert running is not None  # claimed by the stream before its first event
        try:
            if running.before is not None:
                await running.before.aclose()
                running.before = None
            model = await self._chosen_model()
            from tabulaflow_core.agents.answering import begin, run_turn

            turn = begin(self._plan, model, self._conversation, question, output_type)
            self._last = turn
            async with aclosing(run_turn(self._plan, turn)) as events:
                async for event in events:
                    yield event
        finally:
            if self._running is running:
                self._running = None

    async def _chosen_model(self) -> ChatModel:
        if self._model is None:
            given = self._model_given if self._model_given is not None else (self._settings.model or None)
            registry = self._plan.registry
            dialects = {registry.get(alias).dialect for alias in registry.aliases}
            model = await asyncio.to_thread(_loaded, given, self._settings, dialects)
            self._model = self._model or model  # two may have waited
        return self._model


def _loaded(given: str | ChatModel | None, settings: Settings, dialects: Iterable[str]) -> ChatModel:
    """Import what answering needs, which importing this package does not, and return the model: up to a second."""
    import tabulaflow_core.agents.answering  # noqa: F401
    from tabulaflow_core.data.guard import check_statement
    from tabulaflow_core.models.resolve import preload_model

    for dialect in dialects:
        check_statement("SELECT 1", dialect=dialect)  # the first one of a dialect loads its grammar
    return preload_model(given, settings=settings)


class _Running:
    """The turn that runs. When its stream is dropped unfinished, the turn is ended on the loop it ran on."""

    def __init__(self, stream: TurnStream, before: _Running | None) -> None:
        self.before = before
        self._events = stream.events
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None
        self._stream = weakref.ref(stream, self._dropped)

    @property
    def attended(self) -> bool:
        """Somebody still holds the stream."""
        return self._stream() is not None

    async def aclose(self) -> None:
        """End the turn, by whichever way is open."""
        stream = self._stream()
        if stream is not None:
            await stream.aclose()
        elif self._task is not None:
            await asyncio.shield(self._task)
        else:
            await self._events.aclose()

    def _dropped(self, _: object) -> None:
        if not self._loop.is_closed():  # the collector may run in any thread
            self._loop.call_soon_threadsafe(self._close_soon)

    def _close_soon(self) -> None:
        if self._task is None:
            self._task = self._loop.create_task(self._events.aclose())
