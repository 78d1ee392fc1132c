"""The chat page: what was said, what is being answered, and the box to ask in."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import (
    follow_ups,
    history,
    live,
    model_panel,
    safe,
    samples,
    saved,
    state,
    take_conversation,
    wording,
)
from pages.ui.suggestions import suggested_questions
from tabulaflow_core.errors import NotFound, TabulaflowError
from tabulaflow_core.runtime import ConversationView, SourceInfo, Turn, get_runtime

_QUESTION: Final = "question"
_TOO_LONG: Final = "tf_too_long"
_LONGEST_QUESTION: Final = 4000  # characters: the box itself would drop a longer text without a word


def draw() -> None:
    """Draw the page."""
    runtime, who = get_runtime(), state.principal()
    view, running = _open_conversation()
    fault = "" if running else _start_pending(view)
    sources = runtime.sources(who)
    _draw_heading(sources, view)
    empty = view is None or not (view.turns or running)
    if empty:
        _draw_welcome()
    model_ready = model_panel.draw()
    if empty and model_ready:
        _draw_suggestions(sources)
    if model_ready and running is None:
        _warm(view, sources)
    _draw_bottom(running, ready=model_ready, empty=empty)
    if fault:
        st.error(safe.markdown(fault), icon=":material/error:")
    if view is not None:
        history.draw(view, running)
        if running is None and model_ready:
            follow_ups.draw(view, sources)
    _draw_too_long()
    if running is not None:
        live.watch(running)


def _open_conversation() -> tuple[ConversationView | None, Turn | None]:
    """The open conversation and the turn that runs in it."""
    view = _open_view()
    running = get_runtime().running_turn(state.principal(), view.info.id) if view else None
    if view is not None and running is None and any(turn.state == "running" for turn in view.turns):
        view = _open_view()  # it ended between the two looks, and the first saw no answer yet
    return view, running


def _open_view() -> ConversationView | None:
    """The open conversation, None when there is none yet or it is not this person's."""
    conversation_id = state.conversation_id()
    if conversation_id is None:
        return None
    try:
        view = get_runtime().conversation(state.principal(), conversation_id)
    except NotFound:
        state.open_conversation(None)
        st.warning("This conversation does not exist, or it is not yours. Here is an empty one.")
        return None
    state.show_in_url(conversation_id)
    return view


def _warm(view: ConversationView | None, sources: tuple[SourceInfo, ...]) -> None:
    """Let the embedded model read the prompt while the person thinks: once for each conversation and set of tables."""
    conversation_id = view.info.id if view else state.draft_conversation()
    tables = tuple((source.id, table.name, table.row_count) for source in sources for table in source.tables)
    if state.changed("warmed", (conversation_id, tables, state.model())):
        get_runtime().warm(state.principal(), conversation_id)


def _draw_heading(sources: tuple[SourceInfo, ...], view: ConversationView | None) -> None:
    """What is asked, and what the conversation has cost so far."""
    names = [
        f"**{safe.label(source.alias)}** ({wording.count(len(source.tables), 'table')})"
        for source in sources
        if source.status == "ready"
    ]
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(f"Questions go to {', '.join(names)}" if names else "No data yet")
        if used := _used(view):
            st.caption(used, help="This conversation so far. The Usage page has every question.")
        if view is not None:
            take_conversation.draw(view)
        st.page_link("pages/data.py", label="Data", icon=":material/database:")


def _used(view: ConversationView | None) -> str:
    """Tokens and cost of the conversation's turns that have ended."""
    usages = [turn.result.usage for turn in view.turns if turn.result and turn.result.usage] if view else []
    if not usages:
        return ""
    tokens = sum(usage.input_tokens + usage.output_tokens for usage in usages)
    return wording.running_cost([(usage.api_cost_usd, usage.price_source) for usage in usages], tokens=tokens)


def _draw_welcome() -> None:
    st.title("Ask your data")
    st.markdown(
        "Answers come with the query they rest on. Your data is only ever read. "
        "Bring files and databases on the **Data** page."
    )


def _draw_suggestions(sources: tuple[SourceInfo, ...]) -> None:
    suggestions = suggested_questions(sources)
    if not suggestions:
        samples.draw_nothing_yet()
        return
    saved.draw_suggestions()
    with st.container(horizontal=True):
        for at, text in enumerate(suggestions):
            st.button(safe.label(text), key=f"suggestion-{at}", on_click=state.ask_later, args=(text,), wrap=True)


def _draw_bottom(running: Turn | None, *, ready: bool, empty: bool) -> None:
    """Stop, reset unless there is nothing to reset, and the box to ask in."""
    if running is not None:
        for waiting in state.pending_questions():
            st.bottom.caption(f":material/schedule: Asked next: {safe.label(waiting)}")
    with st.bottom, st.container(horizontal=True, vertical_alignment="center"):
        if running is not None:
            live.stop_button(running)
        if not empty:
            st.button(
                "Reset",
                icon=":material/restart_alt:",
                key="reset",
                on_click=state.open_conversation,
                args=(None,),
                help="Start a new conversation. Data and earlier conversations stay.",
            )
        model_panel.draw_choice()
    # While a turn runs, the next question can be given already: a disabled box would lose the keyboard's focus.
    st.chat_input(
        "Ask about your data" if ready else "Choose a model first",
        key=_QUESTION,
        disabled=not ready,
        on_submit=_submitted,
    )


def _submitted() -> None:
    """Callbacks run before any page does, so that a run which has to start again through the shell loses nothing."""
    question = st.session_state[_QUESTION]
    if len(question) > _LONGEST_QUESTION:
        st.session_state[_TOO_LONG] = question
    else:
        state.ask_later(question)


def _draw_too_long() -> None:
    question = st.session_state.pop(_TOO_LONG, "")
    if question:
        st.error(
            f"This question has {len(question):,} characters; {_LONGEST_QUESTION:,} are the most. It was not asked. "
            "Shorten it, or bring data as a file on the Data page.",
            icon=":material/error:",
        )
        with st.expander("The text, to copy"):
            st.code(question, language=None, wrap_lines=True)


def _start_pending(view: ConversationView | None) -> str:
    """Ask what is to be asked, before anything is drawn, and run the page again with the turn on it.

    Returns:
        Why it could not be asked; empty when there was nothing to ask, or no model to ask.
    """
    ready = bool(state.pending_questions()) and model_panel.is_ready()
    if (question := state.take_pending_question() if ready else None) is None:
        return ""
    try:
        conversation_id = view.info.id if view else state.take_draft_conversation()
        state.open_conversation(conversation_id)
        get_runtime().start_turn(state.principal(), conversation_id, question, model=state.model())
    except TabulaflowError as error:
        return error.user_message
    st.rerun()
