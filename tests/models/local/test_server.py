"""The child process: started once, given up, restarted, and never left behind, however its parent ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, cast

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError, ModelUnavailable
from tabulaflow_core.models.local.child import Child
from tabulaflow_core.models.local.server import LocalServer, close_shared_server, shared_server
from tests.models.local.standin import Llama, alive, gone_within

posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")


@pytest.fixture
def one(mine: Settings, llama: Llama) -> Iterator[LocalServer]:
    assert mine.local_model is not None
    server = LocalServer(mine.local_model, threads=1)
    yield server
    server.close()


def loading(llama: Llama) -> int:
    """Wait until a child loads; its process id."""
    end = time.monotonic() + 60
    while not llama.loads:
        assert time.monotonic() < end, "nothing was loaded"
        time.sleep(0.01)
    return int(llama.loads[0]["pid"])


def test_it_starts_once_from_many_threads(one: LocalServer, llama: Llama) -> None:
    threads = [threading.Thread(target=one.start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(llama.loads) == 1
    assert one.running
    assert one.base_url == llama.http.url
    pid = one.pid
    assert pid is not None
    one.close()
    one.close()
    assert not one.running
    assert not one.base_url
    assert not alive(pid)


async def test_it_starts_once_from_many_tasks(one: LocalServer, llama: Llama) -> None:
    llama.plan(seconds=0.2)
    assert {await start for start in [asyncio.create_task(one.start_async()) for _ in range(20)]} == {llama.http.url}
    assert await one.start_async() == llama.http.url
    assert len(llama.loads) == 1


async def test_one_that_leaves_does_not_stop_the_start_for_the_others(one: LocalServer, llama: Llama) -> None:
    llama.plan(seconds=0.5)
    first, second = (asyncio.create_task(one.start_async()) for _ in range(2))
    await asyncio.to_thread(loading, llama)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await second == llama.http.url
    assert len(llama.loads) == 1


async def test_a_start_that_nobody_waits_for_is_ended(one: LocalServer, llama: Llama) -> None:
    llama.plan(seconds=60)
    tasks = [asyncio.create_task(one.start_async()) for _ in range(2)]
    pid = await asyncio.to_thread(loading, llama)
    for task in tasks:
        task.cancel()
    await asyncio.wait_for(asyncio.wait(tasks), 2)
    assert await asyncio.to_thread(gone_within, pid, 2)
    assert not one.running
    llama.plan()
    assert await one.start_async() == llama.http.url


async def test_closing_ends_a_start(one: LocalServer, llama: Llama) -> None:
    llama.plan(seconds=60)
    task = asyncio.create_task(one.start_async())
    pid = await asyncio.to_thread(loading, llama)
    one.close()
    with pytest.raises(LocalModelError, match="stopped while"):
        await asyncio.wait_for(task, 30)
    assert not alive(pid)


async def test_a_start_closed_at_any_moment_says_so_to_who_waits(mine: Settings, llama: Llama) -> None:
    assert mine.local_model is not None
    llama.plan(seconds=60)
    for at in range(12):  # both threads end the child: the one that closes, and the one that loaded
        one = LocalServer(mine.local_model, threads=1)
        task = asyncio.create_task(one.start_async())
        await asyncio.sleep(at * 0.02)
        closing = [threading.Thread(target=one.close) for _ in range(2)]
        for thread in closing:
            thread.start()
        for thread in closing:
            await asyncio.to_thread(thread.join)
        with pytest.raises(LocalModelError, match="stopped while"):
            await asyncio.wait_for(task, 30)


class SlowPipe:
    """As a pipe's buffer: it fails who closes it while it is being closed, not who comes after."""

    def __init__(self) -> None:
        self.state = "open"

    def close(self) -> None:
        if self.state == "closing":
            raise ValueError("I/O operation on closed file")
        self.state = "closing"
        time.sleep(0.05)
        self.state = "closed"


def test_a_child_is_ended_by_many_threads_at_once() -> None:
    child = Child()
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        child._process, child._log = process, cast(IO[bytes], SlowPipe())
        with ThreadPoolExecutor(8) as threads:
            for ended in [threads.submit(child.end) for _ in range(8)]:
                ended.result()


@posix
def test_what_llama_says_before_it_dies_is_kept(one: LocalServer, llama: Llama) -> None:
    llama.plan(abort=True)
    with pytest.raises(LocalModelError, match=r"crashed \(SIGABRT\)\. llama\.cpp cannot load mine\.gguf") as caught:
        one.start()
    assert "and complain" in (caught.value.detail or "")
    llama.plan(fault="no such tensor")
    with pytest.raises(LocalModelError, match=r"^llama\.cpp cannot load mine\.gguf") as caught:
        one.start()
    assert "no such tensor" in (caught.value.detail or "")
    assert one.death() is None
    llama.plan()
    assert one.start() == llama.http.url


def test_a_file_that_is_none_starts_nothing(llama: Llama, tmp_path: Path) -> None:
    with pytest.raises(LocalModelError, match="not a GGUF"):
        LocalServer(tmp_path / "none.gguf", threads=1).start()
    assert not llama.loads


@posix
def test_a_dead_child_is_noticed_and_replaced(one: LocalServer, llama: Llama) -> None:
    one.start()
    assert one.death() is None
    first = one.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert gone_within(first, 20)
    assert not one.running
    death = one.death()
    assert isinstance(death, ModelUnavailable)
    assert "memory ran out" in death.user_message
    one.start()
    assert one.running
    assert one.pid != first


def test_another_file_replaces_the_shared_one(mine: Settings, llama: Llama, tmp_path: Path) -> None:
    assert mine.local_model is not None
    first = shared_server(mine.local_model, threads=1)
    first.start()
    pid = first.pid
    assert pid is not None
    assert shared_server(mine.local_model, threads=1) is first
    second = shared_server(tmp_path / "other.gguf", threads=1)
    assert second is not first
    assert not alive(pid)
    close_shared_server()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc")
def test_the_key_is_nowhere_to_be_read(one: LocalServer, llama: Llama) -> None:
    one.start()
    key = llama.loads[0]["params"]["api_keys"][0]
    assert one.api_key == key
    assert key not in repr(one._current)
    for name in ("cmdline", "environ"):
        assert key.encode() not in Path(f"/proc/{one.pid}/{name}").read_bytes()


PARENT = """
import signal, sys, threading
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in a shell's background
from tabulaflow_core.models.local.child import Child
from tabulaflow_core.models.local.server import LocalServer

server = LocalServer(Path(sys.argv[1]), threads=1)
server.start()
try:
    print("serves", flush=True)
    sys.stdin.readline()
except KeyboardInterrupt:
    sys.stdin.readline()
    print("still" if server.running else "gone", flush=True)
"""


@pytest.fixture
def parent(mine: Settings, llama: Llama) -> Iterator[subprocess.Popen[str]]:
    """A program of its own that starts the child, says so, and ends with its input."""
    llama.plan(seconds=0.1)
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(mine.local_model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parents[3],
    )
    with process:
        yield process
        process.kill()


def serves(parent: subprocess.Popen[str], llama: Llama) -> int:
    assert parent.stdout is not None
    assert parent.stdout.readline() == "serves\n"
    pid = int(llama.loads[0]["pid"])
    assert alive(pid)
    return pid


@posix
def test_a_killed_parent_leaves_nothing_behind(parent: subprocess.Popen[str], llama: Llama) -> None:
    pid = serves(parent, llama)
    parent.kill()
    assert gone_within(pid, 20)


def test_an_ended_parent_leaves_nothing_behind(parent: subprocess.Popen[str], llama: Llama) -> None:
    pid = serves(parent, llama)
    parent.communicate("\n", timeout=20)
    assert gone_within(pid, 20)


@posix
def test_ctrl_c_is_for_the_parent(parent: subprocess.Popen[str], llama: Llama) -> None:
    serves(parent, llama)
    os.killpg(parent.pid, signal.SIGINT)
    out, _ = parent.communicate("\n", timeout=20)
    assert out == "still\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the child may only notice after loading")
def test_a_parent_killed_while_loading_leaves_nothing_behind(mine: Settings, llama: Llama) -> None:
    llama.plan(seconds=60)
    command = [sys.executable, "-c", PARENT, str(mine.local_model)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=Path(__file__).parents[3]) as process:
        pid = loading(llama)
        time.sleep(0.1)  # it holds its lock by now
        process.kill()
    assert gone_within(pid, 20)
