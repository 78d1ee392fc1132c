"""Arrow rows -> a MariaDB or MySQL table."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tabulaflow_core.data.arrow import text_of
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import EngineFault, IfExists
from tabulaflow_core.data.engines.mysql_schema import quoted

if TYPE_CHECKING:
    import pymysql

    from tabulaflow_core.data.engines.mysql_connection import Connection

_BATCH_ROWS: Final = 5_000
#: The server's longest table name, in characters.
_NAME_LENGTH: Final = 64


def write_table(connection: Connection, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
    """Write `rows`, all or nothing: DDL commits by itself here, so a new table is filled under another name first.

    Raises:
        EngineFault: The table is there already, or cannot take the rows.
    """
    if len(table) > _NAME_LENGTH:
        raise EngineFault(FailureKind.FAILED, f"a table's name has {_NAME_LENGTH} characters at most")
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'")
        cursor.execute(
            "SELECT table_type FROM information_schema.tables WHERE table_schema = database() AND table_name = %s",
            (table,),
        )
        found = cursor.fetchone()
        if found and if_exists == "fail":
            raise EngineFault(FailureKind.FAILED, f"there is already a table {table!r}")
        if found and if_exists == "append":
            cursor.execute("START TRANSACTION")
            try:
                _insert(cursor, table, rows)
            except BaseException:
                connection.rollback()
                raise
            connection.commit()
            return
        if found and found[0] == "VIEW":
            raise EngineFault(FailureKind.FAILED, f"{table!r} is a view; drop it first")
        _replace(cursor, table, rows, exists=bool(found))


def _replace(cursor: pymysql.cursors.Cursor, table: str, rows: pa.Table, *, exists: bool) -> None:
    mark = os.urandom(6).hex()
    new, old = f"_new_{mark}", f"_old_{mark}"
    columns = ", ".join(f"{quoted(field.name)} {_declared(field.type)}" for field in rows.schema)
    cursor.execute(f"CREATE TABLE {quoted(new)} ({columns}) CHARACTER SET utf8mb4")
    try:
        _insert(cursor, new, rows)
        if exists:
            cursor.execute(f"RENAME TABLE {quoted(table)} TO {quoted(old)}, {quoted(new)} TO {quoted(table)}")
            cursor.execute(f"DROP TABLE {quoted(old)}")
        else:
            cursor.execute(f"RENAME TABLE {quoted(new)} TO {quoted(table)}")
    except BaseException:
        cursor.execute(f"DROP TABLE IF EXISTS {quoted(new)}")
        raise


def _insert(cursor: pymysql.cursors.Cursor, table: str, rows: pa.Table) -> None:
    names = ", ".join(quoted(name) for name in rows.column_names).replace("%", "%%")
    places = ", ".join(["%s"] * rows.num_columns)
    statement = f"INSERT INTO {quoted(table).replace('%', '%%')} ({names}) VALUES ({places})"
    for batch in rows.to_batches(max_chunksize=_BATCH_ROWS):
        columns = [_values(column) for column in batch.columns]
        cursor.executemany(statement, list(zip(*columns, strict=True)))


def _declared(kind: pa.DataType) -> str:
    types = pa.types
    if types.is_boolean(kind):
        return "BOOLEAN"
    if types.is_integer(kind):
        return "BIGINT UNSIGNED" if kind == pa.uint64() else "BIGINT"
    if types.is_floating(kind):
        return "DOUBLE"
    if types.is_decimal(kind) and kind.precision <= 65 and 0 <= kind.scale <= 30:
        return f"DECIMAL({kind.precision},{kind.scale})"
    if types.is_date(kind):
        return "DATE"
    if types.is_timestamp(kind):
        return "DATETIME(6)"
    if types.is_time(kind):
        return "TIME(6)"
    return "LONGBLOB" if types.is_binary(kind) or types.is_large_binary(kind) else "LONGTEXT"


def _values(column: pa.Array) -> list[object]:
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        column = column.cast(pa.timestamp("us", tz=kind.tz), safe=False)  # the server holds microseconds
    values = column.to_pylist()
    if pa.types.is_timestamp(kind) and kind.tz:
        return [None if value is None else value.astimezone(dt.UTC).replace(tzinfo=None) for value in values]
    if _declared(kind) == "LONGTEXT":
        return [None if value is None else text_of(value) for value in values]
    return list(values)
