"""Changing a connection that is kept: another password or address, the same name."""

from __future__ import annotations

import time
from typing import Final
from urllib.parse import quote

import streamlit as st

from pages.ui import connect, safe, state
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import SourceInfo, get_runtime
from tabulaflow_core.runtime.engine_forms import cut_secrets, put_back

_MASK: Final = ":***@"
_SAID: Final = "tf_changed"  # (id of the source, fine, sentence)
_SAVED: Final = "tf_change_saved"  # id of the source
_ASKED: Final = "tf_change"
_CUT: Final = "tf_change_cut"  # passwords cut out of the URL of a change that failed, for the `***` in it


def draw_popover(source: SourceInfo) -> None:
    """Draw the button and the fields, and carry out what was asked for."""
    with st.popover("Change", icon=":material/edit:", key=f"change-{source.id}"):
        st.markdown(f"The name **{safe.label(source.alias)}** stays, and so do answers given so far.")
        url_key, password_key = f"change-url-{source.id}", f"change-password-{source.id}"
        if url_key not in st.session_state:
            st.session_state[url_key] = source.url_masked
        what = st.session_state.pop(f"{_ASKED}-{source.id}", "")
        if what:
            with st.spinner("Trying the connection"):
                _carry_out(source, what, _url(source), str(st.session_state.get(password_key) or ""))
        st.text_input("Connection URL", key=url_key, help="`***` stands for the password that is kept.")
        if source.dialect not in ("sqlite", "duckdb"):
            st.text_input(
                "New password",
                key=password_key,
                type="password",
                autocomplete="new-password",
                placeholder="Leave it empty to keep the old one",
            )
        with st.container(horizontal=True):
            st.button("Save", key=f"save-{source.id}", type="primary", on_click=_ask, args=(source.id, "save"))
            st.button("Test", key=f"test-{source.id}", on_click=_ask, args=(source.id, "test"))
        of, fine, sentence = st.session_state.get(_SAID, ("", True, ""))
        if sentence and of == source.id:
            del st.session_state[_SAID]
            (st.success if fine else st.error)(sentence)


def draw_news(source: SourceInfo) -> None:
    """That the connection was changed; beside the button, whose fields are closed then."""
    if st.session_state.get(_SAVED) == source.id:
        del st.session_state[_SAVED]
        st.success("Saved. The next question uses it.")


def _ask(source_id: str, what: str) -> None:
    st.session_state[f"{_ASKED}-{source_id}"] = what


def _url(source: SourceInfo) -> str:
    """What the box holds, and `***` in the box from now on where it holds a password."""
    url_key, cut_key = f"change-url-{source.id}", f"{_CUT}-{source.id}"
    url = put_back(str(st.session_state[url_key] or "").strip(), st.session_state.get(cut_key, ()))
    st.session_state[url_key], st.session_state[cut_key] = cut_secrets(url)
    return url


def _carry_out(source: SourceInfo, what: str, url: str, password: str) -> None:
    if password:
        url = _with_password(str(st.session_state[f"change-url-{source.id}"]), password)
    runtime, who = get_runtime(), state.principal()
    begun = time.perf_counter()
    try:
        if what == "test":
            tested = runtime.test_database(who, url, source_id=source.id)
            st.session_state[_SAID] = (source.id, True, connect.result_of(tested, time.perf_counter() - begun))
            return
        changed = runtime.change_database(who, source.id, url)
    except TabulaflowError as error:
        st.session_state[_SAID] = (source.id, False, safe.markdown(error.user_message))
        return
    for name in ("change-url", "change-password", _CUT):  # a password stays no longer than it must
        st.session_state.pop(f"{name}-{source.id}", None)
    st.session_state[_SAVED] = changed.id
    st.rerun()


def _with_password(url: str, password: str) -> str:
    secret = quote(password, safe="")
    if _MASK in url:
        return url.replace(_MASK, f":{secret}@", 1)
    scheme, _, rest = url.partition("://")
    user, at, place = rest.partition("@")
    return f"{scheme}://{user}:{secret}@{place}" if at and ":" not in user else url
