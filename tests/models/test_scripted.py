"""The fake that ships."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses

import pytest

from tabulaflow_core.errors import ModelProtocolError, ModelUnavailable
from tabulaflow_core.models import (
    CallPart,
    ChatModel,
    DonePart,
    ModelRequest,
    ScriptedModel,
    TextPart,
    ThinkingPart,
    ToolMessage,
    ToolSpec,
    UserMessage,
    resolve_model,
)
from tabulaflow_core.models.scripted import DEMO, call, delay, fail, hang, raw_call, text, thinking

RUN_QUERY = ToolSpec("run_query", "", {"type": "object", "properties": {"sql": {"type": "string"}}})
ASK = ModelRequest((UserMessage("How many?"),), tools=(RUN_QUERY,))


async def test_it_plays_what_was_enqueued() -> None:
    model = ScriptedModel()
    model.enqueue(thinking("Hm."), text("Let me look."), delay(0.0), call("run_query", sql="SELECT 1"))
    model.enqueue(text("One."))
    parts = [part async for part in model.stream(ASK)]
    assert [part.kind for part in parts] == ["thinking", "text", "text", "text", "call", "done"]
    assert parts[0] == ThinkingPart("Hm.")
    [asked] = [part.call for part in parts if isinstance(part, CallPart)]
    assert (asked.name, asked.arguments, asked.raw) == ("run_query", {"sql": "SELECT 1"}, '{"sql": "SELECT 1"}')
    done = parts[-1]
    assert isinstance(done, DonePart)
    assert (done.reason, done.usage.api_cost_usd, done.usage.price_source) == ("calls", 0.0, "local")
    assert model.pending == 1
    again = [part async for part in model.stream(ASK)]
    assert again[0] == TextPart("One.")
    assert (model.opened, model.done, model.open, len(model.requests)) == (2, 2, 0, 2)
    assert isinstance(model, ChatModel)


async def test_usage_is_the_same_every_time() -> None:
    usages = set()
    for _ in range(3):
        model = ScriptedModel().enqueue(text("Twelve orders, all told."))
        parts = [part async for part in model.stream(ASK)]
        assert isinstance(parts[-1], DonePart)
        usages.add(parts[-1].usage)
    assert len(usages) == 1


async def test_faults_and_the_end_of_the_script() -> None:
    model = ScriptedModel().enqueue(text("Half"), fail(ModelUnavailable("It fell over.")))
    with pytest.raises(ModelUnavailable):
        [part async for part in model.stream(ASK)]
    with pytest.raises(ModelProtocolError, match="no further answer"):
        [part async for part in model.stream(ASK)]
    assert (model.failed, model.open) == (2, 0)


@pytest.mark.parametrize("how", ["cancel", "close"])
async def test_giving_up_is_counted(how: str) -> None:
    model = ScriptedModel().enqueue(text("One"), hang())
    stream = model.stream(ASK)
    assert await anext(stream) == TextPart("One")
    assert model.open == 1
    if how == "close":
        await stream.aclose()  # type: ignore[attr-defined]
    else:
        task = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    assert (model.aborted, model.open, model.done) == (1, 0, 0)


async def test_a_model_that_writes_calls_as_text() -> None:
    facts = dataclasses.replace(DEMO, tools="text", profile="compact")
    model = ScriptedModel(facts=facts).enqueue(text("```sql\nSELECT 1\n```"), raw_call("run_query", "{nonsense"))
    calls = [part.call async for part in model.stream(ASK) if isinstance(part, CallPart)]
    assert [c.arguments for c in calls] == [{"sql": "SELECT 1"}, None]


async def test_the_shipped_script_answers_both_questions() -> None:
    model = resolve_model("scripted")
    assert model.facts.name == "scripted:demo"
    first = UserMessage("Which products are below their reorder point?")
    assert "on_hand < reorder_point" in await _sql(model, first)
    rows = ToolMessage(
        "c", "run_query", "product | on_hand | reorder_point\nHDMI cable | 4 | 12\nUSB-C dock | 3 | 10\n"
    )
    assert await _said(model, first, rows) == (
        "Below their reorder point: HDMI cable (4 on hand, reorder point 12) and USB-C dock (3 on hand, "
        "reorder point 10)."
    )
    second = UserMessage("How many units of each should I order to reach those levels?")
    assert "reorder_point - on_hand" in await _sql(model, first, rows, second)
    rows = ToolMessage("d", "run_query", "product,to_order\nHDMI cable,8\nUSB-C dock,7")
    assert await _said(model, first, second, rows) == "Order 8 HDMI cables and 7 USB-C docks."
    assert "demo" in await _said(model, UserMessage("What is the weather?"))
    fault = ToolMessage("e", "run_query", "error (invalid): no such table: inventory")
    assert await _said(model, first, fault) == "The query did not run: error (invalid): no such table: inventory"


async def _sql(model: ChatModel, *messages: UserMessage | ToolMessage) -> str:
    parts = [part async for part in model.stream(ModelRequest(messages, tools=(RUN_QUERY,)))]
    [asked] = [part.call for part in parts if isinstance(part, CallPart)]
    assert asked.arguments is not None
    return str(asked.arguments["sql"])


async def _said(model: ChatModel, *messages: UserMessage | ToolMessage) -> str:
    parts = [part async for part in model.stream(ModelRequest(messages, tools=(RUN_QUERY,)))]
    return "".join(part.text for part in parts if isinstance(part, TextPart))
