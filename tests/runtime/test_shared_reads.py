"""Reads that are shared: by those who came before they began, and by nobody else."""

from __future__ import annotations

import asyncio

import pytest

from tabulaflow_core.runtime.shared_reads import SharedReads


class _Source:
    """Counts how often it is read, and gives what it holds when the reading begins."""

    def __init__(self) -> None:
        self.value = 0
        self.reads = 0

    async def read_async(self) -> int:
        self.reads += 1
        value = self.value
        await asyncio.sleep(0.02)
        return value


async def test_a_hundred_who_ask_at_once_cost_one_read() -> None:
    shared, source = SharedReads(), _Source()
    found = await asyncio.gather(*(shared.get_async("a", source.read_async) for _ in range(100)))
    assert (found, source.reads) == ([0] * 100, 1)


async def test_who_asks_after_a_change_sees_it_though_a_read_runs() -> None:
    shared, source = SharedReads(), _Source()
    first = asyncio.create_task(shared.get_async("a", source.read_async))
    await asyncio.sleep(0.01)
    source.value = 1
    later = await asyncio.gather(*(shared.get_async("a", source.read_async) for _ in range(10)))
    assert (await first, later, source.reads) == (0, [1] * 10, 2)
    assert await shared.get_async("a", source.read_async) == 1
    assert source.reads == 3  # nothing is kept


async def test_different_things_are_read_apart_and_at_the_same_time() -> None:
    shared, one, two = SharedReads(), _Source(), _Source()
    two.value = 2
    assert await asyncio.gather(shared.get_async(1, one.read_async), shared.get_async(2, two.read_async)) == [0, 2]


async def test_who_leaves_ends_it_for_nobody_and_a_fault_reaches_all() -> None:
    shared, source = SharedReads(), _Source()
    leaver = asyncio.create_task(shared.get_async("a", source.read_async))
    stayer = asyncio.create_task(shared.get_async("a", source.read_async))
    await asyncio.sleep(0)
    leaver.cancel()
    assert await stayer == 0

    async def broken_async() -> int:
        raise ValueError("no")

    found = await asyncio.gather(*(shared.get_async("b", broken_async) for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in found] == [ValueError] * 3
    with pytest.raises(ValueError, match="no"):
        await shared.get_async("b", broken_async)
