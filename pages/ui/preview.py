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
        rows = get_runtime().preview(state.principal(), alias, table.qualified_name, limit=_ROWS)
    except TabulaflowError as error:
        st.error(safe.markdown(error.user_message), icon=":material/error:")
        return
    shown = rows.select(range(min(rows.num_columns, _COLUMNS)))
    said = grid.draw(shown, key=key, limit=_ROWS, total=table.row_count, elsewhere="", spelled_days=True)
    if rows.num_columns > _COLUMNS:
        total = table.row_count or rows.num_rows
        first = f"{rows.num_rows:,} of {total:,} rows" if rows.num_rows < total else wording.count(total, "row")
        said = f"{first}, the first {_COLUMNS} of {rows.num_columns:,} columns."
    st.caption(said)
