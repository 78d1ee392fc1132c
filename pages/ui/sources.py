"""The data page: bring files and databases, see how each file was read, and correct it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import (
    connect,
    cut_short,
    databases,
    file_card,
    file_questions,
    hidden_columns,
    opened,
    rereading,
    safe,
    samples,
    state,
    uploads,
    wording,
)
from tabulaflow_core.runtime import FileOutcome, SourceInfo, get_runtime

#: Cards on the page at once.
_SHOWN: Final = 40
_FIND: Final = "find-file"


def draw() -> None:
    """Draw the page."""
    st.title("Data")
    labels = [":material/upload_file: Files", ":material/database: Database"]
    if get_runtime().settings.file_roots:
        labels.insert(1, ":material/folder: Server folder")
    tabs = st.tabs(labels)
    with tabs[0]:
        uploads.draw_box()
    if len(tabs) > 2:
        with tabs[1]:
            uploads.draw_server_box()
    with tabs[-1]:
        connect.draw()
    # In containers that are always there: what follows keeps its place, and nothing old stands beside the new.
    with st.container():
        uploads.draw_progress()
    files = get_runtime().files(state.principal())
    with st.container():
        uploads.draw_news(files)
    with st.container():
        cut_short.draw()
        file_questions.draw([file for file in files if file.status == "waiting"])
    st.subheader("What you can ask", anchor=False)
    kept = [file for file in files if file.status != "waiting"]
    above = st.container()
    _draw_files(kept)
    _draw_databases(kept, above)


def _draw_databases(files: Sequence[FileOutcome], above: DeltaGenerator) -> None:
    """The databases, those that have just come `above` the files. Last, since opening them may take its time."""
    sources = get_runtime().sources(state.principal())
    own = {file.source for file in files if file.source}
    connected = [source for source in sources if source.kind == "database" and source.alias not in own]
    if not files and not connected:
        _draw_empty()
    else:
        samples.draw_beside(above, files, databases=len(connected))
    for source in sources:
        if source.kind == "files" and source.status == "broken":
            with above:
                st.error(safe.markdown(source.message), icon=":material/error:")
    with above:
        _draw_hidden([source for source in sources if source not in connected and source.status != "broken"])
    newest = opened.newest()
    for source in connected:
        with above if source.alias in newest else st.container():
            databases.draw(source)


def _draw_hidden(own: Sequence[SourceInfo]) -> None:
    """What of the files and of the databases among them the model does not see."""
    if not own:
        return
    with st.container(horizontal=True):
        for source in own:
            hidden_columns.draw_popover(source)


def _draw_empty() -> None:
    with st.container(border=True):
        st.markdown(
            "**Nothing yet.** Drop a file above: it is read at once, and you see how. What cannot be told from the "
            "file, such as whether 03/04 is in March or in April, is asked, and everything can be changed afterwards."
        )
        samples.draw_offer()


def _draw_files(files: Sequence[FileOutcome]) -> None:
    """The cards of the files, the newest first."""
    newest = opened.newest()
    shown = sorted(reversed(files), key=lambda file: file.name not in newest)
    if len(shown) > _SHOWN:
        word = st.text_input("Find a file", key=_FIND, placeholder="Part of its name")
        shown = [file for file in shown if word.casefold() in file.name.casefold()]
    with rereading.listed(files):
        for file in shown[:_SHOWN]:
            file_card.draw(file.name)
    if len(shown) > _SHOWN:
        st.caption(f"{wording.count(len(shown) - _SHOWN, 'more file')}. Find them by a part of their names.")
