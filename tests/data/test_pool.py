"""The pool of server connections."""

from __future__ import annotations

import asyncio

import pytest

from tabulaflow_core.data.engines.pool import POOL_SIZE, Pool
from tabulaflow_core.errors import SourceUnavailable


class _Server:
    def __init__(self) -> None:
        self.opened = 0
        self.closed: list[int] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.down = False

    async def open_async(self) -> int:
        await self.gate.wait()
        if self.down:
            raise SourceUnavailable("down")
        self.opened += 1
        return self.opened

    async def close_async(self, connection: int) -> None:
        self.closed.append(connection)


async def test_connections_are_used_again_unless_they_broke() -> None:
    server = _Server()
    pool = Pool(server.open_async, server.close_async)
    assert await pool.take_async() == (1, False)
    await pool.give_back_async(1, usable=True)
    assert await pool.take_async() == (1, True)
    await pool.give_back_async(1, usable=False)
    assert server.closed == [1]
    assert await pool.take_async() == (2, False)


async def test_the_pool_is_bounded() -> None:
    server = _Server()
    pool = Pool(server.open_async, server.close_async)
    for _ in range(POOL_SIZE):
        await pool.take_async()
    waiting = asyncio.create_task(pool.take_async())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await pool.give_back_async(1, usable=True)
    assert await waiting == (1, True)


async def test_failing_and_cancelled_openings_take_no_room() -> None:
    server = _Server()
    pool = Pool(server.open_async, server.close_async)
    server.down = True
    for _ in range(POOL_SIZE + 1):
        with pytest.raises(SourceUnavailable):
            await pool.take_async()
    server.down = False
    server.gate.clear()
    for _ in range(POOL_SIZE + 1):
        task = asyncio.create_task(pool.take_async())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    server.gate.set()
    connection, _ = await pool.take_async()
    await pool.give_back_async(connection, usable=True)
    await pool.close_async()
    assert sorted(server.closed) == list(range(1, server.opened + 1))


async def test_closed_means_closed() -> None:
    server = _Server()
    pool = Pool(server.open_async, server.close_async)
    lent, _ = await pool.take_async()
    await pool.close_async()
    with pytest.raises(SourceUnavailable):
        await pool.take_async()
    await pool.give_back_async(lent, usable=True)
    assert server.closed == [lent]
