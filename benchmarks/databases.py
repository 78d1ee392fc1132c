"""Speed of the native engines, beside tabulaflow 0.4.3: `python -m benchmarks.databases [ENGINE …] [--rows N]`.

Processor seconds of this process, since wall time on a shared machine says little; the servers' own are not counted,
SQLite and DuckDB run within. PostgreSQL and MariaDB come from `TEST_POSTGRES_URL` and `TEST_MARIADB_URL`; databases of
their own are made there and dropped. An engine whose server does not answer is left out with a line.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from tabulaflow_core.config import Limits
from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.data.engines.base import IfExists

ENGINES: Final = ("sqlite", "duckdb", "postgres", "mariadb")
_POSTGRES: Final = os.environ.get("TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/test")
_MARIADB: Final = os.environ.get("TEST_MARIADB_URL", "mariadb://root@127.0.0.1:3306/test")
#: Tables for `--many`, columns of each, and what it may take: seconds by the clock, megabytes of the process.
_MANY: Final = {"sqlite": 10_000, "duckdb": 5_000, "postgres": 10_000, "mariadb": 2_000}
_MANY_COLUMNS: Final = 10
_CONNECT_AIM: Final = 5.0
_MEMORY_AIM: Final = 200
#: Processor seconds aimed at.
_SCHEMA_AIM: Final = 0.5
_FRAME_AIM: Final = {"duckdb": 0.15, "sqlite": 0.5}
#: What tabulaflow 0.4.3 was measured at on a like machine.
_PEER_SCHEMA: Final = "4.0 to 5.3 s"
_PEER_FRAME: Final = "1.4 s"
_PEER_WRITE: Final = {"sqlite": "fails above 83,334 x 3", "postgres": "fails above 10,922 x 3"}


@asynccontextmanager
async def database_async(engine: str, folder: Path) -> AsyncIterator[str]:
    """The URL of an empty database."""
    if engine in ("sqlite", "duckdb"):
        yield f"{engine}:///{folder}/bench.{engine}"
        return
    name = f"tf_bench_{os.getpid()}"
    base = _POSTGRES if engine == "postgres" else _MARIADB
    await outside_async(engine, base, [f"CREATE DATABASE {name}"])
    try:
        yield f"{base.rpartition('/')[0]}/{name}"
    finally:
        await outside_async(engine, base, [f"DROP DATABASE {name}" + (" WITH (FORCE)" if engine == "postgres" else "")])


async def outside_async(engine: str, url: str, statements: list[str]) -> None:
    """Run statements that write."""
    if engine == "sqlite":
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            connection.executescript("BEGIN;" + ";".join(statements) + ";COMMIT")
    elif engine == "duckdb":
        import duckdb

        with closing(duckdb.connect(url.removeprefix("duckdb:///"))) as connection:
            connection.execute("BEGIN;" + ";".join(statements) + ";COMMIT")
    elif engine == "postgres":
        import asyncpg

        connection = await asyncpg.connect(url, timeout=5)
        try:
            for start in range(0, len(statements), 500):  # a transaction each: all at once would need too many locks
                await connection.execute(";".join(statements[start : start + 500]))
        finally:
            await connection.close()
    else:
        import pymysql

        from tabulaflow_core.data.urls import parse_source_url

        source = parse_source_url(url)
        with (
            closing(
                pymysql.connect(
                    host=source.host,
                    port=source.port,
                    user=source.user,
                    password=source.password,
                    database=source.database,
                    autocommit=True,
                )
            ) as connection,
            connection.cursor() as cursor,
        ):
            for statement in statements:
                cursor.execute(statement)


async def _timed_async(work: Callable[[], Awaitable[object]], *, best_of: int = 1) -> tuple[float, float]:
    """Processor and wall seconds of the quickest run."""
    runs = []
    for _ in range(best_of):
        wall, cpu = time.perf_counter(), time.process_time()
        await work()
        runs.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(runs)


def _tell(what: str, seconds: tuple[float, float], *, aim: float | None = None, peer: str = "") -> bool:
    cpu, wall = seconds
    met = aim is None or cpu <= aim
    parts = [f"{what:<44} {cpu:7.3f} s CPU {wall:8.3f} s wall"]
    if aim is not None:
        parts.append(f"aim {aim:g} s{'' if met else ' MISSED'}")
    if peer:
        parts.append(f"tabulaflow 0.4.3: {peer}")
    print("   ".join(parts), flush=True)
    return met


def _tables(count: int, columns: int) -> list[str]:
    kinds = ("INTEGER", "VARCHAR(40)", "DECIMAL(12,2)", "DATE")
    body = ", ".join(f"col_{n} {kinds[n % len(kinds)]}" for n in range(1, columns))
    return [f"CREATE TABLE table_{n} (id INTEGER PRIMARY KEY, {body})" for n in range(count)]


async def _speed_async(engine: str, url: str, rows: int) -> bool:
    """200 tables of 20 columns, 200,000 rows to a DataFrame, and `rows` rows written in each of the ways."""
    await outside_async(engine, url, _tables(200, 20))
    limits = Limits(result_rows=max(rows, 1_000_000))
    async with await SQLConnector.from_url_async(url, read_only=False, limits=limits) as source:
        seconds = await _timed_async(source.refresh_schema_async, best_of=3)
        met = _tell(f"{engine}: 200 tables x 20 columns introspected", seconds, aim=_SCHEMA_AIM, peer=_PEER_SCHEMA)
        few = _frame(200_000)
        await source.write_dataframe_async(few, "two_hundred_thousand")

        async def read() -> None:
            outcome = await source.run_query_async("SELECT * FROM two_hundred_thousand")
            assert isinstance(outcome, QueryResult), outcome
            assert outcome.to_pandas().shape == few.shape

        seconds = await _timed_async(read, best_of=3)
        met &= _tell(f"{engine}: 200,000 x 3 to a DataFrame", seconds, aim=_FRAME_AIM.get(engine), peer=_PEER_FRAME)
        many = _frame(rows)
        ways: tuple[tuple[IfExists, int], ...] = (("fail", rows), ("append", 2 * rows), ("replace", rows))
        for way, expected in ways:
            seconds = await _timed_async(partial(source.write_dataframe_async, many, "million", if_exists=way))
            _tell(f"{engine}: {rows:,} x 3 written, {way}", seconds, peer=_PEER_WRITE.get(engine, ""))
            counted = await source.run_query_async("SELECT count(*) AS n FROM million")
            assert isinstance(counted, QueryResult), counted
            assert counted.table.column(0).to_pylist() == [expected], counted
    return met


def _frame(rows: int) -> pd.DataFrame:
    numbers = np.arange(rows, dtype="int64")
    return pd.DataFrame(
        {"id": numbers, "amount": numbers * 0.25, "name": np.char.add("n", (numbers % 1000).astype(str))}
    )


async def _many_async(engine: str, url: str) -> bool:
    """Connecting to a database of very many tables: seconds by the clock and the growth of this process."""
    count = _MANY[engine]
    await outside_async(engine, url, _tables(count, _MANY_COLUMNS))
    before = _megabytes()
    cpu, wall = time.process_time(), time.perf_counter()
    async with await SQLConnector.from_url_async(url) as source:
        seconds = (time.process_time() - cpu, time.perf_counter() - wall)
        found = len(source.schema.tables)
        after = _megabytes()
        again = await _timed_async(partial(source.refresh_schema_async))
    met = found == count and seconds[1] <= _CONNECT_AIM and after <= _MEMORY_AIM
    _tell(f"{engine}: {found:,} tables x {_MANY_COLUMNS} columns, connected", seconds)
    print(
        f"  the process: {before} MB before, at most {after} MB;"
        f" aims {_CONNECT_AIM:g} s by the clock and {_MEMORY_AIM} MB"
    )
    _tell(f"{engine}: the schema read again", again)
    return met


def _megabytes() -> int:
    """The most memory this process has had."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // (1 << 20 if sys.platform == "darwin" else 1 << 10)


async def _run_async(engine: str, *, many: bool, rows: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="tabulaflow-") as name:
        async with database_async(engine, Path(name)) as url:
            return await (_many_async(engine, url) if many else _speed_async(engine, url, rows))


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help=f"of {', '.join(ENGINES)}; all without one")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows to write")
    parser.add_argument("--many", action="store_true", help="connect to databases of thousands of tables instead")
    args = parser.parse_args()
    if unknown := set(args.engines) - set(ENGINES):
        parser.error(f"no such engine: {', '.join(sorted(unknown))}")
    met = True
    for engine in args.engines or ENGINES:
        try:
            met &= asyncio.run(_run_async(engine, many=args.many, rows=args.rows))
        except OSError as error:
            print(f"{engine}: left out, no server answers ({type(error).__name__})")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
