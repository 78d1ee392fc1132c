"""Which files' cards are open. Kept apart from the expander, whose own state goes when its label changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

_OPEN: Final = "tf_open_files"
_FIRST: Final = "tf_newest_files"
#: Cards opened for files that have just come; a whole folder would be a page that nobody scrolls.
_OPENED: Final = 2


def is_open(name: str) -> bool:
    """Whether the card of the file `name` is open."""
    return name in st.session_state.get(_OPEN, ())


def set_open(name: str, value: bool) -> None:
    """Open or close one card."""
    names = set(st.session_state.get(_OPEN, ()))
    st.session_state[_OPEN] = names | {name} if value else names - {name}


def arrived(names: Sequence[str]) -> None:
    """These files, or sources made of files, have just come: they stand first, and a few are opened, no others."""
    st.session_state[_FIRST] = list(names)
    st.session_state[_OPEN] = set(names[:_OPENED])


def newest() -> set[str]:
    """The files, and sources made of files, that came last."""
    return set(st.session_state.get(_FIRST, ()))
