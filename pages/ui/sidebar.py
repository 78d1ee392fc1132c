"""The frame's side: a new conversation, and the way back to earlier ones."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import safe, state
from tabulaflow_core.runtime import get_runtime

_SHOWN: Final = 15
_GO: Final = "tf_go_to_chat"


def draw() -> None:
    """Draw the list of recent conversations; the open one is marked."""
    if st.session_state.pop(_GO, False):
        opened = state.opened_conversation()
        st.switch_page("pages/chat.py", query_params={state.URL_KEY: opened} if opened else None)
    with st.sidebar:
        st.button(
            "New conversation",
            icon=":material/add_comment:",
            key="new-conversation",
            on_click=_open,
            args=(None,),
            width="stretch",
        )
        conversations = get_runtime().conversations(state.principal(), limit=_SHOWN)
        if conversations:
            st.caption("Recent")
        with st.container(gap=None):
            for conversation in conversations:
                is_open = conversation.id == state.opened_conversation()
                st.button(
                    safe.label(conversation.title or "Untitled", length=30),
                    key=f"conversation-{conversation.id}",
                    icon=":material/chevron_right:" if is_open else ":material/chat_bubble_outline:",
                    type="tertiary",
                    on_click=_open,
                    args=(conversation.id,),
                )


def _open(conversation_id: str | None) -> None:
    state.open_conversation(conversation_id)
    st.session_state[_GO] = True
