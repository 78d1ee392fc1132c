"""A small pool of server connections for one event loop: bounded, lazy, and emptied when a connection broke."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Final, Generic, TypeVar

from tabulaflow_core.data.engines.base import STATEMENTS
from tabulaflow_core.errors import SourceUnavailable

C = TypeVar("C")

POOL_SIZE: Final = STATEMENTS
#: Seconds that closing waits for connections that nobody wants any more.
_LEFTOVER_SECONDS: Final = 0.5


class Pool(Generic[C]):
    """Connections that are lent and given back.

    Args:
        open_async: Opens one more.
        close_async: Closes one; must not raise.
    """

    def __init__(
        self,
        open_async: Callable[[], Coroutine[None, None, C]],
        close_async: Callable[[C], Awaitable[None]],
    ) -> None:
        self._open_async = open_async
        self._close_async = close_async
        self._idle: list[C] = []
        self._room = asyncio.Semaphore(POOL_SIZE)
        self._closed = False
        self._leftovers: set[asyncio.Future[None]] = set()

    async def take_async(self) -> tuple[C, bool]:
        """A connection, and whether it was used before, so that it may have broken meanwhile.

        Raises:
            SourceUnavailable: The pool is closed, or none can be opened.
        """
        await self._room.acquire()
        try:
            if self._closed:
                raise SourceUnavailable("This source is closed. Connect it again.")
            if self._idle:
                return self._idle.pop(), True
            return await self._opened_async(), False
        except BaseException:
            self._room.release()
            raise

    async def _opened_async(self) -> C:
        """Open one; cancelled meanwhile, the opening ends by itself and its connection is closed."""
        opening = asyncio.ensure_future(self._open_async())
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            leftover = asyncio.ensure_future(self._abandon_async(opening))
            self._leftovers.add(leftover)
            leftover.add_done_callback(self._leftovers.discard)
            raise

    async def _abandon_async(self, opening: asyncio.Future[C]) -> None:
        try:
            connection = await opening
        except SourceUnavailable:
            return  # nobody waits for it any more
        await self._close_async(connection)

    async def give_back_async(self, connection: C, *, usable: bool) -> None:
        """Return a connection; one that is not `usable` is closed."""
        try:
            if usable and not self._closed:
                self._idle.append(connection)
            else:
                await self._close_async(connection)
        finally:
            self._room.release()

    async def close_async(self) -> None:
        """Close the idle ones now and the lent ones when they come back."""
        self._closed = True
        while self._idle:
            await self._close_async(self._idle.pop())
        task = asyncio.current_task()
        stopped = task is not None and task.cancelling()
        if self._leftovers and not stopped:  # each ends by itself; a server that is silent is not waited for
            await asyncio.wait(self._leftovers, timeout=_LEFTOVER_SECONDS)
