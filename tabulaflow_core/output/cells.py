"""Cells: from Arrow to Python, to JSON, and to text for a person or a model."""

from __future__ import annotations

import json
import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pyarrow as pa
from pydantic import JsonValue

from tabulaflow_core.data.far_days import day_text, moment_text

#: A float needs at most 15 digits to look the way it was meant: 0.1 + 0.2 reads 0.3.
_FLOAT_DIGITS = 15
_LONG_FRACTION = 6
#: What Arrow writes for a year of more digits than it has room for.
_NO_TEXT = "<value out of range"
_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def column_values(column: pa.ChunkedArray | pa.Array) -> list[object]:
    """The cells as Python objects.

    What Python's own types cannot hold, such as nanoseconds or the year 294276, comes as ISO-like text.
    """
    if _may_overflow(column.type):
        try:
            column = column.cast(_in_microseconds(column.type))
        except pa.ArrowInvalid:
            return _texts(column)
    if pa.types.is_float32(column.type) or pa.types.is_float16(column.type):
        return list(_shortest(column))
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        return _texts(column)


def _shortest(column: pa.ChunkedArray | pa.Array) -> list[float | None]:
    """Narrow floats as they are written: 0.1, not the 0.10000000149011612 that a wider one would make of it."""
    texts = column.cast(pa.float32()).cast(pa.string()).to_pylist()
    return [None if text is None else float(text) for text in texts]


def _may_overflow(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time64(kind))


def _in_microseconds(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", tz=kind.tz)
    return pa.duration("us") if pa.types.is_duration(kind) else pa.time64("us")


def _texts(column: pa.ChunkedArray | pa.Array) -> list[object]:
    if pa.types.is_duration(column.type):
        nanos = _NANOSECONDS[column.type.unit]
        return [None if n is None else _clock(n * nanos) for n in column.cast(pa.int64()).to_pylist()]
    texts = column.cast(pa.string()).to_pylist()
    for place, text in enumerate(texts):
        if text is not None and text.startswith(_NO_TEXT):
            texts[place] = _far_text(column[place].value, column.type)
    return [None if text is None else text.replace(" ", "T", 1) if text[:1].isdigit() else text for text in texts]


def _far_text(ticks: int, kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return moment_text(ticks, 10**9 // _NANOSECONDS[kind.unit]) + ("Z" if kind.tz else "")
    return day_text(ticks if pa.types.is_date32(kind) else ticks // 86_400_000)


def json_value(value: object) -> JsonValue:
    """One cell for JSON: integers as numbers; decimals, bytes (`0x00ff`) and spans of time as text; NaN and infinity as
    null."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return _decimal_json(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes_text(value)
    if isinstance(value, time) and value.microsecond and not value.microsecond % 1000:
        return value.isoformat(timespec="milliseconds")  # as nearly all files write it
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return span_text(value)
    if isinstance(value, pa.MonthDayNano):
        return interval_text(value)
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [json_value(item) for item in value]
    return str(value)


def _decimal_json(value: Decimal) -> JsonValue:
    if not value.is_finite():
        return None
    # An engine's wide integers (HUGEINT, the sum of integers) travel as decimals without places.
    return int(value) if value.as_tuple().exponent == 0 else format(value, "f")


def interval_text(value: pa.MonthDayNano) -> str:
    """A calendar interval in words, as engines write it: `1 year 2 months -3 days 04:05:06.5`."""
    months, days, nanos = value
    years, months = int(months / 12), int(months - 12 * int(months / 12))
    parts = [f"{n} {unit}{'' if abs(n) == 1 else 's'}" for n, unit in ((years, "year"), (months, "month")) if n]
    if days:
        parts.append(f"{days} day{'' if abs(days) == 1 else 's'}")
    if nanos or not parts:
        parts.append(_clock(nanos))
    return " ".join(parts)


def span_text(value: timedelta) -> str:
    """A span of time in hours, as engines write it: `-25:00:00.5`, never `-2 days, 22:59:59.500000`."""
    return _clock((value // timedelta(microseconds=1)) * 1000)


def _clock(nanos: int) -> str:
    whole, part = divmod(abs(nanos), 10**9)
    fraction = f".{part:09d}".rstrip("0").rstrip(".")
    sign = "-" if nanos < 0 else ""
    return f"{sign}{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}{fraction}"


def bytes_text(value: bytes | bytearray | memoryview) -> str:
    """Bytes as `0x` and two digits each."""
    return "0x" + bytes(value).hex()


def json_column(column: pa.ChunkedArray) -> list[JsonValue]:
    """A column for JSON, cell by cell as `json_value` writes it."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_string(kind) or pa.types.is_null(kind):
        return list(column.to_pylist())
    if pa.types.is_floating(kind):
        floats = column.to_pylist() if pa.types.is_float64(kind) else _shortest(column)
        return [value if value is not None and math.isfinite(value) else None for value in floats]
    if pa.types.is_date(kind):
        return list(column.cast(pa.date32()).cast(pa.string()).to_pylist())
    return [json_value(value) for value in column_values(column)]


def number_text(value: int | float | Decimal, *, grouped: bool = True) -> str:
    """A number for a person: exact, with thousands separators, without the noise of binary fractions."""
    comma = "," if grouped else ""
    if isinstance(value, int):
        return format(value, f"{comma}d")
    if isinstance(value, Decimal):
        return format(value, f"{comma}f") if value.is_finite() else "no number"
    if not math.isfinite(value):
        return "no number" if math.isnan(value) else "infinity" if value > 0 else "-infinity"
    if value != 0 and not 1e-6 <= abs(value) < 1e15:
        return format(value, f".{_FLOAT_DIGITS}g")
    exact = Decimal(format(value, f".{_FLOAT_DIGITS}g"))
    return format(exact.to_integral_value() if exact == exact.to_integral_value() else exact, f"{comma}f")


def rounded(value: int | float | Decimal) -> int | float | Decimal:
    """The number for a sentence: one of more than six decimal places is rounded to four that matter."""
    if isinstance(value, int) or not math.isfinite(value):
        return value
    exact = value if isinstance(value, Decimal) else Decimal(format(value, f".{_FLOAT_DIGITS}g"))
    places = -int(exact.as_tuple().exponent)
    if places <= _LONG_FRACTION:
        return value
    keep = 4 if abs(exact) >= Decimal("0.01") or exact == 0 else 3 - exact.adjusted()
    return round(exact, keep).normalize() if keep < places else value


def float_name(value: float) -> str:
    """What stands for a float that is no number or endless, in files and on the page."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def cell_text(value: object, *, grouped: bool = False, max_chars: int | None = None) -> str:
    """A cell on one line of text; `NULL` for none."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, (int, float, Decimal)):
        text = number_text(value, grouped=grouped)
    elif isinstance(value, (bytes, bytearray)):
        text = bytes_text(value[: max_chars or len(value)])
    elif isinstance(value, datetime):
        text = _datetime_text(value)
    elif isinstance(value, timedelta):
        text = span_text(value)
    elif isinstance(value, str):
        text = value
    else:
        plain = json_value(value)
        text = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    text = " ".join(text.split()) if any(c.isspace() and c != " " for c in text) else text
    if max_chars is not None and len(text) > max_chars:
        return text[: max_chars - 1].rstrip() + "…"
    return text


def _datetime_text(value: datetime) -> str:
    if value.tzinfo is None and value.time() == time():
        return value.date().isoformat()
    return value.isoformat(sep=" ")
