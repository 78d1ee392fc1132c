"""The lines of a file as they stand in it, numbered, a page at a time."""

from __future__ import annotations

import re
from typing import Final

import streamlit as st

from pages.ui import report, safe, state
from pages.ui.rereading import Scope
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import get_runtime

_PAGE: Final = 100
_LOW: Final = 16  # so few lines need no box that scrolls
_LONG: Final = 2_000  # characters of a line; a line of a gigabyte must not reach the browser
_UNSEEN: Final = {**{code: f"\\x{code:02x}" for code in range(32)}, 9: "⇥", 0x7F: "\\x7f"}


def draw(of: Scope, *, file: str) -> None:
    """Draw a page of the raw lines of `file`, or of the part that `of` is about."""
    key = f"tf_raw_{file}_{of.part}"
    start = int(st.session_state.get(key, 1))
    try:
        lines = get_runtime().raw_lines(state.principal(), file, part=of.part, start=start, count=_PAGE + 1)
    except TabulaflowError as error:
        st.info(safe.markdown(error.user_message), icon=":material/info:")
        return
    more, lines = len(lines) > _PAGE, lines[:_PAGE]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "From line",
            min_value=1,
            value=start,
            key=f"from-{key}-{start}",
            width=140,
            on_change=_go,
            args=(key, None, f"from-{key}-{start}"),
        )
        st.button("Earlier", key=f"up-{key}", disabled=start == 1, on_click=_go, args=(key, start - _PAGE))
        st.button("Later", key=f"down-{key}", disabled=not more, on_click=_go, args=(key, start + _PAGE))
    if not lines:
        st.caption("There are no lines from here on.")
        return
    # The language None keeps the text plain; a code block draws no markdown and fetches nothing.
    st.code(listing(lines, of), language=None, height=420 if len(lines) > _LOW else "content")
    st.caption("H: names the columns. −: left out. ⇥: a tab.")


def _go(key: str, line: int | None, widget: str = "") -> None:
    chosen = st.session_state.get(widget) if line is None else line
    st.session_state[key] = max(1, int(chosen or 1))


def listing(lines: tuple[tuple[int, str], ...], of: Scope) -> str:
    """Numbered lines with a mark on the header and on what was left out."""
    header = report.decisions(of.report).get("header")
    headers = {int(n) for n in re.findall(r"\d+", header.value)} if header is not None else set()
    skipped = {report.number(line, "line") for line in report.objects(of.report.get("skipped"))}
    width = len(str(lines[-1][0]))
    out = []
    for number, text in lines:
        mark = "H" if number in headers else "−" if number in skipped else " "
        shown = text if len(text) <= _LONG else f"{text[:_LONG]}… ({len(text):,} characters)"
        out.append(f"{number:>{width}} {mark} {shown.translate(_UNSEEN)}")
    return "\n".join(out)
