"""The decisions of a reading, each as a control: changing one reads the file again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import streamlit as st
from pydantic import JsonValue

from pages.ui import reading_widgets, reading_words, report, rereading, safe
from pages.ui.rereading import Scope

_DELIMITERS: Final = {
    "comma": "comma",
    "semicolon": "semicolon",
    "tab": "tab",
    "pipe": "pipe",
    "space": "space",
    ":": "colon",
    "blanks": "two or more blanks",
    "fixed": "fixed places",
    "none": "none (one column)",
}
_QUOTES: Final = {'"': '" double', "'": "' single", "none": "none"}
_COMMENTS: Final = {"none": "none", "#": "#", "//": "//", ";": ";", "%": "%", "--": "--"}
_ESCAPES: Final = {"none": "doubled", "\\": "after a backslash"}
_GIVEN: Final = {
    "sheet": "sheet",
    "range": "range",
    "line_end": "line ends",
    "records": "records:",
    "path": "found at",
}
_PILLS: Final = 40  # parts that are drawn beside each other; more go into a list
#: Formats whose values have types of their own, so that there is nothing to decide about text.
_TYPED: Final = ("parquet", "feather", "sqlite", "duckdb")


def draw(of: Scope) -> None:
    """Draw a control for each choice that the reader offers; the usual ones at once, the rare ones folded."""
    if report.text(of.report, "format") in _TYPED:
        st.caption("This format says itself how its values are meant: there is nothing to choose.")
        return
    offered = {decision.option for decision in report.decisions(of.report).values()}
    as_text = report.is_text(of.report)
    if "encoding" in offered:  # its names are long
        reading_widgets.one_of(of, "encoding", "Encoding", reading_words.ENCODINGS, own=True)
    usual: list[Callable[[], None]] = []
    if "delimiter" in offered:
        usual.append(lambda: reading_widgets.one_of(of, "delimiter", "Delimiter", _DELIMITERS, own=True))
    if offered & {"header_rows", "header"}:
        usual.append(lambda: reading_widgets.header(of, rows="header_rows" in offered))
    if "skip_lines" in offered:
        usual.append(
            lambda: reading_widgets.count(of, "skip_lines", "Begins in line" if as_text else "Begins in row", shift=1)
        )
    _in_pairs(usual)
    made = report.decisions(of.report)
    for mark, control in _MARKS.items():
        if mark in made:
            control(of)
    with st.expander("More choices", key=f"more-{of.file}-{of.part}", type="compact", on_change="rerun") as more:
        if more.open:
            for mark, control in _MARKS.items():
                if mark not in made:
                    control(of)
            _draw_rare(of, offered)


def draw_given(of: Scope) -> None:
    """What was decided and is nobody's choice, such as where on a sheet the table lies, in one line."""
    given = [
        f"{_GIVEN[name]} {decision.value}"
        for name, decision in report.decisions(of.report).items()
        if name in _GIVEN and decision.value
    ]
    if given:
        st.caption(safe.label(" · ".join(given), length=300))


def _draw_rare(of: Scope, offered: set[str]) -> None:
    if "keep_totals" in offered:
        reading_widgets.toggle(of)
    if "beside" in offered:
        reading_widgets.segments(of, "beside", "Parts side by side", {"one": "One table", "several": "Several tables"})
    rare: list[Callable[[], None]] = []
    if "quote" in offered:
        rare.append(lambda: reading_widgets.one_of(of, "quote", "Quote", _QUOTES))
    if "escape" in offered:
        rare.append(lambda: reading_widgets.one_of(of, "escape", "A quote within quotes", _ESCAPES))
    if "comment" in offered:
        rare.append(lambda: reading_widgets.one_of(of, "comment", "Comment lines begin with", _COMMENTS, own=True))
    if "skip_end" in offered:
        rare.append(lambda: reading_widgets.count(of, "skip_end", "Left out at the end"))
    _in_pairs(rare)
    reading_widgets.missing(of)


def _in_pairs(controls: Sequence[Callable[[], None]]) -> None:
    """Two beside each other, also those of a narrow screen's only column below each other in the right order."""
    for at in range(0, len(controls), 2):
        for column, control in zip(st.columns(2), controls[at : at + 2], strict=False):
            with column:
                control()


def _dates(of: Scope) -> None:
    made = report.decisions(of.report).get("date_order")
    if made is None:  # no date has an order to choose
        return
    names = {"dmy": "Day first", "mdy": "Month first", "ymd": "Year first"}
    fitting = {order: name for order, name in names.items() if not made.choices or order in made.choices}
    reading_widgets.segments(of, "date_order", "Dates", fitting)


def _decimal(of: Scope) -> None:
    reading_widgets.segments(of, "decimal", "Decimal mark", {".": "1.5", ",": "1,5"}, decision="decimal_mark")


#: Shown at once where the reader had to decide on them.
_MARKS: Final[Mapping[str, Callable[[Scope], None]]] = {"date_order": _dates, "decimal_mark": _decimal}


def draw_parts(of: Scope, parts: Sequence[Mapping[str, JsonValue]]) -> None:
    """The sheets, members or tables of a file, each on or off; hidden ones are marked."""
    by_name = {report.text(part, "name"): part for part in parts}
    one, many = reading_words.PARTS.get(report.text(parts[0], "kind"), ("part", "parts"))
    on = [name for name, part in by_name.items() if part.get("state") not in ("off",)]
    key = f"parts-{of.key}"

    def name_of(name: str) -> str:
        mark = ":material/visibility_off: " if by_name[name].get("hidden") else ""
        state = report.text(by_name[name], "state")
        return mark + safe.label(name, length=40) + ("" if state in ("read", "off") else f" ({state})")

    label = many.capitalize() + rereading.badge(of, "parts")
    said_of_all = f"Click a {one} to read it or to leave it out. Hidden ones are off until you switch them on."
    names, changed = list(by_name), reading_widgets.changed
    args = (of, "parts", key, lambda chosen: [name for name in names if name in report.strings(chosen)] or None, on)
    if len(names) > _PILLS:
        st.multiselect(label, names, default=on, key=key, help=said_of_all, on_change=changed, args=args)
    else:
        st.pills(
            label,
            names,
            selection_mode="multi",
            default=on,
            format_func=name_of,
            key=key,
            help=said_of_all,
            on_change=changed,
            args=args,
        )
    said = [
        f"- {safe.label(report.text(part, 'name'))}: {safe.markdown(report.text(part, 'message'))}"
        for part in parts
        if part.get("message") and not (part.get("hidden") and part.get("state") == "off")
    ]
    if said:
        more = f"\n- {len(said) - 5} more are explained in the report." if len(said) > 5 else ""
        st.caption("\n".join(said[:5]) + more)
