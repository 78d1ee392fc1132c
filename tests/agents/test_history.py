"""Histories: JSON both ways, repair, taking a conversation up again, shortening."""

from __future__ import annotations

import dataclasses

from tabulaflow_core.agents import messages_from_json, messages_to_json
from tabulaflow_core.agents.compaction import HEADER, NEWS, shortened, too_long
from tabulaflow_core.agents.history import NO_ANSWER, UNANSWERED, repaired, turns_of
from tabulaflow_core.data.registry import DataConnectorRegistry
from tabulaflow_core.errors import ModelRejected
from tabulaflow_core.models.contracts import (
    AssistantMessage,
    Message,
    ModelRequest,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabulaflow_core.models.scripted import DEMO, ScriptedModel, call, fail, text
from tests.agents.fakes import FakeConnector
from tests.agents.helpers import BELOW, New, events_of, usable

CALL = ToolCall("c1", "run_query", {"sql": "SELECT 1"}, '{"sql": "SELECT 1"}')
BROKEN = ToolCall("c2", "run_query", None, "{oops")


def test_json_both_ways() -> None:
    messages: tuple[Message, ...] = (
        SystemMessage("Rules."),
        UserMessage("News", host=True),
        UserMessage("Frage über „Öl“?"),
        AssistantMessage("I look.", (CALL, BROKEN)),
        ToolMessage("c1", "run_query", "1 row"),
        ToolMessage("c2", "run_query", "error"),
        AssistantMessage("One."),
    )
    assert messages_from_json(messages_to_json(messages)) == messages


def test_repair() -> None:
    question, reply = UserMessage("Q"), AssistantMessage("A")
    calling = AssistantMessage("", (CALL,))
    answer = ToolMessage("c1", "run_query", "1 row")
    no_answer = AssistantMessage(NO_ANSWER)
    assert repaired([question, reply]) == [question, reply]
    assert repaired([question]) == [question, no_answer]
    assert repaired([question, calling]) == [question, calling, ToolMessage("c1", "run_query", UNANSWERED), no_answer]
    assert repaired([question, calling, answer]) == [question, calling, answer, no_answer]
    assert repaired([answer, question, reply]) == [question, reply]
    assert repaired([question, question, reply]) == [question, no_answer, question, reply]


def test_turns() -> None:
    news = UserMessage("News", host=True)
    messages: list[Message] = [SystemMessage("S"), UserMessage("1"), AssistantMessage("a"), news, UserMessage("2")]
    head, turns = turns_of(messages)
    assert head == [SystemMessage("S")]
    assert turns == [[UserMessage("1"), AssistantMessage("a")], [news, UserMessage("2")]]


async def test_a_conversation_is_taken_up_again(model: ScriptedModel, new_session: New, stock: FakeConnector) -> None:
    first = new_session()
    model.enqueue(call("run_query", sql=BELOW)).enqueue(text("HDMI cable has 12."))
    await first.run("Which?")
    kept = messages_from_json(messages_to_json(first.history))
    second = new_session(history=kept)
    model.enqueue(text("As I said, 12."))
    result = await second.run("How many again?")
    assert model.requests[-1].messages[:-1] == kept, "nothing is told twice, nothing is edited"
    assert result.assumptions == ()
    assert usable(second)


async def test_what_changes_is_told_behind_a_prompt_that_stays(
    model: ScriptedModel, new_session: New, stock: FakeConnector, registry: DataConnectorRegistry
) -> None:
    session = new_session()

    async def ask() -> list[str]:
        model.enqueue(text("Fine?"))
        before = len(session.history)
        await session.run("Which?")
        assert model.requests[-1].messages[0] == model.requests[0].messages[0]
        return [m.text for m in session.history[before:] if isinstance(m, UserMessage) and m.host]

    assert await ask() == []
    assert await ask() == []
    registry.register("later", FakeConnector(orders={"id": [1]}))
    [told] = await ask()
    assert "added a source" in told
    assert "orders(id INTEGER)" in told
    stock.add("inventory", {"product": ["Mouse"], "price": [3]})
    [told] = await ask()
    assert "inventory(product TEXT 'Mouse', price INTEGER)" in told
    stock.drop("inventory")
    [told] = await ask()
    assert "gone from 'stock': inventory" in told
    await registry.unregister_async("later")
    [told] = await ask()
    assert "'later' was removed" in told
    assert await ask() == []


async def test_a_later_source_is_told_to_a_history_taken_up_again(
    model: ScriptedModel, new_session: New, registry: DataConnectorRegistry
) -> None:
    model.enqueue(text("Fine?"))
    first = new_session()
    await first.run("Which?")
    registry.register("later", FakeConnector(orders={"id": [1]}))
    second = new_session(history=first.history)
    model.enqueue(text("Fine?"))
    await second.run("And?")
    assert "orders(id INTEGER)" in second.history[-3].text


async def test_a_long_history_is_shortened(registry: DataConnectorRegistry, new_session: New) -> None:
    model = ScriptedModel(facts=dataclasses.replace(DEMO, context_tokens=3000))
    session = new_session(model=model)
    seen = []
    for n in range(12):
        model.enqueue(call("run_query", sql=f"SELECT product, {n} AS n FROM inventory"))
        model.enqueue(text(f"Answer {n} " + "word " * 60))
        seen += [e.kind for e in await events_of(session, f"Question {n} " + "and " * 30)]
    assert seen.count("compaction_started") == seen.count("compaction_finished") >= 1
    assert seen.count("turn_finished") == 12
    assert all(not too_long(request, 3000) for request in model.requests)
    last = model.requests[-1].messages
    assert "inventory(product" in last[0].text
    summary = next(m.text for m in last if m.text.startswith(HEADER))
    assert "Question 8" in summary
    assert "AS n FROM inventory" in summary
    assert usable(session)


def test_shortening_always_ends() -> None:
    messages: list[Message] = [SystemMessage("word " * 3000)]
    for n in range(5):
        own = dataclasses.replace(CALL, id=f"c{n}")
        messages += [UserMessage(f"{n} " + "word " * 900), AssistantMessage("", (own,))]
        messages += [ToolMessage(own.id, "run_query", "word " * 5000), AssistantMessage("word " * 300)]
    messages.append(UserMessage("The question"))
    short = shortened(ModelRequest(tuple(messages)), 2000)
    assert short[0] == messages[0]
    assert short[-1] == messages[-1]
    assert sum(len(m.text) for m in short) < sum(len(m.text) for m in messages) / 2


async def test_a_window_that_nobody_told(new_session: New) -> None:
    model = ScriptedModel(facts=dataclasses.replace(DEMO, context_tokens=0))
    session = new_session(model=model)
    for n in range(8):
        model.enqueue(text(f"Answer {n}? " + "word " * 700))
        await session.run(f"Question {n}?")
    model.enqueue(fail(ModelRejected("Too long."))).enqueue(text("Short again?"))
    events = await events_of(session, "And now?")
    assert [e.kind for e in events].count("compaction_finished") == 1
    assert events[-1].kind == "turn_finished"
    assert len(model.requests[-1].messages) < len(model.requests[-2].messages)
    assert usable(session)


def test_news_of_long_ago_makes_room() -> None:
    """Each question over a thousand tables is told of others: in time that alone would fill the window."""
    messages: list[Message] = [SystemMessage("Rules.")]
    for n in range(60):
        messages += [UserMessage(f"{NEWS}\ntable_{n}({'column INTEGER, ' * 20})", host=True)]
        messages += [UserMessage(f"Question {n}?"), AssistantMessage("Fine.")]
    request = ModelRequest(tuple(messages))
    short = shortened(request, 2000)
    assert not too_long(ModelRequest(tuple(short)), 2000)
    assert "table_59(" in "".join(m.text for m in short)
