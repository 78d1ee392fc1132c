"""`tabulaflow worker`, as real processes over one store: a schedule runs once, and a killed one loses nothing."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.output.dashboards import QueryTile, RefreshPolicy
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import DashboardInfo, Runtime

ROOT = Path(__file__).parents[2]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) AS visits FROM n, clinics"
QUICK = "SELECT visits FROM clinics"


@pytest.fixture
def rt(tmp_path: Path) -> Iterator[Runtime]:
    runtime = Runtime(Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache", file_roots=(tmp_path,)))
    path = tmp_path / "clinics.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE clinics (visits INTEGER)")
        connection.execute("INSERT INTO clinics VALUES (1)")
    connection.close()
    runtime.add_database(LOCAL_USER, "clinics", f"sqlite:///{path}")
    yield runtime
    runtime.close()


def board_of(rt: Runtime, *queries: str) -> DashboardInfo:
    """A dashboard whose tiles show what `QUICK` gave, and run `queries` when they are refreshed."""
    board = rt.create_dashboard(LOCAL_USER, "Clinic")
    shown = rt.run_sql(LOCAL_USER, "clinics", QUICK)
    assert isinstance(shown, StoredResult)
    for sql in queries:
        content = QueryTile(show="table", source="clinics", dialect="sqlite", sql=sql)
        rt.pin(LOCAL_USER, board.id, content, title="", result_id=shown.id)
    rt.set_refreshing(LOCAL_USER, board.id, RefreshPolicy(every_seconds=3600))
    return board


def store(rt: Runtime) -> sqlite3.Connection:
    return sqlite3.connect(rt.settings.data_dir / "tabulaflow.db", timeout=30)


def make_due(rt: Runtime, board: DashboardInfo) -> None:
    with store(rt) as connection:
        ago = (datetime.now(UTC) - timedelta(hours=1)).timestamp()
        connection.execute("UPDATE dashboards SET next_run_at = ? WHERE id = ?", (ago, board.id))
    connection.close()


def worker(rt: Runtime, *arguments: str) -> subprocess.Popen[str]:
    env = {
        **os.environ,
        "TABULAFLOW_DATA_DIR": str(rt.settings.data_dir),
        "TABULAFLOW_CACHE_DIR": str(rt.settings.cache_dir),
        "TABULAFLOW_FILE_ROOTS": str(rt.settings.file_roots[0]),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "tabulaflow_core.cli", "worker", *arguments]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def refreshed(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return [board for line in out.splitlines() for board in json.loads(line)["refreshed"]]


def test_what_is_due_is_refreshed_by_one_of_them(rt: Runtime, tmp_path: Path) -> None:
    board = board_of(rt, QUICK)
    assert refreshed(worker(rt, "--once", "--json")) == [], "nothing is due yet"
    with sqlite3.connect(tmp_path / "clinics.db") as connection:
        connection.execute("UPDATE clinics SET visits = 2")
    connection.close()
    make_due(rt, board)
    workers = [worker(rt, "--once", "--json") for _ in range(3)]
    assert [found for each in workers for found in refreshed(each)] == [board.id]
    (tile,) = rt.dashboard(LOCAL_USER, board.id).tiles
    assert tile.changes is not None
    assert tile.changes.sentence == "visits up: 1 → 2."
    later = rt.dashboard(LOCAL_USER, board.id).next_refresh_at
    assert later is not None
    assert later > datetime.now(UTC)


def _until(reached: object) -> None:
    until = time.monotonic() + 60
    while not reached():  # type: ignore[operator]
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.05)


def _lease(rt: Runtime, board: DashboardInfo) -> tuple[str | None, float | None]:
    with store(rt) as connection:
        query = "SELECT lease_holder, lease_until FROM dashboards WHERE id = ?"
        holder, until = connection.execute(query, (board.id,)).fetchone()
    connection.close()
    return holder, until


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_one_that_is_killed_in_mid_refresh_loses_nothing(rt: Runtime) -> None:
    board = board_of(rt, QUICK, ENDLESS)
    make_due(rt, board)
    process = worker(rt, "--once")

    def one_is_done() -> bool:
        tiles = rt.dashboard(LOCAL_USER, board.id).tiles
        return tiles[0].changes is not None and _lease(rt, board)[0] is not None

    _until(one_is_done)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    first, second = rt.dashboard(LOCAL_USER, board.id).tiles
    assert first.changes is not None
    assert (second.changes, second.fault) == (None, "")
    shown = rt.tile_data(LOCAL_USER, board.id, [first.id, second.id])
    assert [data.result.table.to_pydict() for data in shown if data.result] == [{"visits": [1]}] * 2
    assert rt.run_due() == (), "its lease has not run out"
    with store(rt) as connection:  # as half a minute later
        connection.execute("UPDATE dashboards SET lease_until = 0")
        quick = json.dumps({**json.loads(first.content.model_dump_json())})
        connection.execute("UPDATE tiles SET content = ?", (quick,))
    connection.close()
    assert refreshed(worker(rt, "--once", "--json")) == [board.id]
    assert all(tile.changes is not None for tile in rt.dashboard(LOCAL_USER, board.id).tiles)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_a_worker_stays_and_ends_when_told_to(rt: Runtime) -> None:
    board = board_of(rt, QUICK)
    slow = board_of(rt, ENDLESS)
    process = worker(rt, "--json")
    make_due(rt, slow)
    _until(lambda: _lease(rt, slow)[0] is not None)
    make_due(rt, board)  # and is not held up
    _until(lambda: rt.dashboard(LOCAL_USER, board.id).tiles[0].changes is not None)
    _until(lambda: _lease(rt, board)[0] is None)
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert json.loads(out.splitlines()[0]) == {"refreshed": [board.id]}


def test_a_server_that_stops_gives_its_schedules_up(rt: Runtime) -> None:
    board = board_of(rt, ENDLESS)
    make_due(rt, board)
    rt.start_schedules()
    rt.start_schedules()
    _until(lambda: _lease(rt, board)[0] is not None)
    begun = time.monotonic()
    rt.close()
    assert time.monotonic() - begun < 20
