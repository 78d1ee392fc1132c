"""Many queries at once over few connections: all are answered, and sources do not keep each other waiting."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.data.engines.base import STATEMENTS
from tests.data.contract.boxes import BURNER
from tests.data.contract.generic_boxes import open_generic

#: Statements that take a moment, each with an answer of its own.
_SOME_TIME = (
    "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 100) "
    "SELECT count(*) + {n} AS n FROM d a CROSS JOIN d b"
)


ENGINES = [
    "sqlite",
    "duckdb",
    "generic-sqlite",
    *(pytest.param(name, marks=pytest.mark.server) for name in ("postgres", "mariadb", "generic-postgres")),
    pytest.param("generic-mariadb", marks=pytest.mark.server),
]


@pytest.fixture
def url(request: pytest.FixtureRequest, engine: str, tmp_path: Path) -> str:
    base = engine.rpartition("-")[2]
    if base not in ("sqlite", "duckdb"):
        return str(request.getfixturevalue(base))
    if base == "duckdb":
        duckdb.connect(str(tmp_path / "a.duckdb")).close()
    else:
        with closing(sqlite3.connect(tmp_path / "a.sqlite")) as file:
            file.execute("CREATE TABLE t (a)")
    return f"{base}:///{tmp_path}/a.{base}"


async def _open_async(engine: str, url: str) -> SQLConnector:
    return await (open_generic(url) if engine.startswith("generic") else SQLConnector.from_url_async(url))


@pytest.mark.parametrize("engine", ENGINES)
async def test_fifty_at_once(engine: str, url: str) -> None:
    async with await _open_async(engine, url) as source:
        found = await asyncio.gather(*(source.run_query_async(_SOME_TIME.format(n=n)) for n in range(50)))
    assert all(isinstance(outcome, QueryResult) for outcome in found), found
    assert [outcome.table.column(0)[0].as_py() for outcome in found if isinstance(outcome, QueryResult)] == [
        10_000 + n for n in range(50)
    ]


@pytest.mark.parametrize("engine", ENGINES)
async def test_twenty_slow_ones_leave_other_sources_alone(engine: str, url: str, tmp_path: Path) -> None:
    async with (
        await _open_async(engine, url) as source,
        await SQLConnector.from_url_async(f"sqlite:///{tmp_path}/other.db", read_only=False) as other,
    ):
        slow = [asyncio.create_task(source.run_query_async(BURNER)) for _ in range(20)]
        await asyncio.sleep(0.3)
        few = (other.run_query_async(f"SELECT {n} AS n") for n in range(2 * STATEMENTS))
        answers = await asyncio.wait_for(asyncio.gather(*few), 60)
        assert all(isinstance(outcome, QueryResult) for outcome in answers)
        assert not any(task.done() for task in slow)
        for task in slow:
            task.cancel()
        done, late = await asyncio.wait(slow, timeout=30)
        assert not late
        assert all(task.cancelled() for task in done)
        outcome = await asyncio.wait_for(source.run_query_async("SELECT 1 AS one"), 60)  # and it is free again
        assert isinstance(outcome, QueryResult)
