"""The standard way of answering: the model calls tools until it has said its answer."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Final

from tabulaflow_core.agents import output_type as output
from tabulaflow_core.agents.bounds import used_up
from tabulaflow_core.agents.compaction import shortened, too_long
from tabulaflow_core.agents.events import (
    AnswerDelta,
    CompactionFinished,
    CompactionStarted,
    Narration,
    Outcome,
    SessionEvent,
)
from tabulaflow_core.agents.recall import remembered, sent
from tabulaflow_core.agents.repeats import REMINDER, Repeats
from tabulaflow_core.agents.tools.protocol import Ending, ToolOutcome, failed
from tabulaflow_core.agents.turn import Step, Turn
from tabulaflow_core.errors import ModelRejected, TurnLimitReached
from tabulaflow_core.models.contracts import (
    AssistantMessage,
    CallPart,
    Message,
    ModelRequest,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabulaflow_core.models.text_calls import TextCallParser
from tabulaflow_core.models.tokens import estimate_request_tokens
from tabulaflow_core.output.figures import unsupported_figures

LAST_STEP: Final = "No further tool calls are possible in this turn. Answer now with what the results above show."
_CALLS_USED_UP: Final = (
    "The model used all its steps without coming to an answer. Ask a narrower question, or raise the limit."
)
#: A shorter request was hardly refused for its length.
_WORTH_SHORTENING: Final = 3000
#: Ids of results and charts.
_IDS: Final = re.compile(r"\b[rc]_[0-9a-f]{8,}\b")
_SAY_IT: Final = "Your answer was empty. Answer the question now, or call a tool."
_FILTERED: Final = (
    "The model's content filter stopped this answer. Ask in other words, or choose another model in the settings."
)
_NOTHING_SAID: Final = "The model gave no answer. Ask again, or choose another model."


async def answer(turn: Turn) -> AsyncGenerator[SessionEvent]:
    """Answer the question at the end of the conversation.

    Raises:
        TurnLimitReached: The model calls or the seconds of the turn are used up.
    """
    repeats = Repeats()
    nudged = False
    messages = turn.conversation.messages
    while True:
        last = turn.calls_left <= 1 or repeats.hopeless or _nearly_spent(turn)
        if last and turn.meter.calls:
            messages.append(UserMessage(LAST_STEP, host=True))
        step = Step(turn.step)
        for event in _made_to_fit(turn, last=last):
            yield event
        async with aclosing(_stepped(turn, step, last=last)) as events:
            async for event in events:
                yield event
        if not step.calls and (written := _written_calls(turn, step)):
            step.calls.extend(written)
            turn.in_flight = ""
            yield Narration(step=step.number, content=step.text)
        if not step.calls:
            if not step.text.strip() and step.reason != "refused" and not nudged and turn.calls_left:
                nudged = True
                messages.append(UserMessage(_SAY_IT, host=True))
                turn.step += 1
                continue
            if repair := output.check(turn, step):
                yield Narration(step=step.number, content=step.text)
                turn.in_flight = ""
                messages.extend(repair)
                turn.step += 1
                continue
            for event in _said(turn, step):
                yield event
            return
        messages.append(AssistantMessage(step.text, tuple(step.calls)))
        turn.step += 1
        if last:
            turn.text = step.text.strip()
            raise TurnLimitReached(_CALLS_USED_UP)
        ending: Ending | None = None
        for call in step.calls:
            async with aclosing(_called(turn, call, step, repeats)) as items:
                async for item in items:
                    if isinstance(item, Ending):
                        ending = ending or item
                    else:
                        yield item
        if ending is not None:
            yield _ended(turn, ending)
            return


async def _stepped(turn: Turn, step: Step, *, last: bool) -> AsyncGenerator[SessionEvent]:
    """Call the model; a long request that it refuses is shortened and sent once more.

    A window that nobody told is met only by its refusal, and every later question would be refused as well.
    """
    request = _request(turn, last=last)
    try:
        async with aclosing(turn.stream_step(request, step)) as events:
            async for event in events:
                yield event
        return
    except ModelRejected:
        tokens = estimate_request_tokens(request)
        short = shortened(request, tokens)
        if tokens < _WORTH_SHORTENING or step.text or len(short) == len(request.messages):
            raise
    for event in _shortened_to(turn, short):
        yield event
    async with aclosing(turn.stream_step(_request(turn, last=last), step)) as events:
        async for event in events:
            yield event


def _nearly_spent(turn: Turn) -> bool:
    """Say whether this call must be the last: one more of its size would be over the bounds of the turn."""
    limits, facts, used = turn.context.limits, turn.model.facts, turn.meter.used
    return used is not None and bool(used_up(limits, facts, used, _request(turn, last=False), times=2))


def _made_to_fit(turn: Turn, *, last: bool) -> Iterator[SessionEvent]:
    """Shorten the history when it nears the window."""
    window = turn.model.facts.context_tokens
    request = _request(turn, last=last)
    if not too_long(request, window):
        return
    yield from _shortened_to(turn, shortened(request, window))


def _shortened_to(turn: Turn, short: list[Message]) -> Iterator[SessionEvent]:
    """Go on with `short` as the history; what was left out can still be found."""
    conversation = turn.conversation
    before = conversation.messages.copy()
    yield CompactionStarted()
    conversation.messages[:] = remembered(before, short)
    conversation.told = None  # some of what was told may be gone: read anew from what is left
    yield CompactionFinished(messages_before=len(sent(before)), messages_after=len(short))


def _request(turn: Turn, *, last: bool) -> ModelRequest:
    return ModelRequest(
        messages=sent(turn.conversation.messages),
        tools=tuple(tool.spec for tool in turn.tools.values()),
        tool_choice="none" if last else "auto",
        reasoning=turn.reasoning,
        response_schema=output.schema_of(turn),
        cache_key=turn.conversation.id,
    )


async def _called(turn: Turn, call: ToolCall, step: Step, repeats: Repeats) -> AsyncGenerator[SessionEvent | Ending]:
    answered = failed(REMINDER, kind="repeated") if repeats.is_repeat(call) else None
    running = turn.run_tool(call, step.number, answered=answered, cut=step.reason == "length")
    async with aclosing(running) as items:
        async for item in items:
            if not isinstance(item, ToolOutcome):
                yield item
                continue
            turn.conversation.messages.append(ToolMessage(call.id, call.name, item.text))
            if item.ending is not None:
                yield item.ending


def _written_calls(turn: Turn, step: Step) -> list[ToolCall]:
    """Find calls that a model without working tool support wrote into its text.

    Once a query gave rows, a fence may well belong to the answer, so only tagged calls count then.
    """
    if not step.text.strip() or turn.model.facts.tools == "text" or step.reason == "length":
        return []
    parser = TextCallParser([t.spec for t in turn.tools.values()], loose=not turn.context.results)
    return [part.call for part in (*parser.feed(step.text), *parser.finish()) if isinstance(part, CallPart)]


def _ended(turn: Turn, ending: Ending) -> SessionEvent:
    turn.text, turn.outcome = ending.text, ending.outcome
    turn.conversation.messages.append(AssistantMessage(ending.text))
    return AnswerDelta(step=turn.step, content=ending.text)


def _said(turn: Turn, step: Step) -> Iterator[SessionEvent]:
    """Take the text of `step` as the answer."""
    text = step.text.strip()
    if not text:
        text = _FILTERED if step.reason == "refused" else _NOTHING_SAID
        yield AnswerDelta(step=step.number, content=text)
        turn.outcome = "cannot_answer"
    else:
        turn.outcome = outcome_of(turn, text, refused=step.reason == "refused")
    if step.reason == "length":
        turn.assumptions.append("The answer was cut at the model's output limit.")
    if turn.outcome == "answered" and turn.output_type is None and (missing := _unsupported(turn, text)):
        turn.assumptions.append(f"No result of this conversation holds {', '.join(missing)}: check before use.")
    turn.text = text
    turn.in_flight = ""
    turn.conversation.messages.append(AssistantMessage(text))


def outcome_of(turn: Turn, text: str, *, refused: bool = False) -> Outcome:
    """Derive the outcome from what happened: rows came, a question was asked back, or neither."""
    if refused:
        return "cannot_answer"
    if turn.worked:
        return "answered"
    if text.rstrip().endswith(("?", "？")):
        return "needs_clarification"
    # Words without a result in this turn rest on an earlier one, or on nothing that the data says.
    return "answered" if turn.conversation.results and not turn.failed else "cannot_answer"


def _unsupported(turn: Turn, text: str) -> tuple[str, ...]:
    """Return the figures of `text` that nothing the person asked and no result holds."""
    if not any(map(str.isdigit, text)):
        return ()
    tables = [result.table for result in (*turn.conversation.results, *turn.context.results)]
    # Results of a history that was taken up again are there as the model saw them.
    seen = [m.text for m in sent(turn.conversation.messages) if isinstance(m, ToolMessage | UserMessage)]
    # The digits of an id are no figures: a chance 9 in one would support any 9.
    return unsupported_figures(text, tables, question=_IDS.sub("", "\n".join(seen)))
