"""Two hundred turns in a small window: each answered, nothing lost that a later question may be about."""

from __future__ import annotations

import re

import pytest

from tabulaflow_core.agents import ChatSession, messages_from_json, messages_to_json
from tabulaflow_core.agents.compaction import too_long
from tabulaflow_core.agents.recall import FOUND, MARK
from tabulaflow_core.data.registry import DataConnectorRegistry
from tabulaflow_core.models.contracts import ModelRequest, ToolMessage, UserMessage
from tabulaflow_core.models.scripted import Step, call, text
from tabulaflow_core.principal import LOCAL_USER
from tests.agents.fakes import FakeConnector
from tests.agents.helpers import usable
from tests.agents.wires import facts_on, talk
from tests.modelserver import ModelServer
from tests.modelserver.translate import request_of

WINDOW = 8_192
TURNS = 200
GOODS = ("lamp", "chair", "desk", "stool", "shelf", "mirror", "carpet", "vase", "clock", "candle", "cushion", "blanket")
COLOURS = ("red", "green", "blue", "white", "black", "grey", "brown", "pink", "cyan", "gold", "ruby", "teal", "plum",
           "sand", "mint", "rose", "wine")  # fmt: skip
STOCK = [f"{colour} {good}" for good in GOODS for colour in COLOURS]
SHOP = {"product": STOCK, "on_hand": [n * 7 for n in range(len(STOCK))]}


def question(n: int) -> str:
    return f"How many of the {STOCK[n % len(STOCK)]} are in stock?"


def answering(request: ModelRequest) -> list[Step]:
    """Ask for the product's stock and say what came; draw a result by its id when told to."""
    asked = next(m for m in reversed(request.messages) if isinstance(m, UserMessage) and not m.host)
    last = request.messages[-1]
    if isinstance(last, ToolMessage):
        number = re.search(r"<rows>.*?(\d+)", last.text, re.DOTALL) if last.name == "run_query" else None
        return [text(f"There are {number[1]}." if number else last.text)]
    if "Draw" in asked.text:
        told = "\n".join(m.text for m in request.messages)
        product = re.findall(r"stock of the (\w+ \w+)\.", asked.text)
        found = re.findall(rf"result (r_\w+) of [^|\n]*'{product[-1]}'", told)
        return [call("draw_chart", result_id=found[-1] if found else "r_unknown", type="bar")]
    # The Chat wire knows no words of the host: they stand before the person's, in one message.
    product = re.findall(r"of the (\w+ \w+) are", asked.text)
    sql = f"SELECT product, on_hand FROM inventory WHERE product = '{product[-1] if product else ''}'"
    return [call("run_query", sql=sql)]


@pytest.mark.parametrize(("wire", "turns"), [("chat", TURNS), ("responses", 80)])
async def test_two_hundred_turns_in_a_window_of_eight_thousand(wire: str, turns: int) -> None:
    server = ModelServer(rule=answering)
    async with talk(wire, facts=facts_on(wire, context_tokens=WINDOW), server=server, inventory=SHOP) as t:
        compactions = 0
        third = ""
        for n in range(turns):
            asked = len(t.server.requests)
            events = await t.events(question(n))
            last = events[-1]
            assert last.kind == "turn_finished"
            assert (last.result.outcome, last.result.text) == ("answered", f"There are {n % len(STOCK) * 7}.")
            compactions += [e.kind for e in events].count("compaction_finished")
            # Shortening costs no call: two for a query and its answer, all in the usage.
            assert len(t.server.requests) - asked == 2
            assert last.result.usage is not None
            assert last.result.usage.api_requests == 2
            if n == 2:
                third = last.result.artifacts[0].id  # type: ignore[union-attr]
        assert turns / 80 <= compactions <= turns / 4, "room is made for several turns at once"
        for sent in t.server.requests:
            request = request_of(sent.path, sent.body)
            assert not too_long(request, WINDOW)
            assert MARK not in "".join(m.text for m in request.messages)
            assert "inventory(product" in "".join(m.text for m in request.messages)
        assert usable(t.session)
        # The third of two hundred is found by its words, and drawn by its id, without a query.
        ran = len(t.stock.queries)
        events = await t.events(f"Draw the stock of the {STOCK[2]}.")
        drawn = [e.spec for e in events if e.kind == "artifact"]
        assert [spec.table_id for spec in drawn if spec.kind == "chart"] == [third]
        assert len(t.stock.queries) == ran


async def test_what_was_found_is_still_found_by_a_later_process() -> None:
    server = ModelServer(rule=answering)
    async with talk("chat", facts=facts_on("chat", context_tokens=WINDOW), server=server, inventory=SHOP) as t:
        for n in range(60):
            await t.ask(question(n))
        kept = messages_from_json(messages_to_json(t.session.history))
        registry = DataConnectorRegistry()
        registry.register("stock", FakeConnector(inventory=SHOP))
        async with ChatSession(registry=registry, model=t.session._model, history=kept) as again:
            for asked in (f"And the {STOCK[2]}?", "What did I ask in turn 3?"):
                await again.run(asked)
                told = [m.text for m in again.history if isinstance(m, UserMessage) and m.text.startswith(FOUND)]
                assert f"Turn 3: {question(2)}" in told[-1]
                assert len(told[-1].splitlines()) <= 4
            before = len(again.history)
            await again.run("Thanks, that is all!")
            assert not any(m.text.startswith(FOUND) for m in again.history[before:])


async def test_news_of_sources_does_not_fill_the_window() -> None:
    """A thousand tables, each question about others: what was told of them long ago makes room."""
    tables = {f"{good}_{colour}_{n}": {"amount": [n]} for n in range(2) for good in GOODS for colour in COLOURS}
    server = ModelServer(rule=lambda request: [text("Which one do you mean?")])
    async with talk("chat", facts=facts_on("chat", context_tokens=WINDOW), server=server, **tables) as t:  # type: ignore[arg-type]
        for name in list(tables)[:40]:
            await t.ask(f"What is the amount of {name}?")
            request = request_of(t.server.requests[-1].path, t.server.requests[-1].body)
            assert not too_long(request, WINDOW)
            assert f"{name}(" in "".join(m.text for m in request.messages), "what the question is about is told"


async def test_a_small_model_is_never_shown_more_than_its_window_holds() -> None:
    """It is told of the last turns alone, however long the talk; the results stay where they are."""
    server = ModelServer(rule=lambda _: [text("```sql\nSELECT product, on_hand FROM inventory LIMIT 5\n```")])
    facts = facts_on("chat", profile="compact", context_tokens=WINDOW)
    async with talk("chat", facts=facts, server=server, inventory=SHOP) as t:
        most = 0
        for n in range(60):
            result = await t.ask(f"Show product and on hand of five, number {n}.")
            assert result.outcome == "answered"
            assert result.usage is not None
            assert result.usage.api_requests == 1
            most = max(most, result.usage.input_tokens)
            if not n:
                first = result.artifacts[0]
        assert most < 1_500
        assert first.kind == "table"
        assert (await t.session.results.get_async(LOCAL_USER, first.id)).table.num_rows == 5
        assert usable(t.session)
