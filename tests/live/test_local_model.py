"""The embedded model with its real weights: it loads, streams, stops, keeps its prompt, and lets nobody else in."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import openai
import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import ModelUnavailable
from tabulaflow_core.models.contracts import (
    CallPart,
    DonePart,
    ModelRequest,
    SystemMessage,
    TextPart,
    ToolSpec,
    UserMessage,
)
from tabulaflow_core.models.local import LocalModel
from tabulaflow_core.models.local.server import LocalServer
from tests.models.local.standin import gone_within

pytestmark = pytest.mark.live

SYSTEM = SystemMessage(
    "You write SQL for SQLite. Answer with one SELECT statement in a ```sql block and nothing else.\n\n"
    'CREATE TABLE inventory (product TEXT, category TEXT, "on hand" INTEGER, reorder_level INTEGER, unit_price REAL);'
)
RUN_SQL = ToolSpec(
    "run_query",
    "Run one SELECT statement.",
    {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]},
)


@pytest.fixture
async def model(live_settings: Settings) -> AsyncIterator[LocalModel]:
    model = LocalModel(settings=live_settings)
    yield model
    await model.close_async()


@pytest.fixture
async def server(model: LocalModel) -> LocalServer:
    return (await model._ready())[1]


async def ask(model: LocalModel, request: ModelRequest) -> tuple[str, list[CallPart], DonePart, float]:
    """Text, calls, the last part, and the seconds to the first part."""
    began, first = time.monotonic(), 0.0
    text, calls, done = "", [], None
    async for part in model.stream(request):
        first = first or time.monotonic() - began
        match part:
            case TextPart():
                text += part.text
            case CallPart():
                calls.append(part)
            case DonePart():
                done = part
    assert done is not None
    return text, calls, done, first


async def test_it_streams_an_answer_that_costs_nothing(model: LocalModel) -> None:
    request = ModelRequest((SYSTEM, UserMessage("How many products are there?")))
    pieces = [part async for part in model.stream(request)]
    text = "".join(part.text for part in pieces if isinstance(part, TextPart))
    assert "SELECT COUNT(" in text.upper()
    assert len(pieces) > 5, "piece by piece"
    done = pieces[-1]
    assert isinstance(done, DonePart)
    assert done.reason == "stop"
    assert done.usage.api_cost_usd == 0.0
    assert done.usage.price_source == "local"
    assert done.usage.input_tokens > 50
    assert (await ask(model, request))[0] == text, "the same every time"


async def test_a_fence_is_understood_as_a_call(model: LocalModel) -> None:
    _, calls, done, _ = await ask(
        model, ModelRequest((SYSTEM, UserMessage("What is the highest unit price?")), tools=(RUN_SQL,))
    )
    assert [part.call.name for part in calls] == ["run_query"]
    arguments = calls[0].call.arguments
    assert arguments is not None
    assert "MAX(unit_price)" in str(arguments["sql"])
    assert done.reason == "calls"


async def test_the_prompt_is_read_once(model: LocalModel) -> None:
    # Another beginning altogether: llama.cpp sets a prompt aside only when less than half of it is wanted next.
    other = SystemMessage(
        "Tables of a SQLite database:\n\nCREATE TABLE person (name TEXT, town TEXT, born TEXT);\n"
        "CREATE TABLE visit (person TEXT, place TEXT, day TEXT, minutes INTEGER);\n\n"
        "Answer the user's question with one SELECT statement in a ```sql block and nothing else."
    )
    await model.warm_async([other])
    _, _, done, _ = await ask(model, ModelRequest((other, UserMessage("Which towns are there?"))))
    assert done.usage.cached_input_tokens > 0.7 * done.usage.input_tokens
    await ask(model, ModelRequest((SYSTEM, UserMessage("How many products are there?"))))
    _, _, done, _ = await ask(model, ModelRequest((other, UserMessage("How many people are there?"))))
    assert done.usage.cached_input_tokens > 0.7 * done.usage.input_tokens, "another conversation did not cost the cache"


@pytest.mark.parametrize("way", ["close", "cancel"])
async def test_leaving_early_frees_the_slot(model: LocalModel, way: str) -> None:
    endless = ModelRequest((UserMessage("Count from 1 to 900 in words."),), max_output_tokens=700)
    if way == "close":
        stream = model.stream(endless)
        await anext(stream)
        await stream.aclose()  # type: ignore[attr-defined]
    else:
        started = asyncio.Event()

        async def read() -> None:
            async for _ in model.stream(endless):
                started.set()

        task = asyncio.create_task(read())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    # Seven hundred tokens take more than ten seconds on any processor; a freed slot answers before that.
    _, _, _, first = await ask(model, ModelRequest((UserMessage("Say yes."),), max_output_tokens=3))
    assert first < 8


async def test_a_question_does_not_wait_for_a_warming(model: LocalModel) -> None:
    long = SystemMessage("\n".join(f"CREATE TABLE t{n} (a{n} TEXT, b{n} INTEGER);" for n in range(150)))
    warming = asyncio.create_task(model.warm_async([long]))
    await asyncio.sleep(1)
    assert not warming.done()
    _, _, _, first = await ask(model, ModelRequest((UserMessage("Say yes."),), max_output_tokens=3))
    assert warming.done()
    await warming
    assert first < 20


async def test_nobody_else_gets_in(server: LocalServer) -> None:
    address = urlsplit(server.base_url).netloc
    assert address.startswith("127.0.0.1:")
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        connection = http.client.HTTPConnection(address, timeout=10)
        connection.request(
            "POST", "/v1/chat/completions", json.dumps({"messages": [{"role": "user", "content": "hi"}]}), headers
        )
        response = connection.getresponse()
        body = response.read()
        assert response.status == 401, body
        assert response.headers.get("Access-Control-Allow-Origin") in (None, "", "null")
        connection.close()
    connection = http.client.HTTPConnection(address, timeout=10)
    connection.request("GET", "/")
    assert connection.getresponse().status in (401, 404), "no web page of its own"
    connection.close()


async def test_the_other_wire_answers_too(server: LocalServer) -> None:
    async with openai.AsyncOpenAI(base_url=server.base_url, api_key=server.api_key, max_retries=0) as client:
        answer = await client.responses.create(model="local", input="Say yes.", max_output_tokens=8)
    assert answer.output_text.strip()


async def test_tokens_are_counted(model: LocalModel) -> None:
    assert await model.count_tokens("") == 0
    assert 2 <= await model.count_tokens("hello world") <= 3


async def test_an_answer_keeps_to_a_schema(model: LocalModel) -> None:
    schema = {
        "type": "object",
        "properties": {"mood": {"type": "string", "enum": ["violet", "ochre"]}, "level": {"type": "integer"}},
        "required": ["mood", "level"],
        "additionalProperties": False,
    }
    # Nothing in the question leads to this shape.
    text, calls, _, _ = await ask(model, ModelRequest((UserMessage("Say hello."),), response_schema=schema))
    answer = json.loads(text)
    assert set(answer) == {"mood", "level"}
    assert answer["mood"] in ("violet", "ochre")
    assert isinstance(answer["level"], int)
    assert not calls


async def test_nothing_stands_still_while_it_loads(live_settings: Settings) -> None:
    assert live_settings.local_model is not None
    one = LocalServer(live_settings.local_model, threads=1)
    gaps: dict[str, float] = {"thread": 0.0, "loop": 0.0}
    ended = threading.Event()

    def tick() -> None:
        last = time.monotonic()
        while not ended.wait(0.01):
            last, before = time.monotonic(), last
            gaps["thread"] = max(gaps["thread"], last - before)

    async def tick_async() -> None:
        last = time.monotonic()
        while not ended.is_set():
            await asyncio.sleep(0.01)
            last, before = time.monotonic(), last
            gaps["loop"] = max(gaps["loop"], last - before)

    ticking = threading.Thread(target=tick)
    ticking.start()
    ticking_async = asyncio.create_task(tick_async())
    try:
        await one.start_async()
    finally:
        ended.set()
        ticking.join()
        await ticking_async
        one.close()
    assert max(gaps.values()) < 0.5, gaps


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
async def test_a_crash_costs_one_question(model: LocalModel, server: LocalServer) -> None:
    stream = model.stream(ModelRequest((UserMessage("Count from 1 to 900 in words."),)))
    await anext(stream)
    assert server.pid is not None
    os.kill(server.pid, signal.SIGABRT)
    with pytest.raises(ModelUnavailable, match="SIGABRT"):
        async for _ in stream:
            pass
    text, _, _, _ = await ask(model, ModelRequest((UserMessage("Say yes."),), max_output_tokens=3))
    assert text


PARENT = """
import sys, threading
from pathlib import Path
from tabulaflow_core.models.local.server import LocalServer

server = LocalServer(Path(sys.argv[1]), threads=1)
threading.Thread(target=server.start, daemon=True).start()
while server.pid is None:
    pass
print(server.pid, flush=True)
sys.stdin.readline()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the child may only notice after loading")
@pytest.mark.parametrize("seconds", [0.5, 1.0, 6.0])
def test_a_killed_parent_leaves_nothing_behind(live_settings: Settings, seconds: float) -> None:
    command = [sys.executable, "-c", PARENT, str(live_settings.local_model)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        time.sleep(seconds)
        process.kill()
    assert gone_within(pid, 2)
