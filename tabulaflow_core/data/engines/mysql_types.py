"""MariaDB and MySQL result columns -> Arrow types; every value comes as text or, when it is binary, as bytes."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Final, Protocol

import pyarrow as pa

from tabulaflow_core.data.arrow import Converter, as_text, infer_array, typed

#: dev.mysql.com/doc/dev/mysql-server/latest/field__types_8h.html
_UNSIGNED: Final = 32
_BINARY_CHARSET: Final = 63
_DECIMALS: Final = frozenset({0, 246})
_TIME: Final = 11
_BIT: Final = 16
_JSON: Final = 245
_INTEGERS: Final[dict[int, tuple[pa.DataType, pa.DataType]]] = {
    1: (pa.int8(), pa.uint8()),
    2: (pa.int16(), pa.uint16()),
    3: (pa.int32(), pa.uint32()),
    9: (pa.int32(), pa.uint32()),
    8: (pa.int64(), pa.uint64()),
    13: (pa.int16(), pa.uint16()),
}
_TYPED: Final[dict[int, pa.DataType]] = {
    4: pa.float64(),
    5: pa.float64(),
    7: pa.timestamp("us"),
    10: pa.date32(),
    12: pa.timestamp("us"),
}
#: Of dates and moments.
DATES: Final = frozenset({7, 10, 12})
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d(?![^ T])")
_TEXTS: Final = frozenset({15, 245, 247, 248, 249, 250, 251, 252, 253, 254})
_CLOCK: Final = re.compile(r"(-?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?")


class Field(Protocol):
    """What the driver tells of a result column."""

    name: str
    type_code: int
    flags: int
    charsetnr: int
    scale: int


def converter_for(field: Field) -> Converter:
    """The converter of one column; a value that does not fit its type makes it text.

    A date that is none, such as `0000-00-00`, becomes NULL, which is said.
    """
    code = field.type_code
    if code in _DECIMALS:
        # 65 digits at most, 38 of them after the point: mariadb.com/kb/en/decimal.
        return _parsed(pa.decimal128(38, field.scale), pa.decimal256(76, field.scale))
    if code == _BIT:
        return _bits
    if code == _TIME:
        return _durations
    if code in _INTEGERS:
        return _parsed(_INTEGERS[code][bool(field.flags & _UNSIGNED)])
    if code in _TYPED:
        return Dates(_parsed(_TYPED[code])) if code in DATES else _parsed(_TYPED[code])
    if code in _TEXTS:
        return typed(pa.binary() if field.charsetnr == _BINARY_CHARSET and code != _JSON else pa.string())
    return infer_array


class Dates:
    """A converter of dates and moments, of one column, by `then`; those of no calendar become NULL and are counted.

    A server lets `0000-00-00` and `2026-00-15` in. As text they would make text of the whole column, which could not
    be drawn or sorted as dates any more.
    """

    def __init__(self, then: Converter) -> None:
        self._then = then
        self._emptied = 0
        self._example = ""

    def __call__(self, values: Sequence[object]) -> pa.Array:
        """Convert."""
        array = self._then(values)
        if not pa.types.is_string(array.type):
            return array
        bad = [isinstance(value, str) and _is_impossible(value) for value in values]
        if not any(bad):
            return array
        self._emptied += sum(bad)
        self._example = self._example or str(values[bad.index(True)])
        return self._then([None if empty else value for value, empty in zip(values, bad, strict=True)])

    def notice(self, name: str) -> str:
        """How many were emptied."""
        if not self._emptied:
            return ""
        count = f"{self._emptied:,} {'value' if self._emptied == 1 else 'values'}"
        return f"{count} of {name!r} are dates of no calendar, such as {self._example}, and shown as empty (NULL)."


def _is_impossible(text: str) -> bool:
    found = _DATE.match(text)
    if found is None:
        return False
    try:
        dt.date.fromisoformat(found[0])
    except ValueError:
        return True
    return False


def _parsed(*kinds: pa.DataType) -> Converter:
    """Text parsed by Arrow to the first of `kinds` that fits."""

    def convert(values: Sequence[object]) -> pa.Array:
        text = pa.array(values, type=pa.string())
        for kind in kinds:
            try:
                return text.cast(kind)
            except (pa.ArrowException, ValueError):
                continue
        return text

    return convert


def _bits(values: Sequence[object]) -> pa.Array:
    """BIT(n), 64 bits at most, as the number it stands for."""
    return pa.array([int.from_bytes(v, "big") if isinstance(v, bytes) else None for v in values], type=pa.uint64())


def _durations(values: Sequence[object]) -> pa.Array:
    """TIME is a span here, from -838 to 838 hours."""
    spans: list[dt.timedelta | None] = []
    for value in values:
        found = _CLOCK.fullmatch(str(value))
        if value is not None and not found:
            return as_text(values)
        if not found:
            spans.append(None)
            continue
        sign, hours, minutes, seconds, fraction = found.groups()
        span = dt.timedelta(
            hours=int(hours),
            minutes=int(minutes),
            seconds=int(seconds),
            microseconds=int((fraction or "").ljust(6, "0")),
        )
        spans.append(-span if sign else span)
    return pa.array(spans, type=pa.duration("us"))
