"""Arrow rows -> a PostgreSQL table by binary COPY, in one transaction."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tabulaflow_core.data.arrow import text_of
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import EngineFault, IfExists
from tabulaflow_core.data.engines.postgres_schema import quoted

if TYPE_CHECKING:
    import asyncpg

_BATCH_ROWS: Final = 20_000


async def write_table_async(connection: asyncpg.Connection, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
    """Write `rows`, all or nothing.

    Raises:
        EngineFault: The table is there already, or cannot take the rows.
    """
    async with connection.transaction():
        found = await connection.fetchval(
            "SELECT relkind::text FROM pg_class WHERE relname = $1 AND relnamespace = current_schema()::regnamespace",
            table,
        )
        if found and if_exists == "fail":
            raise EngineFault(FailureKind.FAILED, f"there is already a table {table!r}")
        if found and if_exists == "replace":
            kind = {"v": "VIEW", "m": "MATERIALIZED VIEW"}.get(found, "TABLE")
            await connection.execute(f"DROP {kind} {quoted(table)}")
        if not found or if_exists == "replace":
            columns = ", ".join(f"{quoted(field.name)} {_declared(field.type)}" for field in rows.schema)
            await connection.execute(f"CREATE TABLE {quoted(table)} ({columns})")
        for batch in rows.to_batches(max_chunksize=_BATCH_ROWS):
            await connection.copy_records_to_table(table, records=_tuples(batch), columns=rows.column_names)


def _declared(kind: pa.DataType) -> str:
    types = pa.types
    if types.is_boolean(kind):
        return "boolean"
    if kind == pa.uint64():
        return "numeric(20)"
    if types.is_integer(kind):
        return "bigint"
    if types.is_floating(kind):
        return "double precision"
    if types.is_decimal(kind):
        return f"numeric({max(kind.precision, 1)},{kind.scale})"
    if types.is_date(kind):
        return "date"
    if types.is_timestamp(kind):
        return "timestamptz" if kind.tz else "timestamp"
    if types.is_time(kind):
        return "time"
    if types.is_duration(kind):
        return "interval"
    return "bytea" if types.is_binary(kind) or types.is_large_binary(kind) else "text"


def _tuples(batch: pa.RecordBatch) -> Iterator[tuple[object, ...]]:
    columns = []
    for column in batch.columns:
        kind = column.type
        if pa.types.is_timestamp(kind) and kind.unit == "ns":
            column = column.cast(pa.timestamp("us", tz=kind.tz), safe=False)  # the server holds microseconds
        elif pa.types.is_duration(kind):
            column = column.cast(pa.duration("us"), safe=False)
        values = column.to_pylist()
        if kind == pa.uint64():
            values = [None if value is None else Decimal(value) for value in values]
        elif _declared(kind) == "text":
            values = [None if value is None else text_of(value) for value in values]
        columns.append(values)
    return zip(*columns, strict=True)
