"""The executor for blocking drivers: stopping is what matters."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tabulaflow_core.data import executor
from tabulaflow_core.data.executor import run_blocking_async


async def test_results_and_faults_come_through() -> None:
    assert await run_blocking_async(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await run_blocking_async(lambda: 1 // 0)


async def test_cancelling_interrupts_until_it_stops() -> None:
    stop, calls, ended = threading.Event(), [], []

    def work() -> None:
        stop.wait(10)
        ended.append(True)

    def interrupt() -> None:
        calls.append(1)
        if len(calls) == 3:  # the first ones come too early
            stop.set()

    task = asyncio.create_task(run_blocking_async(work, interrupt=interrupt))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]
    assert len(calls) == 3


async def test_a_second_cancellation_does_not_leave_it_running() -> None:
    stop, ended = threading.Event(), []

    def work() -> None:
        stop.wait(10)
        ended.append(True)

    task = asyncio.create_task(run_blocking_async(work, interrupt=lambda: None))
    await asyncio.sleep(0.02)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0.01)
    assert not task.done()
    stop.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]


async def test_a_failing_interrupt_is_tried_again() -> None:
    stop, calls = threading.Event(), []

    def interrupt() -> None:
        calls.append(1)
        if len(calls) < 2:
            raise OSError("no route")
        stop.set()

    task = asyncio.create_task(run_blocking_async(lambda: stop.wait(10), interrupt=interrupt))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(calls) == 2


async def test_abandoned_work_is_given_to_its_undertaker() -> None:
    go, taken = threading.Event(), threading.Event()
    task = asyncio.create_task(run_blocking_async(lambda: go.wait(10), abandon=lambda value: taken.set()))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not taken.is_set()
    go.set()
    assert await asyncio.to_thread(taken.wait, 5)


async def test_many_wait_for_their_turn() -> None:
    found = await asyncio.gather(*(run_blocking_async(lambda n=n: n) for n in range(executor.MAX_WORKERS * 3)))
    assert found == list(range(executor.MAX_WORKERS * 3))


async def test_queued_work_that_is_cancelled_never_runs() -> None:
    go, ran = threading.Event(), []
    blockers = [asyncio.create_task(run_blocking_async(lambda: go.wait(10))) for _ in range(executor.MAX_WORKERS)]
    await asyncio.sleep(0.05)
    queued = asyncio.create_task(run_blocking_async(lambda: ran.append(1)))
    await asyncio.sleep(0.02)
    queued.cancel()
    with pytest.raises(asyncio.CancelledError):
        await queued
    go.set()
    await asyncio.gather(*blockers)
    assert ran == []
