"""PostgreSQL values -> Arrow, exactly: decoders for what Python's own types cannot hold, and a type per column."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tabulaflow_core.data.arrow import Converter, as_text, decimals, infer_array, text_of, typed

if TYPE_CHECKING:
    import asyncpg

_EPOCH: Final = dt.datetime(2000, 1, 1)
_EPOCH_UTC: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
_DAY_MICROSECONDS: Final = 86_400_000_000
#: PostgreSQL's infinities: the ends of int32 (date) and int64 (timestamp).
_INFINITE: Final = {2**31 - 1: "infinity", -(2**31): "-infinity", 2**63 - 1: "infinity", -(2**63): "-infinity"}

#: By the name of the type in `pg_type`.
CONVERTERS: Final[dict[str, Converter]] = {
    "bool": typed(pa.bool_()),
    "int2": typed(pa.int16()),
    "int4": typed(pa.int32()),
    "int8": typed(pa.int64()),
    "oid": typed(pa.int64()),
    "float4": typed(pa.float32()),
    "float8": typed(pa.float64()),
    "numeric": decimals,
    "bytea": typed(pa.binary()),
    "date": typed(pa.date32()),
    "timestamp": typed(pa.timestamp("us")),
    "timestamptz": typed(pa.timestamp("us", tz="UTC")),
    "time": typed(pa.time64("us")),
    "interval": infer_array,
    **dict.fromkeys(("text", "varchar", "bpchar", "char", "name", "json", "jsonb", "xml"), typed(pa.string())),
}


#: Shapes: the server's own text, since asyncpg's objects would spell the numbers in them another way.
_AS_WRITTEN: Final = ("point", "line", "lseg", "box", "path", "polygon", "circle")

#: The number of `anyarray` in `pg_type`, the same in every PostgreSQL.
_ANYARRAY: Final = 2277


async def set_codecs_async(connection: asyncpg.Connection) -> None:
    """Keep what asyncpg's own decoders lose: infinities, far years, months of intervals, shapes as written."""
    decoders = {"date": _date, "timestamp": _timestamp, "timestamptz": _timestamptz, "interval": interval_of}
    for name, decoder in decoders.items():
        await connection.set_type_codec(name, schema="pg_catalog", encoder=_no_encoder, decoder=decoder, format="tuple")
    for name in _AS_WRITTEN:
        await connection.set_type_codec(name, schema="pg_catalog", encoder=_no_encoder, decoder=str, format="text")
    # A column of `pg_stats` has it. asyncpg looks for its parts, of which there are none, and its public way in
    # takes plain types only.
    connection._protocol.get_settings().add_python_codec(
        _ANYARRAY, "anyarray", "pg_catalog", [], "scalar", _no_encoder, str, "text"
    )


def converter_for(kind: asyncpg.Type) -> Converter:
    """The converter of one column by its PostgreSQL type."""
    if kind.kind == "array":
        return _lists
    return CONVERTERS.get(kind.name, _text)


def _no_encoder(value: object) -> tuple[object, ...]:
    raise TypeError("queries have no parameters")


def _date(raw: tuple[int]) -> dt.date | str:
    days = raw[0]
    if days in _INFINITE:
        return _INFINITE[days]
    try:
        return dt.date.fromordinal(_EPOCH.toordinal() + days)
    except (ValueError, OverflowError):
        return _far_date(days)


def _timestamp(raw: tuple[int]) -> dt.datetime | str:
    try:
        return _EPOCH + dt.timedelta(microseconds=raw[0])
    except OverflowError:
        return _far_timestamp(raw[0])


def _timestamptz(raw: tuple[int]) -> dt.datetime | str:
    try:
        return _EPOCH_UTC + dt.timedelta(microseconds=raw[0])
    except OverflowError:
        return _far_timestamp(raw[0], zone="+00:00")


def interval_of(raw: tuple[int, int, int]) -> dt.timedelta | str:
    """Months, days and microseconds as a span where that has one length, else in words."""
    months, days, microseconds = raw
    if not months:
        try:
            return dt.timedelta(days=days, microseconds=microseconds)
        except OverflowError:
            return f"{days} days {microseconds} microseconds"
    years, rest = divmod(abs(months), 12)
    sign = "-" if months < 0 else ""
    parts = [f"{sign}{years} years"] * bool(years) + [f"{sign}{rest} mons"] * bool(rest) + [f"{days} days"] * bool(days)
    if microseconds:
        minus = "-" if microseconds < 0 else ""
        parts.append(f"{minus}{_clock(abs(microseconds))}")
    return " ".join(parts)


def _far_timestamp(microseconds: int, *, zone: str = "") -> str:
    if microseconds in _INFINITE:
        return _INFINITE[microseconds]
    days, rest = divmod(microseconds, _DAY_MICROSECONDS)
    date, era, _ = _far_date(days).partition(" BC")
    return f"{date} {_clock(rest)}{zone}{era}"


def _clock(microseconds: int) -> str:
    seconds, fraction = divmod(microseconds, 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:06}" if fraction else text


def _far_date(days: int) -> str:
    """A day outside Python's years, by moving it a multiple of 400 years, after which the calendar repeats."""
    cycles, rest = divmod(_EPOCH.toordinal() + days - 1, 146_097)
    inside = dt.date.fromordinal(rest + 1)
    year = inside.year + 400 * cycles
    text = f"{year if year > 0 else 1 - year:04}-{inside.month:02}-{inside.day:02}"
    return text if year > 0 else f"{text} BC"


def _text(values: Sequence[object]) -> pa.Array:
    return as_text([None if value is None else _words(value) for value in values])


def _words(value: Any) -> str:
    """Ranges, bit strings, geometry, records and addresses as PostgreSQL would write them, nearly."""
    if hasattr(value, "as_string"):  # asyncpg.BitString
        return str(value.as_string())
    if hasattr(value, "lower_inc"):  # asyncpg.Range
        if value.isempty:
            return "empty"
        low = "" if value.lower is None else text_of(value.lower)
        high = "" if value.upper is None else text_of(value.upper)
        return f"{'[' if value.lower_inc else '('}{low},{high}{']' if value.upper_inc else ')'}"
    if hasattr(value, "items"):  # asyncpg.Record
        return json.dumps(dict(value.items()), default=_words, ensure_ascii=False)
    if isinstance(value, tuple):
        return f"({','.join(_words(part) for part in value)})"
    return text_of(value)


def _lists(values: Sequence[object]) -> pa.Array:
    """Lists of one depth and type stay lists; others become JSON."""
    flat = all(
        value is None or (isinstance(value, list) and not any(isinstance(v, list) for v in value)) for value in values
    )
    if flat:
        leaves = [leaf for value in values if isinstance(value, list) for leaf in value]
        items = infer_array(leaves)
        if not (pa.types.is_string(items.type) and any(not isinstance(v, str | None) for v in leaves)):
            offsets: list[int | None] = []
            position = 0
            for value in values:
                offsets.append(None if value is None else position)
                position += len(value) if isinstance(value, list) else 0
            return pa.ListArray.from_arrays(pa.array([*offsets, position], pa.int32()), items)
    return pa.array(
        [None if value is None else json.dumps(value, default=_words, ensure_ascii=False) for value in values],
        type=pa.string(),
    )
