"""Stop gives the caller's task back at once, whatever the source is at; what is left behind ends by itself."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.engines import duckdb_lock
from tabulaflow_core.data.engines.base import STEP_ROWS, fetch_by_steps
from tabulaflow_core.data.engines.pool import Pool


def test_rows_come_in_steps_between_which_it_can_be_stopped() -> None:
    asked: list[int] = []
    left = [5 * STEP_ROWS]

    def fetchmany(count: int) -> list[int]:
        asked.append(count)
        given = min(count, left[0])
        left[0] -= given
        return [0] * given

    wanted = 3 * STEP_ROWS + 7
    assert len(fetch_by_steps(fetchmany, wanted, lambda: False)) == wanted
    assert asked == [STEP_ROWS, STEP_ROWS, STEP_ROWS, 7]
    assert len(fetch_by_steps(fetchmany, wanted, lambda: len(asked) == 5)) == STEP_ROWS
    assert len(fetch_by_steps(fetchmany, wanted, lambda: False)) == STEP_ROWS - 7  # their end


async def test_closing_in_a_stopped_task_waits_for_no_connection() -> None:
    gate, closed = asyncio.Event(), []

    async def open_async() -> int:
        await gate.wait()
        return 1

    async def close_async(connection: int) -> None:
        closed.append(connection)

    pool = Pool(open_async, close_async)

    async def connect_async() -> None:
        try:
            await pool.take_async()
        except BaseException:
            await pool.close_async()
            ended.append(gate.is_set())
            raise

    ended: list[bool] = []
    task = asyncio.create_task(connect_async())
    await asyncio.sleep(0)
    task.cancel()
    for _ in range(5):  # turns of the loop, no time
        await asyncio.sleep(0)
    assert ended == [False]
    gate.set()
    await asyncio.gather(task, return_exceptions=True)
    for _ in range(5):
        await asyncio.sleep(0)
    assert closed == [1]


async def test_connecting_to_a_duckdb_file_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.duckdb"
    duckdb.connect(str(path)).close()
    gate, opened = threading.Event(), threading.Event()
    known = duckdb_lock.open_locked

    def slow(*args: object, **more: object) -> duckdb.DuckDBPyConnection:
        opened.set()
        gate.wait(10)
        return known(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(duckdb_lock, "open_locked", slow)
    task = asyncio.create_task(SQLConnector.from_url_async(f"duckdb:///{path}"))
    await asyncio.to_thread(opened.wait, 10)
    task.cancel()
    await asyncio.wait([task], timeout=10)
    assert task.cancelled()
    assert not gate.is_set()
    gate.set()
    for _ in range(500):  # the file is let go: it can be opened to write
        try:
            duckdb.connect(str(path)).close()
            return
        except duckdb.Error:
            await asyncio.sleep(0.01)
    pytest.fail("the instance was left open")


@pytest.mark.parametrize("scheme", ["postgresql", "mariadb"])
async def test_connecting_to_a_silent_server_is_not_waited_for(scheme: str) -> None:
    pytest.importorskip("asyncpg" if scheme == "postgresql" else "pymysql")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        task = asyncio.create_task(SQLConnector.from_url_async(f"{scheme}://x@127.0.0.1:{port}/x?connect_timeout=1"))
        there, _ = await asyncio.to_thread(silent.accept)
        with there:
            task.cancel()
            done, _ = await asyncio.wait([task], timeout=0.4)  # it would be half a second, if it were waited for
            assert done
            assert task.cancelled()
