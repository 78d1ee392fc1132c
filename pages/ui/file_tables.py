"""The tables of a file: which one is looked at, and which part of the file it was read from."""

from __future__ import annotations

from collections import Counter
from typing import Final

import streamlit as st

from pages.ui import report, rereading, safe
from pages.ui.rereading import Scope
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.runtime import FileOutcome

_SEGMENTS: Final = 6  # tables that stand beside each other; more go into a list


def choose(outcome: FileOutcome) -> TableSchema | None:
    tables = {table.name: table for table in outcome.tables}
    if len(tables) < 2:
        return next(iter(tables.values()), None)
    names, key = list(tables), f"table-of-{outcome.name}"
    if st.session_state.get(key) not in names:
        st.session_state.pop(key, None)
    called = _names_of_parts(outcome)
    if len(names) <= _SEGMENTS:
        chosen = st.segmented_control(
            "Table",
            names,
            default=names[0],
            required=True,
            format_func=lambda name: safe.label(called.get(str(name), str(name)), length=40),
            key=key,
            label_visibility="collapsed",
        )
    else:
        chosen = st.selectbox("Table", names, format_func=lambda name: called.get(name, name), key=key)
    return tables.get(str(chosen))


def _names_of_parts(outcome: FileOutcome) -> dict[str, str]:
    """What people call a table: its sheet's name where it is the only one of it."""
    parts = {table.name: _part_of(outcome, table.name) for table in outcome.tables}
    many = Counter(parts.values())
    return {table: part for table, part in parts.items() if part and many[part] == 1}


def scope_of(outcome: FileOutcome, table: TableSchema, whole: Scope) -> Scope:
    if outcome.files:
        return whole
    part, of = _part_of(outcome, table.name), outcome.reports.get(table.name)
    if of is None and not part:
        return whole
    return rereading.scope(outcome, part=part, of=of or outcome.report)


def _part_of(outcome: FileOutcome, table: str) -> str:
    """The sheet or member that a table was read from; empty when the file has no parts.

    A table keeps its name when a second sheet is switched on, so the name alone does not always tell.
    """
    named = [report.text(part, "name") for part in outcome.parts if table in report.strings(part.get("tables"))]
    sheet = report.decisions(outcome.reports.get(table, {})).get("sheet")
    if named or sheet is None:
        return named[0] if named else ""
    return sheet.value if sheet.value in {report.text(part, "name") for part in outcome.parts} else ""
