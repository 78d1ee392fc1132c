"""Running one statement on a cursor and taking its rows as Arrow, under the caps."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

from tabulaflow_core.data.arrow import as_text
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import Caps, EngineFault, Fetched
from tabulaflow_core.data.far_days import day_text, moment_text

if TYPE_CHECKING:
    import duckdb

_BATCH_ROWS: Final = 1024
#: Types that DuckDB's Arrow loses something of: the highest bit, the zone, the bits before the first byte.
_LOST: Final = re.compile(r"\bUHUGEINT\b|\bTIME WITH TIME ZONE\b|\bTIMETZ\b|\bBIT\b")
_EPOCH: Final = dt.date(1970, 1, 1)
#: Kinds of statement that give rows. The kind protects nothing by itself: a CTE that deletes is a SELECT.
_READING: Final = frozenset({"SELECT", "EXPLAIN", "MULTI", "PRAGMA"})  # PIVOT is a MULTI


def fetch(cursor: duckdb.DuckDBPyConnection, sql: str, caps: Caps, values: Sequence[str] = ()) -> Fetched:
    """Run one statement and fetch its rows until they end or a cap is reached.

    Raises:
        EngineFault: It is not one statement that reads.
        duckdb.Error: DuckDB's own words.
    """
    from tabulaflow_core.data.guard.duckdb_tree import type_of

    statements = cursor.extract_statements(sql)
    if len(statements) != 1 or type_of(statements[0]) not in _READING:
        raise EngineFault(FailureKind.REFUSED, "Only one statement that reads can be run.")
    relation = cursor.sql(sql, params=list(values)) if values else cursor.sql(sql)
    if relation is None:
        raise EngineFault(FailureKind.INVALID, "The statement gives no rows.")
    names, kinds = list(relation.columns), [str(kind) for kind in relation.types]
    if any(_LOST.search(kind) for kind in kinds):
        relation = relation.project(
            ", ".join(f"#{i}::VARCHAR" if _LOST.search(kind) else f"#{i}" for i, kind in enumerate(kinds, 1))
        )
    reader = relation.to_arrow_reader(_BATCH_ROWS)
    batches: list[pa.RecordBatch] = []
    rows = size = 0
    cut: Literal["rows", "bytes"] | None = None
    for batch in _read(reader):
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
    columns = [_portable(column, kind) for column, kind in zip(table.columns, kinds, strict=True)]
    return Fetched(pa.Table.from_arrays(columns, names=names), cut)


def _read(reader: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches; what goes wrong on the way is DuckDB's fault again, as which it began.

    Arrow makes an `OSError` or an error of its own of it, with DuckDB's words and without its class.
    """
    try:
        yield from reader
    except (OSError, pa.ArrowException) as error:
        raise _class_of(str(error))(str(error)) from None


def _class_of(text: str) -> type[duckdb.Error]:
    """The class of a fault by the words that DuckDB begins each text with, such as `Conversion Error:`."""
    import duckdb

    classes: dict[str, type[duckdb.Error]] = {
        "out of memory": duckdb.OutOfMemoryException,
        "fatal": duckdb.FatalException,
        "internal": duckdb.InternalException,
        "connection": duckdb.ConnectionException,
        "interrupt": duckdb.InterruptException,
        "permission": duckdb.PermissionException,
    }
    found: type[duckdb.Error] = classes.get(text.partition(" Error:")[0].lower(), duckdb.Error)
    return found


def _fitting(batch: pa.RecordBatch, room: int) -> pa.RecordBatch:
    low, high = 0, batch.num_rows
    while low < high:
        middle = (low + high + 1) // 2
        if batch.slice(0, middle).nbytes <= room:
            low = middle
        else:
            high = middle - 1
    return batch.take(pa.array(range(low), pa.int64()))  # a copy: a slice would keep the whole batch in memory


def _portable(column: pa.ChunkedArray, kind: str) -> pa.ChunkedArray:
    """The column without types and values that exports do not know.

    Enums become text, unions become JSON, and moments that Python has none of, such as infinity, make text.
    """
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    if pa.types.is_union(column.type):
        return pa.chunked_array([as_text(column.to_pylist())], type=pa.string())
    if kind == "UHUGEINT":
        return column.cast(pa.decimal256(39, 0))
    if pa.types.is_date32(column.type) or pa.types.is_timestamp(column.type):
        return _within_the_calendar(column)
    return column


def _within_the_calendar(column: pa.ChunkedArray) -> pa.ChunkedArray:
    days = pa.types.is_date32(column.type)
    numbers = column.cast(pa.int32() if days else pa.int64())
    infinite = 2**31 - 1 if days else 2**63 - 1
    second = 1 if days else {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[column.type.unit]
    first, last = (((day - _EPOCH).days * (1 if days else 86_400) * second) for day in (dt.date.min, dt.date.max))
    least, most = pc.min_max(numbers).as_py().values()
    if least is None or (least >= first and most <= last + second * (0 if days else 86_399)):
        return column
    texts: list[object] = []
    for value, number in zip(column, numbers.to_pylist(), strict=True):
        if number is not None and abs(number) == infinite:
            texts.append("infinity" if number > 0 else "-infinity")
            continue
        try:
            texts.append(value.as_py())
        except (OverflowError, ValueError):
            # Arrow's own text has no room for years of six digits.
            texts.append(day_text(number) if days else moment_text(number, second))
    return pa.chunked_array([as_text(texts)], type=pa.string())


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
