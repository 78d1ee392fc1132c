"""One turn: what both ways of answering share. `standard.py` and `compact.py` are the two ways."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final
from uuid import uuid4

from pydantic import BaseModel, JsonValue

from tabulaflow_core.agents.bounds import used_up
from tabulaflow_core.agents.conversation import Conversation
from tabulaflow_core.agents.events import (
    AnswerDelta,
    Artifact,
    Narration,
    Outcome,
    SessionEvent,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnResult,
    UsageReport,
    UsageUpdated,
)
from tabulaflow_core.agents.model_call import TIME_IS_UP, Meter, call_model
from tabulaflow_core.agents.ports import ModelPermit
from tabulaflow_core.agents.tools.protocol import Tool, ToolContext, ToolOutcome, bad_arguments, failed
from tabulaflow_core.errors import TurnLimitReached
from tabulaflow_core.models.contracts import (
    AssistantMessage,
    CallPart,
    ChatModel,
    DonePart,
    ModelRequest,
    ReasoningLevel,
    TextPart,
    ThinkingPart,
    ToolCall,
)
from tabulaflow_core.output.specs import ArtifactSpec

#: A running tool says that it still runs this often, in seconds: often enough to be seen, too seldom to flicker.
_PROGRESS_SECONDS: Final = 2.0


@dataclass(slots=True)
class Step:
    """What one model call came to."""

    number: int
    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    reason: str = "stop"


@dataclass(slots=True)
class Turn:
    """The state of a turn and the primitives that answering is made of.

    Attributes:
        tools: By name, in the order offered.
        output_type: What the final text must fit, when the caller asked for an object.
        data: That object as JSON.
        last: The result as the turn ended, however it ended.
        in_flight: Text of the step that streams now; no message holds it yet.
        text: The answer.
        worked: Tools that did what they were asked; `failed` those that did not.
    """

    question: str
    model: ChatModel
    conversation: Conversation
    context: ToolContext
    permit: ModelPermit
    tools: dict[str, Tool]
    reasoning: ReasoningLevel | None = None
    output_type: type[BaseModel] | None = None
    started: float = 0.0
    today: date = field(default_factory=date.today)
    meter: Meter = field(default_factory=Meter)
    artifacts: list[ArtifactSpec] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    step: int = 0
    in_flight: str = ""
    text: str = ""
    outcome: Outcome = "answered"
    data: JsonValue = None
    last: TurnResult | None = None
    repaired: bool = False
    worked: int = 0
    failed: int = 0

    def result(self, outcome: Outcome | None = None) -> TurnResult:
        """Return what there is now."""
        return TurnResult(
            text=self.text or self.in_flight,
            outcome=outcome or self.outcome,
            artifacts=tuple(self.artifacts),
            usage=self.usage(),
            assumptions=tuple(dict.fromkeys(self.assumptions)),
            data=self.data,
            seconds=round(asyncio.get_running_loop().time() - self.started, 3),
        )

    def finish(self) -> TurnResult:
        """Return the result of a turn that ended well."""
        self.last = self.result()
        return self.last

    def end(self) -> None:
        """Keep what there is of a turn that ended any other way; after `finish` nothing changes."""
        if self.last is None:
            self.last = self.result("interrupted")

    def usage(self) -> UsageReport | None:
        """Return the usage so far; None when no model was called."""
        used = self.meter.used
        return None if used is None else UsageReport(**{name: getattr(used, name) for name in UsageReport.model_fields})

    @property
    def calls_left(self) -> int:
        """Model calls that this turn may still make."""
        return self.context.limits.model_calls - self.meter.calls

    async def stream_step(
        self, request: ModelRequest, into: Step, *, aloud: bool = True
    ) -> AsyncGenerator[SessionEvent]:
        """Call the model and pass its text on; the step's text and calls are collected in `into`.

        Args:
            aloud: False shows the text as thinking: it is not meant to be the answer.

        Raises:
            TurnLimitReached: The tokens, the money or the seconds of the turn are used up.
        """
        if why := used_up(self.context.limits, self.model.facts, self.meter.used, request):
            raise TurnLimitReached(why)
        self.in_flight = ""
        narrated = ""
        stream = call_model(
            self.model,
            request,
            permit=self.permit,
            principal=self.context.principal,
            meter=self.meter,
            deadline=self.context.deadline,
        )
        async with aclosing(stream):
            async for part in stream:
                match part:
                    case TextPart(text):
                        into.text += text
                        if not aloud:
                            yield ThinkingDelta(step=into.number, content=text)
                        elif not into.calls:
                            self.in_flight = into.text
                            yield AnswerDelta(step=into.number, content=text)
                    case ThinkingPart(text):
                        yield ThinkingDelta(step=into.number, content=text)
                    case CallPart(call):
                        if not into.calls and into.text.strip() and aloud:
                            narrated = into.text
                            yield Narration(step=into.number, content=narrated)
                        into.calls.append(self._told_apart(call, into))
                    case DonePart(_, reason):
                        into.reason = reason
        if into.calls:
            self.in_flight = ""
            if aloud and into.text.strip() and into.text != narrated:
                yield Narration(step=into.number, content=into.text)
        if (usage := self.usage()) is not None:
            yield UsageUpdated(usage=usage)

    def _told_apart(self, call: ToolCall, step: Step) -> ToolCall:
        """Give `call` an id of its own: some servers repeat one within an answer, or count anew with each."""
        told = (m for m in self.conversation.messages if isinstance(m, AssistantMessage))
        taken = {c.id for c in step.calls} | {c.id for m in told for c in m.tool_calls}
        return replace(call, id=f"call_{uuid4().hex[:24]}") if call.id in taken else call

    async def run_tool(
        self, call: ToolCall, step: int, *, answered: ToolOutcome | None = None, cut: bool = False
    ) -> AsyncGenerator[SessionEvent | ToolOutcome]:
        """Run `call`; the last item is the outcome.

        Args:
            answered: The outcome, when it is known without running anything.
            cut: The answer that the call stands in was cut at the model's output limit.
        """
        tool = self.tools.get(call.name)
        args = call.arguments or {}
        if tool is not None:
            args = tool.completed(args, self.context)
        title = tool.title(args) if tool else f"Unknown tool {call.name}"
        yield ToolStarted(step=step, call_id=call.id, name=call.name, title=title, args=args)
        began = asyncio.get_running_loop().time()
        if answered is not None:
            outcome = answered
        elif tool is None:
            outcome = failed(f"There is no tool {call.name!r}.", hint=f"tools: {', '.join(self.tools)}")
        elif call.arguments is None:
            outcome = bad_arguments(call, cut=cut)
        else:
            async with aclosing(self._watched(tool.run(args, self.context), call, step)) as running:
                async for item in running:
                    if isinstance(item, ToolOutcome):
                        outcome = item
                    else:
                        yield item
        self.worked += outcome.ok and outcome.ending is None
        self.failed += not outcome.ok
        seconds = round(asyncio.get_running_loop().time() - began, 3)
        yield ToolFinished(
            step=step,
            call_id=call.id,
            name=call.name,
            ok=outcome.ok,
            summary=outcome.summary,
            result_id=outcome.result_id,
            seconds=seconds,
            error=outcome.error or None,
        )
        for spec in outcome.artifacts:
            self.artifacts.append(spec)
            yield Artifact(spec=spec)
        yield outcome

    async def _watched(
        self, run: Coroutine[object, object, ToolOutcome], call: ToolCall, step: int
    ) -> AsyncGenerator[SessionEvent | ToolOutcome]:
        """Run the tool as a task, so that it can say that it still runs, and end it when the turn ends."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        task = asyncio.ensure_future(run)
        try:
            while True:
                wait = min(_PROGRESS_SECONDS, max(self.context.deadline - loop.time(), 0.0))
                done, _ = await asyncio.wait({task}, timeout=wait)
                if done:
                    break
                if loop.time() >= self.context.deadline:
                    raise TurnLimitReached(TIME_IS_UP)
                yield ToolProgress(step=step, call_id=call.id, message=f"running for {loop.time() - began:.0f} s")
            yield task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    def say_once(self, notice: str) -> None:
        """Put `notice` among the assumptions, once in a conversation."""
        if notice not in self.conversation.said:
            self.conversation.said.add(notice)
            self.assumptions.append(notice)
