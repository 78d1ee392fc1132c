"""The workspace itself: a DuckDB in memory for one query, closed before the query runs."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import Caps, EngineFault, Fetched
from tabulaflow_core.data.engines.duckdb_fetch import fault_of, fetch
from tabulaflow_core.data.engines.duckdb_lock import literal, lock, open_locked, quote, run

if TYPE_CHECKING:
    import duckdb

_DATE: Final = r"\d{4}-\d{2}-\d{2}"
_MOMENT: Final = _DATE + r"[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"


class Workspace:
    """One instance at a time, which another thread may interrupt whenever that comes."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._stopped = False

    def run(self, tables: Mapping[tuple[str, str], pa.Table], sql: str, caps: Caps, *, dates: bool) -> Fetched:
        """Put `tables` in, close the instance, and run `sql`; blocks.

        Args:
            tables: By schema and name.
            dates: Texts that all are ISO dates or times become such.

        Raises:
            EngineFault: The statement's fault.
        """
        import duckdb

        connection = open_locked({})
        try:
            with self._guard:
                if self._stopped:
                    raise EngineFault(FailureKind.FAILED, "The query was stopped.")
                self._connection = connection
            for (schema, name), rows in tables.items():
                run(connection, f"CREATE SCHEMA IF NOT EXISTS {quote(schema)}")
                _put(connection, f"{quote(schema)}.{quote(name)}", rows, dates=dates)
            lock(connection)
            path = ",".join(f"memory.{quote(schema)}" for schema in dict.fromkeys(schema for schema, _ in tables))
            run(connection, f"SET search_path = {literal(path)}")
            return fetch(connection, sql, caps)
        except duckdb.Error as error:
            raise fault_of(error) from None
        finally:
            with self._guard:
                self._connection = None
                connection.close()

    def interrupt(self) -> None:
        """Stop what runs and what would begin."""
        with self._guard:
            self._stopped = True
            if self._connection is not None:
                self._connection.interrupt()


def _put(connection: duckdb.DuckDBPyConnection, path: str, rows: pa.Table, *, dates: bool) -> None:
    connection.register("incoming_rows", _storable(rows))
    columns = [_dated(connection, name) if dates else quote(name) for name in rows.column_names]
    run(connection, f"CREATE TABLE {path} AS SELECT {', '.join(columns)} FROM incoming_rows")
    connection.unregister("incoming_rows")


def _dated(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    column = quote(name)
    kind = run(connection, f"SELECT any_value(typeof({column})) FROM incoming_rows")[0][0]
    if kind != "VARCHAR":
        return column
    for pattern, wanted in ((_DATE, "DATE"), (_MOMENT, "TIMESTAMP")):
        ((all_fit,),) = run(
            connection,
            f"SELECT bool_and(regexp_full_match({column}, {literal(pattern)}) "
            f"AND TRY_CAST({column} AS {wanted}) IS NOT NULL) FROM incoming_rows WHERE {column} IS NOT NULL",
        )
        if all_fit:
            return f"CAST({column} AS {wanted}) AS {column}"
    return column


def _storable(rows: pa.Table) -> pa.Table:
    """The rows in types that DuckDB takes: longer decimals become shorter where nothing is lost, else text."""
    columns = []
    for column in rows.columns:
        if pa.types.is_null(column.type):
            column = column.cast(pa.string())
        elif pa.types.is_decimal256(column.type):
            column = _shorter(column)
        columns.append(column)
    return pa.Table.from_arrays(columns, names=rows.column_names)


def _shorter(column: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return column.cast(pa.decimal128(38, min(column.type.scale, 38)))
    except pa.ArrowInvalid:
        return column.cast(pa.string())
