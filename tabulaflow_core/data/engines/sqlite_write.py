"""Arrow rows -> an SQLite table, in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

import pyarrow as pa

from tabulaflow_core.data.arrow import text_of
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import EngineFault, IfExists
from tabulaflow_core.data.engines.sqlite_schema import quoted

_BATCH_ROWS: Final = 20_000
#: SQLite stores a NUMERIC value as a double when 15 significant digits hold it: sqlite.org/datatype3.html §3.
_EXACT_DIGITS: Final = 15


def write_table(connection: sqlite3.Connection, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
    """Write `rows`, all or nothing.

    Raises:
        EngineFault: The table is there already, or cannot take the rows.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = connection.execute(
            "SELECT type FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')", (table,)
        ).fetchone()
        if found and if_exists == "fail":
            raise EngineFault(FailureKind.FAILED, f"there is already a {found[0]} {table!r}")
        if found and if_exists == "replace":
            connection.execute(f"DROP {found[0].upper()} {quoted(table)}")
        if not found or if_exists == "replace":
            columns = ", ".join(f"{quoted(field.name)} {_declared(field.type)}" for field in rows.schema)
            connection.execute(f"CREATE TABLE {quoted(table)} ({columns})")
        names = ", ".join(quoted(name) for name in rows.column_names)
        places = ", ".join("?" * rows.num_columns)
        statement = f"INSERT INTO {quoted(table)} ({names}) VALUES ({places})"
        for batch in rows.to_batches(max_chunksize=_BATCH_ROWS):
            connection.executemany(statement, _tuples(batch))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _declared(kind: pa.DataType) -> str:
    types = pa.types
    if types.is_boolean(kind):
        return "BOOLEAN"
    if types.is_integer(kind) and kind != pa.uint64():
        return "INTEGER"
    if types.is_floating(kind):
        return "REAL"
    if types.is_decimal(kind) and kind.precision <= _EXACT_DIGITS:
        return f"DECIMAL({kind.precision},{kind.scale})"
    if types.is_date(kind):
        return "DATE"
    if types.is_timestamp(kind):
        return "TIMESTAMP"
    if types.is_binary(kind) or types.is_large_binary(kind):
        return "BLOB"
    return "TEXT"


def _tuples(batch: pa.RecordBatch) -> Iterator[tuple[object, ...]]:
    columns = []
    for column in batch.columns:
        values = column.to_pylist()
        plain = pa.types.is_floating(column.type) or pa.types.is_boolean(column.type)
        if not plain and (column.type == pa.uint64() or not pa.types.is_integer(column.type)):
            values = [_storable(value) for value in values]
        columns.append(values)
    return zip(*columns, strict=True)


def _storable(value: object) -> object:
    return value if value is None or isinstance(value, str | bytes) else text_of(value)
