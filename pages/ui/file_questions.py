"""Uploads that wait for a word: replace, append, keep both; one table or several. They survive a reload."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from pages.ui import reading_words, safe, state, uploads, wording
from tabulaflow_core.errors import NotFound, TabulaflowError
from tabulaflow_core.runtime import FileChoice, FileOutcome, FileQuestion, get_runtime

_FAULT: Final = "tf_answer_fault"
_ICONS: Final = {
    "replace": ":material/sync_alt:",
    "append": ":material/playlist_add:",
    "keep_both": ":material/content_copy:",
    "combine": ":material/merge:",
    "separate": ":material/call_split:",
}
_MOST: Final = 20


def draw(waiting: Sequence[FileOutcome]) -> None:
    """Draw one card for each open question."""
    if fault := st.session_state.pop(_FAULT, ""):
        st.error(safe.markdown(fault), icon=":material/error:")
    seen: list[FileQuestion] = []
    for outcome in waiting:
        if outcome.question is not None and outcome.question not in seen:
            seen.append(outcome.question)
            if len(seen) <= _MOST:
                _draw_question(outcome, outcome.question)
    if len(seen) > _MOST:
        st.caption(f"{wording.count(len(seen) - _MOST, 'more question')} will come up when these are answered.")


def _draw_question(outcome: FileOutcome, question: FileQuestion) -> None:
    with st.container(border=True, key=f"question-{outcome.name}"):
        st.markdown(f":orange[:material/help:] **{safe.markdown(question.sentence)}**")
        read = reading_words.summary(outcome.tables, outcome.report)
        if read:
            st.caption(f"{safe.label(outcome.name)}: {safe.label(read, length=300)}")
        drift = question.drift.sentences()
        if drift:
            lines = [safe.markdown(said) for said in drift]
            text = lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)
            st.warning(text, icon=":material/difference:")
        elif question.kind != "one_shape":
            st.caption("The columns are the same.")
        with st.container(horizontal=True):
            for at, choice in enumerate(question.choices):
                st.button(
                    _label(choice, question),
                    key=f"choose-{choice}-{outcome.name}",
                    icon=_ICONS.get(choice),
                    type="primary" if at == 0 else "secondary",
                    on_click=_answer,
                    args=(outcome.name, choice),
                )
            st.button(
                "Forget the upload",
                key=f"dismiss-{outcome.name}",
                type="tertiary",
                on_click=_dismiss,
                args=(outcome.name,),
            )


def _label(choice: FileChoice, question: FileQuestion) -> str:
    table = safe.label(question.table, length=40)
    return {
        "replace": f"Replace {table}",
        "append": f"Add the rows to {table}",
        "keep_both": "Keep both",
        "combine": f"One table of {wording.count(len(question.files), 'file')}",
        "separate": "A table for each file",
    }.get(choice, choice)


def _answer(name: str, choice: FileChoice) -> None:
    try:
        outcomes = get_runtime().answer_file(state.principal(), name, choice)
    except TabulaflowError as error:
        st.session_state[_FAULT] = error.user_message
        return
    uploads.announce(outcomes)


def _dismiss(name: str) -> None:
    """Forget a waiting file, and those that the same question is about."""
    try:
        get_runtime().dismiss_file(state.principal(), name)
    except NotFound:  # answered or forgotten already, in another tab: it waits no longer, which was wanted
        return
    except TabulaflowError as error:
        st.session_state[_FAULT] = error.user_message
