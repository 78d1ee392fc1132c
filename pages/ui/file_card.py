"""One file: the line that says how it was read, its doubts, its table, and every choice beside it."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import (
    doubts,
    file_actions,
    file_tables,
    left_out,
    opened,
    preview,
    raw_text,
    reading_columns,
    reading_controls,
    reading_words,
    rechecked,
    report,
    rereading,
    safe,
)
from pages.ui.rereading import Scope
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.runtime import FileOutcome

_FILES: Final = "files"
_LINE: Final = 300
_TABS: Final = ("Table", "Columns", "Left out", "Raw text")


@st.fragment
def draw(name: str) -> None:
    """Draw the file `name`; its controls run this card again and nothing else of the page."""
    rereading.carry_out(name)
    outcome = rereading.find(name)
    if outcome is None:  # removed by its own button: the whole page must know
        st.rerun()
    broken = outcome.status == "message"
    line = "could not be read" if broken else reading_words.summary(outcome.tables, outcome.report)
    key = f"file-{name}"
    card = st.expander(
        f"**{safe.label(name)}** · {safe.label(line, length=_LINE)}",
        key=key,
        icon=":material/error:" if broken else ":material/draft:",
        expanded=opened.is_open(name),
        on_change=_toggled,
        args=(name, key),
    )
    if not card.open:
        return
    with card:
        if broken:
            _draw_broken(outcome)
        else:
            _draw_read(outcome)


def _toggled(name: str, key: str) -> None:
    opened.set_open(name, bool(st.session_state.get(key)))


def _draw_broken(outcome: FileOutcome) -> None:
    st.error(safe.markdown(outcome.message), icon=":material/error:")
    with st.expander("Raw text", key=f"raw-{outcome.name}", type="compact", on_change="rerun") as raw:
        if raw.open:
            raw_text.draw(rereading.scope(outcome), file=outcome.name)
    file_actions.draw(outcome)


def _draw_read(outcome: FileOutcome) -> None:
    whole = rereading.scope(outcome)
    if fault := rereading.fault(outcome.name):
        st.error(f"{safe.markdown(fault)} The reading from before stays.", icon=":material/error:")
    if outcome.changes:
        said = [safe.markdown(" ".join(change.split())) for change in outcome.changes[:8]]
        text = said[0] if len(said) == 1 else "What changed:\n" + "\n".join(f"- {change}" for change in said)
        st.info(text, icon=":material/difference:")
        rechecked.draw(
            outcome.source or _FILES,
            tables=[table.qualified_name for table in outcome.tables],
            version=f"{outcome.name} {outcome.version}",
            key=f"uses-{outcome.name}",
        )
    if outcome.files:
        st.caption(_origins(outcome))
    table = file_tables.choose(outcome)
    of = whole if table is None else file_tables.scope_of(outcome, table, whole)
    if table is not None and len(outcome.tables) > 1:
        line = safe.label(reading_words.summary([table], of.report), length=_LINE)
        st.markdown(f"{line} · in questions: **{safe.label(table.qualified_name)}**")
    doubts.draw(outcome, of)
    left, right = st.columns([5, 3], gap="medium")
    with left:
        if table is None:
            st.info("Nothing of this file is switched on.")
        else:
            _draw_views(outcome, table, of)
    with right, st.container(key=f"choices-{of.file}"):
        _draw_heading(of)
        if not outcome.files and (len(outcome.parts) > 1 or any(part.get("hidden") for part in outcome.parts)):
            reading_controls.draw_parts(whole, outcome.parts)
        reading_controls.draw(of)
        reading_controls.draw_given(of)
    file_actions.draw(outcome)


def _origins(outcome: FileOutcome) -> str:
    """The files that a table was made of."""
    rows = {report.text(part, "name"): report.text(part, "message") for part in outcome.parts}
    named = [f"{name} ({rows[name]})" if rows.get(name) else name for name in outcome.files[:10]]
    more = f" and {len(outcome.files) - 10} more" if len(outcome.files) > 10 else ""
    return f"Made of {safe.label(', '.join(named), length=600)}{more}. The column “file” tells which row is whose."


def _draw_heading(of: Scope) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown("**How it was read**", width="content")
        if told := rereading.told_count(of):
            st.button(
                "Back to automatic",
                key=f"automatic-{of.key}",
                icon=":material/undo:",
                type="tertiary",
                help=f"Gives back to the reader: {told}.",
                on_click=rereading.want_automatic,
                args=(of,),
            )


def _draw_views(outcome: FileOutcome, table: TableSchema, of: Scope) -> None:
    lost = left_out.count(of.report)
    labels = [f"{tab} ({lost:,})" if tab == "Left out" and lost else tab for tab in _TABS]
    rows, columns, lines, raw = st.tabs(labels, key=f"views-{outcome.name}-{table.name}", on_change="rerun")
    alias = outcome.source or _FILES
    if rows.open:
        with rows:
            preview.draw(alias, table, key=f"preview-{of.key}-{table.name}")
            left_out.draw_notices(of.report)
    if columns.open:
        with columns:
            reading_columns.draw(of, table)
    if lines.open:
        with lines:
            left_out.draw(of)
    if raw.open:
        with raw:
            raw_text.draw(of, file=_file_for_raw(outcome))


def _file_for_raw(outcome: FileOutcome) -> str:
    """The file whose lines are shown: one of those that the table is made of."""
    if not outcome.files:
        return outcome.name
    return str(st.selectbox("File", outcome.files, key=f"raw-file-{outcome.name}"))
