"""Saved questions: kept from an answer, asked again without a model, and removed."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import moments, pin, safe, sidebar, state
from pages.ui.changes import Changes
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output.specs import ChartSpec, MetricSpec, TableSpec
from tabulaflow_core.runtime import QuestionRecord, TurnView, get_runtime

#: On the page of a new conversation, and in the list until more are asked for.
_SUGGESTED: Final = 4
_LISTED: Final = 20
_ALL: Final = "tf_saved_all"
_SAVED: Final = "tf_saved_turns"
_FAULT: Final = "tf_saved_fault"


def draw_save(turn: TurnView, changes: Changes) -> None:
    """The button below an answer that has a query."""
    if _shown(turn) is None:
        return
    if turn.id in st.session_state.get(_SAVED, ()):
        st.caption(":material/bookmark_added: Saved, on the page of dashboards", width="content")
        return
    st.button(
        "Save question",
        icon=":material/bookmark_add:",
        key=f"{turn.id}-save",
        type="tertiary",
        help="Keep it with its query, to be asked again without a model",
        on_click=_save,
        args=(turn, changes),
    )


def draw_suggestions() -> None:
    """The last saved ones, to begin with."""
    _draw_fault()
    if found := get_runtime().saved_questions(state.principal())[:_SUGGESTED]:
        with st.container(horizontal=True):
            for saved in found:
                _ask_button(safe.label(saved.question), saved, key=f"ask-saved-{saved.id}")


def draw_list() -> None:
    """All of them."""
    found = get_runtime().saved_questions(state.principal())
    st.subheader("Saved questions", anchor=False)
    _draw_fault()
    if not found:
        st.caption("**Save question** below an answer keeps it here with its query, to be asked again without a model.")
    shown = found if st.session_state.get(_ALL) else found[:_LISTED]
    for saved in shown:
        with st.container(border=True):
            with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
                st.markdown(f"**{safe.label(saved.question, length=200)}**")
                with st.container(horizontal=True, width="content"):
                    _ask_button("Ask", saved, key=f"ask-{saved.id}")
                    st.button(
                        "Remove",
                        icon=":material/delete:",
                        key=f"remove-{saved.id}",
                        type="tertiary",
                        on_click=_remove,
                        args=(saved,),
                    )
            read = f" · read {moments.ago(saved.read_at)}" if saved.read_at else ""
            st.caption(f"On **{safe.label(saved.content.source)}**{read}")
            if saved.fault:
                st.warning(safe.markdown(saved.fault), icon=":material/history:")
            with st.expander("SQL", icon=":material/code:", key=f"sql-{saved.id}"):
                st.code(saved.content.sql, language="sql", wrap_lines=True)
    if len(shown) < len(found):
        st.button(f"Show all {len(found)}", key="saved-all", on_click=_show_all)


def _draw_fault() -> None:
    if fault := st.session_state.pop(_FAULT, ""):
        st.error(safe.markdown(fault), icon=":material/error:")


def _ask_button(label: str, saved: QuestionRecord, *, key: str) -> None:
    st.button(label, icon=":material/bookmark:", key=key, on_click=_ask, args=(saved,), wrap=True)


def _shown(turn: TurnView) -> ChartSpec | MetricSpec | TableSpec | None:
    """What stands for the answer: its chart, else its number, else its first table."""
    specs = turn.result.artifacts if turn.result is not None else ()
    for kind in (ChartSpec, MetricSpec, TableSpec):
        for spec in specs:
            if isinstance(spec, kind):
                return spec
    return None


def _save(turn: TurnView, changes: Changes) -> None:
    show = _shown(turn)
    if show is None:
        return
    result_id = pin.shown_result(show.id, changes) if isinstance(show, TableSpec) else show.table_id
    pinnable = pin.Pinnable(turn, changes.conversation_id, result_id, turn.question, show)
    try:
        get_runtime().save_question(state.principal(), turn.question, pin.content_of(pinnable), result_id=result_id)
    except TabulaflowError as error:
        st.toast(safe.markdown(error.user_message), icon=":material/error:")
        return
    st.session_state[_SAVED] = {*st.session_state.get(_SAVED, ()), turn.id}


def _ask(saved: QuestionRecord) -> None:
    try:
        begun = get_runtime().ask_saved_question(state.principal(), saved.id)
    except TabulaflowError as error:
        st.session_state[_FAULT] = error.user_message
        return
    sidebar.open_in_chat(begun.id)


def _remove(saved: QuestionRecord) -> None:
    try:
        get_runtime().remove_question(state.principal(), saved.id)
    except TabulaflowError:  # gone already, in another tab: that is what was wanted
        return


def _show_all() -> None:
    st.session_state[_ALL] = True
