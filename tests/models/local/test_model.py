"""The chat model over a stand-in for llama.cpp: what that is told, that it is started once, and what is said."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError, ModelUnavailable
from tabulaflow_core.models.contracts import DonePart, ModelRequest, SystemMessage, TextPart, UserMessage
from tabulaflow_core.models.local import LocalModel, server
from tabulaflow_core.models.scripted import delay, text
from tests.models.local.standin import Llama
from tests.modelserver.server import ModelServer


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


REQUEST = ModelRequest((SystemMessage("Be brief."), UserMessage("hi")))


async def test_a_question_is_answered_by_the_servers_wire(mine: Settings, llama: Llama) -> None:
    model = LocalModel(settings=mine)
    assert (model.facts.tools, model.facts.profile, model.facts.price) == ("text", "compact", "local")
    assert model.facts.local
    assert not llama.loads, "nothing is loaded before it is asked"
    parts = [part async for part in model.stream(REQUEST)]
    assert "".join(part.text for part in parts if isinstance(part, TextPart)) == "Hello from here"
    done = parts[-1]
    assert isinstance(done, DonePart)
    assert (done.usage.api_cost_usd, done.usage.price_source) == (0.0, "local")
    body = llama.http.requests[0].body
    assert body["temperature"] == 0
    await model.close_async()
    await model.close_async()


async def test_llama_is_told_to_keep_to_this_process(mine: Settings, llama: Llama) -> None:
    model = LocalModel(settings=mine)
    await model.warm_async([SystemMessage("Be brief.")])
    await model.close_async()
    params = llama.loads[0]["params"]
    assert params["model"]["path"] == str(mine.local_model)
    assert (params["hostnames"], params["port"], params["ui"]) == (["127.0.0.1"], 0, False)
    assert len(params["api_keys"][0]) >= 24
    assert params["cors_origins"] == "null"
    assert params["cache_ram_mib"] <= 1024
    assert params["cpuparams"]["n_threads"] == params["cpuparams_batch"]["n_threads"] == 3
    request = llama.http.requests[0]
    assert request.headers["authorization"] == f"Bearer {params['api_keys'][0]}"
    assert list(request.body["messages"])[-1]["role"] == "user", "templates want one"


async def test_all_models_share_one_server_and_one_key(mine: Settings, llama: Llama) -> None:
    async def ask(model: LocalModel) -> None:
        async for _ in model.stream(REQUEST):
            pass
        await model.close_async()

    await asyncio.gather(*(ask(LocalModel(settings=mine)) for _ in range(8)))
    assert len(llama.loads) == 1
    assert len(llama.http.requests) == 8


async def test_a_warming_makes_room_for_a_question(mine: Settings, llama: Llama) -> None:
    llama.steps = [delay(30), text("late")]
    model = LocalModel(settings=mine)
    warming = asyncio.create_task(model.warm_async([SystemMessage("Be brief.")]))
    await until(lambda: bool(llama.http.requests))
    llama.steps = [text("at once")]
    assert [part async for part in model.stream(REQUEST)]
    await asyncio.wait_for(warming, 30)
    await model.close_async()


async def test_cancelling_a_warming_ends_its_request(mine: Settings, llama: Llama) -> None:
    llama.steps = [delay(30), text("late")]
    model = LocalModel(settings=mine)
    warming = asyncio.create_task(model.warm_async([SystemMessage("Be brief.")]))
    await until(lambda: bool(llama.http.opened))
    warming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await warming
    await until(lambda: llama.http.aborted == 1)
    await model.close_async()


async def test_what_is_missing_is_said(mine: Settings, llama: Llama) -> None:
    async def asked(settings: Settings) -> str:
        with pytest.raises(LocalModelError) as caught:
            await anext(LocalModel(settings=settings).stream(REQUEST))
        return caught.value.user_message

    assert "model pull" in await asked(dataclasses.replace(mine, local_model=None))
    assert "TABULAFLOW_LOCAL_MODEL" in await asked(dataclasses.replace(mine, local_model=Path("/none.gguf")))
    llama.plan(fault="unknown model architecture")
    assert "cannot load mine.gguf" in await asked(mine)
    llama.plan(missing=True)
    assert "pip install xllamacpp" in await asked(mine)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
async def test_a_death_is_said_and_the_next_question_starts_it_again(mine: Settings, llama: Llama) -> None:
    model = LocalModel(settings=mine)
    llama.steps = [text("Once upon"), delay(30), text("late")]
    stream = model.stream(REQUEST)
    await anext(stream)
    os.kill(llama.loads[0]["pid"], signal.SIGABRT)
    llama.http.close()  # as its connections end with the process
    with pytest.raises(ModelUnavailable, match=r"crashed \(SIGABRT\).*starts anew"):
        async for _ in stream:
            pass
    with ModelServer(rule=lambda _: [text("Here again")]) as http:
        llama.http = http
        llama.plan()
        parts = [part async for part in model.stream(REQUEST)]
    assert "".join(part.text for part in parts if isinstance(part, TextPart)) == "Here again"
    first, second = (load["params"]["api_keys"] for load in llama.loads)
    assert first != second, "each process has a key of its own"
    await model.close_async()


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (4, 3), (64, 8)])
def test_a_core_is_left_to_the_page(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, cores: int, threads: int
) -> None:
    monkeypatch.setattr(server.os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert server.choose_threads(settings) == threads
