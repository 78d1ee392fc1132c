"""Rows of a driver -> Arrow, batch by batch, exactly, under a row and a byte cap."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache
from typing import Final, Literal, Protocol, runtime_checkable

import pyarrow as pa

from tabulaflow_core.data.engines.base import Caps, Fetched

#: Turns the values of one column of one batch into an array.
Converter = Callable[[Sequence[object]], pa.Array]

_FIRST_BATCH: Final = 16
_LARGEST_BATCH: Final = 20_000
#: Values of a batch at most: while they are made into Arrow, no other thread comes to work, such as one that stops.
_BATCH_VALUES: Final = 60_000
#: A batch has at most so many times the rows of all before it, should the rows become wider.
_GROWTH: Final = 16
#: Bytes a batch aims at, so that wide rows do not overrun the byte cap before it is looked at.
_BATCH_BYTES: Final = 4 * 1024 * 1024
#: Doubles hold every integer up to here.
_EXACT_DOUBLE: Final = 2**53
#: Decimal digits that a double always gives back as they were written.
_DOUBLE_DIGITS: Final = 15


#: What Arrow itself finds for values of one class.
_OF_CLASS: Final[dict[type, pa.DataType]] = {int: pa.int64(), float: pa.float64(), str: pa.string(), bytes: pa.binary()}


@cache
def load_converting() -> None:
    """Load what pyarrow loads with its first conversion of values: half a second of CPU time.

    A query calls it before its time limit begins, which is for the database alone.
    """
    pa.array([None])


@runtime_checkable
class Noticing(Protocol):
    """A converter that knows what it could not give as it is."""

    def notice(self, name: str) -> str:
        """A sentence on the column called `name`; empty when there is nothing to say."""


class TableBuilder:
    """Collects batches of rows until they end or a cap is reached.

    Args:
        names: Column names; they may repeat and may be empty.
        converters: One a column, None to infer the type from the values.
        caps: The row and byte bounds.
    """

    def __init__(self, names: Sequence[str], converters: Sequence[Converter | None], caps: Caps) -> None:
        self._names = list(names)
        self._converters = [converter or infer_array for converter in converters]
        self._caps = caps
        self._chunks: list[list[pa.Array]] = [[] for _ in names]
        self._rows = 0
        self._bytes = 0
        self._cut_by: Literal["rows", "bytes"] | None = None

    @property
    def batch_size(self) -> int:
        """How many rows to fetch next; one more than the row cap allows, to learn whether there are more."""
        size = _FIRST_BATCH
        if self._rows:
            fitting = min(_BATCH_BYTES * self._rows // max(self._bytes, 1), _BATCH_VALUES // max(len(self._names), 1))
            size = max(1, min(_LARGEST_BATCH, _GROWTH * self._rows, fitting))
        return max(1, min(size, self._caps.rows - self._rows + 1))

    def add(self, rows: Sequence[Sequence[object]]) -> bool:
        """Take a batch; False when nothing more is wanted."""
        if not rows:
            return False
        room = self._caps.rows - self._rows
        if len(rows) > room:
            self._cut_by = "rows"
            rows = rows[:room]
        if not rows:
            return False
        arrays = [convert(column) for convert, column in zip(self._converters, zip(*rows, strict=True), strict=True)]
        size = sum(array.nbytes for array in arrays)
        count = len(rows)
        if self._bytes + size > self._caps.bytes:
            self._cut_by = "bytes"
            arrays, count = self._fitting(arrays, count)
        for chunks, array in zip(self._chunks, arrays, strict=True):
            chunks.append(array)
        self._rows += count
        self._bytes += sum(array.nbytes for array in arrays)
        return self._cut_by is None

    def _fitting(self, arrays: list[pa.Array], count: int) -> tuple[list[pa.Array], int]:
        room = self._caps.bytes - self._bytes
        low, high = 0, count
        while low < high:
            middle = (low + high + 1) // 2
            if sum(array.slice(0, middle).nbytes for array in arrays) <= room:
                low = middle
            else:
                high = middle - 1
        # Concatenating copies, so that the part left out does not stay in memory behind a slice; the copy may have
        # a validity bitmap that the slice did not count.
        while True:
            kept = [pa.concat_arrays([array.slice(0, low), array.slice(0, 0)]) for array in arrays]
            if low == 0 or sum(array.nbytes for array in kept) <= room:
                return kept, low
            low -= max(1, low // 20)

    def finish(self) -> Fetched:
        """The table so far."""
        columns = [
            _unified(chunks) if chunks else pa.chunked_array([convert([])])
            for chunks, convert in zip(self._chunks, self._converters, strict=True)
        ]
        pairs = zip(self._names, self._converters, strict=True)
        notices = [_notice(converter, name) for name, converter in pairs]
        table = pa.Table.from_arrays(columns, names=self._names)
        return Fetched(table, self._cut_by, tuple(dict.fromkeys(filter(None, notices))))


def _notice(converter: object, name: str) -> str:
    return converter.notice(name) if isinstance(converter, Noticing) else ""


def typed(kind: pa.DataType) -> Converter:
    """A converter to `kind` that falls back to inference where a value does not fit it."""

    def convert(values: Sequence[object]) -> pa.Array:
        try:
            return pa.array(values, type=kind)
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            return infer_array(values)

    return convert


def as_text(values: Sequence[object]) -> pa.Array:
    """Every value as text, NULL as NULL."""
    return pa.array([None if value is None else text_of(value) for value in values], type=pa.string())


def decimals(values: Sequence[object]) -> pa.Array:
    """Exact decimals, 128 or 256 bits wide as needed; doubles where NaN or an infinity stands among numbers that
    those hold as written; text where nothing fits."""
    whole = scale = 0
    for value in values:
        if value is None:
            continue
        if not isinstance(value, Decimal) or not value.is_finite():
            return infer_array(values) if not isinstance(value, Decimal) else _with_no_numbers(values)
        _, digits, exponent = value.as_tuple()
        assert isinstance(exponent, int)
        scale = max(scale, -exponent)
        whole = max(whole, len(digits) + exponent)
    kind = _decimal_type(max(whole, 1), scale)
    return as_text(values) if kind is None else pa.array(values, type=kind)


def _with_no_numbers(values: Sequence[object]) -> pa.Array:
    """Decimals of which some are NaN or infinite, which no decimal of Arrow holds."""
    if all(value is None or (isinstance(value, Decimal) and _fits_double(value)) for value in values):
        return _as_doubles(values)
    return as_text(values)


def _fits_double(value: Decimal) -> bool:
    return not value.is_finite() or (len(value.as_tuple().digits) <= _DOUBLE_DIGITS and abs(value.adjusted()) < 300)


def _as_doubles(values: Sequence[object]) -> pa.Array:
    return pa.array([None if value is None else float(value) for value in values], type=pa.float64())  # type: ignore[arg-type]


def _decimal_type(whole: int, scale: int) -> pa.DataType | None:
    if whole + scale <= 38:
        return pa.decimal128(38, scale)
    return pa.decimal256(76, scale) if whole + scale <= 76 else None


def infer_array(values: Sequence[object]) -> pa.Array:
    """The narrowest type that holds every value exactly; text for a mixture."""
    kinds = set(map(type, values))
    kinds.discard(type(None))
    if not kinds:
        return pa.nulls(len(values))
    if len(kinds) == 1 and (kind := _OF_CLASS.get(next(iter(kinds)))) is not None:
        # Told, Arrow does not look through the values for it first.
        with suppress(pa.ArrowException, OverflowError, TypeError, ValueError):  # such as integers that need 128 bits
            return pa.array(values, type=kind)
    if Decimal in kinds and kinds <= {Decimal, int}:
        return decimals([Decimal(v) if isinstance(v, int) else v for v in values])
    if len(kinds) == 1 or kinds == {int, float}:
        try:
            return pa.array(values)
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            return decimals([None if v is None else Decimal(v) for v in values]) if kinds == {int} else as_text(values)  # type: ignore[arg-type]
    return as_text(values)


def text_of(value: object) -> str:
    """A value as text without loss: ISO dates, `\\x` hex for bytes, JSON for containers."""
    match value:
        case str():
            return value
        case bytes() | bytearray() | memoryview():
            return "\\x" + bytes(value).hex()
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case dt.datetime():
            return value.isoformat(sep=" ")
        case dt.date() | dt.time():
            return value.isoformat()
        case list() | tuple() | dict():
            return json.dumps(value, default=text_of, ensure_ascii=False)
    return str(value)


def _unified(chunks: list[pa.Array]) -> pa.ChunkedArray:
    """One column from batches whose inferred types may differ."""
    kinds = {chunk.type for chunk in chunks if not pa.types.is_null(chunk.type)}
    if not kinds:
        return pa.chunked_array(chunks)
    kind = kinds.pop() if len(kinds) == 1 else _common(kinds, chunks)
    if kind is None:
        return pa.chunked_array([as_text(chunk.to_pylist()) for chunk in chunks], type=pa.string())
    # Arrow's own cast of a decimal to a double may miss the nearest one.
    exactly = pa.types.is_float64(kind)
    return pa.chunked_array(
        [_as_doubles(c.to_pylist()) if exactly and pa.types.is_decimal(c.type) else c.cast(kind) for c in chunks],
        type=kind,
    )


def _common(kinds: set[pa.DataType], chunks: list[pa.Array]) -> pa.DataType | None:
    """The type that holds all of `kinds` exactly, None when only text does."""
    if all(pa.types.is_decimal(kind) or pa.types.is_int64(kind) for kind in kinds):
        scale = max(getattr(kind, "scale", 0) for kind in kinds)
        whole = 1
        for chunk in chunks:
            values = (abs(value) for value in chunk.to_pylist() if value is not None)
            whole = max(whole, len(str(int(max(values, default=0)))))
        return _decimal_type(whole, scale)
    if kinds == {pa.int64(), pa.float64()}:
        largest = max(
            (abs(v) for c in chunks if pa.types.is_int64(c.type) for v in c.to_pylist() if v is not None), default=0
        )
        return pa.float64() if largest <= _EXACT_DOUBLE else None
    if all(pa.types.is_decimal(kind) or pa.types.is_float64(kind) for kind in kinds):
        exact = (c.to_pylist() for c in chunks if pa.types.is_decimal(c.type))
        return pa.float64() if all(v is None or _fits_double(v) for values in exact for v in values) else None
    return None
