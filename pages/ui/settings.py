"""The settings page: model, reasoning and limits; addresses and keys; the embedded model. All one person's own."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import endpoints, model_panel, model_test, safe, state
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import Preferences, get_runtime

_DEFAULT: Final = "The server's default"
_LEVELS: Final[dict[str, str]] = {
    "": "As the model does",
    "none": "None",
    "low": "Low",
    "medium": "Medium",
    "high": "High",
}
_FAULT: Final = "tf_settings_fault"
_MODEL, _LEVEL = "settings-model", "settings-reasoning"
_ROWS, _QUERY, _TURN = "settings-rows", "settings-query-seconds", "settings-turn-seconds"


def draw() -> None:
    """Draw the page."""
    st.title("Settings")
    st.caption("They are yours alone, and hold from your next question on.")
    chosen = get_runtime().preferences(state.principal())
    st.subheader("Answering", anchor=False)
    with st.form("settings-answering"):
        _draw_model(chosen)
        _draw_limits(chosen)
        st.form_submit_button("Save", type="primary", key="settings-save", on_click=_save)
    if fault := st.session_state.pop(_FAULT, ""):
        st.error(safe.markdown(fault), icon=":material/error:")
    model_test.draw()
    st.subheader("Addresses and keys", anchor=False)
    endpoints.draw()
    st.subheader("The embedded model", anchor=False)
    model_panel.draw_local()


def _draw_model(chosen: Preferences) -> None:
    found = {model.name: model for model in get_runtime().models(state.principal())}
    names = list(dict.fromkeys(filter(None, (chosen.model, *found))))
    st.selectbox(
        "Model",
        names,
        index=names.index(chosen.model) if chosen.model else None,
        format_func=lambda name: _named(name, ready=found[name].ready) if name in found else name,
        placeholder=_DEFAULT,
        accept_new_options=True,
        key=_MODEL,
        help="Choose one, or write `provider:model`, such as `ollama:qwen3` or `openrouter:vendor/model`.",
    )
    st.segmented_control(
        "Reasoning",
        list(_LEVELS),
        default=chosen.reasoning or "",
        format_func=_LEVELS.__getitem__,
        required=True,
        key=_LEVEL,
        help="How much the model thinks before it answers. More takes longer and costs more. "
        "A model without this level leaves it out and says so.",
    )


def _named(name: str, *, ready: bool) -> str:
    return name if ready else f"{name} (not ready)"


def _draw_limits(chosen: Preferences) -> None:
    server = get_runtime().settings.limits
    with st.container(horizontal=True):
        st.number_input(
            "Rows of a result",
            min_value=1,
            max_value=server.result_rows,
            value=min(chosen.result_rows or server.result_rows, server.result_rows),
            step=1_000,
            key=_ROWS,
            help="More rows are cut, which is said.",
        )
        st.number_input(
            "Seconds of a query",
            min_value=min(1.0, server.query_seconds),
            max_value=float(server.query_seconds),
            value=float(min(chosen.query_seconds or server.query_seconds, server.query_seconds)),
            step=5.0,
            format="%.0f",
            key=_QUERY,
            help="Then it is stopped in the database.",
        )
        st.number_input(
            "Seconds of a question",
            min_value=min(5.0, server.turn_seconds),
            max_value=float(server.turn_seconds),
            value=float(min(chosen.turn_seconds or server.turn_seconds, server.turn_seconds)),
            step=10.0,
            format="%.0f",
            key=_TURN,
            help="From asking to the answer, with all its queries.",
        )
    st.caption(
        f"This server allows at most {server.result_rows:,} rows, {server.query_seconds:,.0f} s a query and "
        f"{server.turn_seconds:,.0f} s a question."
    )


def _save() -> None:
    values, server = st.session_state, get_runtime().settings.limits
    chosen = Preferences(
        model=str(values[_MODEL] or "").strip(),
        reasoning=values[_LEVEL] or None,
        result_rows=None if values[_ROWS] >= server.result_rows else int(values[_ROWS]),
        query_seconds=None if values[_QUERY] >= server.query_seconds else float(values[_QUERY]),
        turn_seconds=None if values[_TURN] >= server.turn_seconds else float(values[_TURN]),
    )
    try:
        get_runtime().set_preferences(state.principal(), chosen)
    except TabulaflowError as error:
        values[_FAULT] = error.user_message
        return
    state.forget_model()
    st.toast("Saved. The next question is answered with it.", icon=":material/check:")
