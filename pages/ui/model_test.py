"""The button that tries the model out, with what was found."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import safe, state
from tabulaflow_core.runtime import ModelTest, get_runtime

_TEST: Final = "tf_model_test"
_ICONS: Final = {True: ":material/check:", False: ":material/close:", None: ":material/remove:"}


def draw() -> None:
    """The button for the model in force, and the last trial of this tab."""
    name = get_runtime().default_model(state.principal())
    test: ModelTest | None = st.session_state.get(_TEST)
    running = test is not None and test.state == "running"
    with st.container(horizontal=True, vertical_alignment="center"):
        if running and test is not None:
            st.button("Stop", key="model-test-stop", icon=":material/stop_circle:", on_click=test.cancel)
        else:
            st.button(
                "Test",
                key="model-test",
                icon=":material/stethoscope:",
                disabled=name is None,
                on_click=_start,
                args=(name,),
                help="Asks the model a few short things: does it answer, stream, and call tools?",
            )
        st.caption(
            safe.label(name) if name else "No model yet: fetch the embedded one, or enter a key.", width="content"
        )
    if test is not None:
        _watch(test) if running else _draw_findings(test)


@st.fragment(run_every=0.5)
def _watch(test: ModelTest) -> None:
    if test.state != "running":
        st.rerun()
    _draw_findings(test)


def _draw_findings(test: ModelTest) -> None:
    for finding in test.findings:
        st.markdown(f"{_ICONS[finding.ok]} **{safe.label(finding.name)}** {safe.markdown(finding.message)}")
    match test.state:
        case "running":
            st.caption(f":material/hourglass_top: Trying {safe.label(test.model)}")
        case "done":
            st.success(safe.markdown(test.message), icon=":material/check:")
        case _:
            st.warning(safe.markdown(test.message), icon=":material/error:")


def _start(name: str) -> None:
    st.session_state[_TEST] = get_runtime().test_model(state.principal(), name)
