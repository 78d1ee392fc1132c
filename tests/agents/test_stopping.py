"""Stopping a turn at every stage: cancelled, left early, dropped, closed. The session stays usable each time."""

from __future__ import annotations

import asyncio
import gc
from contextlib import aclosing

import pytest

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.errors import ModelRejected, ModelUnavailable, TurnError, TurnInProgress
from tabulaflow_core.models.contracts import AssistantMessage, SystemMessage, ToolMessage, UserMessage
from tabulaflow_core.models.scripted import ScriptedModel, call, fail, hang, text
from tests.agents.fakes import FakeConnector, Ledger
from tests.agents.helpers import BELOW, New, usable


async def settled(condition: object = None) -> None:
    """Let what was scheduled happen."""
    for _ in range(20):
        await asyncio.sleep(0.001)


async def goes_on(session: ChatSession, model: ScriptedModel) -> None:
    model.enqueue(call("run_query", sql=BELOW)).enqueue(text("Two."))
    assert (await session.run("And now?")).text == "Two."
    assert usable(session)


STAGES = ["before", "thinking_of_it", "mid_text", "tool", "after_tool"]


def script(model: ScriptedModel, stock: FakeConnector, stage: str) -> str:
    """Prepare a turn that stands still at `stage`; return the kind of the last event before that."""
    match stage:
        case "before":
            model.enqueue(hang())
            return "turn_started"
        case "thinking_of_it":
            model.enqueue(call("run_query", sql=BELOW), hang())
            return "turn_started"
        case "mid_text":
            model.enqueue(text("Half an"), hang())
            return "answer_delta"
        case "tool":
            stock.hang = True
            model.enqueue(call("run_query", sql=BELOW))
            return "tool_started"
        case _:
            model.enqueue(call("run_query", sql=BELOW)).enqueue(hang())
            return "artifact"


@pytest.mark.parametrize("stage", STAGES)
async def test_cancelling_the_task(model: ScriptedModel, new_session: New, stock: FakeConnector, stage: str) -> None:
    ledger = Ledger()
    session = new_session(model_permit=ledger)
    last, seen = script(model, stock, stage), asyncio.Event()

    async def consume() -> None:
        async for event in session.run_stream("Which?"):
            if event.kind == last:
                seen.set()

    task = asyncio.create_task(consume())
    await seen.wait()
    await settled()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.open == 0
    assert stock.stopped == (stage == "tool")
    assert len(ledger.settled) == len(ledger.reserved)
    assert session.last_result is not None
    assert session.last_result.outcome == "interrupted"
    assert session.last_result.usage is not None
    assert usable(session)
    stock.hang = False
    await goes_on(session, model)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("how", ["break", "aclosing"])
async def test_leaving_the_stream_early(
    model: ScriptedModel, new_session: New, stock: FakeConnector, stage: str, how: str
) -> None:
    session = new_session()
    last = script(model, stock, stage)
    if how == "break":
        async for event in session.run_stream("Which?"):
            if event.kind == last:
                break
    else:
        async with aclosing(session.run_stream("Which?")) as stream:
            async for event in stream:
                if event.kind == last:
                    break
    stock.hang = False
    model._queue.clear()
    await goes_on(session, model)  # at once, without waiting for the collector's hook
    assert model.open == 0


async def test_a_dropped_stream_closes_the_request_by_itself(model: ScriptedModel, new_session: New) -> None:
    model.enqueue(text("one two three"), hang())
    session = new_session()
    async for event in session.run_stream("Which?"):
        if event.kind == "answer_delta":
            break
    del event
    gc.collect()
    await settled()
    assert (model.open, model.aborted) == (0, 1)
    assert session.history[-1] == AssistantMessage("one … (stopped)")


async def test_reset_right_after_leaving_early(model: ScriptedModel, new_session: New) -> None:
    model.enqueue(text("one two three"))
    session = new_session()
    async for event in session.run_stream("Which?"):
        if event.kind == "answer_delta":
            break
    session.reset_conversation()
    await settled()
    assert session.history == ()
    await goes_on(session, model)


async def test_a_second_turn_or_a_reset_while_one_runs(model: ScriptedModel, new_session: New) -> None:
    model.enqueue(text("one two")).enqueue(text("three?"))
    session = new_session()
    stream = session.run_stream("Which?")
    await anext(stream)
    with pytest.raises(TurnInProgress):
        await session.run("And?")
    with pytest.raises(TurnInProgress):
        session.reset_conversation()
    assert [event.kind async for event in stream][-1] == "turn_finished"
    assert (await session.run("And?")).text == "three?"


async def test_a_stream_that_is_never_begun_claims_nothing(model: ScriptedModel, new_session: New) -> None:
    model.enqueue(text("Fine?"))
    session = new_session()
    unused = session.run_stream("Which?")
    assert (await session.run("And?")).text == "Fine?"
    await unused.aclose()


@pytest.mark.parametrize("stage", STAGES)
async def test_closing_the_session_from_another_task(
    model: ScriptedModel, new_session: New, stock: FakeConnector, stage: str
) -> None:
    session = new_session()
    last, seen = script(model, stock, stage), asyncio.Event()

    async def consume() -> str:
        try:
            async for event in session.run_stream("Which?"):
                if event.kind == last:
                    seen.set()
        except TurnError as error:
            return error.user_message
        return "no error"

    task = asyncio.create_task(consume())
    await seen.wait()
    await settled()
    await session.aclose()
    assert "closed before" in await task
    assert model.open == 0
    assert usable(session)
    with pytest.raises(TurnError, match="closed"):
        await session.run("And?")


async def test_closing_leaves_a_model_that_was_given(model: ScriptedModel, new_session: New) -> None:
    async with new_session() as session:
        model.enqueue(text("Fine?"))
        await session.run("Which?")
    await session.aclose()
    assert not model.closed


async def test_a_model_that_fails_before_its_first_word(model: ScriptedModel, new_session: New) -> None:
    ledger = Ledger()
    session = new_session(model_permit=ledger)
    model.enqueue(fail(ModelUnavailable("It does not answer.")))
    with pytest.raises(ModelUnavailable):
        await session.run("Which?")
    assert ledger.settled == [("local-0", None)]
    assert usable(session)
    await goes_on(session, model)


async def test_a_model_that_fails_after_a_tool(model: ScriptedModel, new_session: New) -> None:
    session = new_session()
    model.enqueue(call("run_query", sql=BELOW)).enqueue(text("Two"), fail(ModelUnavailable("The stream broke off.")))
    with pytest.raises(ModelUnavailable):
        await session.run("Which?")
    kinds = [m.kind for m in session.history]
    assert kinds == ["system", "user", "assistant", "tool", "assistant"]
    assert session.history[-1].text == "Two … (stopped)"
    await goes_on(session, model)


async def test_a_refused_request_is_forgotten(model: ScriptedModel, new_session: New) -> None:
    session = new_session()
    model.enqueue(text("Hello?"))
    await session.run("Hi")
    before = session.history
    model.enqueue(fail(ModelRejected("Too long.")))
    with pytest.raises(ModelRejected):
        await session.run("x" * 100)
    assert session.history == before


async def test_parallel_calls_cut_off_are_all_answered(
    model: ScriptedModel, new_session: New, stock: FakeConnector
) -> None:
    stock.hang = True
    model.enqueue(call("run_query", sql=BELOW), call("run_query", sql="SELECT 1"))
    session = new_session()
    async for event in session.run_stream("Which?"):
        if event.kind == "tool_started":
            break
    await session.aclose()
    answers = [m for m in session.history if isinstance(m, ToolMessage)]
    assert [m.text for m in answers] == ["This did not run to its end: the turn was stopped."] * 2
    assert isinstance(session.history[0], SystemMessage)
    assert isinstance(session.history[1], UserMessage)
    assert usable(session)
