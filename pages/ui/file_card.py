"""One file: the line that says how it was read, its doubts, its table, and every choice beside it."""

from __future__ import annotations

import json
from typing import Final

import streamlit as st

from pages.ui import (
    ambiguities,
    left_out,
    opened,
    preview,
    raw_text,
    reading_columns,
    reading_controls,
    reading_words,
    report,
    rereading,
    safe,
    state,
    uploads,
)
from pages.ui.rereading import Scope
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import FileOutcome, get_runtime

_FILES: Final = "files"
_EXAMPLE_LINES: Final = 200
_SEGMENTS: Final = 6  # tables that stand beside each other; more go into a list
_LINE: Final = 300
_MOST_BYTES: Final = 500 * 2**20  # a download passes through the server's memory
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
    _draw_actions(outcome)


def _draw_read(outcome: FileOutcome) -> None:
    whole = rereading.scope(outcome)
    if fault := rereading.fault(outcome.name):
        st.error(f"{safe.markdown(fault)} The reading from before stays.", icon=":material/error:")
    if outcome.changes:
        said = [safe.markdown(" ".join(change.split())) for change in outcome.changes[:8]]
        text = said[0] if len(said) == 1 else "What changed:\n" + "\n".join(f"- {change}" for change in said)
        st.info(text, icon=":material/difference:")
    if outcome.files:
        st.caption(_origins(outcome))
    elif len(outcome.parts) > 1 or any(part.get("hidden") for part in outcome.parts):
        reading_controls.draw_parts(whole, outcome.parts)
    table = _chosen_table(outcome)
    if table is None:
        st.info("No table of it is switched on.")
        _draw_actions(outcome)
        return
    of = _scope_of(outcome, table, whole)
    if len(outcome.tables) > 1:
        st.markdown(safe.label(reading_words.summary([table], of.report), length=_LINE))
    _draw_ambiguities(outcome, of)
    left, right = st.columns([5, 3], gap="medium")
    with left:
        _draw_views(outcome, table, of)
    with right, st.container(key=f"choices-{of.file}"):
        _draw_heading(of)
        reading_controls.draw(of)
        reading_controls.draw_given(of)
    _draw_actions(outcome)


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


def _draw_actions(outcome: FileOutcome) -> None:
    """The original, the report as JSON, and the way out."""
    name = outcome.name
    with st.container(horizontal=True, vertical_alignment="center"):
        _draw_original(name)
        if outcome.report:
            st.download_button(
                "Report",
                data=lambda: json.dumps(
                    {"file": name, "options": outcome.options, "report": outcome.report, "tables": outcome.reports},
                    ensure_ascii=False,
                    indent=2,
                ),
                file_name=f"{name}.reading.json",
                mime="application/json",
                key=f"report-{name}",
                icon=":material/description:",
                type="tertiary",
                help="Everything that was decided, as JSON.",
                on_click="ignore",
            )
        if outcome.status == "message":  # nothing is lost with it
            st.button(
                "Remove",
                key=f"remove-{name}",
                icon=":material/delete:",
                type="tertiary",
                on_click=_remove,
                args=(name,),
            )
            return
        with st.popover("Remove", icon=":material/delete:", type="tertiary", key=f"ask-remove-{name}"):
            st.markdown(f"Remove **{safe.label(name)}** and what was read from it? Answers given so far stay.")
            st.button("Remove it", key=f"remove-{name}", type="primary", on_click=_remove, args=(name,))


def _draw_original(name: str) -> None:
    try:
        path = get_runtime().original(state.principal(), name)
        size = path.stat().st_size
    except (TabulaflowError, OSError):  # read from a folder of the server, and gone from there since
        return
    st.download_button(
        "Original file",
        data=path.read_bytes,
        file_name=name,
        key=f"original-{name}",
        icon=":material/download:",
        type="tertiary",
        disabled=size > _MOST_BYTES,
        help="Too large for the browser: take it from the server's folder." if size > _MOST_BYTES else None,
        on_click="ignore",
    )


def _remove(name: str) -> None:
    rereading.forget(name)
    uploads.forget(name)
    try:
        get_runtime().remove_file(state.principal(), name)
    except TabulaflowError:  # gone already, in another tab: that is what was wanted
        return


def _chosen_table(outcome: FileOutcome) -> TableSchema | None:
    tables = {table.name: table for table in outcome.tables}
    if len(tables) < 2:
        return next(iter(tables.values()), None)
    names, key = list(tables), f"table-of-{outcome.name}"
    if st.session_state.get(key) not in names:
        st.session_state.pop(key, None)
    if len(names) <= _SEGMENTS:
        chosen = st.segmented_control(
            "Table",
            names,
            default=names[0],
            required=True,
            format_func=safe.label,
            key=key,
            label_visibility="collapsed",
        )
    else:
        chosen = st.selectbox("Table", names, key=key)
    return tables.get(str(chosen))


def _scope_of(outcome: FileOutcome, table: TableSchema, whole: Scope) -> Scope:
    if outcome.files:
        return whole
    part = next((p for p in outcome.parts if table.name in report.strings(p.get("tables"))), None)
    of = outcome.reports.get(table.name)
    if of is None and part is None:
        return whole
    return rereading.scope(outcome, part=report.text(part or {}, "name"), of=of or outcome.report)


def _draw_ambiguities(outcome: FileOutcome, of: Scope) -> None:
    if not ambiguities.any_in(of.report):
        return
    for doubt in ambiguities.of_report(of.report, _examples(of))[:3]:
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
