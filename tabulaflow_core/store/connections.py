"""Connections that are opened and closed to the end, whoever is cancelled meanwhile.

A task that is cancelled while a connection opens or closes would leave it half way: nobody's, and never closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

T = TypeVar("T")

#: Tasks of this name are not cancelled when a program ends: they take milliseconds and must not be cut off.
SETTLING: Final = "tabulaflow-store-settling"
_CLOSE_SECONDS: Final = 1.0


class Connections:
    """Hands out connections of an engine. Belongs to the event loop that opened it."""

    def __init__(self) -> None:
        self._settling: set[asyncio.Task[Any]] = set()

    @asynccontextmanager
    async def use(self, engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
        """A connection of `engine`, given back at the end."""
        opening = self._begin(_open(engine))
        try:
            connection = await asyncio.shield(opening)
        except asyncio.CancelledError:
            self._begin(_close_when_open(opening))
            raise
        try:
            yield connection
        finally:
            await asyncio.shield(self._begin(connection.close()))

    async def settled_async(self) -> None:
        """Wait until nothing is half open or half closed, one second at most."""
        give_up = asyncio.get_running_loop().time() + _CLOSE_SECONDS
        while self._settling and (left := give_up - asyncio.get_running_loop().time()) > 0:
            await asyncio.wait(set(self._settling), timeout=left)

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work, name=SETTLING)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        return task


async def _open(engine: AsyncEngine) -> AsyncConnection:
    return await engine.connect()


async def _close_when_open(opening: asyncio.Task[AsyncConnection]) -> None:
    await asyncio.wait({opening})
    if not opening.cancelled() and opening.exception() is None:
        await opening.result().close()
