"""The frame's side: a new conversation, and the way back to earlier ones."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import safe, state
from tabulaflow_core.runtime import get_runtime

_SHOWN: Final = 15


def draw() -> None:
    """Draw the list of recent conversations."""
    with st.sidebar:
        if st.button(
            "New conversation",
            icon=":material/add_comment:",
            key="new-conversation",
            on_click=state.open_conversation,
            args=(None,),
            width="stretch",
        ):
            st.switch_page("pages/chat.py")
        conversations = get_runtime().conversations(state.principal(), limit=_SHOWN)
        if conversations:
            st.caption("Recent")
        for conversation in conversations:
            st.page_link(
                "pages/chat.py",
                label=safe.label(conversation.title or "Untitled", length=32),
                query_params={state.URL_KEY: conversation.id},
                width="stretch",
            )
