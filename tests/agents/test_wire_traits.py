"""What servers do not take, what they must be sent back, and a window that overflows: whole turns over HTTP."""

from __future__ import annotations

import pytest

from tabulaflow_core.models.contracts import ModelFacts
from tabulaflow_core.models.openai import quirks as quirks_module
from tests.agents.helpers import BELOW, usable
from tests.agents.wires import WIRES, facts_on, talk
from tests.modelserver import ModelServer, call, finish, status, text, thinking

both_wires = pytest.mark.parametrize("wire", WIRES)
FENCE = f"```sql\n{BELOW}\n```"


@pytest.fixture(autouse=True)
def unlearnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start without anything learnt."""
    monkeypatch.setattr(quirks_module, "_learnt", {})


def small(wire: str, name: str = "") -> ModelFacts:
    """A model that is asked for SQL alone: with a temperature and a limit of its answer."""
    return facts_on(wire, name, profile="compact", temperature=True)


@pytest.mark.parametrize(
    ("wire", "name", "refused"),
    [
        ("chat", "openrouter:m", ["max_tokens"]),
        ("chat", "azure:gpt-4o", ["max_completion_tokens"]),
        ("chat", "openrouter:m", ["max_tokens", "max_completion_tokens"]),
        ("chat", "openrouter:m", ["temperature"]),
        ("chat", "openrouter:m", ["stop"]),
        ("chat", "openrouter:m", ["system"]),
        ("chat", "openrouter:m", ["system", "developer"]),
        ("chat", "openrouter:m", ["stream_options", "system", "temperature", "max_tokens", "stop"]),
        ("chat", "azure:gpt-4o", ["prompt_cache_key"]),
        ("responses", "openai:gpt-4o", ["max_output_tokens"]),
        ("responses", "openai:gpt-4o", ["temperature"]),
        ("responses", "openai:gpt-4o", ["prompt_cache_key"]),
    ],
)
async def test_what_a_server_does_not_take_is_left_out_and_remembered(wire: str, name: str, refused: list[str]) -> None:
    async with talk(wire, facts=small(wire, name), server=ModelServer(refuses=refused)) as t:
        for _ in range(2):
            t.server.enqueue(text(FENCE))
            result = await t.ask("Which product and on hand have on_hand below reorder_point?")
            assert result.outcome == "answered"
            assert result.usage is not None
            assert result.usage.api_requests == 1
            told = t.server.refused
        assert t.server.refused == told <= len(refused) + 1, "learnt once"
        assert t.stock.queries == [BELOW, BELOW]
        assert not set(refused) & set(t.server.requests[-1].body)


async def test_a_server_that_wants_developers_is_given_them() -> None:
    async with talk("chat", server=ModelServer(refuses=["system"])) as t:
        t.server.enqueue(call("run_query", sql=BELOW)).enqueue(text("Two."))
        assert (await t.ask()).text == "Two."
        assert next(m["role"] for m in t.server.requests[-1].body["messages"]) == "developer"


async def test_reasoning_goes_back_with_its_call() -> None:
    """The server refuses a call whose reasoning is missing, as reasoning models do."""
    async with talk("responses", server=ModelServer(needs_reasoning=True)) as t:
        t.server.enqueue(thinking("Look."), call("run_query", sql="SELECT 1 AS one"), call("run_query", sql=BELOW))
        t.server.enqueue(thinking("Once more."), call("run_query", sql="SELECT 2 AS two"))
        t.server.enqueue(thinking("Now."), text("Two."))
        assert (await t.ask()).text == "Two."
        t.server.enqueue(thinking("Again."), call("run_query", sql=BELOW)).enqueue(text("Still two."))
        assert (await t.ask("And now?")).text == "Still two."
        kinds = [item.get("type", item.get("role")) for item in t.server.requests[-1].body["input"]]
        assert kinds.count("reasoning") == 3
        assert t.server.refused == 0


@both_wires
async def test_a_window_that_overflows_is_made_room_in(wire: str) -> None:
    """Nobody told the window; the refusal costs nothing, and the turn is answered."""
    async with talk(wire, facts=facts_on(wire, context_tokens=0)) as t:
        for n in range(8):
            t.server.enqueue(text(f"Which of the {n}? " + "word " * 700))
            await t.ask(f"Question {n}?")
        t.server.enqueue(status(400, "It does not fit", error_code="context_length_exceeded"))
        t.server.enqueue(call("run_query", sql=BELOW)).enqueue(text("Two."))
        events = await t.events()
        assert [e.kind for e in events].count("compaction_finished") == 1
        last = events[-1]
        assert last.kind == "turn_finished"
        assert (last.result.text, last.result.outcome) == ("Two.", "answered")
        assert last.result.usage is not None
        assert last.result.usage.api_requests == 3
        assert not last.result.usage.estimated
        assert last.result.usage.api_cost_usd is not None
        assert usable(t.session)


@both_wires
@pytest.mark.parametrize("open_", ["```sql\n", ""])
async def test_half_a_statement_of_a_small_model_does_not_run(wire: str, open_: str) -> None:
    async with talk(wire, facts=small(wire)) as t:
        t.server.enqueue(text(f"{open_}SELECT product, on_hand FROM inventory"), finish("length"))
        t.server.enqueue(text(FENCE))
        result = await t.ask("Which product and on hand have on_hand below reorder_point?")
        assert t.stock.queries == [BELOW]
        assert result.outcome == "answered"
        t.server.enqueue(text("```sql\nSELECT"), finish("length")).enqueue(text("```sql\nSELECT"), finish("length"))
        result = await t.ask("Which product has the most on hand?")
        assert result.outcome == "cannot_answer"
        assert t.stock.queries == [BELOW]
