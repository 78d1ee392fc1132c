"""The one event loop of a process, in its own thread: it owns everything that is bound to a loop."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, Final, TypeVar

from tabulaflow_core.errors import StoreUnavailable
from tabulaflow_core.store.connections import SETTLING

T = TypeVar("T")

_JOIN_SECONDS: Final = 0.5
_CLOSED: Final = "The server is being shut down. Reload the page in a moment."


class EngineLoop:
    """A daemon thread that runs an event loop until `close`. Every method may be called from any other thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="tabulaflow-engine", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin `work` on the loop.

        Raises:
            StoreUnavailable: The loop is closed.
        """
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:  # closed, perhaps a moment ago
            work.close()
            raise StoreUnavailable(_CLOSED) from None

    def call(self, work: Coroutine[Any, Any, T], *, timeout: float | None = None) -> T:
        """Run `work` on the loop and wait for what it gives; leaving early cancels it.

        Raises:
            RuntimeError: Called from the loop's own thread, which would wait for itself.
            StoreUnavailable: The loop is closed, or was closed meanwhile.
            TimeoutError: It took longer than `timeout` seconds.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("The engine loop cannot wait for itself; await the coroutine instead.")
        future = self.submit(work)
        try:
            return future.result(timeout)
        except CancelledError:
            raise StoreUnavailable(_CLOSED) from None
        except BaseException:
            future.cancel()
            raise

    def soon(self, callback: Callable[[], object]) -> None:
        """Run `callback` on the loop; nothing happens when it is closed."""
        try:
            self._loop.call_soon_threadsafe(callback)
        except RuntimeError:  # closed: there is nothing left that could be told
            return

    def close(self) -> None:
        """Cancel what still runs, stop the loop and join the thread; a second call does nothing."""
        if self._loop.is_closed():
            return
        with contextlib.suppress(TimeoutError):  # a task that refuses to end does not keep the process alive
            self.submit(cancel_other_tasks()).result(_JOIN_SECONDS)
        self.soon(self._loop.stop)
        self._thread.join(_JOIN_SECONDS)


async def cancel_other_tasks() -> None:
    """End every task of the running loop but the caller, and wait for their ends.

    Left alone are those that finish opening or closing a connection of the store.
    """
    others = {task for task in asyncio.all_tasks() if task.get_name() != SETTLING} - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
