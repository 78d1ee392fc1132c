"""A result as a grid: exact values, unique column names, at most as many rows as a page should hold."""

from __future__ import annotations

import json
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st
from pydantic import JsonValue

from pages.ui import wording
from tabulaflow_core.output.cells import json_column

#: A browser's numbers are doubles: whole numbers beyond this would be rounded, so they travel as text.
_EXACT_IN_BROWSER: Final = 2**53


def draw(
    table: pa.Table,
    *,
    key: str,
    limit: int,
    total: int | None = None,
    truncated: bool = False,
    elsewhere: str = "The download has them all.",
    spelled_days: bool = False,
) -> str:
    """Draw `table`; returns how much of it that is, in words.

    Args:
        key: Unique on the page.
        limit: Rows shown at most.
        total: Rows there are, when `table` holds only the first ones.
        truncated: The result was cut at a cap, so that `total` is not all there is.
        elsewhere: Said when rows are left out: where the others are.
        spelled_days: Write months as words, where the order of day and month is what a person looks for.
    """
    total = table.num_rows if total is None else total
    shown = table.slice(0, limit)
    if table.num_columns:
        grid = displayable(shown)
        height = 35 * (min(shown.num_rows, 10) + 1) + 3
        st.dataframe(
            grid,
            key=key,
            hide_index=True,
            height=max(height, 73),
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
    return all(value is None or abs(value) * 10**column.type.scale < _EXACT_IN_BROWSER for value in extremes)


def _formats(table: pa.Table, names: list[str], *, spelled_days: bool) -> dict[str, object]:
    """Decimals keep as many places as their column has."""
    formats: dict[str, object] = {}
    for name, column in zip(names, table.columns, strict=True):
        if pa.types.is_decimal(column.type) and column.type.scale > 0 and _fits_a_double(column):
            formats[name] = st.column_config.NumberColumn(format=f"%.{column.type.scale}f")
        elif spelled_days and pa.types.is_date(column.type):
            formats[name] = st.column_config.DateColumn(format="D MMM YYYY")
        elif spelled_days and pa.types.is_timestamp(column.type):
            formats[name] = st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm:ss")
    return formats


def _column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_integer(kind) and kind.bit_width == 64:
        extremes = pc.min_max(column).as_py()
        if any(value is not None and abs(value) > _EXACT_IN_BROWSER for value in extremes.values()):
            return column.cast(pa.string())
    if pa.types.is_decimal(kind):
        return column.cast(pa.float64()) if _fits_a_double(column) else column.cast(pa.string())
    if pa.types.is_nested(kind) or pa.types.is_duration(kind) or pa.types.is_interval(kind):
        return pa.chunked_array([list(map(_plain, json_column(column)))], pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return pa.chunked_array([json_column(column)], pa.string())
    return column


def _plain(cell: JsonValue) -> str | None:
    """A list, a struct or a span of time as a CSV file has it."""
    return (
        cell if cell is None or isinstance(cell, str) else json.dumps(cell, ensure_ascii=False, separators=(",", ":"))
    )
