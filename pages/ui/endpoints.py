"""A person's own addresses and keys: what there is of them, and a form for another. A key is never shown again."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import safe, state
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import EndpointInfo, KeyPlace, get_runtime

_PROVIDER, _ADDRESS, _KEY, _KEEP = "endpoint-provider", "endpoint-address", "endpoint-key", "endpoint-keep"
_PLACES: Final[dict[KeyPlace, str]] = {
    "store": "Encrypted in the store",
    "process": "In memory only, for this visit",
}
_HELD: Final = {"store": "key kept, encrypted", "process": "key in memory for this visit"}
_FAULT: Final = "tf_endpoint_fault"


def draw() -> None:
    """Draw what is kept, then the form."""
    labels = {provider.name: provider.label for provider in get_runtime().providers()}
    for info in get_runtime().endpoints(state.principal()):
        _draw_one(info, labels.get(info.provider, info.provider))
    with st.form("endpoint", clear_on_submit=False):
        st.selectbox("Provider", list(labels), format_func=labels.__getitem__, key=_PROVIDER)
        st.text_input(
            "Address",
            key=_ADDRESS,
            placeholder="Empty for the usual one, or http://127.0.0.1:8000/v1",
            help="Where its API listens. The server's own key is never sent to an address that you enter.",
        )
        st.text_input("Key", type="password", key=_KEY, autocomplete="off", placeholder="It is not shown again")
        st.radio("Where the key is held", list(_PLACES), format_func=_PLACES.__getitem__, horizontal=True, key=_KEEP)
        st.form_submit_button("Save address and key", key="endpoint-save", on_click=_save)
    if fault := st.session_state.pop(_FAULT, ""):
        st.error(safe.markdown(fault), icon=":material/error:")
    st.caption(
        "A key is sent to its own address only: with another address, enter it again. "
        "No prompt, log or message holds it. One in memory goes when the server stops, or 12 hours after you were here."
    )


def _draw_one(info: EndpointInfo, label: str) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        where = f" at {safe.markdown(info.base_url)}" if info.base_url else ""
        held = _HELD[info.key] if info.key else "no key"
        if info.message:
            st.markdown(f":material/key_off: **{safe.label(label)}**: {safe.markdown(info.message)}", width="stretch")
        else:
            st.markdown(f":material/key: **{safe.label(label)}**{where} · •••••••• {held}", width="stretch")
        st.button(
            "Remove",
            key=f"endpoint-remove-{info.provider}",
            icon=":material/delete:",
            type="tertiary",
            on_click=_remove,
            args=(info.provider,),
        )


def _save() -> None:
    values = st.session_state
    key, values[_KEY] = str(values[_KEY]), ""  # out of the form and of the session whatever happens
    if not key.strip() and not str(values[_ADDRESS]).strip():
        values[_FAULT] = "Enter an address, a key, or both."
        return
    try:
        get_runtime().set_endpoint(
            state.principal(), values[_PROVIDER], base_url=str(values[_ADDRESS]), api_key=key, keep=values[_KEEP]
        )
    except TabulaflowError as error:
        values[_FAULT] = error.user_message
        return
    values[_ADDRESS] = ""
    st.toast("Saved. Test it with the button above.", icon=":material/key:")


def _remove(provider: str) -> None:
    get_runtime().set_endpoint(state.principal(), provider)
    st.toast("Removed.", icon=":material/delete:")
