"""A connection is never left half open: not by a cancelled task, not by a program that ends."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

from sqlalchemy import text

from tabulaflow_core.config import Settings
from tabulaflow_core.store.database import Database


async def test_cancelled_at_every_moment_nothing_is_left_open(tmp_path: Path) -> None:
    """A connection lost by a cancelled task would warn when it is collected, and a warning is an error here."""
    database = Database.connect(Settings(data_dir=tmp_path))

    async def ask() -> None:
        async with database.read() as connection:
            await connection.execute(text("SELECT 1"))

    for turns_of_the_loop in range(60):
        task = asyncio.create_task(ask())
        for _ in range(turns_of_the_loop):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    async with database.read() as connection:
        assert (await connection.execute(text("SELECT 1"))).scalar() == 1
    await database.close_async()
    gc.collect()


async def test_a_cancelled_writer_gives_its_place_back(tmp_path: Path) -> None:
    database = Database.connect(Settings(data_dir=tmp_path))
    entered = asyncio.Event()

    async def hold() -> None:
        async with database.write():
            entered.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(hold())
    await entered.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with asyncio.timeout(30), database.write() as connection:
        await connection.execute(text("CREATE TABLE t (x INTEGER)"))
    await database.close_async()
    gc.collect()
