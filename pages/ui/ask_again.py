"""The same question once more, as it was or with other words. The earlier answer stays above."""

from __future__ import annotations

import streamlit as st

from pages.ui import state


def draw(question: str, *, key: str) -> None:
    """The buttons under an answer, drawn where the caller is."""
    st.button(
        "Ask again",
        key=f"{key}-again",
        icon=":material/refresh:",
        type="tertiary",
        on_click=state.ask_later,
        args=(question,),
        help="Ask the same question once more. This answer stays.",
    )
    with st.popover("Edit", icon=":material/edit:", key=f"{key}-edit", on_change="rerun") as box:
        if box.open:
            st.text_area("Your question", value=question, key=f"{key}-words", max_chars=4000)
            st.button("Ask", key=f"{key}-ask", type="primary", on_click=_ask, args=(key,))


def _ask(key: str) -> None:
    if words := str(st.session_state[f"{key}-words"]).strip():
        state.ask_later(words)
        st.session_state[f"{key}-edit"] = False  # closed, else it covers the answer that comes
