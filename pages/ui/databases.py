"""Databases: what each holds, its address and its removal."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import connect_change, hidden_columns, preview, rechecked, safe, state, wording
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import SourceInfo, get_runtime

#: Tables listed of one database; a warehouse has thousands, and a word finds the others.
_LISTED: Final = 30
_HIDDEN: Final = {True: "Hidden from the model.", False: ""}


def draw(source: SourceInfo) -> None:
    """Draw one database with its tables."""
    with st.container(border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            what = safe.label(source.url_masked) if source.url_masked else wording.count(len(source.tables), "table")
            st.markdown(f":material/database: **{safe.label(source.alias)}** · {what}")
            if "://" in source.url_masked:  # an uploaded file has no address that could change
                connect_change.draw_popover(source)
            hidden_columns.draw_popover(source)
            with st.popover("Remove", icon=":material/delete:", key=f"ask-remove-{source.id}"):
                st.markdown(
                    f"Remove **{safe.label(source.alias)}** from what can be asked? A database on a server is left as "
                    "it is; its password is forgotten here. Answers given so far stay."
                )
                st.button("Remove it", key=f"remove-{source.id}", type="primary", on_click=_remove, args=(source.id,))
        connect_change.draw_news(source)
        if source.status == "ready":
            rechecked.draw_changed(source.alias, key=f"changed-{source.id}")
            rechecked.draw_button(source.alias, key=f"uses-{source.id}")
        if source.status == "broken":
            st.error(safe.markdown(source.message), icon=":material/error:")
        for notice in source.notices:
            st.warning(safe.markdown(notice), icon=":material/shield:")
        tables = source.tables
        if len(tables) > _LISTED:
            word = st.text_input("Find a table", key=f"find-{source.id}", placeholder="Part of its name")
            tables = tuple(t for t in tables if word.casefold() in t.qualified_name.casefold())
        for table in tables[:_LISTED]:
            _draw_table(source, table)
        if len(tables) > _LISTED:
            st.caption(f"The first {_LISTED} of {len(tables):,} tables. Find the others by a part of their names.")


def _remove(source_id: str) -> None:
    try:
        get_runtime().remove_source(state.principal(), source_id)
    except TabulaflowError:  # gone already, in another tab: that is what was wanted
        return


def _draw_table(source: SourceInfo, table: TableSchema) -> None:
    about = "about " if table.estimated else ""
    rows = about + wording.count(table.row_count, "row") if table.row_count is not None else "rows not counted"
    title = f"{safe.label(table.qualified_name)} · {rows} · {wording.count(len(table.columns), 'column')}"
    key = f"{source.id}-{table.qualified_name}"
    opened = st.expander(title, key=f"table-{key}", type="compact", on_change="rerun")
    if not opened.open:
        return
    with opened:
        preview.draw(source.alias, table, key=f"preview-{key}")
        hidden = hidden_columns.is_hidden(source, table)
        columns = [
            {"Column": c.name, "Type": c.type, "Remark": " ".join(filter(None, (_HIDDEN[c.name in hidden], c.comment)))}
            for c in table.columns
        ]
        st.dataframe(columns, hide_index=True, placeholder="", key=f"columns-{key}")
