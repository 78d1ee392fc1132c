"""Values of any driver -> Arrow, exactly: what a driver's own classes mean is settled here, a column at a time."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import pyarrow as pa

from tabulaflow_core.data.arrow import as_text, infer_array, text_of

#: Classes that Arrow takes as they are.
_PLAIN: Final = frozenset({bool, int, float, str, bytes, Decimal, dt.date, dt.timedelta, type(None)})


def convert(values: Sequence[object]) -> pa.Array:
    """One column of one batch."""
    kinds = set(map(type, values))
    if not kinds <= _PLAIN:
        values = [_plain(value) for value in values]
        kinds = set(map(type, values))
    if dt.datetime in kinds or dt.time in kinds:
        return _times(values, kinds)
    if list in kinds:
        return _lists(values)
    return infer_array(values)


def _plain(value: Any) -> object:
    """The value as one of Python's own; what has no such form, as text."""
    kind = type(value)
    if kind in _PLAIN or kind in (dt.datetime, dt.time):
        return value
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return json.dumps(value, default=text_of, ensure_ascii=False)
    for base in (bool, int, float, str, bytes, Decimal, dt.datetime, dt.date, dt.time, dt.timedelta):
        if isinstance(value, base):
            return _of_base(base, value)
    if hasattr(value, "item") and hasattr(value, "dtype"):  # a scalar of numpy
        return _plain(value.item()) if value.ndim == 0 else [_plain(item) for item in value.tolist()]
    if hasattr(value, "read"):  # a large object that is fetched when it is read
        return _plain(value.read())
    return str(value)


def _of_base(base: type, value: Any) -> object:
    """A driver's own subclass, such as pandas' Timestamp or an enumeration."""
    if base in (dt.datetime, dt.date, dt.time, dt.timedelta):
        to_python = getattr(value, "to_pydatetime", None) or getattr(value, "to_pytimedelta", None)
        return to_python() if to_python else value
    return getattr(value, "value", value) if base is str else base(value)


def _times(values: Sequence[Any], kinds: set[type]) -> pa.Array:
    """Instants in UTC, local times without a zone; a mixture, and a time of day with a zone, as text."""
    kinds = kinds - {type(None)}
    if kinds == {dt.datetime}:
        zoned = {value.utcoffset() is not None for value in values if value is not None}
        if len(zoned) == 1:
            kind = pa.timestamp("us", tz="UTC") if True in zoned else pa.timestamp("us")
            return pa.array(values, type=kind)
    if kinds == {dt.time} and all(value is None or value.tzinfo is None for value in values):
        return pa.array(values, type=pa.time64("us"))
    return as_text(values)


def _lists(values: Sequence[Any]) -> pa.Array:
    """Lists of plain values of one type stay lists; others become JSON."""
    if all(value is None or isinstance(value, list) for value in values):
        leaves = [leaf for value in values if value is not None for leaf in value]
        if not any(isinstance(leaf, list) for leaf in leaves):
            items = convert(leaves)
            if not (pa.types.is_string(items.type) and any(not isinstance(leaf, str | None) for leaf in leaves)):
                offsets: list[int | None] = []
                position = 0
                for value in values:
                    offsets.append(None if value is None else position)
                    position += len(value or ())
                return pa.ListArray.from_arrays(pa.array([*offsets, position], pa.int32()), items)
    return as_text(values)
