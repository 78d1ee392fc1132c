"""A result as a grid: exact values, unique column names, at most as many rows as a page should hold."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st

from pages.ui import wording

#: A browser's numbers are doubles: whole numbers beyond this would be rounded, so they travel as text.
_EXACT_IN_BROWSER: Final = 2**53


def draw(table: pa.Table, *, key: str, limit: int, total: int | None = None, truncated: bool = False) -> None:
    """Draw `table`.

    Args:
        key: Unique on the page.
        limit: Rows shown at most.
        total: Rows there are, when `table` holds only the first ones.
        truncated: The result was cut at a cap, so that `total` is not all there is.
    """
    total = table.num_rows if total is None else total
    shown = table.slice(0, limit)
    if table.num_columns:
        height = 35 * (min(shown.num_rows, 10) + 1) + 3
        st.dataframe(displayable(shown), key=key, hide_index=True, height=max(height, 73), width="stretch")
    if truncated:
        st.caption(f"The first {total:,} rows. There are more: the result was cut at a cap.")
    elif shown.num_rows < total:
        st.caption(f"{shown.num_rows:,} of {total:,} rows shown. The download has them all.")
    else:
        st.caption(f"{wording.count(total, 'row')}, {wording.count(table.num_columns, 'column')}")


def displayable(table: pa.Table) -> pa.Table:
    """`table` with unique names and nothing that a browser would round or refuse."""
    names: list[str] = []
    for name in table.column_names:
        unique, n = name or "(no name)", 2
        while unique in names:
            unique, n = f"{name or '(no name)'} ({n})", n + 1
        names.append(unique)
    return pa.table([_column(column) for column in table.columns], names=names)


def _column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_integer(kind) and kind.bit_width == 64:
        extremes = pc.min_max(column).as_py()
        if any(value is not None and abs(value) > _EXACT_IN_BROWSER for value in extremes.values()):
            return column.cast(pa.string())
    if pa.types.is_decimal(kind):
        # A double shows up to 15 digits as written; beyond that the exact text is better than a sortable number.
        return column.cast(pa.float64()) if kind.precision <= 15 else column.cast(pa.string())
    if pa.types.is_nested(kind) or pa.types.is_duration(kind) or pa.types.is_interval(kind):
        return pa.chunked_array([[None if v is None else str(v) for v in column.to_pylist()]], pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return pa.chunked_array([[None if v is None else "0x" + v.hex() for v in column.to_pylist()]], pa.string())
    return column
