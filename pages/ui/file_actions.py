"""What can be done with a file as a whole: take away its original and its report, remove it."""

from __future__ import annotations

import json
from typing import Final

import streamlit as st

from pages.ui import rereading, safe, state, uploads
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import FileOutcome, get_runtime

_MOST_BYTES: Final = 500 * 2**20  # a download passes through the server's memory


def draw(outcome: FileOutcome) -> None:
    """The original, the report as JSON, and the way out."""
    name = outcome.name
    with st.container(horizontal=True, vertical_alignment="center"):
        _draw_original(name)
        if outcome.report:
            st.download_button(
                "Report",
                data=lambda: json.dumps(
                    {"file": name, "options": outcome.options, "report": outcome.report, "tables": outcome.reports},
                    ensure_ascii=False,
                    indent=2,
                ),
                file_name=f"{name}.reading.json",
                mime="application/json",
                key=f"report-{name}",
                icon=":material/description:",
                type="tertiary",
                help="Everything that was decided, as JSON.",
                on_click="ignore",
            )
        if outcome.status == "message":  # nothing is lost with it
            st.button(
                "Remove",
                key=f"remove-{name}",
                icon=":material/delete:",
                type="tertiary",
                on_click=_remove,
                args=(name,),
            )
            return
        with st.popover("Remove", icon=":material/delete:", key=f"ask-remove-{name}"):
            st.markdown(f"Remove **{safe.label(name)}** and what was read from it? Answers given so far stay.")
            st.button("Remove it", key=f"remove-{name}", type="primary", on_click=_remove, args=(name,))


def _draw_original(name: str) -> None:
    try:
        path = get_runtime().original(state.principal(), name)
        size = path.stat().st_size
    except (TabulaflowError, OSError):  # read from a folder of the server, and gone from there since
        return
    st.download_button(
        "Original file",
        data=path.read_bytes,
        file_name=name,
        key=f"original-{name}",
        icon=":material/download:",
        type="tertiary",
        disabled=size > _MOST_BYTES,
        help="Too large for the browser: take it from the server's folder." if size > _MOST_BYTES else None,
        on_click="ignore",
    )


def _remove(name: str) -> None:
    rereading.forget(name)
    uploads.forget(name)
    try:
        get_runtime().remove_file(state.principal(), name)
    except TabulaflowError:  # gone already, in another tab: that is what was wanted
        return
