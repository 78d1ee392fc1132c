"""DuckDB files: the lock around the parser, hostile views, caps, stopping, several files, writing."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from tabulaflow_core.agents.schema_text import table_name
from tabulaflow_core.config import Limits
from tabulaflow_core.data.contracts import DataConnector, FailureKind, QueryFailure, QueryResult
from tabulaflow_core.data.engines import duckdb_fetch
from tabulaflow_core.data.engines.duckdb import DuckDBConnector
from tabulaflow_core.data.sql import SQLConnector
from tabulaflow_core.data.statements import first_rows
from tabulaflow_core.data.workspace.naming import joint_schema
from tabulaflow_core.errors import SourceUnavailable, WriteNotAllowed

ENDLESS = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = -1"


def make(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement).fetchall()
    return path


@pytest.fixture
async def source(tmp_path: Path) -> AsyncIterator[DuckDBConnector]:
    path = make(
        tmp_path / "shop.duckdb",
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR)",
        "CREATE TABLE orders "
        "(id BIGINT PRIMARY KEY, customer INTEGER REFERENCES customers (id), amount DECIMAL(10, 2))",
        "INSERT INTO customers VALUES (1, 'Ana'), (2, 'Bo')",
        "INSERT INTO orders VALUES (10, 1, 12.50), (11, 1, 7.25), (12, 2, 0.25)",
        "COMMENT ON TABLE orders IS 'what was sold'",
        "COMMENT ON COLUMN orders.amount IS 'in euros'",
        'CREATE SCHEMA "old stuff"',
        'CREATE TABLE "old stuff".orders AS SELECT 1 AS x',
        "CREATE VIEW totals AS SELECT customer, sum(amount) AS total FROM orders GROUP BY customer",
    )
    async with await DuckDBConnector.open_async(path, limits=Limits(query_seconds=30)) as connector:
        yield connector


async def rows(connector: DataConnector, sql: str) -> list[tuple[object, ...]]:
    result = await connector.run_query_async(sql)
    assert isinstance(result, QueryResult), result
    return [tuple(column[i].as_py() for column in result.table.columns) for i in range(result.table.num_rows)]


async def test_schema(source: DuckDBConnector) -> None:
    assert isinstance(source, DataConnector)
    orders = source.schema.table("orders")
    assert orders is not None
    assert (orders.row_count, orders.comment, orders.primary_key, orders.schema) == (3, "what was sold", ("id",), None)
    assert orders.foreign_keys[0].target_table == "customers"
    amount = orders.columns[2]
    assert (amount.type, amount.comment) == ("DECIMAL(10,2)", "in euros")
    assert "12.50" in amount.samples
    assert {(t.schema, t.name, t.kind) for t in source.schema.tables} == {
        (None, "customers", "table"),
        (None, "orders", "table"),
        (None, "totals", "view"),
        ("old stuff", "orders", "table"),
    }
    assert await rows(source, 'SELECT x FROM "old stuff".orders') == [(1,)]


async def test_types_are_exact(source: DuckDBConnector) -> None:
    sql = (
        "SELECT 1 AS a, 2 AS a, 170141183460469231731687303715884105::HUGEINT AS h, 1.10::DECIMAL(18, 2) AS d, "
        "TIMESTAMPTZ '2026-01-01 00:00+02' AS t, INTERVAL 1 MONTH AS i, [1, 2] AS l, {'k': 1} AS s, "
        "'x'::ENUM ('x', 'y') AS e"
    )
    result = await source.run_query_async(sql)
    assert isinstance(result, QueryResult)
    assert result.table.column_names == ["a", "a", "h", "d", "t", "i", "l", "s", "e"]
    values = [column[0].as_py() for column in result.table.columns]
    assert values[:4] == [1, 2, Decimal("170141183460469231731687303715884105"), Decimal("1.10")]
    assert values[4].isoformat() == "2025-12-31T22:00:00+00:00"
    assert values[6:] == [[1, 2], {"k": 1}, "x"]
    assert pa.types.is_string(result.table.schema.types[8])


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "COPY (SELECT 1) TO '{folder}/shop.duckdb.wal'",
        "SELECT * FROM read_csv('{folder}/secret.csv')",
        "SELECT * FROM '{folder}/secret.csv'",
        "SELECT * FROM read_text('{folder}/secret.csv')",
        "SELECT * FROM read_blob('{folder}/shop.duckdb')",
        "SELECT * FROM glob('{folder}/*')",
        "ATTACH '{folder}/other.duckdb' AS other",
        "ATTACH '{folder}/shop.duckdb' AS again (READ_ONLY)",
        "EXPORT DATABASE '{folder}/out'",
        "IMPORT DATABASE '{folder}/out'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "LOAD '{folder}/x.duckdb_extension'",
        "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
        "SET disabled_filesystems = ''",
        "RESET lock_configuration",
        "CREATE SECRET (TYPE s3, KEY_ID 'a', SECRET 'b')",
        "WITH d AS (DELETE FROM shop.main.orders RETURNING *) SELECT * FROM d",
        "EXPLAIN ANALYZE DELETE FROM shop.main.orders",
        "CREATE TABLE shop.main.t AS SELECT 1",
    ],
)
async def test_the_lock_holds_without_the_guard(source: DuckDBConnector, tmp_path: Path, sql: str) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    before = sorted(os.listdir(tmp_path))
    instance = source._adapter._instance
    assert instance is not None
    with instance.cursor() as cursor, pytest.raises(duckdb.Error):
        cursor.execute(sql.format(folder=tmp_path)).fetchall()
    assert sorted(os.listdir(tmp_path)) == before
    assert await rows(source, "SELECT count(*) FROM orders") == [(3,)]


async def test_no_extension_and_no_spill_folder(source: DuckDBConnector) -> None:
    instance = source._adapter._instance
    assert instance is not None
    with instance.cursor() as cursor:
        found = dict(
            cursor.execute(
                "SELECT name, value FROM duckdb_settings() WHERE name IN "
                "('temp_directory', 'autoload_known_extensions', 'lock_configuration', 'enable_external_access')"
            ).fetchall()
        )
    assert found == {
        "temp_directory": "",
        "autoload_known_extensions": "false",
        "lock_configuration": "true",
        "enable_external_access": "false",
    }


async def test_views_of_a_hostile_file(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    path = make(
        tmp_path / "gift.duckdb",
        "CREATE TABLE t AS SELECT 'x' AS v",
        "CREATE MACRO lower(x) AS (SELECT string_agg(value, ',') FROM duckdb_settings())",
        f"CREATE VIEW reads_a_file AS SELECT * FROM read_csv('{tmp_path}/secret.csv')",
        "CREATE VIEW leaks AS SELECT * FROM duckdb_settings()",
        "CREATE VIEW hides AS SELECT lower(v) AS v FROM t",
        "CREATE VIEW inner_one AS SELECT * FROM hides",
        "CREATE VIEW fine AS SELECT upper(v) AS v FROM t",
    )
    async with await DuckDBConnector.open_async(path) as source:
        assert {t.name for t in source.schema.tables} == {"t", "fine"}
        for view in ("reads_a_file", "leaks", "hides", "inner_one", "gift.main.hides", '"hides"'):
            outcome = await source.run_query_async(f"SELECT * FROM {view}")
            assert isinstance(outcome, QueryFailure), view
            assert outcome.kind is FailureKind.REFUSED
        assert await rows(source, "SELECT * FROM fine") == [("X",)]
        assert await rows(source, "SELECT lower('ABC')") == [("abc",)]
        for call in ("gift.main.lower('A')", "gift.lower('A')", "main.lower('A')", "'A'.lower()", 'gift."lower"(v)'):
            outcome = await source.run_query_async(f"SELECT {call} FROM t")
            assert isinstance(outcome, QueryFailure), call
            assert outcome.kind is FailureKind.REFUSED
        assert sum("is left out" in notice for notice in source.notices) == 4


async def test_macros_that_are_allowed_by_name(tmp_path: Path) -> None:
    path = make(
        tmp_path / "shop.duckdb",
        "CREATE TABLE t AS SELECT 10 AS a",
        "CREATE SCHEMA sales",
        "CREATE TABLE sales.targets AS SELECT 5 AS goal",
        "CREATE MACRO vat(x) AS x * 2",
        "CREATE SEQUENCE s",
        "CREATE MACRO nvl(a, b) AS nextval('s')",
        "CREATE MACRO big(x) AS TABLE SELECT * FROM t WHERE a >= x",
        "CREATE VIEW taxed AS SELECT vat(a) AS a FROM t",
    )
    async with await SQLConnector.from_url_async(f"duckdb:///{path}", functions=["VAT", "big"]) as source:
        assert await rows(source, "SELECT vat(a), main.vat(a), goal FROM t, sales.targets") == [(20, 20, 5)]
        assert await rows(source, "FROM big(3)") == [(10,)]
        assert await rows(source, "FROM taxed") == [(20,)]
        for call in ("nvl(a, 1)", "main.nvl(a, 1)", "a.nvl(1)", "vat(nextval('s'))"):
            outcome = await source.run_query_async(f"SELECT {call} FROM t")
            assert isinstance(outcome, QueryFailure), call
            assert outcome.kind is FailureKind.REFUSED
    # Those whose text only reads need no name.
    async with await SQLConnector.from_url_async(f"duckdb:///{path}") as source:
        assert [t.name for t in source.schema.tables] == ["t", "taxed", "targets"]
        assert await rows(source, "SELECT vat(a), main.vat(a) FROM t") == [(20, 20)]
        outcome = await source.run_query_async("SELECT nvl(a, 1) FROM t")
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind is FailureKind.REFUSED


async def test_an_operator_is_not_hidden_by_a_macro(tmp_path: Path) -> None:
    path = make(
        tmp_path / "shop.duckdb",
        "CREATE TABLE t AS SELECT 'b' AS a",
        """CREATE MACRO "~~"(a, b) AS error('reached')""",
        "CREATE MACRO upper(a) AS error('reached')",
    )
    async with await SQLConnector.from_url_async(f"duckdb:///{path}", functions=["upper"]) as source:
        assert await rows(source, "SELECT a LIKE 'a', upper(a) FROM t") == [(False, "B")]


async def test_row_and_byte_caps(tmp_path: Path) -> None:
    path = make(tmp_path / "a.duckdb", "CREATE TABLE t AS SELECT range AS i, repeat('x', 1000) AS s FROM range(20000)")
    async with await DuckDBConnector.open_async(
        path, limits=Limits(result_rows=5000, result_bytes=1_000_000)
    ) as source:
        cut = await source.run_query_async("SELECT i FROM t")
        assert isinstance(cut, QueryResult)
        assert (cut.table.num_rows, cut.truncated, cut.cut_by) == (5000, True, "rows")
        cut = await source.run_query_async("SELECT * FROM t")
        assert isinstance(cut, QueryResult)
        assert cut.cut_by == "bytes"
        assert 0 < cut.table.nbytes <= 1_000_000
        whole = await source.run_query_async("SELECT i FROM t WHERE i < 5000")
        assert isinstance(whole, QueryResult)
        assert (whole.table.num_rows, whole.truncated) == (5000, False)


async def test_time_limit(source: DuckDBConnector) -> None:
    started = time.monotonic()
    outcome = await source.run_query_async(ENDLESS, timeout=0.3)
    assert isinstance(outcome, QueryFailure)
    assert outcome.kind is FailureKind.TIMEOUT
    assert time.monotonic() - started < 20
    await quiet(source)


@pytest.mark.parametrize(
    "sql",
    [
        ENDLESS,
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 100000000) SELECT max(i) FROM r",
        "SELECT i, count(*) FROM range(1000000000000) t(i) GROUP BY i % 7, i ORDER BY 1",
    ],
)
async def test_cancelling_stops_the_statement(source: DuckDBConnector, sql: str) -> None:
    task = asyncio.create_task(source.run_query_async(sql))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 15)
    await quiet(source)


async def quiet(source: DuckDBConnector) -> None:
    """The source answers at once, and nothing goes on in the process."""
    assert await asyncio.wait_for(rows(source, "SELECT count(*) FROM orders"), 5) == [(3,)]
    used = time.process_time()
    await asyncio.sleep(0.5)
    assert time.process_time() - used < 0.4
    assert source._adapter._readers == 0


async def test_cancelled_before_it_began(source: DuckDBConnector) -> None:
    task = asyncio.create_task(source.run_query_async(ENDLESS))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await quiet(source)


async def test_many_at_once(source: DuckDBConnector) -> None:
    results = await asyncio.gather(*(rows(source, f"SELECT {i} + count(*) FROM orders") for i in range(30)))
    assert results == [[(i + 3,)] for i in range(30)]


async def test_out_of_memory_is_a_failure(tmp_path: Path) -> None:
    from tabulaflow_core.data.engines.duckdb import DuckDBAdapter

    path = make(tmp_path / "a.duckdb", "CREATE TABLE t AS SELECT 1 AS a")
    connector = DuckDBConnector(DuckDBAdapter({"a": path}, memory_mb=40))
    await connector._start_async()
    outcome = await connector.run_query_async("SELECT count(DISTINCT hash(range)) FROM range(20000000)")
    assert isinstance(outcome, QueryFailure)
    assert outcome.kind is FailureKind.FAILED
    assert "memory" in outcome.message
    assert await rows(connector, "SELECT * FROM t") == [(1,)]
    await connector.close_async()


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT CAST('x' || i AS INT) FROM range(200000) t(i) WHERE i = 150000", "Could not convert string 'x150000'"),
        (
            "SELECT CASE WHEN i = 150000 THEN CAST('x' || i AS INT) ELSE i END FROM range(200000) t(i)",
            "Could not convert",
        ),
        ("SELECT i * 1000000000000000 FROM range(200000) t(i)", "Overflow in multiplication"),
        ("SELECT repeat('x', 100000) || i FROM range(3000) t(i) ORDER BY 1", "needs more memory"),
    ],
)
async def test_what_fails_while_rows_come_is_a_failure(tmp_path: Path, sql: str, words: str) -> None:
    from tabulaflow_core.data.engines.duckdb import DuckDBAdapter

    async with DuckDBConnector(DuckDBAdapter({"a": make(tmp_path / "a.duckdb")}, memory_mb=60)) as connector:
        await connector._start_async()
        outcome = await connector.run_query_async(sql)
        assert isinstance(outcome, QueryFailure), outcome
        assert outcome.kind is FailureKind.FAILED
        assert words in outcome.message
        assert await rows(connector, "SELECT 1") == [(1,)]


def test_memory_that_runs_out_while_rows_come_is_told_as_such() -> None:
    def reader() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"a": [1]})
        raise OSError("Out of Memory Error: could not allocate block of size 256.0 KiB (59.9 MiB/60.0 MiB used)")

    batches = duckdb_fetch._read(reader())
    assert next(batches).num_rows == 1
    with pytest.raises(duckdb.OutOfMemoryException) as caught:
        next(batches)
    assert "needs more memory" in duckdb_fetch.fault_of(caught.value).message


async def test_hints(source: DuckDBConnector) -> None:
    for sql, word in (("SELECT amont FROM orders", "amount"), ("SELECT * FROM custmers", "customers")):
        outcome = await source.run_query_async(sql)
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind is FailureKind.INVALID
        assert word in outcome.hint
    for sql in ("SELECT * FROM indexes", "SELECT * FROM pg_inde", "SELECT * FROM xyz"):
        outcome = await source.run_query_async(sql)
        assert isinstance(outcome, QueryFailure)
        said = (outcome.message + outcome.hint).replace("pg_inde ", "")
        assert not re.search(r"pg_|information_schema|Did you mean", said), said


async def test_several_files_join(tmp_path: Path) -> None:
    one = make(
        tmp_path / "1.duckdb", "CREATE TABLE a AS SELECT 1 AS id, 'x' AS v", "CREATE TABLE both_have AS SELECT 1 AS n"
    )
    two = make(
        tmp_path / "2.duckdb", "CREATE TABLE b AS SELECT 1 AS id, 'y' AS w", "CREATE TABLE both_have AS SELECT 2 AS n"
    )
    async with await DuckDBConnector.open_async({"one": one, "two": two}) as source:
        assert await rows(source, "SELECT v, w FROM a JOIN b USING (id)") == [("x", "y")]
        names = {t.qualified_name for t in source.schema.tables}
        assert names == {"a", "both_have", "b", "two.both_have"}
        assert await rows(source, "SELECT n FROM two.both_have") == [(2,)]


async def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").write_text("a,b\n1,2\n" * 1000)
    with pytest.raises(SourceUnavailable, match="not a DuckDB database"):
        await DuckDBConnector.open_async(tmp_path / "x.duckdb")
    with pytest.raises(SourceUnavailable, match="not there"):
        await DuckDBConnector.open_async(tmp_path / "none.duckdb")
    with pytest.raises(SourceUnavailable, match="folder"):
        await DuckDBConnector.open_async(tmp_path)


async def test_a_file_in_use_elsewhere_is_said(tmp_path: Path) -> None:
    path = make(tmp_path / "busy.duckdb", "CREATE TABLE t AS SELECT 1 AS a")
    code = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    with subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(SourceUnavailable, match="open for writing in another program"):
            await DuckDBConnector.open_async(path)
        other.communicate("\n")


async def test_writing(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1, 2], "name": ["Ana", None]})
    async with await DuckDBConnector.open_async(tmp_path / "new.duckdb", read_only=False) as source:
        await source.write_dataframe_async(frame, "people")
        assert await rows(source, "SELECT * FROM people ORDER BY id") == [(1, "Ana"), (2, None)]
        await source.write_dataframe_async(frame, "people", if_exists="append")
        assert await rows(source, "SELECT count(*) FROM people") == [(4,)]
        outcome = await source.run_query_async("DELETE FROM people")
        assert isinstance(outcome, QueryFailure)
    async with await DuckDBConnector.open_async(tmp_path / "new.duckdb") as source:
        with pytest.raises(WriteNotAllowed):
            await source.write_dataframe_async(frame, "people")


async def test_a_database_of_this_process(tmp_path: Path) -> None:
    source = await DuckDBConnector.open_async(None, read_only=False)
    await source.write_dataframe_async(pd.DataFrame({"a": [1]}), "t")
    assert await rows(source, "SELECT a FROM t") == [(1,)]
    folder = source._folder
    await source.close_async()
    await source.close_async()
    assert folder is not None
    assert not folder.exists()
    with pytest.raises(SourceUnavailable):
        await source.run_query_async("SELECT 1")


def test_no_thread_is_left_by_an_import() -> None:
    code = textwrap.dedent(
        """
        import sys, threading
        import tabulaflow_core.data.files, tabulaflow_core.data.engines
        assert "duckdb" not in sys.modules
        assert threading.active_count() == 1
        """
    )
    subprocess.run([sys.executable, "-c", code], check=True)


async def test_a_key_names_the_schema_of_its_target(tmp_path: Path) -> None:
    made = ("CREATE SCHEMA b", "CREATE TABLE b.y (id INT PRIMARY KEY)", "CREATE TABLE b.x (y INT REFERENCES b.y(id))")
    path = make(tmp_path / "schemas.duckdb", *made)
    async with await DuckDBConnector.open_async(path) as source:
        table = source.schema.table("b.x")
        assert table is not None
        assert [(key.target_schema, key.target_table) for key in table.foreign_keys] == [("b", "y")]


async def test_rows_that_were_deleted_are_not_counted(tmp_path: Path) -> None:
    path = make(
        tmp_path / "less.duckdb", "CREATE TABLE t AS SELECT range AS x FROM range(300)", "DELETE FROM t WHERE x < 100"
    )
    async with await DuckDBConnector.open_async(path) as source:
        assert [(table.row_count, table.estimated) for table in source.schema.tables] == [(200, False)]


async def test_each_table_of_several_files_can_be_written_whatever_its_names(tmp_path: Path) -> None:
    files = {"first one": tmp_path / "a.duckdb", "b": tmp_path / "b.duckdb"}
    for number, path in enumerate(files.values()):
        with closing(duckdb.connect(str(path))) as made:
            made.execute(
                'CREATE SCHEMA "my.sch"; CREATE TABLE "my.sch".t (id INTEGER PRIMARY KEY); '
                'CREATE TABLE "my.sch"."x ""y""" (id INTEGER REFERENCES "my.sch".t (id));'
                'CREATE TABLE "m n" (id INTEGER);'
                f'INSERT INTO "my.sch".t VALUES ({number}); INSERT INTO "my.sch"."x ""y""" VALUES ({number});'
                f'INSERT INTO "m n" VALUES ({number})'
            )
    async with await DuckDBConnector.open_async(files) as source:
        found = {}
        for table in source.schema.tables:
            for sql in (first_rows(table, "duckdb", limit=1), f"SELECT * FROM {table_name(table, 'duckdb')}"):
                outcome = await source.run_query_async(sql)
                assert isinstance(outcome, QueryResult), outcome
                found[table.qualified_name] = outcome.table.column(0).to_pylist()
        assert found == {
            "m n": [0],
            "first one.my.sch.t": [0],
            'first one.my.sch.x "y"': [0],
            "b.m n": [1],
            "b.my.sch.t": [1],
            'b.my.sch.x "y"': [1],
        }
        (key,) = next(t for t in source.schema.tables if t.qualified_name == 'b.my.sch.x "y"').foreign_keys
        assert key.target_path == ("b", "my.sch", "t")
        beside = joint_schema({"files": source.schema})
        assert [table.path for table in beside.tables][1] == ("files", "first one.my.sch__t")
