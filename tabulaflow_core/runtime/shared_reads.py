"""One read for all who ask the same at the same time: a crowd that opens a page costs the store no more than a few."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class SharedReads:
    """Reads of the engine loop, by what they read.

    A read that runs already may have missed what its asker has just written, so nobody joins it. Whoever comes in the
    meantime waits for the next one, which begins when the running one has ended and serves all who wait. Somebody
    alone waits for nobody.
    """

    def __init__(self) -> None:
        self._running: dict[Hashable, asyncio.Task[Any]] = {}
        self._next: dict[Hashable, asyncio.Task[Any]] = {}

    async def get_async(self, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """What `read` gives, begun after this call; an exception of it goes to all who share it.

        Args:
            key: Names what is read, the principal included.
        """
        task = self._next.get(key)
        if task is None:
            task = self._next[key] = asyncio.create_task(self._read(key, read))
        return await asyncio.shield(task)  # one who leaves must not end it for the others

    async def _read(self, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        if (running := self._running.get(key)) is not None:
            await asyncio.wait({running})
        task = self._running[key] = self._next.pop(key)
        try:
            return await read()
        finally:
            if self._running.get(key) is task:
                del self._running[key]
