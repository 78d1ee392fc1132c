"""The first rows of a table, with days spelled so that nobody takes one for a month."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import grid, safe, state, wording
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import get_runtime

_ROWS: Final = 100
#: Columns drawn of a very wide table; the columns' own list has them all.
_COLUMNS: Final = 200


def draw(alias: str, table: TableSchema, *, key: str) -> None:
    """Draw the first rows of `table` of the source `alias`, or why they cannot be shown."""
    try:
        outcome = get_runtime().preview(state.principal(), alias, table.qualified_name, limit=_ROWS)
    except TabulaflowError as error:
        st.error(safe.markdown(error.user_message), icon=":material/error:")
        return
    rows = outcome.table
    grid.draw(rows.select(range(min(rows.num_columns, _COLUMNS))), key=key, limit=_ROWS, spelled_days=True)
    st.caption(extent(table, rows=rows.num_rows, columns=rows.num_columns))
    if outcome.notices:
        st.caption("\n".join(f"- {safe.markdown(' '.join(notice.split()))}" for notice in outcome.notices))


def extent(table: TableSchema, *, rows: int, columns: int) -> str:
    """How much of `table` the preview shows, in words: an engine may have estimated its rows, or not counted them.

    Args:
        rows: That were read; fewer than were asked for are all.
        columns: That the table has.
    """
    cut = columns > _COLUMNS
    wide = f"the first {_COLUMNS} of {columns:,} columns" if cut else wording.count(columns, "column")
    if rows < _ROWS:
        return f"{wording.count(rows, 'row')}, {wide}{'.' if cut else ''}"
    if table.row_count is None:
        return f"The first {rows:,} rows, {wide}. How many rows there are was not counted."
    if table.row_count <= rows:  # an old estimate is no reason to say that these were all
        return f"The first {rows:,} rows, {wide}." if table.estimated else f"{rows:,} rows, {wide}"
    about = "about " if table.estimated else ""
    return f"The first {rows:,} of {about}{table.row_count:,} rows, {wide}."
