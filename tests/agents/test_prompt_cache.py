"""What a caching endpoint need not read again: the server counts what each prompt shares with an earlier one."""

from __future__ import annotations

import pytest

from tabulaflow_core.models.contracts import ModelRequest, ToolMessage
from tabulaflow_core.models.scripted import Step, call, text
from tests.agents.wires import WIRES, facts_on, talk
from tests.modelserver import ModelServer

QUESTIONS = (
    "Which products are below their reorder point?",
    "And which are above it?",
    "How many units are there in all?",
    "Which product has the most?",
    "Show all of them by name.",
)


def answering(request: ModelRequest) -> list[Step]:
    """One query and one answer for each question."""
    if isinstance(request.messages[-1], ToolMessage):
        return [text("The table shows them.")]
    n = sum(m.kind == "user" for m in request.messages)
    return [call("run_query", sql=f"SELECT product, on_hand, {n} AS n FROM inventory ORDER BY product")]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("changes", [False, True], ids=["the same sources", "a table comes later"])
async def test_from_the_second_question_most_of_the_prompt_is_cached(wire: str, changes: bool) -> None:
    server = ModelServer(rule=answering, caching=True)
    async with talk(wire, facts=facts_on(wire), server=server) as t:
        for n, question in enumerate(QUESTIONS):
            if changes and n == 2:
                t.stock.add("suppliers", {"supplier": ["Kabel AG", "Dock Ltd"], "city": ["Graz", "Bath"]})
            result = await t.ask(question)
            assert result.usage is not None
            share = result.usage.cached_input_tokens / result.usage.input_tokens
            assert result.usage.cached_input_tokens <= result.usage.input_tokens
            if n:
                assert share >= 0.8, f"question {n + 1}: {share:.0%}"
        keys = {request.body.get("prompt_cache_key") for request in t.server.requests}
        assert len(keys) == 1, "a provider routes them to one cache"


@pytest.mark.parametrize("wire", WIRES)
async def test_another_conversation_over_the_same_sources_begins_the_same(wire: str) -> None:
    server = ModelServer(rule=answering, caching=True)
    async with talk(wire, facts=facts_on(wire), server=server) as t:
        await t.ask(QUESTIONS[0])
        t.session.reset_conversation()
        again = await t.ask("How much is there of each?")
        assert again.usage is not None
        assert again.usage.cached_input_tokens / again.usage.input_tokens >= 0.8


async def test_a_long_conversation_in_a_small_window_keeps_its_cache() -> None:
    """Each shortening begins the cache anew behind the rules; it makes room for many turns, so that it is seldom."""
    server = ModelServer(rule=answering, caching=True)
    async with talk("responses", facts=facts_on("responses", context_tokens=4_096), server=server) as t:
        read = cached = shortenings = 0
        for n in range(40):
            events = await t.events(QUESTIONS[n % len(QUESTIONS)])
            shortenings += [e.kind for e in events].count("compaction_finished")
            last = events[-1]
            assert last.kind == "turn_finished"
            assert last.result.usage is not None
            if n:
                read += last.result.usage.input_tokens
                cached += last.result.usage.cached_input_tokens
        assert shortenings >= 2
        assert cached / read >= 0.8, f"{cached / read:.0%}"
