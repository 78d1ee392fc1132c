"""A result as a grid: exact values, unique column names, at most as many rows as a page should hold."""

from __future__ import annotations

import json
import math
from datetime import date
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st
from pydantic import JsonValue

from pages.ui import wording
from tabulaflow_core.output.cells import cell_text, column_values, float_name, json_column

#: A browser's numbers are doubles: whole numbers beyond this would be rounded, so they travel as text.
_EXACT_IN_BROWSER: Final = 2**53
#: Floats of no more digits were written by somebody; others are quotients, whose last digits say nothing.
_WRITTEN_DIGITS: Final = 14
_FEW_PLACES: Final = 4
_MOST_PLACES: Final = 15
_FIRST_DAY, _LAST_DAY = ((day - date(1970, 1, 1)).days for day in (date.min, date.max))


def draw(
    table: pa.Table,
    *,
    key: str,
    limit: int,
    total: int | None = None,
    truncated: bool = False,
    elsewhere: str = "The download has them all.",
    spelled_days: bool = False,
    rows: int = 10,
) -> str:
    """Draw `table`; returns how much of it that is, in words.

    Args:
        key: Unique on the page.
        limit: Rows shown at most.
        total: Rows there are, when `table` holds only the first ones.
        truncated: The result was cut at a cap, so that `total` is not all there is.
        elsewhere: Said when rows are left out: where the others are.
        rows: At how many it begins to scroll.
        spelled_days: Write months as words, where the order of day and month is what a person looks for.
    """
    total = table.num_rows if total is None else total
    shown = table.slice(0, limit)
    if table.num_columns:
        grid = displayable(shown)
        height = 35 * (min(shown.num_rows, rows) + 1) + 3
        st.dataframe(
            grid,
            key=key,
            hide_index=True,
            height=max(height, 73),
            placeholder="",  # else an empty cell reads "None"
            column_config=_formats(shown, grid.column_names, spelled_days=spelled_days),
        )
    if truncated:
        return f"The first {total:,} rows. There are more: the result was cut at a cap."
    if shown.num_rows < total:
        return f"{shown.num_rows:,} of {total:,} rows shown. {elsewhere}".rstrip()
    return f"{wording.count(total, 'row')}, {wording.count(table.num_columns, 'column')}"


def displayable(table: pa.Table) -> pa.Table:
    """`table` with unique names and nothing that a browser would round or refuse."""
    names: list[str] = []
    for name in table.column_names:
        unique, n = name or "(no name)", 2
        while unique in names:
            unique, n = f"{name or '(no name)'} ({n})", n + 1
        names.append(unique)
    return pa.table([_column(column) for column in table.columns], names=names)


def _fits_a_double(column: pa.ChunkedArray) -> bool:
    """Whether every decimal of `column` is shown as written when it travels as a number."""
    extremes = pc.min_max(column).as_py().values()
    return all(value is None or abs(value.scaleb(column.type.scale)) < _EXACT_IN_BROWSER for value in extremes)


def _formats(table: pa.Table, names: list[str], *, spelled_days: bool) -> dict[str, object]:
    """Decimals keep as many places as their column has, floats as many as they were written with."""
    formats: dict[str, object] = {}
    for name, column in zip(names, table.columns, strict=True):
        if pa.types.is_decimal(column.type) and column.type.scale > 0 and _fits_a_double(column):
            formats[name] = st.column_config.NumberColumn(format=f"%.{column.type.scale}f")
        elif pa.types.is_floating(column.type) and (places := _float_format(column)) is not None:
            formats[name] = st.column_config.NumberColumn(format=places)
        elif spelled_days and pa.types.is_date(column.type):
            formats[name] = st.column_config.DateColumn(format="D MMM YYYY")
        elif spelled_days and pa.types.is_timestamp(column.type):
            formats[name] = st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm:ss")
    return formats


def _float_format(column: pa.ChunkedArray) -> str | None:
    """How floats are written: whole, but quotients with the places that matter. None for floats that travel as text.

    Streamlit's own way rounds to four places: 0.000012345 would be 0.00001, and 1234.56789 something else.
    """
    known = [value for value in column_values(column) if isinstance(value, float) and value]
    if any(_is_beyond(value) for value in known):
        return None
    if all(len(f"{value:.14e}".partition("e")[0].replace(".", "").strip("-0")) <= _WRITTEN_DIGITS for value in known):
        return "%.15g"
    smallest = min(abs(value) for value in known)
    return f"%.{min(max(_FEW_PLACES, _FEW_PLACES - math.floor(math.log10(smallest)) - 1), _MOST_PLACES)}f"


def _is_beyond(value: float) -> bool:
    """A float that a grid marks as too large to be shown, or shows as nothing; none stands for no value."""
    return abs(value) >= _EXACT_IN_BROWSER


def _column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_integer(kind) and kind.bit_width == 64:
        extremes = pc.min_max(column).as_py()
        if any(value is not None and abs(value) > _EXACT_IN_BROWSER for value in extremes.values()):
            return column.cast(pa.string())
    if pa.types.is_decimal(kind):
        if not _fits_a_double(column):
            return _as_text(column)
        numbers = [None if value is None else float(value) for value in column.to_pylist()]  # Arrow's cast is a bit off
        return pa.chunked_array([pa.array(numbers, pa.float64())])
    if pa.types.is_floating(kind):
        return _floats(column)
    if pa.types.is_nested(kind) or pa.types.is_duration(kind) or pa.types.is_interval(kind):
        return pa.chunked_array([list(map(_plain, json_column(column)))], pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return pa.chunked_array([json_column(column)], pa.string())
    if _has_part_of_a_second(column) or _leaves_the_calendar(column):
        return _as_text(column)
    return column


def _floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    values = column_values(column)
    if any(isinstance(value, float) and _is_beyond(value) for value in values):
        texts = [None if v is None else cell_text(v) if math.isfinite(v) else float_name(v) for v in values]  # type: ignore[arg-type]
        return pa.chunked_array([pa.array(texts, pa.string())])
    return pa.chunked_array([pa.array(values, pa.float64())])


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    texts = [None if value is None else cell_text(value) for value in column_values(column)]
    return pa.chunked_array([pa.array(texts, pa.string())])


def _has_part_of_a_second(column: pa.ChunkedArray) -> bool:
    """A grid draws moments to the second."""
    kind = column.type
    if not (pa.types.is_timestamp(kind) or pa.types.is_time(kind)) or kind.unit == "s":
        return False
    ticks = {"ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
    numbers = column.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64()).cast(pa.int64())
    return pc.any(pc.not_equal(pc.multiply(pc.divide(numbers, ticks), ticks), numbers)).as_py() is True


def _leaves_the_calendar(column: pa.ChunkedArray) -> bool:
    """A day before the year 1 or after 9999, which Python has none for."""
    if not (pa.types.is_date(column.type) or pa.types.is_timestamp(column.type)):
        return False
    extremes = pc.min_max(column.cast(pa.date32(), safe=False).cast(pa.int32())).as_py().values()
    return any(day is not None and not _FIRST_DAY <= day <= _LAST_DAY for day in extremes)


def _plain(cell: JsonValue) -> str | None:
    """A list, a struct or a span of time as a CSV file has it."""
    return (
        cell if cell is None or isinstance(cell, str) else json.dumps(cell, ensure_ascii=False, separators=(",", ":"))
    )
