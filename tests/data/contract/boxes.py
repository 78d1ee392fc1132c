"""A seeded source for each engine: what `ConnectorContract` needs to know of it."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tabulaflow_core.config import Limits
from tabulaflow_core.data.contracts import DataConnector

PG = os.environ.get("TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/test")
MARIA = os.environ.get("TEST_MARIADB_URL", "mariadb://root@127.0.0.1:3306/test")

#: 10^12 rows to count: minutes to hours on every engine, in constant memory.
BURNER = (
    "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 1000) "
    "SELECT count(*) AS n FROM d a CROSS JOIN d b CROSS JOIN d c CROSS JOIN d e "
    "WHERE a.n + b.n * c.n - e.n <> 7"
)

_TABLES = """
CREATE TABLE customers (id {int} PRIMARY KEY, name {text} NOT NULL, city {text});
INSERT INTO customers VALUES (1, 'Acme', 'Köln'), (2, 'Bögli & Söhne', '東京'), (3, 'Zeta', NULL);
CREATE TABLE sales (
  id {int} PRIMARY KEY, customer_id {int} REFERENCES customers (id), amount {decimal}, sold {date}, sold_at {timestamp},
  ratio {float}, note {text}, raw {bytes});
INSERT INTO sales VALUES
  (1, 1, 12345678901234.5678, '2024-02-29', '2024-02-29 23:59:59.123456', 0.1, 'it''s 100% {percent}s :abc', {hex}),
  (2, 1, -0.0001, '1999-12-31', '1999-12-31 00:00:00', -2.5, '', NULL),
  (9223372036854775807, 2, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE {q}Order Lines{q} ({q}Unit Price{q} {int}, {q}select{q} {int}, {q}größe{q} {int}, {q}CamelCase{q} {int});
INSERT INTO {q}Order Lines{q} VALUES (1, 2, 3, 4);
CREATE TABLE no_rows (a {int}, b {text});
CREATE VIEW big_sales AS SELECT id, amount FROM sales WHERE amount > 100
"""


@dataclass
class Box:
    """One engine with the same rows in it.

    Attributes:
        connector: Opened read-only.
        reopen: Opens another connector on the same data with other limits.
        raw: Runs SQL behind the guard's back, under the engine's lock only.
        outside: Runs SQL as somebody else, with writing allowed.
        running: How many statements of this connector run in the engine; None where nothing can tell.
        breaks: A query that compiles and fails while it runs.
        exact: The engine has decimals, dates and timestamps of its own.
        zoned: A query for one instant with a time zone, 2024-03-31 01:30 UTC.
    """

    name: str
    connector: DataConnector
    reopen: Callable[[Limits], Awaitable[DataConnector]]
    outside: Callable[[str], object]
    raw: Callable[[str], Awaitable[object]] | None = None
    running: Callable[[], int] | None = None
    breaks: str = ""
    exact: bool = True
    zoned: str = ""
    quote: str = '"'
    raw_attacks: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)

    def q(self, name: str) -> str:
        """A quoted identifier."""
        return f"{self.quote}{name}{self.quote}"


def _script(**types: str) -> list[str]:
    values = {"percent": "%", "q": '"', **types}
    return [part.strip() for part in _TABLES.format(**values).split(";\n") if part.strip()]


def sqlite_script() -> list[str]:
    """The rows for SQLite."""
    return _script(
        int="INTEGER",
        text="TEXT",
        decimal="DECIMAL(20,4)",
        date="DATE",
        timestamp="TIMESTAMP",
        float="REAL",
        bytes="BLOB",
        hex="X'00FF'",
    )


def duckdb_script() -> list[str]:
    """The rows for DuckDB."""
    return _script(
        int="BIGINT",
        text="VARCHAR",
        decimal="DECIMAL(20,4)",
        date="DATE",
        timestamp="TIMESTAMP",
        float="DOUBLE",
        bytes="BLOB",
        hex="'\\x00\\xFF'::BLOB",
    )


def _run_sqlite(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in ("BEGIN", *statements, "COMMIT"):
            connection.execute(statement)


async def sqlite_box(folder: Path) -> Box:
    """A file."""
    from tabulaflow_core.data import SQLConnector

    path = folder / "box.db"
    _run_sqlite(path, *sqlite_script())
    url = f"sqlite:///{path}"
    connector = await SQLConnector.from_url_async(url)
    return Box(
        name="sqlite",
        connector=connector,
        reopen=lambda limits: SQLConnector.from_url_async(url, limits=limits),
        raw=raw_of(connector),
        outside=lambda sql: _run_sqlite(path, sql),
        breaks="SELECT abs(-9223372036854775807 - 1)",
        exact=False,
        raw_attacks=(
            f"ATTACH '{folder / 'new.db'}' AS other",
            f"VACUUM INTO '{folder / 'copy.db'}'",
            "PRAGMA writable_schema = ON",
            "SELECT load_extension('x')",
            "CREATE TEMP TABLE t (a)",
            "REINDEX",
        ),
    )


async def memory_box(folder: Path) -> Box:
    """SQLite in memory, opened for writing: queries are locked nevertheless."""
    from tabulaflow_core.data import SQLConnector

    connector = await SQLConnector.from_url_async("sqlite://", read_only=False)
    box_connection = connector._adapter._memory
    for statement in sqlite_script():
        box_connection.execute(statement)
    await connector.refresh_schema_async()

    async def reopen(limits: Limits) -> DataConnector:
        connector._limits = limits
        return connector

    return Box(
        name="memory",
        connector=connector,
        reopen=reopen,
        raw=raw_of(connector),
        outside=lambda sql: box_connection.execute(sql).close(),
        breaks="SELECT abs(-9223372036854775807 - 1)",
        exact=False,
        raw_attacks=(f"ATTACH '{folder / 'new.db'}' AS other", f"VACUUM INTO '{folder / 'copy.db'}'", "BEGIN"),
    )


async def duckdb_box(folder: Path) -> Box:
    """A DuckDB file, once there is a connector for it."""
    duckdb_engine = pytest.importorskip("tabulaflow_core.data.engines.duckdb", exc_type=ImportError)
    import duckdb

    path = folder / "box.duckdb"

    def outside(sql: str) -> None:
        with closing(duckdb.connect(str(path))) as connection:
            connection.execute(sql)

    with closing(duckdb.connect(str(path))) as connection:
        for statement in duckdb_script():
            connection.execute(statement)

    async def reopen(limits: Limits | None = None) -> DataConnector:
        return await duckdb_engine.DuckDBConnector.open_async(path, limits=limits)

    connector = await reopen()
    return Box(
        name="duckdb",
        connector=connector,
        reopen=reopen,
        raw=raw_of(connector),
        raw_attacks=(
            f"ATTACH '{folder / 'new.duckdb'}'",
            f"COPY (SELECT 1) TO '{folder / 'out.csv'}'",
            "SET enable_external_access = true",
            "SET memory_limit = '100GB'",
            "EXPLAIN ANALYZE DELETE FROM sales",
            "WITH x AS (DELETE FROM sales RETURNING id) SELECT * FROM x",
            "SELECT * FROM read_text('/etc/hostname')",
            "INSTALL httpfs",
        ),
        outside=outside,
        breaks="SELECT 9223372036854775807::BIGINT + id FROM sales WHERE id = 1",
        zoned="SELECT TIMESTAMPTZ '2024-03-31 03:30:00+02' AS t",
        extra={"outside": "a file that is open read-only cannot be written from this process"},
    )


def raw_of(connector: DataConnector) -> Callable[[str], Awaitable[object]]:
    """The adapter's own execution, without the guard."""
    from tabulaflow_core.data.engines.base import Caps

    return lambda sql: connector._adapter.fetch_async(sql, Caps(rows=1000, bytes=10**8, seconds=20))  # type: ignore[attr-defined]


@contextmanager
def postgres_database() -> Iterator[str]:
    """The URL of a new, seeded database; skips where no server answers."""
    asyncpg = pytest.importorskip("asyncpg")
    name = f"tf_{os.getpid()}_{uuid.uuid4().hex[:8]}"

    async def admin(*statements: str) -> None:
        connection = await asyncpg.connect(PG, timeout=3)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    try:
        asyncio.run(admin(f"CREATE DATABASE {name}"))
    except OSError:
        pytest.skip("no PostgreSQL server answers at 127.0.0.1:5432")
    url = f"{PG.rpartition('/')[0]}/{name}"
    try:
        script = _script(
            int="BIGINT",
            text="TEXT",
            decimal="NUMERIC(20,4)",
            date="DATE",
            timestamp="TIMESTAMP",
            float="DOUBLE PRECISION",
            bytes="BYTEA",
            hex="'\\x00ff'",
        )
        outside_postgres(url, *script)
        yield url
    finally:
        asyncio.run(admin(f"DROP DATABASE {name} WITH (FORCE)"))


def outside_postgres(url: str, *statements: str) -> list[list[object]]:
    """Run statements in a thread of their own; the rows of the last one."""
    import threading

    import asyncpg

    rows: list[list[object]] = []

    async def run() -> None:
        connection = await asyncpg.connect(url, server_settings={"application_name": "outside"})
        try:
            for statement in statements:
                rows[:] = [list(row) for row in await connection.fetch(statement)]
        finally:
            await connection.close()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    thread.join()
    return rows


async def postgres_box(url: str) -> Box:
    """A PostgreSQL database."""
    from tabulaflow_core.data import SQLConnector

    connector = await SQLConnector.from_url_async(url)
    running = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tabulaflow' AND state = 'active' "
        "AND datname = current_database()"
    )
    return Box(
        name="postgres",
        connector=connector,
        reopen=lambda limits: SQLConnector.from_url_async(url, limits=limits),
        raw=raw_of(connector),
        outside=lambda sql: outside_postgres(url, sql),
        running=lambda: int(str(outside_postgres(url, running)[0][0])),
        breaks="SELECT 1 / (id - id) FROM customers",
        zoned="SELECT TIMESTAMPTZ '2024-03-31 03:30:00+02' AS t",
        raw_attacks=(
            "WITH x AS (DELETE FROM sales RETURNING id) SELECT * FROM x",
            "EXPLAIN ANALYZE DELETE FROM sales",
            "SELECT 1; DROP TABLE sales",
            "COMMIT; DROP TABLE sales",
            "SELECT * FROM customers FOR UPDATE",
            "CREATE TEMP TABLE t (a int)",
        ),
    )


@contextmanager
def mariadb_database() -> Iterator[str]:
    """The URL of a new, seeded database; skips where no server answers."""
    pymysql = pytest.importorskip("pymysql")
    name = f"tf_{os.getpid()}_{uuid.uuid4().hex[:8]}"
    url = f"{MARIA.rpartition('/')[0]}/{name}"
    try:
        outside_mariadb(MARIA, f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    except pymysql.err.OperationalError:
        pytest.skip("no MariaDB server answers at 127.0.0.1:3306")
    try:
        script = _script(
            int="BIGINT",
            text="VARCHAR(200)",
            decimal="DECIMAL(20,4)",
            date="DATE",
            timestamp="DATETIME(6)",
            float="DOUBLE",
            bytes="BLOB",
            hex="X'00FF'",
            q="`",
        )
        outside_mariadb(url, *script)
        yield url
    finally:
        outside_mariadb(MARIA, f"DROP DATABASE {name}")


def outside_mariadb(url: str, *statements: str) -> list[list[object]]:
    """Run statements; the rows of the last one."""
    import pymysql

    from tabulaflow_core.data.urls import parse_source_url

    source = parse_source_url(url)
    rows: list[list[object]] = []
    with closing(
        pymysql.connect(
            host=source.host,
            port=source.port,
            user=source.user,
            database=source.database,
            autocommit=True,
            password=source.password,
            charset="utf8mb4",
            connect_timeout=3,
        )
    ) as connection:
        for statement in statements:
            with connection.cursor() as cursor:
                cursor.execute(statement)
                rows = [list(row) for row in cursor.fetchall()]
    return rows


async def mariadb_box(url: str) -> Box:
    """A MariaDB database."""
    from tabulaflow_core.data import SQLConnector

    connector = await SQLConnector.from_url_async(url)
    running = (
        "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND info LIKE 'WITH RECURSIVE%'"
    )
    return Box(
        name="mariadb",
        connector=connector,
        reopen=lambda limits: SQLConnector.from_url_async(url, limits=limits),
        raw=raw_of(connector),
        outside=lambda sql: outside_mariadb(url, sql),
        running=lambda: int(str(outside_mariadb(url, running)[0][0])),
        breaks="SELECT id + 9223372036854775807 FROM customers",
        quote="`",
        raw_attacks=(
            "SELECT 1; DROP TABLE sales",
            "COMMIT",
            "TRUNCATE TABLE sales",
            "ANALYZE DELETE FROM sales",
            "RENAME TABLE sales TO sold",
        ),
    )
