"""What was reported of other products of this kind, tried here with the right value: schemas, names and types (D), and
the safety of statements (S)."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data import FailureKind, QueryFailure, QueryResult, SQLConnector
from tabulaflow_core.data.guard import Allowed, RefusalCode, Refused, check_statement
from tests.data.contract import boxes
from tests.data.contract.boxes import outside_mariadb, outside_postgres

_NEW_YEAR = date(2026, 1, 1)
_SETUP = (
    'DROP TABLE "Order Lines"',
    'CREATE TABLE "Order Lines" ("Unit Price" numeric(10,2))',
    'INSERT INTO "Order Lines" VALUES (1.25), (2.75)',
    'CREATE TABLE "RiskItems" (n integer)',
    "CREATE TABLE riskitems (n integer)",
    'INSERT INTO "RiskItems" VALUES (1)',
    "INSERT INTO riskitems VALUES (2)",
    "CREATE SCHEMA a",
    "CREATE SCHEMA b",
    "CREATE TABLE b.y (id integer PRIMARY KEY, name text)",
    "CREATE TABLE a.x (y_id integer REFERENCES b.y (id), amount integer)",
    "INSERT INTO b.y VALUES (1, 'one')",
    "INSERT INTO a.x VALUES (1, 40), (1, 2)",
    "CREATE VIEW v_sales AS SELECT amount * 2 AS doubled FROM a.x",
    "CREATE TABLE seen_at (created bigint)",
    "INSERT INTO seen_at VALUES (1772323200), (1775001600)",  # 1 March 2026 and 1 April 2026, at midnight
    "CREATE TYPE grade AS ENUM ('low', 'high')",
    "CREATE TABLE members (meta jsonb, tags text[], grade grade)",
    "INSERT INTO members VALUES ('{\"tier\": \"gold\"}', '{x,y}', 'high'), ('{\"tier\": \"tin\"}', '{}', 'low')",
    "CREATE TABLE parted (day date) PARTITION BY RANGE (day)",
    *(
        f"CREATE TABLE parted_{n} PARTITION OF parted FOR VALUES FROM ('{_NEW_YEAR + timedelta(n)}') "
        f"TO ('{_NEW_YEAR + timedelta(n + 1)}')"
        for n in range(60)
    ),
    "INSERT INTO parted SELECT date '2026-01-01' + n FROM generate_series(0, 59) n",
    "CREATE TABLE doomed (id integer)",
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with boxes.postgres_database() as url:
        outside_postgres(url, *_SETUP)
        yield url


@pytest.fixture
async def postgres(url: str) -> AsyncIterator[SQLConnector]:
    async with await SQLConnector.from_url_async(url) as connector:
        yield connector


async def _values(connector: SQLConnector, sql: str) -> list[tuple[object, ...]]:
    answer = await connector.run_query_async(sql)
    assert isinstance(answer, QueryResult), answer
    return list(zip(*(column.to_pylist() for column in answer.table.columns), strict=True))


# -- databases: schema, names, types -----------------------------------------------------------------------------------


@pytest.mark.server
async def test_d01_views_are_tables_too(postgres: SQLConnector) -> None:
    table = postgres.schema.table("v_sales")
    assert table is not None
    assert (table.kind, [c.name for c in table.columns]) == ("view", ["doubled"])
    assert await _values(postgres, "SELECT sum(doubled) FROM v_sales") == [(84,)]


@pytest.mark.server
async def test_d02_d05_names_that_need_quotes(postgres: SQLConnector) -> None:
    assert await _values(postgres, 'SELECT avg("Unit Price") FROM "Order Lines"') == [(2,)]
    assert {"RiskItems", "riskitems"} <= {t.name for t in postgres.schema.tables}
    assert await _values(postgres, 'SELECT a.n, b.n FROM "RiskItems" a, riskitems b') == [(1, 2)]


@pytest.mark.server
async def test_d04_keys_across_schemas(postgres: SQLConnector) -> None:
    table = postgres.schema.table("a.x")
    assert table is not None
    (key,) = table.foreign_keys
    assert (key.columns, key.target_schema, key.target_table, key.target_columns) == (("y_id",), "b", "y", ("id",))
    joined = "SELECT y.name, sum(x.amount) FROM a.x JOIN b.y ON y.id = x.y_id GROUP BY 1"
    assert await _values(postgres, joined) == [("one", 42)]


@pytest.mark.server
async def test_d07_d19_columns_without_a_name_and_with_the_same(postgres: SQLConnector) -> None:
    answer = await postgres.run_query_async(
        'SELECT count(*), 1 + 1, a.n, b.n FROM "RiskItems" a JOIN riskitems b ON true GROUP BY 3, 4'
    )
    assert isinstance(answer, QueryResult)
    assert answer.table.num_columns == 4
    assert all(answer.table.column_names)
    assert [column.to_pylist() for column in answer.table.columns] == [[1], [2], [1], [2]]


@pytest.mark.server
async def test_d08_seconds_since_1970(postgres: SQLConnector) -> None:
    wrong = await postgres.run_query_async("SELECT count(*) FROM seen_at WHERE created >= DATE '2026-03-01'")
    assert isinstance(wrong, QueryFailure)
    assert wrong.kind is FailureKind.INVALID
    assert "bigint >= date" in wrong.message
    march = (
        "SELECT count(*) FROM seen_at WHERE to_timestamp(created) AT TIME ZONE 'UTC' >= '2026-03-01' "
        "AND to_timestamp(created) AT TIME ZONE 'UTC' < '2026-04-01'"
    )
    assert await _values(postgres, march) == [(1,)]


@pytest.mark.server
async def test_d10_d11_d17_a_hosting_services_url_and_five_questions(url: str) -> None:
    pasted = f"{url}?sslmode=prefer&channel_binding=prefer&application_name=x&pgbouncer=true"
    async with await SQLConnector.from_url_async(pasted) as connector:
        for number in range(5):
            assert await _values(connector, f"SELECT {number}") == [(number,)]


@pytest.mark.server
async def test_d13_dates_of_no_calendar() -> None:
    with boxes.mariadb_database() as url:
        outside_mariadb(
            url, "CREATE TABLE old (day date)", "INSERT IGNORE INTO old VALUES ('0000-00-00'), ('2026-01-02')"
        )
        async with await SQLConnector.from_url_async(url) as connector:
            answer = await connector.run_query_async("SELECT day FROM old ORDER BY day")
            assert isinstance(answer, QueryResult)
            assert [str(day) for day in answer.table.column(0).to_pylist()] == ["None", "2026-01-02"]
            assert any("1 " in notice for notice in answer.notices)


@pytest.mark.server
async def test_d16_back_ticks_where_they_are_no_quotes(postgres: SQLConnector) -> None:
    answer = await postgres.run_query_async("SELECT `Unit Price` FROM `Order Lines`")
    assert isinstance(answer, QueryFailure)
    assert '"' in answer.hint, "the model is told which quotes to take"


@pytest.mark.server
async def test_d20_a_colon_is_no_parameter(postgres: SQLConnector) -> None:
    assert await _values(postgres, "SELECT 'see :abc' AS \"x:y\", '12:30'::time > '12:00'") == [("see :abc", True)]


@pytest.mark.server
async def test_d22_keys_inside_json_and_allowed_values(postgres: SQLConnector) -> None:
    gold = "SELECT count(*) FROM members WHERE meta ->> 'tier' = 'gold' AND 'x' = ANY (tags) AND grade = 'high'"
    assert await _values(postgres, gold) == [(1,)]
    table = postgres.schema.table("members")
    assert table is not None
    shown = {column.name: f"{column.type} {column.samples}" for column in table.columns}
    assert "tier" in shown["meta"]
    assert "high" in shown["grade"]
    assert "low" in shown["grade"]


@pytest.mark.server
async def test_d23_partitions_do_not_flood_the_schema(postgres: SQLConnector) -> None:
    assert [t.name for t in postgres.schema.tables if t.name.startswith("parted")] == ["parted"]
    assert await _values(postgres, "SELECT count(*) FROM parted") == [(60,)]


# -- safety of statements ----------------------------------------------------------------------------------------------

_HOSTILE = (
    ("S01", "postgres", "WITH d AS (DELETE FROM orders RETURNING 1) SELECT * FROM d"),
    ("S02", "postgres", "COMMIT; DROP TABLE orders; SELECT 1"),
    ("S04", "postgres", "EXPLAIN ANALYZE DELETE FROM orders"),
    ("S04", "duckdb", "EXPLAIN ANALYZE DELETE FROM orders"),
    ("S05", "postgres", "SELECT * INTO copy1 FROM orders"),
    ("S05", "tsql", "SELECT * INTO copy1 FROM orders"),
    ("S07", "duckdb", "SELECT content FROM read_text('/etc/hostname')"),
    ("S07", "duckdb", "COPY (SELECT 1) TO '/some/folder/z.csv'"),
    ("S08", "duckdb", "SET enable_external_access = true"),
    ("S10", "sqlite", "ATTACH '/some/folder/x.db' AS x"),
    ("S10", "sqlite", "VACUUM INTO '/some/folder/x.db'"),
    ("S11", "postgres", "SELECT pg_read_file('PG_VERSION')"),
    ("S11", "postgres", "COPY (SELECT 1) TO PROGRAM 'true'"),
    ("S13", "postgres", "SELECT 'a\\'; DROP TABLE orders; --'"),
    ("S17", "mysql", "SELECT 1 /*!50000 INTO OUTFILE '/some/folder/q' */"),
    ("S19", "postgres", "SELECT * FROM orders FOR UPDATE"),
    ("S19", "postgres", "SELECT pg_advisory_lock(1)"),
    ("S19", "postgres", "SELECT pg_terminate_backend(1)"),
)
_HARMLESS = (
    ("postgres", "SELECT replace(name, 'a', 'b') FROM t"),
    ("postgres", 'SELECT "update" FROM t'),
    ("postgres", "SELECT * FROM t WHERE x = 'delete from cart'"),
    ("mysql", "SHOW TABLES"),
    ("postgres", "EXPLAIN SELECT 1"),
    ("sqlite", "VALUES (1)"),
    ("duckdb", "PIVOT t ON a USING sum(b)"),
    ("duckdb", "SUMMARIZE t"),
)


@pytest.mark.parametrize(("reported", "dialect", "sql"), _HOSTILE, ids=lambda value: str(value)[:24])
def test_what_does_harm_is_refused(reported: str, dialect: str, sql: str) -> None:
    assert isinstance(check_statement(sql, dialect=dialect), Refused), reported


@pytest.mark.parametrize(("dialect", "sql"), _HARMLESS, ids=lambda value: str(value)[:24])
def test_s20_what_only_looks_like_it_is_allowed(dialect: str, sql: str) -> None:
    assert isinstance(check_statement(sql, dialect=dialect), Allowed)


@pytest.mark.parametrize("dialect", ["postgres", "sqlite", "duckdb", "mysql", "tsql", ""])
def test_s14_deep_nesting_is_refused_at_once(dialect: str) -> None:
    started = time.process_time()
    verdict = check_statement(f"SELECT {'(' * 5_000}1{')' * 5_000}", dialect=dialect)
    assert isinstance(verdict, Refused)
    assert verdict.code is RefusalCode.TOO_DEEP
    assert time.process_time() - started < 1.0


@pytest.mark.server
async def test_s02_s13_nothing_of_it_reaches_the_server(url: str, postgres: SQLConnector) -> None:
    for sql in ("COMMIT; DROP TABLE doomed; SELECT 1", "SELECT 'a\\'; DROP TABLE doomed; --'"):
        answer = await postgres.run_query_async(sql)
        assert isinstance(answer, QueryFailure)
        assert answer.kind is FailureKind.REFUSED
    assert outside_postgres(url, "SELECT count(*) FROM doomed") == [[0]]
    assert any("superuser" in notice for notice in postgres.notices), "S11: one that is too powerful is pointed out"


async def test_s08_s10_the_engines_are_locked_without_the_guard(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as file:
        file.execute("CREATE TABLE t AS SELECT 1 AS a")
    boxes._run_sqlite(tmp_path / "x.db", "CREATE TABLE t (a INTEGER)")
    from tabulaflow_core.data.engines.base import Caps, EngineFault
    from tabulaflow_core.data.engines.duckdb import DuckDBAdapter
    from tabulaflow_core.data.engines.sqlite import SQLiteAdapter

    made = tmp_path / "made.db"
    for adapter, statements in (
        (DuckDBAdapter({"x": tmp_path / "x.duckdb"}), ("SET enable_external_access = true", f"COPY t TO '{made}'")),
        (SQLiteAdapter(tmp_path / "x.db", read_only=True), (f"ATTACH '{made}' AS x", f"VACUUM INTO '{made}'")),
    ):
        await adapter.open_async()
        for sql in statements:
            with pytest.raises(EngineFault):
                await adapter.fetch_async(sql, Caps(10, 10**6, 5.0))
        await adapter.close_async()
    assert not made.exists()
