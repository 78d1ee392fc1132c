"""The generic connector: which URLs go to it, what it does when a connection dies or a driver cannot stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from tabulaflow_core.data import QueryFailure, QueryResult, SQLConnector
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import Caps, EngineFault
from tabulaflow_core.data.engines.generic.adapter import GenericAdapter
from tabulaflow_core.data.engines.generic.faults import scrub, statement_fault
from tabulaflow_core.data.engines.generic.proved import SQLiteSession
from tabulaflow_core.data.engines.generic.values import convert
from tabulaflow_core.data.engines.pool import POOL_SIZE
from tabulaflow_core.data.urls import parse_source_url
from tabulaflow_core.errors import SourceUnavailable, SourceUrlError
from tests.data.contract import boxes
from tests.data.contract.boxes import BURNER
from tests.data.contract.generic_boxes import open_generic

#: About a second of work that nothing stops.
WORK = "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 6000000) SELECT count(*) AS n FROM d"
KILL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tabulaflow' AND datname = '{}'"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    pytest.importorskip("psycopg")
    with boxes.postgres_database() as address:
        yield address.replace("postgresql://", "postgresql+psycopg://", 1)


@pytest.fixture
async def connector(url: str) -> AsyncIterator[SQLConnector]:
    opened = await SQLConnector.from_url_async(url)
    yield opened
    await opened.close_async()


def _kill(url: str) -> None:
    plain = url.replace("+psycopg", "", 1)
    boxes.outside_postgres(plain, KILL.format(plain.rpartition("/")[2]))


async def _count(connector: SQLConnector) -> object:
    outcome = await connector.run_query_async("SELECT count(*) FROM customers")
    assert isinstance(outcome, QueryResult), outcome
    return outcome.table.column(0)[0].as_py()


def test_which_urls_go_to_it() -> None:
    pytest.importorskip("psycopg")
    generic = {
        "postgresql+psycopg://u@h/d": "postgresql+psycopg",
        "oracle://u:p@h/d": "oracle+oracledb",
        "oracle+oracledb://u:p@h/d": "oracle+oracledb",
        "mssql+pymssql://u:p@h/d": "mssql+pymssql",
        "clickhouse://u:p@h/d": "clickhousedb+connect",
        "trino://u@h/c/s": "trino",
        "redshift+redshift_connector://u:p@h/d": "redshift+redshift_connector",
    }
    assert {url: parse_source_url(url).driver for url in generic} == generic
    for native in ("postgresql://u@h/d", "postgresql+asyncpg://u@h/d", "mysql+pymysql://u@h/d", "mariadb://u@h/d"):
        assert parse_source_url(native).driver == ""


def test_accounts_and_projects_stand_for_hosts() -> None:
    source = parse_source_url("snowflake://u:p%40ss@AB12345.eu-central-1/DB/SCHEMA?warehouse=W&role=R")
    assert (source.host, source.database, source.password) == ("AB12345.eu-central-1", "DB/SCHEMA", "p@ss")
    assert source.options == {"warehouse": "W", "role": "R"}
    with pytest.raises(SourceUrlError, match="BigQuery needs a key here"):
        parse_source_url("bigquery://project/dataset", allowed_roots=())
    key = parse_source_url("bigquery://project/dataset?credentials_base64=plantedkey", allowed_roots=())
    assert (key.host, key.database) == ("project", "dataset")
    assert "plantedkey" not in repr(key)


@pytest.mark.server
async def test_a_connection_that_died_is_replaced(url: str, connector: SQLConnector) -> None:
    assert isinstance(connector._adapter, GenericAdapter)
    await asyncio.gather(*(_count(connector) for _ in range(3)))
    await asyncio.to_thread(_kill, url)
    assert await asyncio.gather(*(_count(connector) for _ in range(5))) == [3] * 5


@pytest.mark.server
async def test_a_connection_that_dies_under_a_statement_is_told(url: str, connector: SQLConnector) -> None:
    task = asyncio.create_task(connector.run_query_async(BURNER))
    await asyncio.sleep(0.3)
    await asyncio.to_thread(_kill, url)
    with pytest.raises(SourceUnavailable):
        async with asyncio.timeout(30):
            await task
    assert await _count(connector) == 3


@pytest.mark.server
async def test_stop_reaches_the_server_at_once(url: str, connector: SQLConnector) -> None:
    await _count(connector)
    task = asyncio.create_task(connector.run_query_async(BURNER))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    plain = url.replace("+psycopg", "", 1)
    active = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%RECURSIVE d%'"
    rows = await asyncio.to_thread(
        boxes.outside_postgres, plain, f"{active} AND state = 'active' AND pid <> pg_backend_pid()"
    )
    assert rows == [[0]]


@pytest.mark.server
async def test_a_statement_never_sees_what_an_earlier_one_left(connector: SQLConnector) -> None:
    caps = Caps(rows=10, bytes=10**6, seconds=10)
    await connector._adapter.fetch_async("SELECT set_config('work_mem', '77MB', false), pg_advisory_lock(42)", caps)
    fetched = await connector._adapter.fetch_async(
        "SELECT current_setting('work_mem') <> '77MB' AS other, count(*) AS locks FROM pg_locks"
        " WHERE locktype = 'advisory' AND objid = 42",
        caps,
    )
    assert fetched.table.to_pylist() == [{"other": True, "locks": 0}]


@pytest.mark.server
async def test_roles_partitions_and_foreign_tables_are_as_with_the_connector_of_its_own(url: str) -> None:
    plain = url.replace("+psycopg", "", 1)
    boxes.outside_postgres(
        plain,
        "CREATE TABLE parts (d date) PARTITION BY RANGE (d)",
        "CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')",
        "CREATE MATERIALIZED VIEW mv AS SELECT 1 AS a",
        "CREATE SCHEMA arc",
        "CREATE TABLE arc.old (a int PRIMARY KEY)",
        "COMMENT ON TABLE arc.old IS 'what was'",
        "CREATE TABLE kid (a int REFERENCES arc.old (a))",
    )
    try:
        async with (
            await SQLConnector.from_url_async(plain) as native,
            await SQLConnector.from_url_async(url) as generic,
        ):
            assert generic.notices == native.notices

            def told(connector: SQLConnector) -> object:
                return {
                    (table.qualified_name, table.kind, table.comment, table.primary_key, table.foreign_keys)
                    for table in connector.schema.tables
                }

            assert told(generic) == told(native)
    finally:
        boxes.outside_postgres(plain, "DROP TABLE kid, parts", "DROP MATERIALIZED VIEW mv", "DROP SCHEMA arc CASCADE")


@pytest.mark.server
async def test_what_redshift_is_told_holds_in_postgresql(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tabulaflow_core.data.engines.generic import opening
    from tabulaflow_core.data.engines.generic.proved import PostgresSession
    from tabulaflow_core.data.engines.generic.written import RedshiftSession

    class StandIn(RedshiftSession):
        connect_arguments = PostgresSession.connect_arguments

    monkeypatch.setitem(opening._PROVED, "postgresql+psycopg", StandIn)
    async with await SQLConnector.from_url_async(url) as connector:
        assert await _count(connector) == 3
        caps = Caps(rows=9, bytes=10**6, seconds=20)
        for statement in ("DELETE FROM sales", "CREATE TABLE t (a int)", "TRUNCATE customers"):
            with pytest.raises(EngineFault) as caught:
                await connector._adapter.fetch_async(statement, caps)
            assert caught.value.kind is FailureKind.REFUSED
        task = asyncio.create_task(connector._adapter.fetch_async("SELECT pg_sleep(30)", caps))
        await asyncio.sleep(0.4)
        task.cancel()
        async with asyncio.timeout(30):
            with pytest.raises(asyncio.CancelledError):
                await task
        plain = url.replace("+psycopg", "", 1)
        sleeping = "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(30)' AND state = 'active'"
        assert await asyncio.to_thread(boxes.outside_postgres, plain, sleeping) == [[0]]
        assert await _count(connector) == 3


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - what is waited for happens in other threads
            await asyncio.sleep(0.02)


async def test_a_driver_that_cannot_stop_is_left_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SQLiteSession, "can_stop", False)
    started: list[str] = []
    execute = SQLiteSession.execute

    def counted(self: SQLiteSession, cursor: object, sql: str) -> None:
        started.append(sql)
        execute(self, cursor, sql)

    monkeypatch.setattr(SQLiteSession, "execute", counted)
    boxes._run_sqlite(tmp_path / "a.db", "CREATE TABLE customers (a)")
    async with await open_generic(f"sqlite:///{tmp_path}/a.db") as connector:
        assert any("cannot stop a statement" in notice for notice in connector.notices)
        outcome = await connector.run_query_async(WORK, timeout=0.1)
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind is FailureKind.TIMEOUT
        assert "may run on in the database" in outcome.message
        started.clear()
        tasks = [asyncio.create_task(connector.run_query_async(WORK)) for _ in range(3)]
        await _until(lambda: len(started) == 3)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        pool = connector._adapter._pool
        assert pool._room._value < POOL_SIZE  # the callers are free, and statements still run
        await _until(lambda: pool._room._value == POOL_SIZE)  # each place comes back when its statement has ended
        assert await asyncio.gather(*(_count(connector) for _ in range(5))) == [0] * 5


async def test_a_dialect_that_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    from sqlalchemy.dialects import registry

    from tabulaflow_core.data import urls

    registry.register("strange", "sqlalchemy.dialects.sqlite.pysqlite", "SQLiteDialect_pysqlite")
    found = [EntryPoint("strange", "x:y", "sqlalchemy.dialects")]
    monkeypatch.setattr(urls, "entry_points", lambda group: found)
    boxes._run_sqlite(tmp_path / "a.db", "CREATE TABLE t (a INTEGER, b TEXT)", "INSERT INTO t VALUES (1, 'it''s 5%')")
    address = f"strange:///{tmp_path}/a.db"
    with pytest.raises(SourceUrlError):
        parse_source_url(address, allowed_roots=())
    async with await SQLConnector.from_url_async(address) as connector:
        assert [table.name for table in connector.schema.tables] == ["t"]
        outcome = await connector.run_query_async("SELECT a, b, count(*) AS n FROM t WHERE b LIKE '%5%' GROUP BY a, b")
        assert isinstance(outcome, QueryResult), outcome
        assert outcome.table.to_pylist() == [{"a": 1, "b": "it's 5%", "n": 1}]
        for hostile in ("SELECT randomblob(9) FROM t", "DELETE FROM t", "SELECT 'a\\' FROM t", "SELECT `a` FROM t"):
            refused = await connector.run_query_async(hostile)
            assert isinstance(refused, QueryFailure)
            assert refused.kind is FailureKind.REFUSED
        await connector._adapter.fetch_async("UPDATE t SET a = 2 RETURNING a", Caps(rows=9, bytes=10**6, seconds=9))
        assert isinstance(again := await connector.run_query_async("SELECT a FROM t"), QueryResult)
        assert again.table.to_pylist() == [{"a": 1}]  # rolled back


def test_passwords_are_taken_out_of_messages() -> None:
    source = parse_source_url("oracle://u:p%40ss%20word@h/d")
    assert scrub("dsn u:p@ss word, p%40ss%20word, p%40ss+word", source) == "dsn u:***, ***, ***"
    fault = statement_fault(RuntimeError("failed for u/p@ss word@h"), source)
    assert isinstance(fault, EngineFault)
    assert "p@ss" not in fault.message


def test_values_of_any_driver() -> None:
    import datetime as dt
    from decimal import Decimal
    from uuid import UUID
    from zoneinfo import ZoneInfo

    import numpy as np

    zurich = dt.datetime(2024, 7, 1, 12, tzinfo=ZoneInfo("Europe/Zurich"))
    assert convert([zurich, None]).type.tz == "UTC"
    assert convert([zurich])[0].as_py() == dt.datetime(2024, 7, 1, 10, tzinfo=dt.UTC)
    assert convert([zurich, dt.datetime(2024, 1, 1)]).to_pylist()[1] == "2024-01-01 00:00:00"
    assert convert([dt.time(1, 2, tzinfo=dt.UTC)]).to_pylist() == ["01:02:00+00:00"]
    assert convert([UUID(int=1)]).to_pylist() == ["00000000-0000-0000-0000-000000000001"]
    assert convert([bytearray(b"\x00"), memoryview(b"\x01"), None]).to_pylist() == [b"\x00", b"\x01", None]
    assert convert([{"a": Decimal("1.10")}]).to_pylist() == ['{"a": "1.10"}']
    assert convert([[1, 2], None, []]).to_pylist() == [[1, 2], None, []]
    assert convert([(1, "a")]).to_pylist() == ['[1, "a"]']
    assert convert([np.int64(5), None]).to_pylist() == [5, None]
    assert convert([2**64, -1]).to_pylist() == [Decimal(2**64), Decimal(-1)]
    assert convert([Decimal("NaN"), Decimal("1.5")])[1].as_py() == 1.5
    assert convert([]).to_pylist() == []


async def test_types_of_users_are_not_cast_to_where_nobody_looks_them_up(connector: SQLConnector) -> None:
    refused = await connector.run_query_async("SELECT 'a'::mood")
    assert isinstance(refused, QueryFailure)
    assert refused.kind is FailureKind.REFUSED
    assert "mood" in refused.message
    assert isinstance(await connector.run_query_async("SELECT '1'::int, CAST('{}' AS jsonb)"), QueryResult)


async def test_values_of_enumerations_and_documents_are_told_as_by_the_connector_of_its_own(url: str) -> None:
    plain = url.replace("+psycopg", "", 1)
    boxes.outside_postgres(
        plain,
        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
        "CREATE TABLE people (id int PRIMARY KEY, feels mood, facts jsonb, written json, name text)",
        """INSERT INTO people VALUES (1, 'ok', '{"a": 1}', '{"b": [2]}', 'Acme'), (2, NULL, NULL, NULL, NULL)""",
    )
    try:
        found = []
        for address in (url, plain):
            async with await SQLConnector.from_url_async(address) as source:
                table = source.schema.table("people")
                assert table is not None
                assert table.row_count == 2
                found.append([(column.name, column.comment, column.samples) for column in table.columns])
        assert found[0] == found[1]
        assert found[0][1:] == [
            ("feels", "one of: sad, ok, happy", ("sad", "ok", "happy")),
            ("facts", "", ('{"a": 1}',)),
            ("written", "", ('{"b": [2]}',)),
            ("name", "", ("Acme",)),
        ]
    finally:
        boxes.outside_postgres(plain, "DROP TABLE people", "DROP TYPE mood")
