"""The library as the README shows it: on the scripted model, and over real HTTP on both wires."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any

import pandas as pd
import pytest

from tabulaflow_core.agents import ChatSession, Event
from tabulaflow_core.agents import session as session_module
from tabulaflow_core.data import DataConnectorRegistry, SQLConnector
from tabulaflow_core.errors import TurnError
from tabulaflow_core.models import ScriptedModel
from tabulaflow_core.models.contracts import ChatModel
from tabulaflow_core.models.scripts import SCRIPTS
from tests.agents.fakes import INVENTORY
from tests.modelserver import ModelServer, call, text

FIRST = "Which products are below their reorder point?"
SECOND = "How many units of each should I order to reach those levels?"
BELOW = "SELECT product, on_hand, reorder_point FROM inventory WHERE on_hand < reorder_point ORDER BY product"
ORDER = "SELECT product, reorder_point - on_hand AS to_order FROM inventory WHERE on_hand < reorder_point"


@pytest.fixture
async def registry() -> AsyncIterator[DataConnectorRegistry]:
    stock = await SQLConnector.from_url_async("sqlite+aiosqlite:///:memory:", read_only=False)
    async with DataConnectorRegistry() as registry:
        registry.register("stock", stock)
        await stock.write_dataframe_async(pd.DataFrame(INVENTORY), "inventory")
        yield registry


async def both_turns(session: ChatSession) -> list[Event]:
    result = await session.run(FIRST)
    assert "HDMI cable" in result.text
    assert "USB-C dock" in result.text
    assert "Mouse" not in result.text
    seen: list[Event] = []
    async for event in session.run_stream(SECOND):
        seen.append(event)
        if event.kind == "tool_started":
            assert event.name == "run_query"
        elif event.kind == "answer_delta":
            assert isinstance(event.content, str)
        elif event.kind == "turn_finished":
            result = event.result
    assert [e.kind for e in seen].count("turn_finished") == 1
    assert "8" in result.text
    assert "7" in result.text
    table = result.artifacts[0]
    assert table.kind == "table"
    assert table.row_count == 2
    assert result.usage is not None
    assert result.usage.api_requests == 2
    assert result.usage.input_tokens > 0
    assert result.usage.output_tokens > 0
    session.reset_conversation()
    assert session.history == ()
    return seen


async def test_on_the_scripted_model(registry: DataConnectorRegistry) -> None:
    session = ChatSession(registry=registry, model="scripted:chat-sessions", reasoning="low")
    await both_turns(session)
    assert (await session.run(FIRST)).artifacts, "a new conversation over the same sources"
    usage = (await session.run(SECOND)).usage
    assert usage is not None
    assert (usage.api_cost_usd, usage.price_source) == (0.0, "local")


@pytest.mark.parametrize("wire", ["responses", "chat"])
async def test_over_http(registry: DataConnectorRegistry, monkeypatch: pytest.MonkeyPatch, wire: str) -> None:
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "test-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OLLAMA_BASE_URL", server.url)
        server.enqueue(call("run_query", sql=BELOW))
        server.enqueue(text("HDMI cable and USB-C dock are below."))
        server.enqueue(text("Let me compute that."), call("run_query", sql=ORDER))
        server.enqueue(text("Order 8 HDMI cables and 7 USB-C docks."))
        model = "openai:gpt-5.6-sol" if wire == "responses" else "ollama:qwen3:8b"
        async with ChatSession(registry=registry, model=model, reasoning="low") as session:
            events = await both_turns(session)
        assert [e.content for e in events if e.kind == "narration"] == ["Let me compute that."]
        assert server.pending == 0


async def test_leaving_early_ends_the_request_at_the_server(
    registry: DataConnectorRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.modelserver import hang

    with ModelServer() as server:
        monkeypatch.setenv("OLLAMA_BASE_URL", server.url)
        server.enqueue(text("Half of an"), hang())
        server.enqueue(text("Done?"))
        async with ChatSession(registry=registry, model="ollama:qwen3:8b") as session:
            async for event in session.run_stream(FIRST):
                if event.kind == "answer_delta":
                    break
            assert (await session.run("Go on")).text == "Done?"
            await server.settled()
            assert server.open == 0


def test_scripts_that_ship_know_the_example() -> None:
    assert "chat-sessions" in SCRIPTS


def test_the_import_is_light() -> None:
    heavy = ("openai", "plotly", "pandas", "duckdb", "sqlglot", "sqlalchemy", "streamlit", "xllamacpp")
    code = f"import sys, tabulaflow_core.agents as a; a.ChatSession; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("first", ["warm", "run"])
async def test_loading_blocks_nobody(
    registry: DataConnectorRegistry, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    threads: list[threading.Thread] = []

    def loaded(*given: Any) -> ChatModel:
        threads.append(threading.current_thread())
        return load(*given)

    load = session_module._loaded
    monkeypatch.setattr(session_module, "_loaded", loaded)
    async with ChatSession(registry=registry, model="scripted:chat-sessions") as session:
        if first == "warm":
            await asyncio.gather(session.warm(), session.warm())
            loads = len(threads)
        else:
            loads = 1
        await session.run(FIRST)
        await session.run(SECOND)
        assert len(threads) == loads
    assert threading.main_thread() not in threads


@pytest.mark.parametrize("question", ["", " \n\t", "\u200b\ufeff", "\x00"])
async def test_an_empty_question_calls_no_model(registry: DataConnectorRegistry, question: str) -> None:
    model = ScriptedModel().enqueue(text("Never."))
    async with ChatSession(registry=registry, model=model) as session:
        with pytest.raises(TurnError, match="The question is empty"):
            await session.run(question)
        assert (session.history, model.requests) == ((), [])
        assert (await session.run("And now?")).text == "Never."
