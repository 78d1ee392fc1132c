"""The compact way of answering, on a scripted model that claims to be a small one."""

from __future__ import annotations

import dataclasses

import pytest
from pydantic import BaseModel

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.data.registry import DataConnectorRegistry
from tabulaflow_core.errors import OutputInvalid, RequestTooLong
from tabulaflow_core.models.contracts import AssistantMessage, ToolMessage, UserMessage
from tabulaflow_core.models.scripted import DEMO, ScriptedModel, fail, text
from tests.agents.fakes import FakeConnector
from tests.agents.helpers import BELOW, New, events_of, kinds, usable

SMALL = dataclasses.replace(DEMO, name="scripted:small", context_tokens=8192, tools="text", profile="compact")


def fence(sql: str) -> str:
    return f"```sql\n{sql};\n```"


@pytest.fixture
def small() -> ScriptedModel:
    return ScriptedModel(facts=SMALL)


@pytest.fixture
def session(small: ScriptedModel, new_session: New) -> ChatSession:
    return new_session(model=small)


async def test_a_whole_turn(small: ScriptedModel, session: ChatSession) -> None:
    small.enqueue(text(fence(BELOW)))
    events = await events_of(session, "Which products are below their reorder point?")
    assert kinds(events) == [
        "turn_started",
        "thinking_delta",
        "usage_updated",
        "tool_started",
        "tool_finished",
        "artifact",
        "answer_delta",
        "artifact",
        "turn_finished",
    ]
    written = "".join(e.content for e in events if e.kind == "thinking_delta")
    assert written == fence(BELOW)
    assert len([e for e in events if e.kind == "thinking_delta"]) >= 5
    result = events[-1].result  # type: ignore[union-attr]
    assert result.text == "On hand: HDMI cable (12) and USB-C dock (3)."
    assert result.outcome == "answered"
    assert small.requests[0].tools == ()
    assert small.requests[0].temperature == 0.0
    assert [m.kind for m in session.history] == ["user", "assistant", "tool", "assistant"]


async def test_what_is_too_long_is_named(small: ScriptedModel, session: ChatSession) -> None:
    for question, words in (("why " * 3000, "The question is too long"), ("Which products?", "told of the sources")):
        small.enqueue(fail(RequestTooLong("The conversation is too long. Start a new one.")))
        with pytest.raises(RequestTooLong, match=words) as caught:
            await session.run(question)
        assert "new one" not in caught.value.user_message
        assert session.history == ()


async def test_a_follow_up_sees_question_and_sql(small: ScriptedModel, session: ChatSession) -> None:
    small.enqueue(text(fence(BELOW)))
    small.enqueue(text(fence("SELECT product, on_hand - reorder_point AS missing FROM inventory")))
    await session.run("Which products are below their reorder point?")
    result = await session.run("How many units of each should I order to reach those levels?")
    shown = small.requests[1].messages
    assert [m.kind for m in shown] == ["system", "user", "assistant", "user"]
    assert shown[2] == AssistantMessage(f"```sql\n{BELOW}\n```")
    assert small.requests[1].messages[0] == small.requests[0].messages[0]
    table = result.artifacts[0]
    assert table.kind == "table"
    assert table.notes == (
        "still: on_hand < reorder_point",
        "taken as reorder_point - on_hand, which is positive here",
    )
    assert result.text == "Missing: HDMI cable (8) and USB-C dock (7)."


async def test_one_repair_with_what_it_did_not_know(
    small: ScriptedModel, session: ChatSession, stock: FakeConnector
) -> None:
    small.enqueue(text(fence("SELECT product FROM inventory WHERE amount < 5")))
    small.enqueue(text(fence("SELECT product FROM inventory WHERE on_hand < 5")))
    result = await session.run("Which products are nearly gone?")
    assert (result.outcome, result.text) == ("answered", "Product: USB-C dock.")
    asked = small.requests[1].messages[-1]
    assert isinstance(asked, UserMessage)
    assert "nearest column: on_hand" in asked.text
    assert usable(session)


async def test_the_same_sql_again_ends_it(small: ScriptedModel, session: ChatSession, stock: FakeConnector) -> None:
    for _ in range(2):
        small.enqueue(text(fence("SELECT product FROM inventory WHERE amount < 5")))
    result = await session.run("Which products are nearly gone?")
    assert result.outcome == "cannot_answer"
    assert "inventory (product, on_hand, reorder_point)" in result.text
    assert len(stock.queries) == 1
    assert result.artifacts == ()


async def test_what_the_data_does_not_have_is_said_without_a_repair(small: ScriptedModel, session: ChatSession) -> None:
    small.enqueue(text(fence("SELECT AVG(salary) FROM inventory")))
    result = await session.run("What is the average salary?")
    assert result.outcome == "cannot_answer"
    assert result.text.startswith("The data has nothing on salary.")
    assert small.opened == 1


@pytest.mark.parametrize("question", ["Hello", "Guten Morgen!", "¡Hola!", "thank you"])
async def test_small_talk_needs_no_model(small: ScriptedModel, session: ChatSession, question: str) -> None:
    result = await session.run(question)
    assert result.outcome == "needs_clarification"
    assert result.usage is None
    assert small.opened == 0


async def test_prose_instead_of_sql_is_never_shown_as_an_answer(small: ScriptedModel, session: ChatSession) -> None:
    small.enqueue(text("There are 4711 products, trust me."))
    result = await session.run("How many products?")
    assert result.outcome == "cannot_answer"
    assert "4711" not in result.text
    assert result.artifacts == ()


async def test_a_query_without_a_table_is_no_answer(small: ScriptedModel, session: ChatSession) -> None:
    small.enqueue(text(fence("SELECT 'Paris' AS capital")))
    result = await session.run("What is the capital of France?")
    assert result.outcome == "cannot_answer"
    assert "Paris" not in result.text
    assert result.artifacts == ()


async def test_bare_sql_and_foreign_functions(small: ScriptedModel, session: ChatSession) -> None:
    small.enqueue(text("SELECT TOP 1 product FROM inventory ORDER BY on_hand DESC"))
    result = await session.run("What do we have most of?")
    assert result.text == "Product: Mouse."
    table = result.artifacts[-1]
    assert table.kind == "table"
    assert table.notes == ("rewritten for this database",)


async def test_two_sources(small: ScriptedModel, session: ChatSession, registry: DataConnectorRegistry) -> None:
    registry.register("shop", FakeConnector(sales={"product": ["Mouse"], "sold": [4]}))
    small.enqueue(text(fence("SELECT sold FROM sales")))
    result = await session.run("How many were sold?")
    assert result.artifacts[0].source == "shop"  # type: ignore[union-attr]


async def test_no_source(small: ScriptedModel, new_session: New) -> None:
    result = await new_session(model=small, registry=DataConnectorRegistry()).run("How many?")
    assert (result.outcome, small.opened) == ("cannot_answer", 0)


async def test_a_conversation_goes_on_with_another_model(
    small: ScriptedModel, session: ChatSession, model: ScriptedModel, new_session: New
) -> None:
    small.enqueue(text(fence(BELOW)))
    await session.run("Which products are below?")
    other = new_session(history=session.history)
    model.enqueue(text("As above: HDMI cable and USB-C dock."))
    await other.run("Say it again.")
    sent = model.requests[0].messages
    assert [m.kind for m in sent] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert isinstance(sent[3], ToolMessage)


async def test_it_is_warmed_with_what_the_first_request_begins_with(new_session: New) -> None:
    class Warm(ScriptedModel):
        warmed: tuple[object, ...] = ()

        async def warm_async(self, messages: object) -> None:
            self.warmed = tuple(messages)  # type: ignore[arg-type]

    warm = Warm(facts=SMALL)
    session = new_session(model=warm)
    await session.warm()
    warm.enqueue(text(fence(BELOW)))
    await session.run("Which?")
    assert warm.warmed == warm.requests[0].messages[:1]


class Below(BaseModel):
    products: list[str]


async def test_an_output_type(small: ScriptedModel, session: ChatSession) -> None:
    small.enqueue(text(fence(BELOW))).enqueue(text("They are")).enqueue(text('{"products": ["HDMI cable"]}'))
    result = await session.run("Which products are below?", output_type=Below)
    assert result.data == Below(products=["HDMI cable"])
    assert small.requests[1].response_schema == Below.model_json_schema()
    assert "HDMI cable | 12" in small.requests[1].messages[-1].text
    small.enqueue(text("No idea."))
    with pytest.raises(OutputInvalid):
        await session.run("Which?", output_type=Below)
    assert usable(session)


async def test_the_things_with_the_most_are_added_up(small: ScriptedModel, new_session: New) -> None:
    registry = DataConnectorRegistry()
    sales = {"product": ["A", "A", "B", "C"], "revenue": [60, 50, 55, 10]}
    registry.register("shop", FakeConnector(sales=sales))
    session = new_session(model=small, registry=registry)
    small.enqueue(text(fence("SELECT product, revenue FROM sales ORDER BY revenue DESC LIMIT 3")))
    result = await session.run("What are the three products with the highest revenue?")
    table = result.artifacts[0]
    assert table.kind == "table"
    assert table.notes == ("revenue added up per product",)
    assert table.columns == ("product", "total_revenue")
    assert "A (110)" in result.text
