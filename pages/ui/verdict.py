"""Thumbs up or down under an answer, with a reason in the person's words."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import safe, state
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import FeedbackRecord, Verdict, get_runtime

_VERDICTS: Final[tuple[Verdict, Verdict]] = ("down", "up")  # in the order of the widget's values
_ASKED: Final = {"up": "What was good?", "down": "What was wrong?"}
_LONGEST: Final = 2_000


def draw(turn_id: str, kept: FeedbackRecord | None) -> None:
    """The thumbs, and where one is given a box for the reason."""
    key = f"{turn_id}-verdict"
    st.feedback(
        "thumbs",
        key=key,
        default=_VERDICTS.index(kept.verdict) if kept else None,
        on_change=_judge,
        args=(turn_id, key),
    )
    if kept is None:
        return
    label = "Change reason" if kept.reason else "Say why"
    with st.popover(label, key=f"{turn_id}-why", on_change="rerun") as box:
        if box.open:
            st.text_area(_ASKED[kept.verdict], value=kept.reason, key=f"{turn_id}-reason", max_chars=_LONGEST)
            st.button("Save", key=f"{turn_id}-why-save", type="primary", on_click=_explain, args=(turn_id, kept))
    if kept.reason:
        st.caption(f"“{safe.label(kept.reason, length=120)}”", width="content")


def _judge(turn_id: str, key: str) -> None:
    value = st.session_state[key]
    _keep(turn_id, None if value is None else _VERDICTS[value], "")


def _explain(turn_id: str, kept: FeedbackRecord) -> None:
    _keep(turn_id, kept.verdict, str(st.session_state[f"{turn_id}-reason"]))
    st.session_state[f"{turn_id}-why"] = False


def _keep(turn_id: str, verdict: Verdict | None, reason: str) -> None:
    try:
        get_runtime().judge(state.principal(), turn_id, verdict, reason=reason)
    except TabulaflowError as error:  # the conversation was deleted in another tab
        st.toast(safe.markdown(error.user_message), icon=":material/error:")
