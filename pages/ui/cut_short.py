"""Readings that a stopped server cut short: said once and for all, with a way to go on."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import safe, state, uploads, wording
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import CutShort, get_runtime

_FAULT: Final = "tf_cut_short_fault"
_MOST: Final = 10


def draw() -> None:
    """Draw one card for each reading that was cut short and not taken up again."""
    if fault := st.session_state.pop(_FAULT, ""):
        st.error(safe.markdown(fault), icon=":material/error:")
    found = get_runtime().cut_short(state.principal())
    for each in found[:_MOST]:
        _draw_one(each)
    if len(found) > _MOST:
        st.caption(f"{wording.count(len(found) - _MOST, 'more reading')} came to an early end too.")


def _draw_one(each: CutShort) -> None:
    with st.container(border=True, key=f"cut-short-{each.id}"):
        st.markdown(
            f":orange[:material/power_off:] **The reading of {safe.label(each.name)} was cut short**: the server "
            "stopped before it was done. No table was made of it, but the file is still here."
        )
        with st.container(horizontal=True):
            st.button(
                "Read it again",
                key=f"again-{each.id}",
                icon=":material/refresh:",
                type="primary",
                on_click=_read_again,
                args=(each.id,),
            )
            st.button("Forget the upload", key=f"forget-{each.id}", type="tertiary", on_click=_forget, args=(each.id,))


def _read_again(token: str) -> None:
    try:
        get_runtime().read_again(state.principal(), token)
    except TabulaflowError as error:
        st.session_state[_FAULT] = error.user_message
        return
    uploads.begun()


def _forget(token: str) -> None:
    get_runtime().forget_cut_short(state.principal(), token)
