"""Arrow rows -> a table of any SQLAlchemy dialect. The only place of the generic connector that writes."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tabulaflow_core.data.arrow import text_of
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import EngineFault, IfExists

if TYPE_CHECKING:
    import sqlalchemy

_BATCH_ROWS: Final = 5_000
#: Engines in which the making and dropping of a table is part of the transaction.
_ROLLS_BACK_TABLES: Final = frozenset({"postgresql", "mssql", "redshift"})


def write_table(connection: sqlalchemy.Connection, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
    """Write `rows`, all or nothing: in one transaction where the engine rolls back the making of a table too;
    elsewhere a table is filled under another name before it takes the place of the old one.

    Raises:
        EngineFault: The table is there already.
    """
    import sqlalchemy

    inspector = sqlalchemy.inspect(connection)
    exists = inspector.has_table(table)
    if exists and if_exists == "fail":
        raise EngineFault(FailureKind.FAILED, f"there is already a table {table!r}")
    if exists and if_exists == "replace" and table in inspector.get_view_names():
        raise EngineFault(FailureKind.FAILED, f"{table!r} is a view; drop it first")
    if exists and if_exists == "append":
        _filled(connection, _described(connection, table, rows), rows, made=False)
        return
    if connection.dialect.name in _ROLLS_BACK_TABLES:
        target = _described(connection, table, rows)
        if exists:
            target.drop(connection)
        _filled(connection, target, rows, made=True)
        return
    mark = os.urandom(6).hex()
    made = _described(connection, f"_new_{mark}", rows)
    try:
        _filled(connection, made, rows, made=True)
        if exists:
            _rename(connection, table, f"_old_{mark}")
        try:
            _rename(connection, made.name, table)
        except BaseException:
            if exists:
                _rename(connection, f"_old_{mark}", table)
            raise
    except BaseException:
        made.drop(connection, checkfirst=True)
        connection.commit()
        raise
    if exists:
        _described(connection, f"_old_{mark}", rows).drop(connection)
    connection.commit()


def _described(connection: sqlalchemy.Connection, table: str, rows: pa.Table) -> sqlalchemy.Table:
    import sqlalchemy

    columns = (sqlalchemy.Column(field.name, _declared(field.type, connection.dialect)) for field in rows.schema)
    return sqlalchemy.Table(table, sqlalchemy.MetaData(), *columns)


def _filled(connection: sqlalchemy.Connection, target: sqlalchemy.Table, rows: pa.Table, *, made: bool) -> None:
    """Put `rows` in and commit; with `made` the table is made first."""
    try:
        if made:
            target.create(connection)
        if rows.num_rows:
            put = _FAST.get(f"{connection.dialect.name}+{connection.dialect.driver}", _inserted)
            put(connection, target, rows)
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def _batches(rows: pa.Table) -> Iterator[list[tuple[Any, ...]]]:
    for batch in rows.to_batches(max_chunksize=_BATCH_ROWS):
        yield list(zip(*(_values(column) for column in batch.columns), strict=True))


def _inserted(connection: sqlalchemy.Connection, target: sqlalchemy.Table, rows: pa.Table) -> None:
    """By SQLAlchemy, which knows each dialect's own way of many rows at once."""
    names = rows.column_names
    for batch in _batches(rows):
        connection.execute(target.insert(), [dict(zip(names, row, strict=True)) for row in batch])


def _copied(connection: sqlalchemy.Connection, target: sqlalchemy.Table, rows: pa.Table) -> None:
    """By COPY of psycopg: one statement for all rows, in place of one for each thousand with all its values named."""
    from psycopg import sql

    names = sql.SQL(", ").join(map(sql.Identifier, rows.column_names))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(target.name), names)
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for batch in _batches(rows):
            for row in batch:
                copy.write_row(row)


def _joined(connection: sqlalchemy.Connection, target: sqlalchemy.Table, rows: pa.Table) -> None:
    """By PyMySQL, which joins the rows of a batch into few long INSERTs."""
    quote = connection.dialect.identifier_preparer.quote_identifier  # doubles a `%` too, as the driver wants it
    names = ", ".join(quote(name) for name in rows.column_names)
    places = ", ".join(["%s"] * rows.num_columns)
    statement = f"INSERT INTO {quote(target.name)} ({names}) VALUES ({places})"
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor:
        for batch in _batches(rows):
            cursor.executemany(statement, batch)


#: Drivers with a way for many rows that is much faster than that of their dialect.
_FAST: Final[dict[str, Callable[[sqlalchemy.Connection, sqlalchemy.Table, pa.Table], None]]] = {
    "postgresql+psycopg": _copied,
    "mysql+pymysql": _joined,
    "mariadb+pymysql": _joined,
}


def _rename(connection: sqlalchemy.Connection, old: str, new: str) -> None:
    quote = connection.dialect.identifier_preparer.quote
    verb = (
        "RENAME TABLE {} TO {}" if connection.dialect.name.startswith("clickhouse") else "ALTER TABLE {} RENAME TO {}"
    )
    connection.exec_driver_sql(verb.format(quote(old), quote(new)))
    connection.commit()


def _declared(kind: pa.DataType, dialect: Any) -> Any:
    import sqlalchemy as sa

    types = pa.types
    if types.is_boolean(kind):
        return sa.Boolean()
    if types.is_integer(kind):
        return sa.Numeric(20, 0) if kind == pa.uint64() else sa.BigInteger()
    if types.is_floating(kind):
        return sa.Double()
    if types.is_decimal(kind):
        return sa.Numeric(kind.precision, kind.scale)
    if types.is_date(kind):
        return sa.Date()
    if types.is_timestamp(kind):
        if dialect.name in ("mysql", "mariadb"):
            from sqlalchemy.dialects.mysql import DATETIME

            return DATETIME(fsp=6)
        return sa.DateTime(timezone=bool(kind.tz) and dialect.name != "sqlite")
    if types.is_time(kind):
        return sa.Time()
    return sa.LargeBinary() if types.is_binary(kind) or types.is_large_binary(kind) else sa.Text()


def _values(column: pa.Array) -> list[Any]:
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        column = column.cast(pa.timestamp("us", tz=kind.tz), safe=False)  # servers hold microseconds
    values: list[Any] = column.to_pylist()
    if pa.types.is_timestamp(kind) and kind.tz:
        return [None if value is None else value.astimezone(dt.UTC) for value in values]
    simple = (
        pa.types.is_boolean(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_temporal(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )
    return values if simple and not pa.types.is_duration(kind) else [None if v is None else text_of(v) for v in values]
