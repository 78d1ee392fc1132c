"""The server and the chat model over a stand-in for llama.cpp: what it is told, and that it is started once."""

from __future__ import annotations

import asyncio
import dataclasses
import sys
import threading
import types
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError
from tabulaflow_core.models.contracts import DonePart, ModelRequest, SystemMessage, TextPart, UserMessage
from tabulaflow_core.models.local import LocalModel, server
from tabulaflow_core.models.scripted import Step, delay, text
from tests.modelserver.server import ModelServer


class FakeLlama:
    """Stands for `xllamacpp.Server`: the tests' model server behind the key that was asked for."""

    made: ClassVar[list[FakeLlama]] = []
    fault: ClassVar[Exception | None] = None
    steps: ClassVar[list[Step]] = [text("Hello from here")]

    def __init__(self, params: SimpleNamespace) -> None:
        if self.fault is not None:
            raise self.fault
        self.params = params
        self.http = ModelServer(rule=lambda _: FakeLlama.steps, api_key=params.api_keys[0])
        self.http.__enter__()
        self.listening_address = self.http.url.removesuffix("/v1")
        self.made.append(self)


@pytest.fixture
def llama(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[FakeLlama]]:
    """`import xllamacpp` gives the stand-in; the shared server of the process is a fresh one."""
    module = types.ModuleType("xllamacpp")
    module.__spec__ = ModuleSpec("xllamacpp", None)
    nested = {name: SimpleNamespace() for name in ("model", "sampling", "cpuparams", "cpuparams_batch")}
    module.CommonParams = lambda: SimpleNamespace(**nested)  # type: ignore[attr-defined]
    module.Server = FakeLlama  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xllamacpp", module)
    monkeypatch.setattr(server, "_shared", None)
    monkeypatch.setattr(FakeLlama, "made", [])
    yield FakeLlama
    for made in FakeLlama.made:
        made.http.__exit__(None, None, None)


@pytest.fixture
def mine(settings: Settings, tmp_path: Path) -> Settings:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF and so on")
    return dataclasses.replace(settings, local_model=path, local_threads=3)


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


REQUEST = ModelRequest((SystemMessage("Be brief."), UserMessage("hi")))


async def test_a_question_is_answered_by_the_servers_wire(mine: Settings, llama: type[FakeLlama]) -> None:
    model = LocalModel(settings=mine)
    assert (model.facts.tools, model.facts.profile, model.facts.price) == ("text", "compact", "local")
    assert model.facts.local
    assert not llama.made, "nothing is loaded before it is asked"
    parts = [part async for part in model.stream(REQUEST)]
    assert "".join(part.text for part in parts if isinstance(part, TextPart)) == "Hello from here"
    done = parts[-1]
    assert isinstance(done, DonePart)
    assert (done.usage.api_cost_usd, done.usage.price_source) == (0.0, "local")
    body = llama.made[0].http.requests[0].body
    assert body["temperature"] == 0
    await model.close_async()
    await model.close_async()


async def test_llama_is_told_to_keep_to_this_process(mine: Settings, llama: type[FakeLlama]) -> None:
    model = LocalModel(settings=mine)
    await model.warm_async([SystemMessage("Be brief.")])
    await model.close_async()
    params = llama.made[0].params
    assert params.model.path == str(mine.local_model)
    assert (params.hostnames, params.port, params.ui) == (["127.0.0.1"], 0, False)
    assert len(params.api_keys[0]) >= 24
    assert params.cors_origins == "null"
    assert params.cache_ram_mib <= 1024
    assert params.cpuparams.n_threads == params.cpuparams_batch.n_threads == 3
    assert list(llama.made[0].http.requests[0].body["messages"])[-1]["role"] == "user", "templates want one"


async def test_all_models_share_one_server_and_one_key(mine: Settings, llama: type[FakeLlama]) -> None:
    async def ask(model: LocalModel) -> None:
        async for _ in model.stream(REQUEST):
            pass
        await model.close_async()

    await asyncio.gather(*(ask(LocalModel(settings=mine)) for _ in range(8)))
    assert len(llama.made) == 1
    assert len(llama.made[0].http.requests) == 8


def test_the_server_starts_once_from_many_threads(mine: Settings, llama: type[FakeLlama]) -> None:
    assert mine.local_model is not None
    one = server.LocalServer(mine.local_model, threads=1)
    threads = [threading.Thread(target=one.start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(llama.made) == 1
    one.close()
    one.close()
    assert not one.running


async def test_a_warming_makes_room_for_a_question(
    mine: Settings, llama: type[FakeLlama], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama, "steps", [delay(30), text("late")])
    model = LocalModel(settings=mine)
    warming = asyncio.create_task(model.warm_async([SystemMessage("Be brief.")]))
    await until(lambda: bool(llama.made and llama.made[0].http.requests))
    monkeypatch.setattr(llama, "steps", [text("at once")])
    assert [part async for part in model.stream(REQUEST)]
    await asyncio.wait_for(warming, 10)
    await model.close_async()


async def test_cancelling_a_warming_ends_its_request(
    mine: Settings, llama: type[FakeLlama], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama, "steps", [delay(30), text("late")])
    model = LocalModel(settings=mine)
    warming = asyncio.create_task(model.warm_async([SystemMessage("Be brief.")]))
    await until(lambda: bool(llama.made and llama.made[0].http.opened))
    warming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await warming
    await until(lambda: llama.made[0].http.aborted == 1)
    await model.close_async()


async def test_what_is_missing_is_said(mine: Settings, llama: type[FakeLlama], monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked(settings: Settings) -> str:
        with pytest.raises(LocalModelError) as caught:
            await anext(LocalModel(settings=settings).stream(REQUEST))
        return caught.value.user_message

    assert "model pull" in await asked(dataclasses.replace(mine, local_model=None))
    assert "TABULAFLOW_LOCAL_MODEL" in await asked(dataclasses.replace(mine, local_model=Path("/none.gguf")))
    monkeypatch.setattr(llama, "fault", RuntimeError("unknown model architecture"))
    assert "cannot load mine.gguf" in await asked(mine)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert "pip install xllamacpp" in await asked(mine)


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (4, 3), (64, 8)])
def test_a_core_is_left_to_the_page(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, cores: int, threads: int
) -> None:
    monkeypatch.setattr(server.os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert server.choose_threads(settings) == threads
