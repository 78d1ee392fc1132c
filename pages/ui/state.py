"""Session state behind one door: which conversation is open, who is looking, what was said once."""

from __future__ import annotations

import re
from typing import Final

import streamlit as st

from tabulaflow_core.output import direction
from tabulaflow_core.output.words import is_blank
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import get_runtime

_CONVERSATION: Final = "tf_conversation"
_MODEL: Final = "tf_model"
_DRAFT: Final = "tf_draft"
_PENDING: Final = "tf_pending_questions"
_UPLOADS: Final = "tf_upload_round"
_WELCOMED: Final = "tf_welcomed"
URL_KEY: Final = "c"
_ID: Final = re.compile(r"[\w-]{0,64}", re.ASCII)
MODEL_BOX: Final = "model-choice"


def principal() -> Principal:
    """Who is looking: the local user until login exists."""
    return LOCAL_USER


def begin_visit() -> None:
    """At the top of every run: who comes for the first time and has no data gets the sample shop, once and for all."""
    if _WELCOMED not in st.session_state:
        welcome()
        st.session_state[_WELCOMED] = True


def welcome() -> None:
    """Open the store, and give who has never been here and has no data the sample shop; the server does it ahead."""
    runtime, who = get_runtime(), principal()
    if runtime.first_visit(who) and not runtime.sources(who) and not runtime.conversations(who, limit=1):
        runtime.add_samples(who)


def id_in_url(key: str) -> str | None:
    """An id that stands in the URL; what no id can be stands for one that nobody has."""
    text = st.query_params.get(key)
    return text if text is None or _ID.fullmatch(text) else "unknown"


def conversation_id() -> str | None:
    """The open conversation: the one in the URL, else the one this tab had open."""
    from_url = id_in_url(URL_KEY)
    if from_url:
        st.session_state[_CONVERSATION] = from_url
    return st.session_state.get(_CONVERSATION)


def opened_conversation() -> str | None:
    """The conversation this tab had open last, whatever page it is on."""
    return id_in_url(URL_KEY) or st.session_state.get(_CONVERSATION)


def open_conversation(conversation_id: str | None) -> None:
    """Make `conversation_id` the open one; None opens an empty one."""
    if st.session_state.get(_CONVERSATION) not in (None, conversation_id):
        st.session_state.pop(_PENDING, None)  # what waited was meant for the conversation that is left
    st.session_state[_CONVERSATION] = conversation_id
    if conversation_id is None:
        st.query_params.pop(URL_KEY, None)
    else:
        st.query_params[URL_KEY] = conversation_id


def show_in_url(conversation_id: str) -> None:
    """Put the conversation into the URL, so that reload and a second tab find it."""
    if st.query_params.get(URL_KEY) != conversation_id:
        st.query_params[URL_KEY] = conversation_id


def model() -> str | None:
    """The model the person chose, None for the default one."""
    return st.session_state.get(_MODEL)


def choose_model(name: str | None) -> None:
    """Answer with `name` from now on."""
    st.session_state[_MODEL] = name


def forget_model() -> None:
    """Answer with the default from now on: the person has set another one."""
    st.session_state.pop(_MODEL, None)
    st.session_state.pop(MODEL_BOX, None)


def draft_conversation() -> str:
    """The conversation that the next first question of this tab begins; made ahead so that a model can be warmed."""
    if _DRAFT not in st.session_state:
        st.session_state[_DRAFT] = get_runtime().new_conversation(principal()).id
    return str(st.session_state[_DRAFT])


def take_draft_conversation() -> str:
    """The same, used up."""
    conversation_id = draft_conversation()
    del st.session_state[_DRAFT]
    return conversation_id


def changed(name: str, value: object) -> bool:
    """Whether `value` differs from what was given under `name` last; true the first time."""
    key = f"tf_seen_{name}"
    differs = st.session_state.get(key) != value
    st.session_state[key] = value
    return differs


def ask_later(question: str) -> None:
    """Ask `question` in the next run of the chat page in which no turn runs.

    Names that were copied from a page may bring its marks of direction; in a query nothing would be found with them.
    A question in which nothing can be seen is none.
    """
    if is_blank(question):
        return
    st.session_state[_PENDING] = [*pending_questions(), direction.plain(question)]


def pending_questions() -> list[str]:
    """The questions that are still to be asked, in order."""
    return list(st.session_state.get(_PENDING, ()))


def take_pending_question() -> str | None:
    """The question to ask now, once; None when there is none."""
    first, *rest = pending_questions() or [None]
    st.session_state[_PENDING] = rest
    return first


def upload_round() -> int:
    """Part of the uploader's key: a new round empties it, and frees the memory of what it held."""
    return int(st.session_state.get(_UPLOADS, 0))


def next_upload_round() -> None:
    """Empty the uploader."""
    st.session_state[_UPLOADS] = upload_round() + 1
