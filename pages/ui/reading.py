"""The reading report of a file, in plain words."""

from __future__ import annotations

import streamlit as st

from pages.ui import safe
from tabulaflow_core.runtime import FileOutcome


def draw(outcome: FileOutcome) -> None:
    """How `outcome`'s file was read: what was decided, what was skipped, what did not fit."""
    report = outcome.report
    st.markdown(f"**How {safe.label(outcome.name)} was read**")
    notices = report.get("notices")
    for notice in notices if isinstance(notices, list) else []:
        st.markdown(f"- {safe.markdown(str(notice))}")
    with st.popover("The whole report", icon=":material/description:"):
        st.json(report, expanded=2)
