"""Slow queries of one source do not keep those of another waiting."""

from __future__ import annotations

import asyncio
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.data.engines.base import STATEMENTS
from tabulaflow_core.data.executor import MAX_WORKERS
from tests.data.contract.boxes import BURNER


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
async def test_more_slow_queries_than_threads(tmp_path: Path, engine: str) -> None:
    path = tmp_path / f"a.{engine}"
    if engine == "duckdb":
        duckdb.connect(str(path)).close()
    slow = await SQLConnector.from_url_async(f"{engine}:///{path}", read_only=engine == "duckdb")
    other = await SQLConnector.from_url_async("sqlite://")
    burning = [asyncio.create_task(slow.run_query_async(BURNER)) for _ in range(MAX_WORKERS + 1)]
    try:
        await asyncio.sleep(0.3)
        outcome = await asyncio.wait_for(other.run_query_async("SELECT 1 AS one"), 20)
        assert isinstance(outcome, QueryResult)
        assert not any(task.done() for task in burning)
    finally:
        for task in burning:
            task.cancel()
        await asyncio.gather(*burning, return_exceptions=True)
        await slow.close_async()
        await other.close_async()


def test_one_source_takes_a_small_part_of_the_threads() -> None:
    assert STATEMENTS * 10 <= MAX_WORKERS
