"""PostgreSQL: the read-only transaction, values, roles, sessions and broken connections."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pyarrow as pa
import pytest

from tabulaflow_core.data import FailureKind, QueryFailure, QueryResult, SQLConnector
from tabulaflow_core.data.engines import postgres as engine
from tabulaflow_core.data.engines.base import Caps, EngineFault, Fetched
from tabulaflow_core.data.urls import parse_source_url
from tabulaflow_core.errors import SourceUnavailable
from tests.data.contract import boxes
from tests.data.contract.boxes import BURNER, outside_postgres, raw_of

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with boxes.postgres_database() as url:
        yield url


@pytest.fixture
async def connector(url: str) -> AsyncIterator[SQLConnector]:
    connector = await SQLConnector.from_url_async(url)
    yield connector
    await connector.close_async()


async def _raw(connector: SQLConnector, sql: str) -> list[object]:
    fetched = await raw_of(connector)(sql)
    assert isinstance(fetched, Fetched)
    return [column.to_pylist() for column in fetched.table.columns]


@pytest.mark.parametrize(
    ("expression", "kind", "value"),
    [
        ("'infinity'::timestamptz", "string", "infinity"),
        ("'-infinity'::date", "string", "-infinity"),
        ("date '0044-03-15 BC'", "string", "0044-03-15 BC"),
        ("timestamp '12000-01-02 03:04:05.5'", "string", "12000-01-02 03:04:05.500000"),
        ("interval '2 hours'", "duration[us]", None),
        ("interval '1 year 2 mons 3 days 04:05:06'", "string", "1 years 2 mons 3 days 04:05:06"),
        ("interval '-1 mon'", "string", "-1 mons"),
        ("12345678901234567890123456789012345678901234567890.5::numeric", "decimal256(76, 1)", None),
        ("'NaN'::numeric", "double", None),
        ("'NaN'::float8", "double", None),
        ("'{\"a\": 1}'::jsonb", "string", '{"a": 1}'),
        ("array[1, 2, null]", "list<item: int64>", [1, 2, None]),
        ("array[['a'], ['b']]", "string", '[["a"], ["b"]]'),
        ("'{}'::int[]", "list<item: null>", []),
        ("int4range(1, 5)", "string", "[1,5)"),
        ("'10.0.0.1/8'::inet", "string", "10.0.0.1/8"),
        ("point(1, 2)", "string", "(1,2)"),
        ("B'101'", "string", "101"),
        ("'a1b2c3d4-0000-0000-0000-000000000001'::uuid", "string", "a1b2c3d4-0000-0000-0000-000000000001"),
        ("time '01:02:03.5'", "time64[us]", None),
        ("'x'::\"char\"", "string", "x"),
        ("1::int2", "int16", 1),
        ("null", "string", None),
        ("'12.50'::money", "string", None),
        ("row(1, 'a')", "string", None),
    ],
)
async def test_values(connector: SQLConnector, expression: str, kind: str, value: object) -> None:
    outcome = await connector.run_query_async(f"SELECT {expression} AS v")
    if not isinstance(outcome, QueryResult):
        assert outcome.kind is FailureKind.REFUSED  # the guard is tested elsewhere
        fetched = await raw_of(connector)(f"SELECT {expression} AS v")
        assert isinstance(fetched, Fetched)
        table = fetched.table
    else:
        table = outcome.table
    assert str(table.schema.field(0).type) == kind
    if value is not None:
        assert table.column(0).to_pylist() == [value]


@pytest.mark.parametrize(
    "sql",
    [
        "COMMIT",
        "SET TRANSACTION READ WRITE",
        "CREATE TABLE t (a int)",
        "SELECT nextval('numbers')",
        "SELECT lo_create(0)",
        "NOTIFY x",
        "DO $$ BEGIN DELETE FROM sales; END $$",
        "COPY sales TO STDOUT",
        "PREPARE p AS DELETE FROM sales",
    ],
)
async def test_what_is_no_query_changes_nothing(url: str, connector: SQLConnector, sql: str) -> None:
    outside_postgres(url, "CREATE SEQUENCE IF NOT EXISTS numbers")
    before = outside_postgres(url, "SELECT (SELECT count(*) FROM sales), is_called FROM numbers")
    with contextlib.suppress(EngineFault, SourceUnavailable):
        await _raw(connector, sql)
    assert outside_postgres(url, "SELECT (SELECT count(*) FROM sales), is_called FROM numbers") == before
    assert await _raw(connector, "SELECT current_setting('transaction_read_only')") == [["on"]]


async def test_a_statement_never_sees_what_an_earlier_one_left(connector: SQLConnector) -> None:
    await _raw(connector, "SELECT set_config('work_mem', '77MB', false)")
    await _raw(connector, "SELECT set_config('my.secret', 'x', false)")
    await _raw(connector, "SELECT pg_advisory_lock(4711)")
    assert await _raw(connector, "SELECT current_setting('work_mem')") != [["77MB"]]
    assert await _raw(connector, "SELECT current_setting('my.secret', true)") in ([[None]], [[""]])
    assert await _raw(connector, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711") == [[0]]


async def test_the_server_stops_it_by_itself_too(connector: SQLConnector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_GRACE_SECONDS", 0.0)
    with pytest.raises(EngineFault) as caught:
        await connector._adapter.fetch_async(BURNER, Caps(rows=1, bytes=1000, seconds=0.2))
    assert caught.value.kind is FailureKind.TIMEOUT


async def test_a_connection_that_died_is_replaced(url: str, connector: SQLConnector) -> None:
    assert await _raw(connector, "SELECT 1") == [[1]]
    outside_postgres(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'tabulaflow' AND datname = current_database()",
    )
    outcome = await connector.run_query_async("SELECT 1")
    assert isinstance(outcome, QueryResult)


async def test_a_connection_that_dies_under_a_statement_is_told(url: str, connector: SQLConnector) -> None:
    task = asyncio.create_task(connector.run_query_async(BURNER))
    await asyncio.sleep(0.3)
    await asyncio.to_thread(
        outside_postgres,
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'tabulaflow' AND datname = current_database()",
    )
    with pytest.raises(SourceUnavailable):
        await task
    assert isinstance(await connector.run_query_async("SELECT 1"), QueryResult)


async def test_more_statements_than_connections(connector: SQLConnector) -> None:
    outcomes = await asyncio.gather(*(connector.run_query_async(f"SELECT {n} AS n") for n in range(20)))
    assert [outcome.table.column(0)[0].as_py() for outcome in outcomes] == list(range(20))


async def test_roles_are_told(url: str) -> None:
    import os
    import uuid

    role = f"tf_{os.getpid()}_{uuid.uuid4().hex[:6]}"
    outside_postgres(url, f"CREATE ROLE {role} LOGIN")
    try:
        address = url.replace("//postgres@", f"//{role}@")
        outside_postgres(url, f"GRANT SELECT ON customers TO {role}")
        async with await SQLConnector.from_url_async(address) as connector:
            assert connector.notices == ()
            assert [table.name for table in connector.schema.tables] == ["customers"]
            assert isinstance(await connector.run_query_async("SELECT * FROM customers"), QueryResult)
        outside_postgres(url, f"GRANT pg_read_server_files TO {role}")
        async with await SQLConnector.from_url_async(address) as connector:
            assert "read files" in connector.notices[0]
        async with await SQLConnector.from_url_async(url) as connector:
            assert "superuser" in connector.notices[0]
    finally:
        outside_postgres(url, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


async def test_schemas_comments_and_kinds(url: str, connector: SQLConnector) -> None:
    outside_postgres(
        url,
        "CREATE SCHEMA arc",
        "CREATE TABLE arc.old (a int, b int, c text, PRIMARY KEY (b, a))",
        "COMMENT ON TABLE arc.old IS 'what was'",
        "COMMENT ON COLUMN arc.old.c IS 'a word'",
        "CREATE MATERIALIZED VIEW mv AS SELECT 1 AS one",
        "CREATE TABLE parts (a int) PARTITION BY RANGE (a)",
        "CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10)",
        "CREATE TABLE kid (x int, y int, FOREIGN KEY (x, y) REFERENCES arc.old (b, a))",
    )
    try:
        schema = await connector.refresh_schema_async()
        old, kid = schema.table("arc.old"), schema.table("kid")
        assert old is not None
        assert kid is not None
        assert (old.schema, old.comment, old.primary_key) == ("arc", "what was", ("b", "a"))
        assert [c.comment for c in old.columns] == ["", "", "a word"]
        assert kid.foreign_keys[0].target_schema == "arc"
        assert kid.foreign_keys[0].target_columns == ("b", "a")
        kinds = {table.name: table.kind for table in schema.tables}
        assert kinds["mv"] == "materialized_view"
        assert "parts" in kinds
        assert "parts_1" not in kinds
    finally:
        outside_postgres(
            url, "DROP TABLE kid", "DROP TABLE parts", "DROP MATERIALIZED VIEW mv", "DROP SCHEMA arc CASCADE"
        )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (asyncpg.InvalidPasswordError("x secret"), "password"),
        (asyncpg.InvalidCatalogNameError("x secret"), "no database 'd'"),
        (ConnectionRefusedError("x secret"), "Nobody listens at h:1"),
        (socket.gaierror("x secret"), "no host 'h'"),
        (TimeoutError(), "did not answer"),
        (asyncpg.CannotConnectNowError("x"), "restarted"),
        (asyncpg.TooManyConnectionsError("x"), "no free connection"),
        (ConnectionResetError("x secret"), "broke"),
    ],
)
def test_causes_are_told_apart(error: Exception, words: str) -> None:
    told = engine._unavailable(error, parse_source_url("postgresql://u:secret@h:1/d"))
    assert words in told.user_message
    assert "secret" not in told.user_message + str(told.detail)


async def test_nobody_listens_and_no_such_database(url: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(SourceUnavailable, match="Nobody listens"):
        await SQLConnector.from_url_async(f"postgresql://postgres@127.0.0.1:{port}/test")
    with pytest.raises(SourceUnavailable, match="no database 'not_there'"):
        await SQLConnector.from_url_async(f"{url.rpartition('/')[0]}/not_there")


async def test_foreign_tables_are_left_out(url: str) -> None:
    outside_postgres(
        url,
        "CREATE EXTENSION file_fdw",
        "CREATE SERVER far FOREIGN DATA WRAPPER file_fdw",
        "CREATE FOREIGN TABLE far_away (a text) SERVER far OPTIONS (filename '/etc/hostname')",
        "CREATE TABLE family (a text)",
        "ALTER FOREIGN TABLE far_away INHERIT family",
        "CREATE VIEW over_it AS SELECT upper(a) AS a FROM far_away",
        "CREATE VIEW over_the_view AS SELECT a FROM over_it",
        "CREATE VIEW beside_it AS SELECT 1 AS a",
    )
    try:
        async with await SQLConnector.from_url_async(url) as source:
            names = {table.name for table in source.schema.tables}
            assert "beside_it" in names
            for name in ("far_away", "over_it", "over_the_view", "family"):
                assert name not in names
                for sql in (f"SELECT * FROM {name}", f"TABLE public.{name}", f"EXPLAIN ANALYZE SELECT 1 FROM {name}"):
                    outcome = await source.run_query_async(sql)
                    assert isinstance(outcome, QueryFailure), sql
                    assert outcome.kind is FailureKind.REFUSED
                    assert "another server or a file" in outcome.message
            assert isinstance(await source.run_query_async("SELECT * FROM beside_it"), QueryResult)
            assert any("far_away" in notice for notice in source.notices)
    finally:
        outside_postgres(url, "DROP EXTENSION file_fdw CASCADE", "DROP VIEW beside_it", "DROP TABLE family")


async def test_a_view_that_calls_a_writing_function_writes_nothing(url: str, connector: SQLConnector) -> None:
    outside_postgres(
        url,
        "CREATE TABLE touched (a int)",
        "CREATE FUNCTION touch() RETURNS int LANGUAGE sql AS 'INSERT INTO touched VALUES (1) RETURNING a'",
        "CREATE VIEW probe AS SELECT touch() AS a",
    )
    try:
        outcome = await connector.run_query_async("SELECT * FROM probe")
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind is FailureKind.REFUSED
        assert outside_postgres(url, "SELECT count(*) FROM touched") == [[0]]
    finally:
        outside_postgres(url, "DROP VIEW probe", "DROP FUNCTION touch", "DROP TABLE touched")


async def test_large_results_keep_the_loop_free(connector: SQLConnector) -> None:
    slowest = 0.0
    loop = asyncio.get_running_loop()

    async def watch() -> None:
        nonlocal slowest
        while True:
            before = loop.time()
            await asyncio.sleep(0.005)
            slowest = max(slowest, loop.time() - before)

    watcher = asyncio.create_task(watch())
    fetched = await raw_of_many(connector, "SELECT g, g * 1.5 AS n, now() FROM generate_series(1, 200000) g")
    watcher.cancel()
    assert fetched.table.num_rows == 200_000
    assert fetched.table.schema.field(1).type == pa.decimal128(38, 1)
    assert slowest < 2.0


async def raw_of_many(connector: SQLConnector, sql: str) -> Fetched:
    """Below the guard, with room for many rows."""
    fetched = await connector._adapter.fetch_async(sql, Caps(rows=10**6, bytes=10**9, seconds=60))
    assert isinstance(fetched, Fetched)
    return fetched
