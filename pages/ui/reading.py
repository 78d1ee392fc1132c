"""The reading report of a file, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import streamlit as st
from pydantic import JsonValue

from pages.ui import safe
from tabulaflow_core.runtime import FileOutcome

#: Decisions named at a glance, in this order; the others stand in the whole report.
_GLANCE: Final = {
    "encoding": "Encoding",
    "delimiter": "Delimiter",
    "header": "Header",
    "decimal_mark": "Decimal mark",
    "date_order": "Dates",
}
_DATE_ORDERS: Final = {"dmy": "day first", "mdy": "month first", "ymd": "year first"}


def draw(outcome: FileOutcome) -> None:
    """How `outcome`'s file was read: what was decided, what was skipped, what did not fit."""
    st.markdown(f"**How {safe.label(outcome.name)} was read**")
    decisions = list(_objects(outcome.report.get("decisions")))
    glance = [text for name in _GLANCE for decision in decisions if (text := _decision(decision, name))]
    if glance:
        st.markdown(" · ".join(glance))
    notices = outcome.report.get("notices")
    for notice in notices if isinstance(notices, list) else []:
        st.markdown(f"- {safe.markdown(str(notice))}")
    with st.popover("The whole report", icon=":material/description:"):
        st.json(outcome.report, expanded=2)


def _objects(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def _decision(decision: dict[str, JsonValue], name: str) -> str:
    if decision.get("name") != name:
        return ""
    value = str(decision.get("value"))
    value = _DATE_ORDERS.get(value, value)
    doubt = "" if decision.get("certainty") == "certain" else f" ({decision.get('certainty')})"
    return f"{_GLANCE[name]}: **{safe.label(value)}**{doubt}"
