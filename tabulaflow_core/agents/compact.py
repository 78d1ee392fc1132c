"""How a small model answers: it writes one query, and the words are taken from the rows.

A small model picks tools badly, loops, and states figures that no row holds. So it is asked for SQL alone; what is
wrong in the SQL is mended by rules and shown, or sent back once with what it did not know; the answer is composed from
the rows, so that no figure is ever said that no result has.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Final
from uuid import uuid4

from tabulaflow_core.agents import compact_words as say
from tabulaflow_core.agents.compact_prompt import compact_messages
from tabulaflow_core.agents.compact_query import (
    Prepared,
    asked_for,
    doubts,
    not_held,
    other_meaning,
    prepared,
    reads_data,
    rewritten,
)
from tabulaflow_core.agents.events import AnswerDelta, Outcome, SessionEvent
from tabulaflow_core.agents.openings import nothing_before
from tabulaflow_core.agents.repeats import same_sql
from tabulaflow_core.agents.schema_answers import schema_answer
from tabulaflow_core.agents.sql_text import sql_in
from tabulaflow_core.agents.tools.protocol import ToolOutcome
from tabulaflow_core.agents.turn import Step, Turn
from tabulaflow_core.models.contracts import (
    AssistantMessage,
    JsonObject,
    Message,
    ModelRequest,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabulaflow_core.output.sentences import describe

#: A query of a small model that is longer has lost its way.
_SQL_TOKENS: Final = 400
_REPAIRS: Final = 1


async def answer(turn: Turn, *, instructions: str) -> AsyncGenerator[SessionEvent]:
    """Answer the question at the end of the conversation.

    Raises:
        TurnLimitReached: The seconds of the turn are used up.
    """
    if said := _without_model(turn):
        for event in _say(turn, *said):
            yield event
        return
    messages = compact_messages(
        turn.conversation.messages,
        turn.context.sources,
        turn.question,
        instructions=instructions,
        today=turn.today,
    )
    tried: list[str] = []
    outcome: ToolOutcome | None = None
    for _ in range(1 + _REPAIRS):
        step = Step(turn.step)
        async with aclosing(turn.stream_step(_request(turn, messages), step, aloud=False)) as events:
            async for event in events:
                yield event
        sql = sql_in(step.text, turn.tools["run_query"].spec)
        if sql and step.reason == "length" and step.text.rstrip().endswith(sql):
            messages = (*messages, AssistantMessage(f"```sql\n{sql}\n```"), UserMessage(say.CUT))
            turn.step += 1
            continue
        if not sql or not reads_data(turn, sql) or any(same_sql(sql, before) for before in tried):
            break
        tried.append(sql)
        query = await prepared(turn, sql)
        async with aclosing(_run_either(turn, query, step.number)) as items:
            async for item in items:
                if isinstance(item, ToolOutcome):
                    outcome = item
                else:
                    yield item
        assert outcome is not None  # the last item of a run
        turn.step += 1
        if outcome.ok:
            break
        if missing := asked_for(turn, query):
            for event in _say(turn, say.missing(turn.question, missing, turn.context.sources), "cannot_answer"):
                yield event
            return
        if not outcome.hint:
            break
        messages = (*messages, AssistantMessage(f"```sql\n{sql}\n```"), UserMessage(say.repair(outcome)))
    for event in _unanswered(turn, outcome) if outcome is None or not outcome.ok else await _answered(turn):
        yield event


def _without_model(turn: Turn) -> tuple[str, Outcome] | None:
    if words := say.small_talk(turn.question):
        return words, "needs_clarification"
    sources = turn.context.sources
    if not sources:
        return say.no_source(turn.question), "cannot_answer"
    if turn.output_type is None and (words := schema_answer(turn.question, sources)):
        return words, "answered"
    if words := nothing_before(turn.question, turn.conversation.messages, sources):
        return words, "needs_clarification"
    return None


async def _run_either(turn: Turn, query: Prepared, step: int) -> AsyncGenerator[SessionEvent | ToolOutcome]:
    """Run the query and, where it does not compile, what it means in another engine's SQL."""
    failed = False
    async with aclosing(_run(turn, query, step)) as items:
        async for item in items:
            failed |= isinstance(item, ToolOutcome) and not item.ok
            yield item
    if failed and (other := await rewritten(turn, query)) is not None:
        async with aclosing(_run(turn, other, step)) as items:
            async for item in items:
                yield item


async def _run(turn: Turn, query: Prepared, step: int) -> AsyncGenerator[SessionEvent | ToolOutcome]:
    """Run the query as a call of the model, so that history and events are those of any other model."""
    args: JsonObject = {"sql": query.sql, "source": query.source.alias}
    call = ToolCall(f"call_{uuid4().hex[:24]}", "run_query", args, json.dumps(args, ensure_ascii=False))
    turn.context.notes = query.notes
    turn.conversation.messages.append(AssistantMessage("", (call,)))
    async with aclosing(turn.run_tool(call, step)) as items:
        async for item in items:
            if isinstance(item, ToolOutcome):
                turn.conversation.messages.append(ToolMessage(call.id, call.name, item.text))
            yield item


def _request(turn: Turn, messages: tuple[Message, ...]) -> ModelRequest:
    return ModelRequest(
        messages=messages,
        tool_choice="none",
        temperature=0.0,
        max_output_tokens=_SQL_TOKENS,
        stop=("\n```\n", "```\n\n"),
        cache_key=turn.conversation.id,
    )


async def _answered(turn: Turn) -> Iterator[SessionEvent]:
    """Say what the rows say, and what may have been meant or got wrong."""
    turn.assumptions += doubts(turn)
    stored = turn.context.results[-1]
    words = describe(stored, question=turn.question)
    if absent := await not_held(turn):
        lacking = say.not_held(turn.question, absent)
        none = all(column.null_count == len(column) for column in stored.table.columns)
        # A count of none is an answer all the same.
        return _say(turn, lacking, "cannot_answer") if none else _say(turn, f"{words} {lacking}", "answered")
    return _say(turn, f"{words} {await other_meaning(turn)}".rstrip(), "answered")


def _unanswered(turn: Turn, outcome: ToolOutcome | None) -> Iterator[SessionEvent]:
    sources = turn.context.sources
    words = say.no_query(turn.question, sources) if outcome is None else say.failed(turn.question, outcome, sources)
    return _say(turn, words, "cannot_answer")


def _say(turn: Turn, words: str, outcome: Outcome) -> Iterator[SessionEvent]:
    """Give the answer word by word, as every other answer comes."""
    for piece in re.findall(r"\s*\S+", words):
        yield AnswerDelta(step=turn.step, content=piece)
    turn.text, turn.outcome = words, outcome
    turn.conversation.messages.append(AssistantMessage(words))
