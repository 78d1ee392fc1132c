"""What keeps a database safe, in plain words, where one is about to connect it."""

from __future__ import annotations

from typing import Final

import streamlit as st

from tabulaflow_core.runtime.engine_forms import LOCKS

_LAYERS: Final = """
**TabulaFlow only reads.** Four layers see to it, each by itself:

1. **Each query is read before it runs.** It must be one question that only reads. What is on no list of allowed parts
   is refused, also when it is new: changes, locks, files, the network, passwords of the catalogue.
2. **The database itself is locked** for the time of the query: a read-only connection or transaction, where it has one.
3. **The role is looked at.** A superuser is pointed out. Best is a role that may only read.
4. **Time, rows and size are capped**, and Stop ends the query in the database.

The password is kept encrypted and is never shown again, nor told to a model.
"""


def draw_popover() -> None:
    """Draw the button and what it opens."""
    with st.popover("How safe is this?", icon=":material/shield:", type="tertiary", key="how-safe"):
        st.markdown(_LAYERS)
        rows = [f"| {name} | {lock} | {tried} |" for name, lock, tried in LOCKS]
        st.markdown("\n".join(["| Engine | Lock of its own | Tried with a real one |", "|---|---|---|", *rows]))
        st.caption(
            "Hundreds of hostile statements are tried against each of the first four: the page on SQL has the counts."
        )
