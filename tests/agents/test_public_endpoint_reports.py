"""Endpoint faults that were reported in public (ids L of the list of cases), each through a whole turn over HTTP."""

from __future__ import annotations

import json
import time

import pytest
from pydantic import BaseModel

from tabulaflow_core.errors import ModelRejected, OutputInvalid
from tabulaflow_core.models.contracts import AssistantMessage, ToolMessage
from tabulaflow_core.models.openai import client as client_module
from tabulaflow_core.models.openai import quirks as quirks_module
from tests.agents.helpers import BELOW, usable
from tests.agents.wires import WIRES, Talk, facts_on, talk
from tests.modelserver import ModelServer, call, empty_first, finish, no_usage, raw_call, raw_event, status, text

both_wires = pytest.mark.parametrize("wire", WIRES)
ONE, TWO = "SELECT 1 AS one", "SELECT 2 AS two"


@pytest.fixture(autouse=True)
def unlearnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start without anything learnt."""
    monkeypatch.setattr(quirks_module, "_learnt", {})


def pieces(*tool_calls: dict[str, object]) -> str:
    """One chunk of the Chat Completions wire with these pieces of calls."""
    return json.dumps({"id": "c", "choices": [{"index": 0, "delta": {"tool_calls": list(tool_calls)}}]})


def piece(sql: str | None = None, **more: object) -> dict[str, object]:
    """A piece of a call of run_query."""
    arguments = None if sql is None else json.dumps({"sql": sql})
    return {"type": "function", "function": {"name": "run_query", "arguments": arguments}, **more}


async def ran(t: Talk, *chunks: str) -> list[str]:
    """Play `chunks`, then an answer; return what was queried."""
    t.server.enqueue(*(raw_event(chunk) for chunk in chunks)).enqueue(text("Done?"))
    await t.ask()
    assert usable(t.session)
    return t.stock.queries


async def test_l01_a_whole_call_in_one_chunk_without_an_index() -> None:
    async with talk("chat") as t:
        assert await ran(t, pieces(piece(BELOW, index=None, id="a"))) == [BELOW]


async def test_l02_two_calls_of_one_index_are_two() -> None:
    async with talk("chat") as t:
        assert await ran(t, pieces(piece(ONE, index=0, id="a")), pieces(piece(TWO, index=0, id="b"))) == [ONE, TWO]
    async with talk("chat") as t:
        assert await ran(t, pieces(piece(ONE)), pieces(piece(TWO))) == [ONE, TWO]


@both_wires
@pytest.mark.parametrize("raw", ["", "null", "{}"])
async def test_l04_empty_arguments_are_an_empty_object(wire: str, raw: str) -> None:
    async with talk(wire) as t:
        t.server.enqueue(raw_call("describe_source", raw)).enqueue(text("There is an inventory."))
        events = await t.events()
        assert [e.ok for e in events if e.kind == "tool_finished"] == [True]
        sent = json.dumps(t.server.requests[-1].body)
        assert '\\"arguments\\": \\"null\\"' not in sent


@both_wires
@pytest.mark.parametrize("form", ["<tool_call>{}</tool_call>", "<function_call>{}</function_call>", "{}"])
async def test_l05_a_call_written_as_text_is_a_call(wire: str, form: str) -> None:
    async with talk(wire) as t:
        written = json.dumps({"name": "run_query", "arguments": {"sql": BELOW}})
        t.server.enqueue(text(form.format(written))).enqueue(text("Two."))
        result = await t.ask()
        assert (t.stock.queries, result.text) == ([BELOW], "Two.")


async def test_l07_chunks_without_choices_first_and_last() -> None:
    async with talk("chat") as t:
        t.server.enqueue(empty_first(), call("run_query", sql=BELOW)).enqueue(empty_first(), text("Two."))
        result = await t.ask()
        assert result.text == "Two."
        assert result.usage is not None
        assert not result.usage.estimated, "the usage came in a last chunk without choices"


@both_wires
async def test_l08_no_usage_is_estimated_and_said_to_be(wire: str) -> None:
    async with talk(wire) as t:
        t.server.enqueue(text("Which one?"), no_usage())
        usage = (await t.ask()).usage
        assert usage is not None
        assert usage.estimated
        assert 500 < usage.input_tokens < 1_500
        assert usage.output_tokens == 3
        assert usage.api_cost_usd is None


@pytest.mark.parametrize("refused", ["max_tokens", "temperature"])
async def test_l10_a_refused_parameter_is_dropped_once_and_remembered(refused: str) -> None:
    facts = facts_on("chat", "openrouter:tiny-1b")
    async with talk("chat", facts=facts, server=ModelServer(refuses=[refused])) as t:
        for _ in range(2):
            t.server.enqueue(text(f"```sql\n{BELOW}\n```"))
            assert (await t.ask("Show product and on hand below reorder point.")).outcome == "answered"
        assert t.server.refused == 1


async def test_l11_an_unknown_role_becomes_another() -> None:
    async with talk("chat", server=ModelServer(refuses=["developer", "system"])) as t:
        t.server.enqueue(text("Which one?"))
        assert (await t.ask()).text == "Which one?"
        assert {m["role"] for m in t.server.requests[-1].body["messages"]} == {"user"}


@both_wires
async def test_l13_only_what_may_pass_is_tried_again(wire: str) -> None:
    async with talk(wire) as t:
        t.server.enqueue(status(401, "No.")).enqueue(status(429, retry_after=0.6)).enqueue(text("Here?"))
        with pytest.raises(ModelRejected):
            await t.ask()
        assert len(t.server.requests) == 1
        began = time.monotonic()
        assert (await t.ask()).text == "Here?"
        assert time.monotonic() - began >= 0.6


@both_wires
@pytest.mark.parametrize("columns", [1, 300])
async def test_l14_what_a_tool_tells_is_bounded_in_bytes(wire: str, columns: int) -> None:
    wide = {f"c{n}": ["x" * (200_000 // columns)] * 20 for n in range(columns)}
    async with talk(wire, wide=wide) as t:
        t.server.enqueue(call("run_query", sql="SELECT * FROM wide")).enqueue(text("Here they are."))
        result = await t.ask("Show all.")
        (told,) = (m.text for m in t.session.history if isinstance(m, ToolMessage))
        assert len(told.encode()) < 20_000
        assert "20 rows" in told
        assert "…" in told, "that something was cut is said"
        (table,) = [a for a in result.artifacts if a.kind == "table"]
        assert (table.row_count, len(table.columns)) == (20, columns), "the person sees everything"


@both_wires
async def test_l16_repeated_ids_keep_each_answer_behind_its_call(wire: str) -> None:
    async with talk(wire) as t:
        for _ in range(2):
            t.server.enqueue(call("run_query", id="c1", sql=ONE), call("run_query", id="c1", sql=TWO))
            t.server.enqueue(text("Done?"))
            await t.ask()
        calls = [c.id for m in t.session.history if isinstance(m, AssistantMessage) for c in m.tool_calls]
        assert len(set(calls)) == len(calls) == 4
        assert [m.call_id for m in t.session.history if isinstance(m, ToolMessage)] == calls


class Count(BaseModel):
    products: int


@both_wires
async def test_l17_prose_where_an_object_is_due_is_sent_back_once(wire: str) -> None:
    async with talk(wire) as t:
        t.server.enqueue(text("There are three.")).enqueue(text('```json\n{"products": 3}\n```'))
        assert (await t.session.run("How many?", output_type=Count)).data == Count(products=3)
        t.server.enqueue(text("Three.")).enqueue(text("Three!"))
        with pytest.raises(OutputInvalid):
            await t.session.run("How many?", output_type=Count)
        t.server.enqueue(text("Which one?"))
        assert (await t.ask()).text == "Which one?"


@both_wires
async def test_l20_an_answer_comes_in_many_pieces(wire: str) -> None:
    async with talk(wire) as t:
        t.server.enqueue(text("word " * 200))
        pieces_seen = [e for e in await t.events() if e.kind == "answer_delta"]
        assert len(pieces_seen) >= 100


@both_wires
async def test_l22_sql_that_was_cut_is_not_run(wire: str) -> None:
    async with talk(wire) as t:
        t.server.enqueue(raw_call("run_query", '{"sql": "SELECT product FROM inventory'), finish("length"))
        t.server.enqueue(call("run_query", sql=BELOW)).enqueue(text("Two."))
        assert (await t.ask()).text == "Two."
        assert t.stock.queries == [BELOW]
        told = next(m.text for m in t.session.history if isinstance(m, ToolMessage))
        assert "cut at your output limit" in told


async def test_l23_two_entries_of_one_index_in_the_first_chunk() -> None:
    head = {"index": 0, "id": "a", "type": "function", "function": {"name": "run_query", "arguments": '{"sql": '}}
    rest = {"index": 0, "function": {"arguments": f'"{BELOW[:20]}'}}
    end = {"index": 0, "function": {"arguments": f'{BELOW[20:]}"}}'}}
    async with talk("chat") as t:
        assert await ran(t, pieces(head, rest), pieces(end)) == [BELOW]


def test_a_wait_that_is_told_is_short() -> None:
    assert client_module.LONGEST_WAIT_SECONDS < 60
