"""The doubts about a reading, drawn: a question with an example, and a button for each answer."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import ambiguities, report, rereading, safe, state
from pages.ui.rereading import Scope
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import FileOutcome, get_runtime

_EXAMPLE_LINES: Final = 200
_QUESTIONS: Final = 3
_LINE: Final = 300


def draw(outcome: FileOutcome, of: Scope) -> None:
    if not ambiguities.any_in(of.report):
        return
    for doubt in ambiguities.of_report(of.report, _examples(of))[:_QUESTIONS]:
        also = _parts_in_doubt(outcome, of, doubt.kind)
        with st.container(border=True, key=f"doubt-{doubt.kind}-{of.key}"):
            st.markdown(f":orange[:material/help:] **{safe.label(doubt.question, length=_LINE)}**")
            with st.container(horizontal=True, vertical_alignment="center"):
                for at, answer in enumerate(doubt.answers):
                    st.button(
                        safe.label(answer.label + (" (taken for now)" if answer.taken else "")),
                        key=f"answer-{doubt.kind}-{at}-{of.key}",
                        on_click=rereading.want,
                        args=(of, answer.options, also),
                    )
                if also:
                    st.caption(f"Holds also for {safe.label(', '.join(also), length=120)}: the same is open there.")


def _parts_in_doubt(outcome: FileOutcome, of: Scope, kind: str) -> list[str]:
    """The other parts of the file in which the same decision is a guess."""
    if not of.part:
        return []
    parts = []
    for part in outcome.parts:
        reports = [outcome.reports.get(table, {}) for table in report.strings(part.get("tables"))]
        name = report.text(part, "name")
        if name != of.part and any(report.certainty(found, kind) == "guess" for found in reports):
            parts.append(name)
    return parts


def _examples(of: Scope) -> list[str]:
    """The first lines of the file, to take examples from; nothing where there are no lines."""
    try:
        lines = get_runtime().raw_lines(state.principal(), of.file, part=of.part, count=_EXAMPLE_LINES)
    except TabulaflowError:  # a workbook, say: the question does without an example
        return []
    return [text[:2_000] for _, text in lines]
