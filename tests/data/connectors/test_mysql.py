"""MariaDB: the read-only session, values, grants, sessions and broken connections."""

from __future__ import annotations

import asyncio
import datetime as dt
import socket
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal

import pymysql
import pytest

from tabulaflow_core.data import FailureKind, QueryFailure, QueryResult, SQLConnector
from tabulaflow_core.data.engines import mysql as engine
from tabulaflow_core.data.engines import mysql_schema
from tabulaflow_core.data.engines.base import Caps, EngineFault, Fetched
from tabulaflow_core.data.engines.mysql_connection import _encryption_mode, unavailable
from tabulaflow_core.data.urls import parse_source_url
from tabulaflow_core.errors import SourceUnavailable
from tests.data.contract import boxes
from tests.data.contract.boxes import BURNER, outside_mariadb, raw_of

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with boxes.mariadb_database() as url:
        yield url


@pytest.fixture
async def connector(url: str) -> AsyncIterator[SQLConnector]:
    connector = await SQLConnector.from_url_async(url)
    yield connector
    await connector.close_async()


async def _raw(connector: SQLConnector, sql: str) -> list[list[object]]:
    fetched = await raw_of(connector)(sql)
    assert isinstance(fetched, Fetched)
    return [column.to_pylist() for column in fetched.table.columns]


@pytest.mark.parametrize(
    ("expression", "kind", "value"),
    [
        ("CAST(18446744073709551615 AS UNSIGNED)", "uint64", 18446744073709551615),
        ("-1", "int32", -1),
        ("1.50", "decimal128(38, 2)", Decimal("1.50")),
        ("CAST(1 AS DECIMAL(65,30))", "decimal128(38, 30)", Decimal(1)),
        ("12345678901234567890123456789012345678901234567890.5", "decimal256(76, 1)", None),
        ("CAST('0000-00-00' AS DATE)", "date32[day]", None),
        ("TIMESTAMP'2024-02-29 23:59:59.123456'", "timestamp[us]", dt.datetime(2024, 2, 29, 23, 59, 59, 123456)),
        ("TIMEDIFF('00:00:00', '100:00:01.5')", "duration[us]", -dt.timedelta(hours=100, seconds=1.5)),
        ("0.1e0", "double", 0.1),
        ("JSON_OBJECT('a', 1)", "string", '{"a": 1}'),
        ("X'00ff'", "binary", b"\x00\xff"),
        ("NULL", "null", None),
        ("TRUE", "int32", 1),
    ],
)
async def test_values(connector: SQLConnector, expression: str, kind: str, value: object) -> None:
    fetched = await raw_of(connector)(f"SELECT {expression} AS v")
    assert isinstance(fetched, Fetched)
    assert str(fetched.table.schema.field(0).type) == kind
    if value is not None:
        assert fetched.table.column(0).to_pylist() == [value]


async def test_column_types(url: str, connector: SQLConnector) -> None:
    outside_mariadb(
        url,
        "CREATE TABLE kinds (b BIT(9), y YEAR, e ENUM('x','y'), s SET('a','b'), t TINYINT(1), m MEDIUMINT UNSIGNED,"
        " j JSON, c CHAR(3), v VARBINARY(4), l LONGTEXT)",
        "INSERT INTO kinds VALUES (b'100000001', 2024, 'y', 'a,b', 1, 16777215, '[1]', 'ü', 'v', 'long')",
    )
    try:
        found = await _raw(connector, "SELECT * FROM kinds")
        assert found == [[257], [2024], ["y"], ["a,b"], [1], [16777215], ["[1]"], ["ü"], [b"v"], ["long"]]
    finally:
        outside_mariadb(url, "DROP TABLE kinds")


async def test_a_statement_never_sees_what_an_earlier_one_left(connector: SQLConnector) -> None:
    await _raw(connector, "SELECT @x := 5")
    await _raw(connector, "SELECT GET_LOCK('tabulaflow-test', 0)")
    for sql in ("SET SESSION TRANSACTION READ WRITE", "SET sql_mode = 'ANSI_QUOTES'", "SET autocommit = 0"):
        with pytest.raises(EngineFault):  # it gives no rows; what it set must be gone
            await _raw(connector, sql)
    assert await _raw(connector, "SELECT @x") == [[None]]
    assert await _raw(connector, "SELECT IS_FREE_LOCK('tabulaflow-test')") == [[1]]
    assert await _raw(connector, "SELECT @@session.tx_read_only, @@autocommit") == [[1], [1]]
    assert await _raw(connector, 'SELECT "text"') == [["text"]]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (a INT)",
        "DROP TABLE sales",
        "TRUNCATE sales",
        "INSERT INTO customers VALUES (9, 'x', 'y')",
        "UPDATE sales SET amount = 0",
        "BEGIN NOT ATOMIC DELETE FROM sales; END",
        "SELECT 1; DELETE FROM sales",
        "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE customers",
        "PREPARE p FROM 'DELETE FROM sales'",
        "CALL not_there()",
        "RENAME TABLE sales TO sold",
        "CREATE VIEW v AS SELECT 1",
    ],
)
async def test_the_session_is_read_only(url: str, connector: SQLConnector, sql: str) -> None:
    looks = "SELECT (SELECT count(*) FROM sales WHERE amount <> 0), (SELECT count(*) FROM customers)"
    before = outside_mariadb(url, looks)
    with pytest.raises(EngineFault):
        await _raw(connector, sql)
    assert outside_mariadb(url, looks) == before


async def test_the_server_stops_it_by_itself_too(connector: SQLConnector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_GRACE_SECONDS", 0.0)
    with pytest.raises(EngineFault) as caught:
        await connector._adapter.fetch_async(BURNER, Caps(rows=1, bytes=1000, seconds=0.2))
    assert caught.value.kind is FailureKind.TIMEOUT


def _kill_all(url: str) -> None:
    ids = outside_mariadb(
        url, "SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()"
    )
    for (number,) in ids:
        try:
            outside_mariadb(url, f"KILL {number}")
        except pymysql.err.OperationalError as error:
            if error.args[0] != 1094:  # 1094: it went by itself meanwhile
                raise


async def test_a_long_series_is_whole(connector: SQLConnector) -> None:
    sql = "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 5000) SELECT COUNT(*) FROM d"
    outcome = await connector.run_query_async(sql)
    assert isinstance(outcome, QueryResult)
    assert outcome.table.column(0).to_pylist() == [5000]


async def test_a_view_that_calls_a_writing_function_writes_nothing(url: str, connector: SQLConnector) -> None:
    outside_mariadb(
        url,
        "CREATE TABLE touched (a INT)",
        "CREATE FUNCTION touch() RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO touched VALUES (1); RETURN 1; END",
        "CREATE VIEW probe AS SELECT touch() AS a",
    )
    try:
        outcome = await connector.run_query_async("SELECT * FROM probe")
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind is FailureKind.REFUSED
        assert outside_mariadb(url, "SELECT count(*) FROM touched") == [[0]]
    finally:
        outside_mariadb(url, "DROP VIEW probe", "DROP FUNCTION touch", "DROP TABLE touched")


async def test_a_connection_that_died_is_replaced(url: str, connector: SQLConnector) -> None:
    assert await _raw(connector, "SELECT 1") == [[1]]
    await asyncio.to_thread(_kill_all, url)
    assert isinstance(await connector.run_query_async("SELECT 1"), QueryResult)


async def test_a_connection_that_dies_under_a_statement_is_told(url: str, connector: SQLConnector) -> None:
    task = asyncio.create_task(connector.run_query_async(BURNER))
    await asyncio.sleep(0.3)
    await asyncio.to_thread(_kill_all, url)
    with pytest.raises(SourceUnavailable):
        await task
    assert isinstance(await connector.run_query_async("SELECT 1"), QueryResult)


async def test_a_cut_result_leaves_nothing_running(url: str, connector: SQLConnector) -> None:
    outcome = await connector.run_query_async(
        "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 1000) "
        "SELECT a.n FROM d a CROSS JOIN d b CROSS JOIN d c",
        limit=10,
    )
    assert isinstance(outcome, QueryResult)
    assert (outcome.table.num_rows, outcome.cut_by) == (10, "rows")
    busy = "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND info LIKE 'WITH RECURSIVE%'"
    assert outside_mariadb(url, busy) == [[0]]


async def test_an_error_in_the_middle_of_the_rows_is_told(connector: SQLConnector) -> None:
    outcome = await connector.run_query_async(
        "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 900) "
        "SELECT 9223372036854774907 + n AS v FROM d",
    )
    fetched: QueryResult | QueryFailure = outcome
    assert isinstance(fetched, QueryResult)
    broken = await connector.run_query_async(
        "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 999) "
        "SELECT 9223372036854774907 + n AS v FROM d",
    )
    assert isinstance(broken, QueryFailure)
    assert broken.kind is FailureKind.FAILED
    assert "out of range" in broken.message


async def test_more_statements_than_connections(connector: SQLConnector) -> None:
    outcomes = await asyncio.gather(*(connector.run_query_async(f"SELECT {n} AS n") for n in range(20)))
    assert [outcome.table.column(0)[0].as_py() for outcome in outcomes] == list(range(20))


async def test_grants_are_told(url: str) -> None:
    import os
    import uuid

    user, database = f"tf{os.getpid()}{uuid.uuid4().hex[:6]}", url.rpartition("/")[2]
    outside_mariadb(
        url,
        f"CREATE USER {user}@'%' IDENTIFIED BY 'pw'",
        f"GRANT SELECT ON {database}.customers TO {user}@'%'",
    )
    address = f"mariadb://{user}:pw@127.0.0.1:3306/{database}"
    try:
        async with await SQLConnector.from_url_async(address) as connector:
            assert connector.notices == ()
            assert [table.name for table in connector.schema.tables] == ["customers"]
        outside_mariadb(url, f"GRANT FILE ON *.* TO {user}@'%'")
        async with await SQLConnector.from_url_async(address) as connector:
            assert "files of the database server" in connector.notices[0]
        async with await SQLConnector.from_url_async(url) as connector:
            assert "everything" in connector.notices[0]
        with pytest.raises(SourceUnavailable, match="the password") as caught:
            await SQLConnector.from_url_async(address.replace(":pw@", ":wr0ng@"))
        assert "wr0ng" not in caught.value.user_message
    finally:
        outside_mariadb(url, f"DROP USER {user}@'%'")


async def test_nobody_listens_and_no_such_database(url: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(SourceUnavailable, match="Nobody listens"):
        await SQLConnector.from_url_async(f"mysql://root@127.0.0.1:{port}/test")
    with pytest.raises(SourceUnavailable, match="no database 'not_there'"):
        await SQLConnector.from_url_async(f"{url.rpartition('/')[0]}/not_there")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (pymysql.err.OperationalError(1045, "secret"), "password"),
        (pymysql.err.OperationalError(1040, "secret"), "no free connection"),
        (pymysql.err.OperationalError(1053, "secret"), "restarted"),
        (TimeoutError("secret"), "did not answer"),
        (pymysql.err.OperationalError(2006, "secret"), "broke"),
    ],
)
def test_causes_are_told_apart(error: Exception, words: str) -> None:
    told = unavailable(error, parse_source_url("mysql://u:secret@h:1/d"))
    assert words in told.user_message
    assert "secret" not in told.user_message + str(told.detail)


async def test_every_database_when_the_url_names_none(url: str) -> None:
    name = url.rpartition("/")[2]
    outside_mariadb(
        url,
        "CREATE TABLE far (id INT PRIMARY KEY)",
        "CREATE TABLE near (id INT, FOREIGN KEY (id) REFERENCES far (id))",
    )
    async with await SQLConnector.from_url_async(url.rpartition("/")[0] + "/") as connector:
        table = connector.schema.table(f"{name}.customers")
        assert table is not None
        assert table.schema == name
        near = connector.schema.table(f"{name}.near")
        assert near is not None
        assert [(key.target_schema, key.target_table) for key in near.foreign_keys] == [(name, "far")]
        outcome = await connector.run_query_async(f"SELECT count(*) FROM {name}.customers")
        assert isinstance(outcome, QueryResult)


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        ({}, "preferred"),
        ({"ssl": "true"}, "required"),
        ({"ssl-mode": "REQUIRED"}, "required"),
        ({"ssl": '{"rejectUnauthorized":true}'}, "verified"),
        ({"ssl_mode": "VERIFY_IDENTITY"}, "verified"),
        ({"sslmode": "disable"}, "disabled"),
        ({"ssl_disabled": "true"}, "disabled"),
    ],
)
def test_encryption(options: dict[str, str], mode: str) -> None:
    assert _encryption_mode(options) == mode


@pytest.mark.parametrize("scheme", ["mariadb", "mariadb+pymysql"])
async def test_dates_that_are_none_are_empty_and_said(url: str, scheme: str) -> None:
    outside_mariadb(
        url,
        "SET sql_mode = ''",
        "CREATE TABLE old (id INT, d DATE, t DATETIME)",
        "INSERT INTO old VALUES (1, '0000-00-00', '2026-01-00 10:00:00'), (2, '2026-00-15', NULL),"
        " (3, '2026-01-15', '2026-01-15 10:00:00'), (4, NULL, '0000-00-00 00:00:00')",
    )
    try:
        async with await SQLConnector.from_url_async(url.replace("mariadb", scheme, 1)) as source:
            result = await source.run_query_async("SELECT d, t FROM old ORDER BY id")
    finally:
        outside_mariadb(url, "DROP TABLE old")
    assert isinstance(result, QueryResult)
    assert result.table["d"].to_pylist() == [None, None, dt.date(2026, 1, 15), None]
    assert result.table["t"].to_pylist() == [None, None, dt.datetime(2026, 1, 15, 10), None]
    assert result.notices == (
        "2 values of 'd' are dates of no calendar, such as 0000-00-00, and shown as empty (NULL).",
        "2 values of 't' are dates of no calendar, such as 2026-01-00 10:00:00, and shown as empty (NULL).",
    )


async def test_a_server_that_is_slow_to_open_its_tables_tells_of_them_later(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = "SELECT 'x', 'x', 'x', 'x', NULL, NULL, NULL FROM (SELECT sleep(5)) AS s"
    with monkeypatch.context() as opening:
        opening.setattr(mysql_schema, "_KEYS", slow)
        async with await SQLConnector.from_url_async(url) as source:
            sales = source.schema.table("sales")
            assert sales is not None
            assert (sales.primary_key, sales.foreign_keys, sales.row_count) == (("id",), (), 3)
            assert any("still opening" in notice for notice in source.notices)
            opening.undo()
            await source.refresh_schema_async()  # in the same session, within the usual limit again
            told = source.schema.table("sales")
            assert told is not None
            assert [key.target_table for key in told.foreign_keys] == ["customers"]
            assert not any("still opening" in notice for notice in source.notices)
            opening.setattr(mysql_schema, "_KEYS", slow)
            await source.refresh_schema_async()
            assert source.schema.table("sales") == told  # what was told once stays
