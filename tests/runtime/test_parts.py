"""The runtime's small parts: the loop, the log, downloads, and the one runtime of a process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import tabulaflow_core.runtime as package
from tabulaflow_core.agents.events import AnswerDelta, TurnFinished, TurnResult
from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError, StoreUnavailable
from tabulaflow_core.models.local import Progress, PullCancelled
from tabulaflow_core.runtime.downloads import Downloads
from tabulaflow_core.runtime.engine_loop import EngineLoop
from tabulaflow_core.runtime.turn_log import TurnLog

FINISHED = TurnFinished(result=TurnResult(text="x", outcome="answered"))


def test_the_loop_runs_what_it_is_given_in_one_thread() -> None:
    loop = EngineLoop()

    async def where() -> str:
        return threading.current_thread().name

    try:
        assert loop.call(where()) == "tabulaflow-engine"

        async def back() -> str:
            return loop.call(where())

        with pytest.raises(RuntimeError, match="await"):
            loop.call(back())
    finally:
        loop.close()
    loop.close()
    with pytest.raises(StoreUnavailable, match="shut down"):
        loop.call(where())
    loop.soon(lambda: None)


def test_who_stops_waiting_cancels() -> None:
    loop = EngineLoop()
    ended = threading.Event()

    async def long() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    try:
        with pytest.raises(TimeoutError):
            loop.call(long(), timeout=0.05)
        assert ended.wait(30)
        future = loop.submit(long())
        ended.clear()
    finally:
        loop.close()
    assert ended.wait(30), "closing ends what still runs"
    assert future.cancelled()


def test_a_log_joins_deltas_and_ends_once() -> None:
    log = TurnLog()
    for word in ("a", "b", "c"):
        log.append(AnswerDelta(step=1, content=word))
    assert log.snapshot() == (AnswerDelta(step=1, content="abc"),)
    assert not log.wait(0.01)
    log.append(FINISHED)
    assert log.wait(0)
    assert log.state == "finished"
    assert [event for batch in log.attach() for event in batch] == [AnswerDelta(step=1, content="abc"), FINISHED]
    with pytest.raises(ValueError, match="nothing can follow"):
        log.append(FINISHED)


def test_a_reader_gets_no_more_than_twenty_batches_a_second() -> None:
    log = TurnLog()

    def write() -> None:
        for i in range(100):
            log.append(AnswerDelta(step=1, content=f"{i} "))
            time.sleep(0.003)
        log.append(FINISHED)

    writer = threading.Thread(target=write)
    begun = time.monotonic()
    writer.start()
    batches = [batch for batch in log.attach() if batch]
    writer.join()
    assert len(batches) <= (time.monotonic() - begun) / 0.05 + 2
    text = "".join(event.content for batch in batches for event in batch if isinstance(event, AnswerDelta))
    assert text == "".join(f"{i} " for i in range(100))


def slow_pull(settings: Settings, *, progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> Path:
    for i in range(1, 1001):
        if cancelled():
            raise PullCancelled("Stopped.")
        progress(Progress(i, 1000, 50.0, 3.0, "hub", "Fetching"))
        time.sleep(0.005)
    return settings.cache_dir


def test_one_download_is_joined_watched_and_stopped(settings: Settings) -> None:
    downloads = Downloads(settings, pull=slow_pull)
    download = downloads.start()
    assert downloads.start() is download
    while not download.bytes_done:
        time.sleep(0.005)
    assert (download.state, download.bytes_total, download.message) == ("running", 1000, "Fetching")
    download.cancel()
    assert download.wait(30)
    assert (download.state, download.message) == ("cancelled", "Stopped.")
    assert downloads.start() is not download
    downloads.close()


@pytest.mark.parametrize(
    ("error", "message"), [(LocalModelError("The disk is full."), "The disk is full."), (KeyError("k"), "log")]
)
def test_a_download_that_fails_says_why(settings: Settings, error: Exception, message: str) -> None:
    def pull(settings: Settings, *, progress: object, cancelled: object) -> Path:
        raise error

    download = Downloads(settings, pull=pull).start()
    assert download.wait(30)
    assert download.state == "failed"
    assert message in download.message


def test_the_public_names_are_there() -> None:
    assert package.__all__ == sorted(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None


def test_one_runtime_a_process_that_ends_quickly(tmp_path: Path) -> None:
    code = (
        "from tabulaflow_core.runtime import get_runtime\n"
        "from tabulaflow_core.principal import LOCAL_USER\n"
        "rt = get_runtime()\n"
        "assert rt is get_runtime()\n"
        "assert rt.sources(LOCAL_USER) == ()\n"
        "print('ready', flush=True)\n"
    )
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "ready", "")
    assert time.monotonic() - begun < 20
