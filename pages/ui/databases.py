"""Databases: the form that connects one, and what each holds."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import preview, safe, state, wording
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import SourceInfo, get_runtime

_CONNECT: Final = "tf_connect"
_CONNECTED: Final = "tf_connected"
#: Tables listed of one database; a warehouse has thousands, and a word finds the others.
_LISTED: Final = 30


def draw_form() -> None:
    """Draw the form, and carry out what was entered."""
    connected = st.session_state.pop(_CONNECTED, "")
    if connected:  # a password stays no longer in the browser than it must
        st.session_state["database-name"] = st.session_state["database-url"] = ""
    with st.form("database", border=False):
        name = st.text_input("Name", placeholder="shop", max_chars=40, key="database-name")
        url = st.text_input(
            "Database URL",
            placeholder="postgresql://reader:password@host:5432/shop",
            type="password",
            key="database-url",
            help="PostgreSQL, MariaDB or MySQL; SQLite and DuckDB files only from folders that the server allows.",
        )
        st.caption("The connection is tried before it is kept. It is only ever read; the password is kept encrypted.")
        st.form_submit_button("Connect", type="primary", icon=":material/link:", on_click=_connect_next)
    if st.session_state.pop(_CONNECT, False):
        _connect(name.strip(), url.strip())
    if connected:
        st.success(connected)


def _connect_next() -> None:
    st.session_state[_CONNECT] = True


def _connect(name: str, url: str) -> None:
    if not name or not url:
        st.error("A name and a URL are needed: the name is what the source is called in questions.")
        return
    try:
        with st.spinner("Trying the connection"):
            source = get_runtime().add_database(state.principal(), name, url)
    except TabulaflowError as error:
        st.error(safe.markdown(error.user_message), icon=":material/error:")
        return
    tables = wording.count(len(source.tables), "table")
    st.session_state[_CONNECTED] = (
        f"**{safe.label(source.alias)}** is connected: {tables}. Ask about it on the Chat page."
    )
    st.rerun()


def draw(source: SourceInfo) -> None:
    """Draw one database with its tables."""
    with st.container(border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            what = safe.label(source.url_masked) if source.url_masked else wording.count(len(source.tables), "table")
            st.markdown(f":material/database: **{safe.label(source.alias)}** · {what}")
            with st.popover("Remove", icon=":material/delete:", type="tertiary", key=f"ask-remove-{source.id}"):
                st.markdown(
                    f"Remove **{safe.label(source.alias)}** from what can be asked? A database on a server is left as "
                    "it is; its password is forgotten here. Answers given so far stay."
                )
                st.button("Remove it", key=f"remove-{source.id}", type="primary", on_click=_remove, args=(source.id,))
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
    rows = wording.count(table.row_count, "row") if table.row_count is not None else "rows not counted"
    title = f"{safe.label(table.qualified_name)} · {rows} · {wording.count(len(table.columns), 'column')}"
    key = f"{source.id}-{table.qualified_name}"
    opened = st.expander(title, key=f"table-{key}", type="compact", on_change="rerun")
    if not opened.open:
        return
    with opened:
        preview.draw(source.alias, table, key=f"preview-{key}")
        columns = [{"Column": c.name, "Type": c.type, "Remark": c.comment} for c in table.columns]
        st.dataframe(columns, hide_index=True, key=f"columns-{key}")
