"""Which dialog is open: kept for the session, so that a page that is drawn again meanwhile draws it again too."""

from __future__ import annotations

from typing import Final

import streamlit as st

_OPEN: Final = "tf_dialog"
_PAGE: Final = "tf_dialog_page"


def show(name: str) -> None:
    """Open a dialog in the run that follows; for the callback of a button."""
    st.session_state[_OPEN] = name


def is_open(name: str) -> bool:
    """Whether it is to be drawn."""
    return bool(st.session_state.get(_OPEN) == name)


def close() -> None:
    """Draw none from the next run on; also what a dialog does that a person closes."""
    st.session_state.pop(_OPEN, None)


def enter(page: str) -> None:
    """A page is about to be drawn: what was open on another one is not any more."""
    if st.session_state.get(_PAGE, page) != page:
        close()
    st.session_state[_PAGE] = page
