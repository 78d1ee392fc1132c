"""The frame's side: a new conversation, the way back to earlier ones, and what to do with the open one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

import streamlit as st

from pages.ui import safe, state
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import ConversationInfo, get_runtime

_SHOWN: Final = 15
_MORE: Final = 200
_SEARCH_FROM: Final = 6  # fewer conversations are found by looking
_GO: Final = "tf_go_to_chat"
_SEARCH: Final = "tf_search"
_ALL: Final = "tf_all_conversations"
_MENU: Final = "open-menu"
_TITLE: Final = "tf_new_title"
_ALONE: Final = 30  # letters of usual width on a line
_BESIDE_MENU: Final = 22  # the same beside the menu, which a longer title would push onto a line of its own
_WIDE: Final = frozenset("MWmw@%—…")


def draw() -> None:
    """Draw the list of conversations; the open one is marked and can be renamed and deleted."""
    if st.session_state.pop(_GO, False):
        opened = state.opened_conversation()
        st.switch_page("pages/chat.py", query_params={state.URL_KEY: opened} if opened else None)
    with st.sidebar:
        st.button(
            "New conversation",
            icon=":material/add_comment:",
            key="new-conversation",
            on_click=open_in_chat,
            args=(None,),
            width="stretch",
        )
        search = st.session_state.get(_SEARCH, "").strip()
        everything = bool(search or st.session_state.get(_ALL))
        most = _MORE if everything else _SHOWN
        found = get_runtime().conversations(state.principal(), limit=most + 1, search=search)
        if len(found) >= _SEARCH_FROM or search:
            st.text_input(
                "Search conversations",
                key=_SEARCH,
                placeholder="Search conversations",
                label_visibility="collapsed",
                icon=":material/search:",
            )
        if search and not found:
            st.caption("No conversation holds these words.")
        elif found and not search:
            st.caption("Recent")
        _draw_list(found[:most])
        if len(found) > most and not everything:
            st.button("Show all", key="all-conversations", type="tertiary", on_click=_show_all)
        elif len(found) > most:
            st.caption(f"The newest {most}. Search to find others.")


def _draw_list(conversations: Sequence[ConversationInfo]) -> None:
    with st.container(gap=None):
        for conversation in conversations:
            is_open = conversation.id == state.opened_conversation()
            with st.container(horizontal=True, gap=None, vertical_alignment="center"):
                st.button(
                    safe.label(fitting(conversation.title or "Untitled", room=_BESIDE_MENU if is_open else _ALONE)),
                    key=f"conversation-{conversation.id}",
                    icon=":material/chevron_right:" if is_open else ":material/chat_bubble_outline:",
                    type="tertiary",
                    on_click=open_in_chat,
                    args=(conversation.id,),
                )
                if is_open:
                    _draw_menu(conversation)


def fitting(title: str, *, room: int) -> str:
    """`title`, cut where it is wider than `room` letters: a capital takes more than one, a Chinese sign two."""
    line, left = " ".join(title.split()), float(room)
    for at, letter in enumerate(line):
        broad = unicodedata.east_asian_width(letter) in ("W", "F")
        left -= 2.0 if broad else 1.4 if letter.isupper() or letter in _WIDE else 1.0
        if left < 0:
            return line[: max(at - 1, 1)].rstrip() + "…"
    return line


def _draw_menu(conversation: ConversationInfo) -> None:
    with st.popover("", icon=":material/more_horiz:", help="Rename or delete", key=_MENU, on_change="rerun"):
        title = f"{_TITLE}-{conversation.id}"
        st.text_input("Title", value=conversation.title, key=title, max_chars=80)
        st.button(
            "Rename",
            key="rename-conversation",
            icon=":material/edit:",
            on_click=_rename,
            args=(conversation.id, title),
        )
        st.divider()
        st.caption("Deleting takes its questions and answers away for good. What they cost stays on the Usage page.")
        st.button(
            "Delete this conversation",
            key="delete-conversation",
            icon=":material/delete:",
            on_click=_delete,
            args=(conversation.id,),
        )


def open_in_chat(conversation_id: str | None) -> None:
    """Open a conversation on the chat page, in the run that follows; None opens an empty one. For callbacks."""
    state.open_conversation(conversation_id)
    st.session_state[_GO] = True


def _show_all() -> None:
    st.session_state[_ALL] = True


def _rename(conversation_id: str, title: str) -> None:
    st.session_state[_MENU] = False
    try:
        get_runtime().rename_conversation(state.principal(), conversation_id, str(st.session_state[title]))
    except TabulaflowError as error:  # deleted in another tab
        st.toast(safe.markdown(error.user_message), icon=":material/error:")


def _delete(conversation_id: str) -> None:
    try:
        get_runtime().delete_conversation(state.principal(), conversation_id)
    except TabulaflowError as error:
        st.toast(safe.markdown(error.user_message), icon=":material/error:")
        return
    st.session_state[_MENU] = False
    open_in_chat(None)
    st.toast("The conversation was deleted.", icon=":material/delete:")
