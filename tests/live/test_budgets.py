"""The budgets of the first request, counted by the embedded model's own tokenizer."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import AsyncIterator

import pytest

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.config import Settings
from tabulaflow_core.data.registry import DataConnectorRegistry
from tabulaflow_core.models.contracts import ModelRequest
from tabulaflow_core.models.local import LocalModel
from tabulaflow_core.models.scripted import DEMO, ScriptedModel, text
from tabulaflow_core.models.tokens import estimate_request_tokens
from tests.agents.fakes import INVENTORY, FakeConnector
from tests.agents.test_prompt import Wide

pytestmark = pytest.mark.live
#: What a chat template puts around a message.
_AROUND = 6


async def counted(counter: LocalModel, request: ModelRequest) -> int:
    """Count what a provider would bill: messages and tools as JSON."""
    tools = [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in request.tools]
    texts = [m.text for m in request.messages] + ([json.dumps(tools)] if tools else [])
    return sum([await counter.count_tokens(t) for t in texts]) + _AROUND * len(texts)


@pytest.fixture
async def model(live_settings: Settings) -> AsyncIterator[LocalModel]:
    model = LocalModel(settings=live_settings)
    yield model
    await model.close_async()


@pytest.mark.parametrize(
    ("profile", "source", "question", "budget"),
    [
        ("standard", FakeConnector(inventory=INVENTORY), "Which products are below their reorder point?", 1_200),
        ("compact", FakeConnector(inventory=INVENTORY), "Which products are below their reorder point?", 700),
        ("standard", Wide(), "How many penguins were sighted last year?", 4_000),
    ],
    ids=["one table", "one table, small model", "a thousand tables"],
)
async def test_the_first_request_keeps_its_budget(
    model: LocalModel, profile: str, source: FakeConnector, question: str, budget: int
) -> None:
    facts = dataclasses.replace(DEMO, profile=profile, tools="text" if profile == "compact" else "native")
    scripted = ScriptedModel(facts=facts)
    registry = DataConnectorRegistry()
    registry.register("stock", source)
    scripted.enqueue(text("Which one do you mean?"))
    async with ChatSession(registry=registry, model=scripted) as session:
        await session.run(question)
    tokens = await counted(model, scripted.requests[0])
    assert tokens <= budget
    # The estimate stands for the tokenizer in the tests that run without one: it must not be the smaller by much.
    assert estimate_request_tokens(scripted.requests[0]) >= 0.95 * tokens
    print(f"{profile}, {question}: {tokens} tokens of {budget}")  # noqa: T201
