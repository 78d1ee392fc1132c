"""What every connector must do, whatever its engine: subclass `ConnectorContract` and give it a `box` fixture."""

from __future__ import annotations

import asyncio
import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from tabulaflow_core.config import Limits
from tabulaflow_core.data.contracts import DataConnector, FailureKind, QueryFailure, QueryResult
from tabulaflow_core.errors import SourceUnavailable
from tests.data.contract.boxes import BURNER, Box


async def rows_of(connector: DataConnector, sql: str, **options: object) -> QueryResult:
    """The result, or the failure's words."""
    outcome = await connector.run_query_async(sql, **options)  # type: ignore[arg-type]
    assert isinstance(outcome, QueryResult), outcome
    return outcome


async def values_of(connector: DataConnector, sql: str) -> list[list[object]]:
    """Rows as lists, for duplicate names."""
    table = (await rows_of(connector, sql)).table
    return [list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


async def failure_of(connector: DataConnector, sql: str, **options: object) -> QueryFailure:
    """The failure."""
    outcome = await connector.run_query_async(sql, **options)  # type: ignore[arg-type]
    assert isinstance(outcome, QueryFailure), outcome
    return outcome


async def _all_rows(box: Box) -> list[list[object]]:
    return [
        *await values_of(box.connector, "SELECT * FROM sales ORDER BY id"),
        *await values_of(box.connector, "SELECT * FROM customers ORDER BY id"),
    ]


class ConnectorContract:
    """The cases."""

    async def test_is_a_connector(self, box: Box) -> None:
        assert isinstance(box.connector, DataConnector)
        assert box.connector.dialect in ("sqlite", "duckdb", "postgres", "mysql")

    async def test_integers_are_exact(self, box: Box) -> None:
        table = (await rows_of(box.connector, "SELECT id FROM sales ORDER BY id")).table
        assert table.column(0).to_pylist() == [1, 2, 9223372036854775807]
        assert table.schema.field(0).type == pa.int64()

    async def test_decimals_are_exact(self, box: Box) -> None:
        found = await values_of(box.connector, "SELECT amount FROM sales ORDER BY id")
        if box.exact:
            assert found == [[Decimal("12345678901234.5678")], [Decimal("-0.0001")], [None]]
        else:
            assert found[1:] == [[-0.0001], [None]]

    async def test_floats_and_nulls(self, box: Box) -> None:
        assert await values_of(box.connector, "SELECT ratio FROM sales ORDER BY id") == [[0.1], [-2.5], [None]]

    async def test_dates_and_timestamps(self, box: Box) -> None:
        found = await values_of(box.connector, "SELECT sold, sold_at FROM sales WHERE id = 1")
        if box.exact:
            assert found == [[dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, 23, 59, 59, 123456)]]
        else:
            assert found == [["2024-02-29", "2024-02-29 23:59:59.123456"]]

    async def test_time_zones_are_kept(self, box: Box) -> None:
        if not box.zoned:
            pytest.skip("the engine has no timestamps with a time zone")
        column = (await rows_of(box.connector, box.zoned)).table.column(0)
        assert column.type.tz is not None
        assert column[0].as_py() == dt.datetime(2024, 3, 31, 1, 30, tzinfo=dt.UTC)

    async def test_bytes_and_text(self, box: Box) -> None:
        found = await values_of(box.connector, "SELECT raw, note FROM sales ORDER BY id")
        assert found == [[b"\x00\xff", "it's 100% %s :abc"], [None, ""], [None, None]]
        assert await values_of(box.connector, "SELECT name, city FROM customers WHERE id = 2") == [
            ["Bögli & Söhne", "東京"]
        ]

    async def test_percent_and_colon_in_literals(self, box: Box) -> None:
        assert await values_of(box.connector, "SELECT 'see :abc, 50% %s %(x)s ? {a}' AS t") == [
            ["see :abc, 50% %s %(x)s ? {a}"]
        ]
        assert await values_of(box.connector, "SELECT id FROM sales WHERE note LIKE '%100\\%%' ORDER BY 1") in (
            [],
            [[1]],
        )

    async def test_duplicate_names_are_kept(self, box: Box) -> None:
        table = (
            await rows_of(
                box.connector, "SELECT a.id, b.id, a.name FROM customers a JOIN customers b ON a.id = 1 AND b.id = 2"
            )
        ).table
        assert table.column_names == ["id", "id", "name"]
        assert [column.to_pylist() for column in table.columns] == [[1], [2], ["Acme"]]

    async def test_unnamed_columns(self, box: Box) -> None:
        table = (await rows_of(box.connector, "SELECT 1, count(*), 'x' FROM customers")).table
        assert table.num_columns == 3
        assert [column.to_pylist() for column in table.columns] == [[1], [3], ["x"]]

    async def test_awkward_names(self, box: Box) -> None:
        names = ["Unit Price", "select", "größe", "CamelCase"]
        sql = f"SELECT {', '.join(map(box.q, names))} FROM {box.q('Order Lines')}"
        table = (await rows_of(box.connector, sql)).table
        assert table.column_names == names
        assert table.to_pylist() == [dict(zip(names, [1, 2, 3, 4], strict=True))]

    async def test_an_empty_result_keeps_its_columns(self, box: Box) -> None:
        result = await rows_of(box.connector, "SELECT a, b, a AS a FROM no_rows")
        assert result.table.column_names == ["a", "b", "a"]
        assert result.table.num_rows == 0
        assert not result.truncated

    async def test_row_cap(self, box: Box) -> None:
        cut = await rows_of(box.connector, "SELECT id FROM customers ORDER BY id", limit=2)
        assert (cut.table.column(0).to_pylist(), cut.truncated, cut.cut_by) == ([1, 2], True, "rows")
        whole = await rows_of(box.connector, "SELECT id FROM customers ORDER BY id", limit=3)
        assert (whole.table.num_rows, whole.truncated, whole.cut_by) == (3, False, None)

    async def test_byte_cap(self, box: Box) -> None:
        connector = await box.reopen(Limits(result_bytes=100_000))
        sql = (
            "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 500) "
            "SELECT a.n AS x, b.n AS y FROM d a CROSS JOIN d b"
        )
        result = await rows_of(connector, sql)
        assert (result.truncated, result.cut_by) == (True, "bytes")
        assert 0 < result.table.nbytes <= 100_000
        await connector.close_async()

    async def test_a_large_result_comes_whole(self, box: Box) -> None:
        sql = (
            "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 200) "
            "SELECT a.n AS x, b.n AS y FROM d a CROSS JOIN d b"
        )
        table = (await rows_of(box.connector, sql)).table
        assert table.num_rows == 40_000
        assert sum(table.column(0).to_pylist()) == 200 * 201 // 2 * 200

    async def test_time_out_stops_the_statement(self, box: Box) -> None:
        async with asyncio.timeout(30):
            failure = await failure_of(box.connector, BURNER, timeout=0.4)
        assert failure.kind is FailureKind.TIMEOUT
        await self._is_quiet(box)

    async def test_cancelling_stops_the_statement(self, box: Box) -> None:
        task = asyncio.create_task(box.connector.run_query_async(BURNER))
        await asyncio.sleep(0.4)
        assert not task.done()
        if box.running:
            assert await asyncio.to_thread(box.running) == 1
        task.cancel()
        async with asyncio.timeout(30):
            with pytest.raises(asyncio.CancelledError):
                await task
        await self._is_quiet(box)

    async def test_cancelling_at_once_leaves_nothing(self, box: Box) -> None:
        for delay in (0.0, 0.001, 0.005, 0.02):
            task = asyncio.create_task(box.connector.run_query_async(BURNER))
            await asyncio.sleep(delay)
            task.cancel()
            async with asyncio.timeout(30):
                with pytest.raises(asyncio.CancelledError):
                    await task
        await self._is_quiet(box)

    async def _is_quiet(self, box: Box) -> None:
        if box.running:
            assert await asyncio.to_thread(box.running) == 0
        async with asyncio.timeout(30):
            assert await values_of(box.connector, "SELECT count(*) FROM customers") == [[3]]

    @pytest.mark.parametrize(
        "sql",
        [
            "UPDATE sales SET amount = 0",
            "DELETE FROM sales",
            "INSERT INTO customers VALUES (9, 'x', 'y')",
            "DROP TABLE sales",
            "CREATE TABLE t (a int)",
            "ALTER TABLE sales ADD COLUMN z int",
            "SELECT 1; DELETE FROM sales",
            "BEGIN",
        ],
    )
    async def test_writes_are_refused(self, box: Box, sql: str) -> None:
        before = await _all_rows(box)
        failure = await failure_of(box.connector, sql)
        assert failure.kind is FailureKind.REFUSED
        assert failure.message
        assert await _all_rows(box) == before

    async def test_the_engine_refuses_without_the_guard(self, box: Box) -> None:
        if box.raw is None:
            pytest.skip("this connector's lock is tested beside it")
        from tabulaflow_core.data.engines.base import EngineFault

        before = await _all_rows(box)
        tables = [table.name for table in (await box.connector.refresh_schema_async()).tables]
        for sql in (
            "UPDATE sales SET amount = 0",
            "DELETE FROM sales",
            "INSERT INTO customers VALUES (9, 'x', 'y')",
            "DROP TABLE sales",
            "CREATE TABLE t (a int)",
            "ALTER TABLE sales ADD COLUMN z int",
            "CREATE INDEX i ON sales (amount)",
            *box.raw_attacks,
        ):
            try:
                await box.raw(sql)
            except EngineFault:
                pass
            else:
                pytest.fail(f"the engine ran {sql}")
            assert await _all_rows(box) == before, sql
        assert [table.name for table in (await box.connector.refresh_schema_async()).tables] == tables

    async def test_an_unknown_column_gets_a_hint(self, box: Box) -> None:
        failure = await failure_of(box.connector, "SELECT amout FROM sales")
        assert failure.kind is FailureKind.INVALID
        assert "amout" in failure.message
        assert "amount" in failure.message + failure.hint

    async def test_a_column_of_another_table_gets_a_hint(self, box: Box) -> None:
        failure = await failure_of(box.connector, "SELECT city FROM sales")
        assert failure.kind is FailureKind.INVALID
        assert "customers" in failure.hint

    async def test_an_unknown_table_gets_a_hint(self, box: Box) -> None:
        failure = await failure_of(box.connector, "SELECT * FROM custmers")
        assert failure.kind is FailureKind.INVALID
        assert "customers" in failure.message + failure.hint

    async def test_a_syntax_error_is_data(self, box: Box) -> None:
        failure = await failure_of(box.connector, "SELECT FROM WHERE sales")
        assert failure.kind in (FailureKind.INVALID, FailureKind.REFUSED)
        assert "sqlalchemy" not in failure.message.lower()

    async def test_a_break_while_running_is_data(self, box: Box) -> None:
        failure = await failure_of(box.connector, box.breaks)
        assert failure.kind is FailureKind.FAILED
        assert await values_of(box.connector, "SELECT count(*) FROM customers") == [[3]]

    async def test_schema(self, box: Box) -> None:
        schema = box.connector.schema
        assert {"customers", "sales", "Order Lines", "no_rows", "big_sales"} <= {table.name for table in schema.tables}
        sales, customers, view = (schema.table(name) for name in ("sales", "customers", "big_sales"))
        assert sales is not None
        assert customers is not None
        assert view is not None
        names = ["id", "customer_id", "amount", "sold", "sold_at", "ratio", "note", "raw"]
        assert [c.name for c in sales.columns] == names
        assert sales.primary_key == ("id",)
        assert [(k.columns, k.target_table, k.target_columns) for k in sales.foreign_keys] == [
            (("customer_id",), "customers", ("id",))
        ]
        assert (sales.schema, sales.kind, sales.row_count) == (None, "table", 3)
        assert (view.kind, [c.name for c in view.columns]) == ("view", ["id", "amount"])
        name = next(c for c in customers.columns if c.name == "name")
        assert name.nullable is False
        assert set(name.samples) == {"Acme", "Bögli & Söhne", "Zeta"}

    async def test_the_schema_is_read_again(self, box: Box) -> None:
        if "outside" in box.extra:
            pytest.skip(box.extra["outside"])
        box.outside("CREATE TABLE later (a int)")
        try:
            assert (await box.connector.refresh_schema_async(max_age=600)).table("later") is None
            assert (await box.connector.refresh_schema_async()).table("later") is not None
        finally:
            box.outside("DROP TABLE later")

    async def test_five_at_once(self, box: Box) -> None:
        found = await asyncio.gather(
            *(values_of(box.connector, f"SELECT {n}, count(*) FROM customers") for n in range(5))
        )
        assert found == [[[n, 3]] for n in range(5)]

    async def test_one_is_stopped_and_the_others_go_on(self, box: Box) -> None:
        slow = asyncio.create_task(box.connector.run_query_async(BURNER, timeout=1.0))
        if box.name != "memory":  # one connection there: one after the other
            async with asyncio.timeout(30):
                assert await values_of(box.connector, "SELECT count(*) FROM customers") == [[3]]
        outcome = await slow
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind is FailureKind.TIMEOUT

    async def test_closed_twice(self, box: Box) -> None:
        await box.connector.close_async()
        await box.connector.close_async()
        with pytest.raises(SourceUnavailable):
            await box.connector.run_query_async("SELECT 1")
