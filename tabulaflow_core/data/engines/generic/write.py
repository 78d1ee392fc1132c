"""Arrow rows -> a table of any SQLAlchemy dialect. The only place of the generic connector that writes."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tabulaflow_core.data.arrow import text_of
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import EngineFault, IfExists

if TYPE_CHECKING:
    import sqlalchemy

_BATCH_ROWS: Final = 5_000


def write_table(connection: sqlalchemy.Connection, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
    """Write `rows` in one transaction. All or nothing where the engine rolls back the making of a table too;
    elsewhere a table that was not filled is dropped.

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
    target = sqlalchemy.Table(
        table,
        sqlalchemy.MetaData(),
        *(sqlalchemy.Column(field.name, _declared(field.type, connection.dialect)) for field in rows.schema),
    )
    made = not exists or if_exists == "replace"
    try:
        if exists and if_exists == "replace":
            target.drop(connection)
        if made:
            target.create(connection)
        for batch in rows.to_batches(max_chunksize=_BATCH_ROWS):
            columns = [_values(column) for column in batch.columns]
            names = rows.column_names
            found = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
            if found:
                connection.execute(target.insert(), found)
        connection.commit()
    except BaseException:
        connection.rollback()
        if made and not exists:
            target.drop(connection, checkfirst=True)
            connection.commit()
        raise


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
