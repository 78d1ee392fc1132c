"""Running one statement on a cursor and taking its rows as Arrow, under the caps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import pyarrow as pa

from tabulaflow_core.data.arrow import as_text
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import Caps, EngineFault, Fetched

if TYPE_CHECKING:
    import duckdb

_BATCH_ROWS: Final = 1024
#: Kinds of statement that give rows. The kind protects nothing by itself: a CTE that deletes is a SELECT.
_READING: Final = frozenset({"SELECT", "EXPLAIN", "MULTI", "PRAGMA"})  # PIVOT is a MULTI


def fetch(cursor: duckdb.DuckDBPyConnection, sql: str, caps: Caps) -> Fetched:
    """Run one statement and fetch its rows until they end or a cap is reached.

    Raises:
        EngineFault: It is not one statement that reads.
        duckdb.Error: DuckDB's own words.
    """
    from tabulaflow_core.data.guard.duckdb_tree import type_of

    statements = cursor.extract_statements(sql)
    if len(statements) != 1 or type_of(statements[0]) not in _READING:
        raise EngineFault(FailureKind.REFUSED, "Only one statement that reads can be run.")
    relation = cursor.sql(sql)
    if relation is None:
        raise EngineFault(FailureKind.INVALID, "The statement gives no rows.")
    reader = relation.to_arrow_reader(_BATCH_ROWS)
    batches: list[pa.RecordBatch] = []
    rows = size = 0
    cut: Literal["rows", "bytes"] | None = None
    for batch in reader:
        if not batch.num_rows:
            continue
        if rows + batch.num_rows > caps.rows:
            cut, batch = "rows", batch.slice(0, caps.rows - rows)
        if size + batch.nbytes > caps.bytes:
            cut, batch = "bytes", _fitting(batch, caps.bytes - size)
        if batch.num_rows:
            batches.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if cut:
            break
    table = pa.Table.from_batches(batches, schema=reader.schema)
    return Fetched(_portable(table), cut)


def _fitting(batch: pa.RecordBatch, room: int) -> pa.RecordBatch:
    low, high = 0, batch.num_rows
    while low < high:
        middle = (low + high + 1) // 2
        if batch.slice(0, middle).nbytes <= room:
            low = middle
        else:
            high = middle - 1
    return batch.take(pa.array(range(low), pa.int64()))  # a copy: a slice would keep the whole batch in memory


def _portable(table: pa.Table) -> pa.Table:
    """The table without types that exports do not know: enums become text, unions become JSON."""
    columns = []
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        elif pa.types.is_union(column.type):
            column = pa.chunked_array([as_text(column.to_pylist())], type=pa.string())
        columns.append(column)
    return pa.Table.from_arrays(columns, names=table.column_names)


def fault_of(error: duckdb.Error) -> EngineFault:
    """DuckDB's fault in the contract's words."""
    import duckdb

    text = str(error)
    message = text.split("\nLINE ", 1)[0].strip()
    if isinstance(error, duckdb.OutOfMemoryException):
        return EngineFault(
            FailureKind.FAILED, "The query needs more memory than it may use. Ask for less, or aggregate first."
        )
    if isinstance(error, duckdb.CatalogException) and "Table with name" in message:
        message = message.split("\nDid you mean", 1)[
            0
        ]  # it suggests its own catalog; `hint_for` knows the user's tables
    if isinstance(error, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException):
        return EngineFault(FailureKind.INVALID, message)
    if isinstance(error, duckdb.PermissionException):
        return EngineFault(FailureKind.REFUSED, "The query reaches for files or the network, which is locked.")
    return EngineFault(FailureKind.FAILED, message)
