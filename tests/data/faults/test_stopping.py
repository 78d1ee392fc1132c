"""Stop gives the caller's task back at once, whatever the source is at; what is left behind ends by itself."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.arrow import TableBuilder
from tabulaflow_core.data.engines import duckdb_lock
from tabulaflow_core.data.engines.base import STEP_VALUES, Caps, fetch_by_steps
from tabulaflow_core.data.engines.pool import Pool


def test_rows_come_in_steps_between_which_it_can_be_stopped() -> None:
    asked: list[int] = []
    columns = 4
    step = STEP_VALUES // columns
    left = [5 * step]

    def fetchmany(count: int) -> list[int]:
        asked.append(count)
        given = min(count, left[0])
        left[0] -= given
        return [0] * given

    wanted = 3 * step + 7
    assert len(fetch_by_steps(fetchmany, wanted, columns, lambda: False)) == wanted
    assert asked == [step, step, step, 7]
    assert not fetch_by_steps(fetchmany, wanted, columns, lambda: len(asked) == 5)  # nobody wants what came
    assert len(asked) == 5
    assert len(fetch_by_steps(fetchmany, wanted, columns, lambda: False)) == step - 7  # their end
    asked.clear()
    left[0] = 3
    assert len(fetch_by_steps(fetchmany, 2, 10 * STEP_VALUES, lambda: False)) == 2  # rows wider than a step
    assert asked == [1, 1]


def test_a_batch_of_wide_rows_has_fewer_of_them() -> None:
    def largest(columns: int) -> int:
        builder = TableBuilder([""] * columns, [None] * columns, Caps(10**9, 10**12, 1.0))
        for _ in range(10):
            assert builder.add([(1,) * columns] * builder.batch_size)
        return builder.batch_size

    assert largest(3) == 20_000
    assert largest(30) == 2_000


class _Packets:
    """A server that answers one statement without end, and says when nobody is there any more."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self.gone = threading.Event()

    def send(self) -> None:
        there, _ = self._server.accept()
        with there:
            try:
                while True:
                    there.sendall(b"x" * 65_536)
            except OSError:
                self.gone.set()


def test_rows_that_nobody_reads_are_cut_off_at_their_server() -> None:
    mysql = pytest.importorskip("tabulaflow_core.data.engines.mysql_connection")
    with socket.create_server(("127.0.0.1", 0)) as server:
        packets = _Packets(server)
        thread = threading.Thread(target=packets.send)
        thread.start()
        connection = mysql.Connection(defer_connect=True)
        connection._sock = socket.create_connection(server.getsockname())
        connection._rfile = connection._sock.makefile("rb")
        connection._rfile.read(1)
        assert not packets.gone.wait(0.2)  # it writes until its buffers are full, and waits
        connection._result = type("Result", (), {"unbuffered_active": True})()
        assert mysql.leave_rows(connection, type("Cursor", (), {})())
        assert packets.gone.wait(30)
        thread.join()


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
    await asyncio.wait([task], timeout=30)
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
        task = asyncio.create_task(SQLConnector.from_url_async(f"{scheme}://x@127.0.0.1:{port}/x?connect_timeout=60"))
        there, _ = await asyncio.to_thread(silent.accept)
        with there:
            task.cancel()
            done, _ = await asyncio.wait([task], timeout=20)  # it would be half a minute, if it were waited for
            assert done
            assert task.cancelled()
