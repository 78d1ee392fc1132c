"""What of a file is not in its table: lines that were skipped, values that did not fit."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import streamlit as st

from pages.ui import reading_words, report, safe, wording
from pages.ui.report import Json
from pages.ui.rereading import Scope

_MOST: Final = 200
_LINE: Final = 500
_NOTICES: Final = 8


def count(of: Json) -> int:
    """How many lines and values of a file are not in its table."""
    return report.number(of, "skipped_count") + report.number(of, "misfit_count")


def draw(of: Scope) -> None:
    """Draw the reckoning of rows, then each skipped line and each value that did not fit."""
    if reckoning := reading_words.reckoning(of.report):
        st.markdown(reckoning)
    skipped, misfits = (
        sorted(report.objects(of.report.get(key)), key=lambda item: report.number(item, "line"))[:_MOST]
        for key in ("skipped", "misfits")
    )
    if skipped:
        total = report.number(of.report, "skipped_count")
        st.markdown(f"**Lines left out** · {_shown(len(skipped), total)}")
        st.dataframe(
            pa.table(
                {
                    "Line": [report.number(line, "line") for line in skipped],
                    "Why": [report.text(line, "why") for line in skipped],
                    "Text": [report.text(line, "text")[:_LINE] for line in skipped],
                }
            ),
            key=f"skipped-{of.key}",
            hide_index=True,
            height=min(35 * (len(skipped) + 1) + 3, 318),
            column_config={"Line": st.column_config.NumberColumn(width="small", format="%d")},
        )
    if misfits:
        total = report.number(of.report, "misfit_count")
        st.markdown(f"**Values that did not fit** · {_shown(len(misfits), total)}")
        st.caption("They are empty in the table. Read the column as text to keep them.")
        st.dataframe(
            pa.table(
                {
                    "Line": [report.number(item, "line") for item in misfits],
                    "Column": [report.text(item, "column") or "(outside the columns)" for item in misfits],
                    "Value": [report.text(item, "value")[:_LINE] for item in misfits],
                }
            ),
            key=f"misfits-{of.key}",
            hide_index=True,
            height=min(35 * (len(misfits) + 1) + 3, 318),
            column_config={"Line": st.column_config.NumberColumn(width="small", format="%d")},
        )
    if not skipped and not misfits:
        st.caption("No line was left out, and every value fits its column.")


def draw_notices(of: Json) -> None:
    """The sentences of the reader for a person, at most a screenful."""
    notices = [f"- {safe.markdown(' '.join(notice.split()))}" for notice in report.strings(of.get("notices"))]
    if notices:
        st.caption("\n".join(notices[:_NOTICES]))
    if len(notices) > _NOTICES:
        with st.expander(f"{len(notices) - _NOTICES} more", type="compact"):
            st.caption("\n".join(notices[_NOTICES:60]))


def _shown(shown: int, total: int) -> str:
    return f"{total:,}" if shown >= total else f"the first {shown:,} of {wording.count(total, 'one', 'all')}"
