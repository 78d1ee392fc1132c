"""The one bounded executor for blocking drivers (sqlite3, duckdb, pymysql).

It works without the runtime: threads start on first use and end with the process. Cancelling the task that
awaits `run_blocking_async` first stops the work through the given `interrupt`, then lets the cancellation go on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Final, TypeVar

T = TypeVar("T")

_log = logging.getLogger(__name__)

#: Statements that may run in blocking drivers at once, in the whole process. A source runs a few at once, so that it
#: takes many slow sources to keep the others waiting.
MAX_WORKERS: Final = 64
_HELPERS: Final = 16
#: Seconds between two tries to interrupt: an interrupt that comes before the statement starts is lost.
_RETRY_SECONDS: Final = 0.01
#: Seconds that a cancelled caller waits for the statement to stop; it is stopped further behind the caller's back.
_PATIENCE_SECONDS: Final = 1.0
#: Seconds after which a driver that does not obey is left to itself; it is logged.
_GIVE_UP_SECONDS: Final = 15.0


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MAX_WORKERS, thread_name_prefix="tabulaflow-data")


@cache
def _interrupters() -> ThreadPoolExecutor:
    # Apart from the pool: when it is full of statements, they could otherwise not be stopped.
    return ThreadPoolExecutor(4, thread_name_prefix="tabulaflow-stop")


@cache
def _helpers() -> ThreadPoolExecutor:
    # Apart from the pool, whose workers wait for these.
    return ThreadPoolExecutor(_HELPERS, thread_name_prefix="tabulaflow-beside")


def run_beside(work: Callable[[], T]) -> Future[T]:
    """Run one statement beside the calling thread, which says meanwhile how far it is; `work` waits for nobody."""
    return _helpers().submit(work)


#: Kept from being collected while they run.
_stoppers: set[asyncio.Task[None]] = set()


async def run_blocking_async(
    work: Callable[[], T],
    *,
    interrupt: Callable[[], None] | None = None,
    abandon: Callable[[T], None] | None = None,
) -> T:
    """Run `work` in a thread and wait for it.

    Args:
        work: A blocking call.
        interrupt: Called from another thread, repeatedly until `work` returns, when the awaiting task is cancelled.
            It must be safe to call at any time, also before `work` began and after it ended.
        abandon: For work that cannot be interrupted, such as connecting: on cancellation it is left to end by
            itself, and what it returns is given to this.
    """
    future = _pool().submit(work)
    waiter = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(waiter)
    except asyncio.CancelledError:
        if not future.cancel():
            if abandon is not None:
                waiter.add_done_callback(_seen)
                future.add_done_callback(lambda done: None if done.exception() else abandon(done.result()))
                raise
            await _finish_stopping(waiter, interrupt)
        raise


async def _finish_stopping(waiter: asyncio.Future[T], interrupt: Callable[[], None] | None) -> None:
    """Stop the work; further cancellations meanwhile do not leave it running."""
    stopper = asyncio.ensure_future(_stop(waiter, interrupt))
    _stoppers.add(stopper)
    stopper.add_done_callback(_stoppers.discard)
    waiter.add_done_callback(_seen)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _PATIENCE_SECONDS
    while not stopper.done() and (left := deadline - loop.time()) > 0:
        try:
            await asyncio.wait([stopper], timeout=left)
        except asyncio.CancelledError:
            continue


def _seen(waiter: asyncio.Future[T]) -> None:
    """Mark a fault as looked at: that of an interrupted statement is nobody's news."""
    if not waiter.cancelled():
        waiter.exception()


async def _stop(waiter: asyncio.Future[T], interrupt: Callable[[], None] | None) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _GIVE_UP_SECONDS
    while not waiter.done():
        if interrupt is not None:
            try:
                await loop.run_in_executor(_interrupters(), interrupt)
            except Exception as error:
                _log.warning("stopping a statement failed, trying again: %s", type(error).__name__)
        await asyncio.wait([waiter], timeout=_RETRY_SECONDS)
        if loop.time() > deadline:
            _log.error("a statement did not stop within %s seconds", _GIVE_UP_SECONDS)
            return
