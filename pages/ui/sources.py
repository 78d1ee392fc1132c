"""The data page: bring files and databases, see their tables and how they were read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui import grid, reading, safe, state, wording
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import FileOutcome, SourceInfo, get_runtime

_PREVIEW_ROWS: Final = 100
_OUTCOMES: Final = "tf_upload_outcomes"
_FRESH: Final = "tf_fresh_tables"  # shown opened: who brings a file wants to see how it was read
_CONNECT: Final = "tf_connect"
_CONNECTED: Final = "tf_connected"
_NAMED: Final = 8  # columns named in a sentence


def draw() -> None:
    """Draw the page."""
    st.title("Data")
    files, database = st.tabs([":material/upload_file: Files", ":material/database: Database"])
    with files:
        _draw_upload()
    with database:
        _draw_database_form()
    sources = get_runtime().sources(state.principal())
    st.subheader("What you can ask")
    if not sources:
        st.info("Nothing yet. Drop a file above, connect a database, or take the sample shop.")
        st.button("Use the sample shop", key="samples", on_click=_add_samples)
    for source in sources:
        _draw_source(source)


def _add_samples() -> None:
    get_runtime().add_samples(state.principal())


def _draw_upload() -> None:
    limit = get_runtime().settings.limits.upload_bytes // 2**20
    uploads = st.file_uploader(
        "Drop CSV, TSV, JSON or Parquet files here, one or several",
        accept_multiple_files=True,
        key=f"upload-{state.upload_round()}",
        max_upload_size=limit,
    )
    if uploads:
        with st.spinner(f"Reading {wording.count(len(uploads), 'file')}"):
            earlier = _columns(get_runtime().files(state.principal()))
            outcomes = _keep(uploads)
            st.session_state[_OUTCOMES] = [(outcome, _changes(earlier, outcome)) for outcome in outcomes]
            st.session_state[_FRESH] = {table.name for outcome in outcomes for table in outcome.tables}
        state.next_upload_round()  # the browser's copy is in memory: drop it as soon as ours is on disk
        st.rerun()
    for outcome, changes in st.session_state.pop(_OUTCOMES, ()):
        _announce(outcome)
        if changes:
            st.warning(safe.markdown(changes), icon=":material/difference:")


def _columns(files: Iterable[FileOutcome]) -> dict[str, set[str]]:
    """The columns of every table there is, by its name."""
    return {table.name: {column.name for column in table.columns} for file in files for table in file.tables}


def _changes(earlier: Mapping[str, set[str]], outcome: FileOutcome) -> str:
    """What an earlier version of the same table had and this one has not, and the other way round."""
    sentences = []
    for name, now in _columns([outcome]).items():
        before = earlier.get(name, now)
        if gone := sorted(before - now):
            sentences.append(f"{name} had {wording.count(len(gone), 'column')} that this version lacks: {_list(gone)}.")
        if new := sorted(now - before):
            sentences.append(f"{name} has {wording.count(len(new), 'new column')}: {_list(new)}.")
    return " ".join(sentences)


def _list(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _keep(uploads: list[UploadedFile]) -> tuple[FileOutcome, ...]:
    with tempfile.TemporaryDirectory() as folder:
        copies: list[tuple[str, Path]] = []
        for at, upload in enumerate(uploads):
            copy = Path(folder) / str(at)
            with copy.open("wb") as file:
                while chunk := upload.read(2**20):
                    file.write(chunk)
            copies.append((upload.name, copy))
        return get_runtime().add_files(state.principal(), copies)


def _announce(outcome: FileOutcome) -> None:
    if outcome.status == "message":
        st.error(f"**{safe.label(outcome.name)}**: {safe.markdown(outcome.message)}", icon=":material/error:")
        return
    tables = ", ".join(
        f"{safe.label(table.name)} ({wording.count(table.row_count or 0, 'row')}, "
        f"{wording.count(len(table.columns), 'column')})"
        for table in outcome.tables
    )
    st.success(f"**{safe.label(outcome.name)}** is here: {tables}. {safe.markdown(outcome.message)}")


def _draw_database_form() -> None:
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


def _draw_source(source: SourceInfo) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            icon = ":material/draft:" if source.kind == "files" else ":material/database:"
            what = source.url_masked if source.kind == "database" else wording.count(len(source.tables), "table")
            st.markdown(f"{icon} **{safe.label(source.alias)}** · {safe.label(what)}")
            if source.kind == "database":
                st.button(
                    "Remove",
                    key=f"remove-{source.id}",
                    icon=":material/delete:",
                    type="tertiary",
                    on_click=get_runtime().remove_source,
                    args=(state.principal(), source.id),
                )
        if source.status == "broken":
            st.error(safe.markdown(source.message), icon=":material/error:")
        for notice in source.notices if source.kind == "database" else ():
            st.warning(safe.markdown(notice), icon=":material/shield:")
        files = get_runtime().files(state.principal()) if source.kind == "files" else ()
        fresh = st.session_state.get(_FRESH, ()) if source.kind == "files" else ()
        for table in sorted(source.tables, key=lambda table: table.name not in fresh):
            origin = next((file for file in files if any(t.name == table.name for t in file.tables)), None)
            _draw_table(source, table, origin)


def _draw_table(source: SourceInfo, table: TableSchema, origin: FileOutcome | None) -> None:
    rows = wording.count(table.row_count, "row") if table.row_count is not None else "rows not counted"
    title = f"{safe.label(table.qualified_name)} · {rows} · {wording.count(len(table.columns), 'column')}"
    key = f"{source.id}-{table.qualified_name}"
    fresh = source.kind == "files" and table.name in st.session_state.get(_FRESH, ())
    opened = st.expander(title, key=f"table-{key}", on_change="rerun", expanded=fresh)
    if not opened.open:
        return
    with opened:
        try:
            preview = get_runtime().preview(state.principal(), source.alias, table.qualified_name, limit=_PREVIEW_ROWS)
            st.caption(
                grid.draw(preview, key=f"preview-{key}", limit=_PREVIEW_ROWS, total=table.row_count, elsewhere="")
            )
        except TabulaflowError as error:
            st.error(safe.markdown(error.user_message), icon=":material/error:")
        columns = [{"Column": c.name, "Type": c.type, "Remark": c.comment} for c in table.columns]
        st.dataframe(columns, hide_index=True, key=f"columns-{key}")
        if origin is not None:
            reading.draw(origin)
            st.button(
                f"Remove {safe.label(origin.name)}",
                key=f"remove-file-{key}",
                icon=":material/delete:",
                type="tertiary",
                on_click=get_runtime().remove_file,
                args=(state.principal(), origin.name),
            )
