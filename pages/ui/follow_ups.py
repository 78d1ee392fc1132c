"""Two or three questions under the newest answer; a click asks one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pages.ui import safe, state
from pages.ui.hidden_columns import is_hidden
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output import follow_ups
from tabulaflow_core.runtime import ConversationView, SourceInfo, TurnView, get_runtime


def draw(view: ConversationView, sources: Sequence[SourceInfo]) -> None:
    """Draw them for the last turn when it was answered with rows."""
    if not view.turns or not (questions := _questions(view.turns[-1], view, sources)):
        return
    st.caption("Go on with")
    with st.container(horizontal=True):
        for at, text in enumerate(questions):
            key = f"{view.turns[-1].id}-follow-{at}"
            st.button(safe.label(text, length=120), key=key, on_click=state.ask_later, args=(text,), wrap=True)


def _questions(turn: TurnView, view: ConversationView, sources: Sequence[SourceInfo]) -> tuple[str, ...]:
    if turn.result is None or turn.result.outcome != "answered":
        return ()
    shown = [spec for spec in turn.result.artifacts if spec.kind == "table"]
    if not shown:
        return ()
    try:
        result = get_runtime().result(state.principal(), shown[-1].id)
    except TabulaflowError:  # dropped to make room: there is nothing to go on from
        return ()
    aliases = result.source.split(" + ")
    used = [
        (table, is_hidden(source, table)) for source in sources if source.alias in aliases for table in source.tables
    ]
    hidden = {name.casefold() for _, names in used for name in names}
    if hidden & {name.casefold() for name in result.table.column_names}:
        return ()  # a person's own query shows it; a question made of it would go to the model
    tables = [replace(table, columns=tuple(c for c in table.columns if c.name not in names)) for table, names in used]
    asked = [each.question for each in view.turns]
    further = follow_ups(result, question=turn.question, tables=tables, asked=asked, plain=_is_small_model())
    other = get_runtime().other_question(turn, result, tables)
    return (other, *further[:2]) if other else further  # first what turns the answer round


def _is_small_model() -> bool:
    """Whether the model that would answer next is a small one."""
    runtime, who = get_runtime(), state.principal()
    name = state.model() or runtime.default_model(who)
    ready = [model for model in runtime.models(who) if model.ready]
    # The default may be given by a shorter name; then the first is meant, as in the choice of models.
    return any(model.compact for model in [model for model in ready if model.name == name] or ready[:1])
