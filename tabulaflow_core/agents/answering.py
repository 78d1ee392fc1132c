"""One turn from the question to `turn_finished`, and what is left of it when it ends any other way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from pydantic import BaseModel

from tabulaflow_core.agents import compact, compact_object, standard
from tabulaflow_core.agents.conversation import Conversation
from tabulaflow_core.agents.events import Artifact, SessionEvent, TurnFinished, TurnStarted
from tabulaflow_core.agents.output_type import request_text
from tabulaflow_core.agents.plan import TurnPlan
from tabulaflow_core.agents.prepare import source_notes, tell_sources
from tabulaflow_core.agents.recall import found_text
from tabulaflow_core.agents.sources import TOGETHER, read_sources
from tabulaflow_core.agents.tools import standard_tools
from tabulaflow_core.agents.tools.protocol import ToolContext
from tabulaflow_core.agents.turn import Turn
from tabulaflow_core.data.assumptions import assumptions_of
from tabulaflow_core.errors import ModelRejected, RequestTooLong
from tabulaflow_core.models.contracts import ChatModel, UserMessage
from tabulaflow_core.output.charts import choose_chart
from tabulaflow_core.output.results import StoredResult

#: Results of earlier turns whose figures an answer may repeat.
_RESULTS_KEPT: Final = 12
#: Characters: a window that a shorter question would overflow is full of something else.
_LONG_QUESTION: Final = 2_000


def begin(
    plan: TurnPlan, model: ChatModel, conversation: Conversation, question: str, output_type: type[BaseModel] | None
) -> Turn:
    """Return the state of a new turn; nothing has happened yet."""
    now = asyncio.get_running_loop().time()
    context = ToolContext(
        principal=plan.principal,
        question=question,
        sources=(),
        store=plan.results,
        permit=plan.query_permit,
        limits=plan.limits,
        deadline=now + plan.limits.turn_seconds,
    )
    return Turn(
        question=question,
        model=model,
        conversation=conversation,
        context=context,
        permit=plan.model_permit,
        tools={tool.spec.name: tool for tool in standard_tools()},
        output_type=output_type,
        started=now,
    )


async def run_turn(plan: TurnPlan, turn: Turn) -> AsyncGenerator[SessionEvent]:
    """Run `turn`; the conversation is usable afterwards, however it ends."""
    conversation = turn.conversation
    mark = conversation.mark()
    try:
        yield TurnStarted(question=turn.question, model=turn.model.facts.name)
        _choose_reasoning(plan, turn)
        turn.context.sources = await read_sources(plan.registry, hidden_columns=plan.hidden_columns)
        way = _compact(plan, turn) if turn.model.facts.profile == "compact" else _standard(plan, turn)
        async with aclosing(way) as events:
            async for event in events:
                yield event
        for event in _finishing(turn):
            yield event
        yield TurnFinished(result=turn.finish())
    except ModelRejected as error:
        # The same messages would be refused again and lock the conversation.
        conversation.back_to(mark)
        if isinstance(error, RequestTooLong) and (not mark.messages or turn.model.facts.profile == "compact"):
            error.user_message = _too_long(turn)
        raise
    finally:
        turn.end()
        conversation.settle(turn.in_flight)
        conversation.results = [*conversation.results, *turn.context.results][-_RESULTS_KEPT:]


def _too_long(turn: Turn) -> str:
    """Say what did not fit where it was no earlier turn; a small model is told next to nothing of those."""
    if len(turn.question) > _LONG_QUESTION:
        what, remedy = "The question is", "Shorten it"
    else:
        what, remedy = "What must be told of the sources is", "Ask over fewer of them"
    return f"{what} too long for {turn.model.facts.name}. {remedy}, or choose a model with a larger window."


def _choose_reasoning(plan: TurnPlan, turn: Turn) -> None:
    level = plan.reasoning
    if level is None:
        return
    if level in turn.model.facts.reasoning:
        turn.reasoning = level
    elif level != "none":
        turn.say_once(f"{turn.model.facts.name} has no reasoning level {level!r}; it was left out.")


def _finishing(turn: Turn) -> list[SessionEvent]:
    """Draw the last result when nothing was drawn of it, and say which figures no result has."""
    events: list[SessionEvent] = []
    if turn.context.results and turn.outcome == "answered":
        last = turn.context.results[-1]
        if not any(spec.kind != "table" and spec.table_id == last.id for spec in turn.artifacts):
            spec = choose_chart(last, question=turn.question)
            if spec is not None:
                turn.artifacts.append(spec)
                events.append(Artifact(spec=spec))
        connectors = {source.alias: source.connector for source in turn.context.sources}
        for result in turn.context.results:
            for alias in result.source.split(TOGETHER):
                if alias in connectors:
                    turn.assumptions += assumptions_of(connectors[alias], result.sql)
        if _is_blank(last):
            turn.assumptions.append("The last query found no value: all that it returned is empty (NULL).")
        if any(result.truncated for result in turn.context.results):
            turn.assumptions.append("A result was cut at the limit: figures over it may be too small.")
    return events


def _is_blank(result: StoredResult) -> bool:
    table = result.table
    return bool(table.num_rows) and all(column.null_count == table.num_rows for column in table.columns)


async def _standard(plan: TurnPlan, turn: Turn) -> AsyncGenerator[SessionEvent]:
    conversation, sources = turn.conversation, turn.context.sources
    notes = await source_notes(plan.knowledge, plan.principal, sources)
    tell_sources(conversation, sources, turn.question, notes=notes, instructions=plan.instructions, today=turn.today)
    if found := found_text(conversation.messages, turn.question):
        conversation.messages.append(UserMessage(found, host=True))
    if wanted := request_text(turn):
        conversation.messages.append(UserMessage(wanted, host=True))
    conversation.messages.append(UserMessage(turn.question))
    async with aclosing(standard.answer(turn)) as events:
        async for event in events:
            yield event


async def _compact(plan: TurnPlan, turn: Turn) -> AsyncGenerator[SessionEvent]:
    turn.conversation.messages.append(UserMessage(turn.question))
    for part in (compact.answer(turn, instructions=plan.instructions), compact_object.fill(turn)):
        async with aclosing(part) as events:
            async for event in events:
                yield event
