"""Columns as they are drawn: instants that are kept as numbers or as text, and clocks that show an hour twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tabulaflow_core.output.columns import Column

_MOMENT_NAME: Final = re.compile(
    r"epoch|unix|timestamp|datetime|(?:^|_)(?:ts|date|created|updated|modified|occurred)(?:$|_)|_(?:at|on)(?:$|_)",
    re.IGNORECASE,
)
#: Between 2000 and 2100 in seconds; a number of another size says its unit by that.
_LEAST, _MOST = 946_684_800, 4_102_444_800
_UNITS: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_ZONED: Final = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$")


def as_drawn(columns: Sequence[Column]) -> list[Column]:
    """The columns with every instant as one, so that it is drawn in its place and its zone can be named."""
    return [_moments(column) for column in columns]


def _moments(column: Column) -> Column:
    kind = column.data.type
    if pa.types.is_integer(kind) and column.role != "time":
        return _from_epoch(column)
    if column.unit == "date" and pa.types.is_timestamp(kind) and kind.tz is not None:
        return _unambiguous(column)
    if column.unit == "date" and (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return _from_zoned(column)
    return column


def _from_epoch(column: Column) -> Column:
    """Seconds, milli-, micro- or nanoseconds since 1970, told by the column's name and the size of its numbers."""
    if not _MOMENT_NAME.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column.name)):
        return column
    least, most = pc.min_max(column.data).as_py().values()
    if least is None or least == most:
        return column
    for unit, parts in _UNITS.items():
        if _LEAST * parts <= least <= most <= _MOST * parts:
            data = column.data.cast(pa.int64()).cast(pa.timestamp(unit, tz="UTC"))
            return replace(column, role="time", unit="date", data=data)
    return column


def _unambiguous(column: Column) -> Column:
    """In UTC where the zone's own clock shows one hour twice: two instants would be drawn as one."""
    wall = pc.local_timestamp(column.data)
    if len(wall.unique()) == len(column.data.unique()):
        return column
    return replace(column, data=column.data.cast(pa.timestamp(column.data.type.unit, tz="UTC")))


def _from_zoned(column: Column) -> Column:
    """Texts with a zone as instants: in their zone when they share one, else in UTC."""
    texts = [None if value is None else str(value).strip() for value in column.values]
    known = [text for text in texts if text]
    if not known or not all(map(_ZONED.search, known)):
        return column
    try:
        moments = [datetime.fromisoformat(text) if text else None for text in texts]
    except ValueError:
        return column
    offsets = {moment.utcoffset() for moment in moments if moment is not None}
    zone = _zone_name(offsets.pop()) if len(offsets) == 1 else "UTC"
    return replace(column, data=pa.chunked_array([pa.array(moments, pa.timestamp("us", tz=zone))]))


def _zone_name(offset: timedelta | None) -> str:
    minutes = 0 if offset is None else int(offset.total_seconds()) // 60
    if not minutes:
        return "UTC"
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
