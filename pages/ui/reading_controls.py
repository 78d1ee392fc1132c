"""The decisions of a reading, each as a control: changing one reads the file again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

import streamlit as st
from pydantic import JsonValue

from pages.ui import reading_words, report, rereading, safe
from pages.ui.rereading import Scope

_AUTOMATIC: Final = ""
_READER: Final = -1  # the number of header rows is the reader's choice
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
_HEADER_WORDS: Final = {"true": "the first row", "false": "none", "0": "none", "1": "1 row"}
_HEADERS: Final = {0: "none", 1: "1 row", 2: "2 rows", 3: "3 rows"}
#: Words for what would not be seen in a list.
_SIGNS: Final[Mapping[str, Mapping[str, str]]] = {
    "delimiter": {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"},
    "quote": {"none": ""},
    "escape": {"none": ""},
    "comment": {"none": ""},
}
_GIVEN: Final = {
    "sheet": "sheet",
    "range": "range",
    "line_end": "line ends",
    "records": "records:",
    "path": "found at",
}
_WORDS: Final = ("NA", "N/A", "null", "none", "-", "?", ".", "x", "missing", "unknown")
_NO_WORDS: Final = "(every word is a value)"
#: Formats whose values have types of their own, so that there is nothing to decide about text.
_TYPED: Final = ("parquet", "feather", "sqlite", "duckdb")


def draw(of: Scope) -> None:
    """Draw a control for each choice that the reader offers; the usual ones at once, the rare ones folded."""
    if report.text(of.report, "format") in _TYPED:
        st.caption("This format says itself how its values are meant: there is nothing to choose.")
        return
    offered = {decision.option for decision in report.decisions(of.report).values()}
    as_text = report.is_text(of.report)
    usual: list[Callable[[], None]] = []
    if "delimiter" in offered:
        usual.append(lambda: _one_of(of, "delimiter", "Delimiter", _DELIMITERS, own=True))
    if "encoding" in offered:
        usual.append(lambda: _one_of(of, "encoding", "Encoding", reading_words.ENCODINGS, own=True))
    if offered & {"header_rows", "header"}:
        usual.append(lambda: _header(of, rows="header_rows" in offered))
    if "skip_lines" in offered:
        usual.append(lambda: _count(of, "skip_lines", "Begins in line" if as_text else "Begins in row", shift=1))
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
        _toggle(of)
    rare: list[Callable[[], None]] = []
    if "quote" in offered:
        rare.append(lambda: _one_of(of, "quote", "Quote", _QUOTES))
    if "escape" in offered:
        rare.append(lambda: _one_of(of, "escape", "A quote within quotes", _ESCAPES))
    if "comment" in offered:
        rare.append(lambda: _one_of(of, "comment", "Comment lines begin with", _COMMENTS, own=True))
    if "skip_end" in offered:
        rare.append(lambda: _count(of, "skip_end", "Left out at the end"))
    _in_pairs(rare)
    _missing(of)


def _in_pairs(controls: Sequence[Callable[[], None]]) -> None:
    """Two beside each other, also those of a narrow screen's only column below each other in the right order."""
    for at in range(0, len(controls), 2):
        for column, control in zip(st.columns(2), controls[at : at + 2], strict=False):
            with column:
                control()


def _dates(of: Scope) -> None:
    _segments(of, "date_order", "Dates", {"dmy": "Day first", "mdy": "Month first", "ymd": "Year first"})


def _decimal(of: Scope) -> None:
    _segments(of, "decimal", "Decimal mark", {".": "1.5", ",": "1,5"}, decision="decimal_mark")


#: Shown at once where the reader had to decide on them.
_MARKS: Final[Mapping[str, Callable[[Scope], None]]] = {"date_order": _dates, "decimal_mark": _decimal}


def _changed(of: Scope, option: str, key: str, value: Callable[[JsonValue], JsonValue]) -> None:
    rereading.want(of, {option: value(st.session_state.get(key))})


def _help(of: Scope, decision: str) -> str | None:
    found = report.decisions(of.report).get(decision)
    return safe.markdown(found.reason) if found is not None and found.reason not in ("", "as told") else None


def _one_of(
    of: Scope,
    option: str,
    label: str,
    names: Mapping[str, str],
    *,
    own: bool = False,
) -> None:
    """A choice among names with "automatic" on top; with `own`, something else can be typed."""
    decision = report.decisions(of.report).get(option)
    signs = _SIGNS.get(option, {})
    told = str(of.told.get(option))
    current = next((name for name, sign in signs.items() if sign == told), told) if option in of.told else _AUTOMATIC
    choices = decision.choices if decision is not None else ()
    options = list(dict.fromkeys([_AUTOMATIC, *choices, *names, current]))
    found = "" if decision is None or option in of.told else names.get(decision.value, decision.value)
    automatic = f"{found} · automatic" if found else "automatic"
    key = f"{option}-{of.key}"
    st.selectbox(
        label + rereading.badge(of, option),
        options,
        index=options.index(current),
        format_func=lambda name: automatic if name == _AUTOMATIC else names.get(name, name),
        key=key,
        help=_help(of, option),
        accept_new_options=own,
        on_change=_changed,
        args=(of, option, key, lambda name: None if name == _AUTOMATIC else signs.get(str(name), name)),
    )


def _segments(of: Scope, option: str, label: str, names: Mapping[str, str], *, decision: str = "") -> None:
    """What is in force is marked. A click on another chooses it; a click on the marked one confirms it,
    or gives a choice back to the reader."""
    found = report.decisions(of.report).get(decision or option)
    told = of.told.get(option)
    current = str(told) if told is not None else found.value if found is not None else None
    key = f"{option}-{of.key}"
    back = None if told is not None else current
    st.segmented_control(
        label + rereading.badge(of, option, decision or option),
        list(names),
        default=current if current in names else None,
        format_func=lambda name: names[name],
        key=key,
        help=_help(of, decision or option),
        on_change=_changed,
        args=(of, option, key, lambda name: back if name is None else name),
    )


def _header(of: Scope, *, rows: bool) -> None:
    """How many rows name the columns; where `rows` is false, only whether the first one does."""
    made = report.decisions(of.report)
    told = of.told.get("header_rows")
    if told is None and "header" in of.told:
        told = int(bool(of.told["header"]))
    decision = made.get("header") or made.get("header_rows")
    found = "" if decision is None or told is not None else f"{_HEADER_WORDS.get(decision.value, decision.value)} · "
    names = _HEADERS if rows else {0: "none", 1: "the first row"}
    options = list(dict.fromkeys([_READER, *names, *([told] if isinstance(told, int) else [])]))
    key = f"header_rows-{of.key}"
    st.selectbox(
        "Header" + (" :green-badge[changed by you]" if told is not None else rereading.badge(of, "header")),
        options,
        index=options.index(told) if isinstance(told, int) else 0,
        format_func=lambda count: f"{found}automatic" if count == _READER else names.get(count, f"{count} rows"),
        key=key,
        help=_help(of, "header"),
        on_change=_header_changed,
        args=(of, key, rows),
    )


def _header_changed(of: Scope, key: str, rows: bool) -> None:
    count = st.session_state.get(key)
    chosen = None if count == _READER else count
    if rows:
        rereading.want(of, {"header_rows": chosen, "header": None})
    else:
        rereading.want(of, {"header": None if chosen is None else bool(chosen)})


def _count(of: Scope, option: str, label: str, *, shift: int = 0) -> None:
    """A number of lines; empty is automatic. With `shift` it is shown as the number of the next line."""
    told = of.told.get(option)
    decision = report.decisions(of.report).get(option)
    found = int(decision.value) + shift if decision is not None and decision.value.isdigit() else None
    key = f"{option}-{of.key}"
    st.number_input(
        label + rereading.badge(of, option),
        min_value=shift,
        max_value=1_000_000,
        value=told + shift if isinstance(told, int) else None,
        step=1,
        placeholder="automatic" if found is None else f"{found} · automatic",
        key=key,
        help=_help(of, option),
        on_change=_changed,
        args=(of, option, key, lambda number: None if number is None else int(cast(int, number)) - shift),
    )


def _toggle(of: Scope) -> None:
    key = f"keep_totals-{of.key}"
    st.toggle(
        "Keep totals and notes below the table" + rereading.badge(of, "keep_totals"),
        value="keep_totals" in of.told,
        key=key,
        on_change=_changed,
        args=(of, "keep_totals", key, lambda on: bool(on) or None),
    )


def _missing(of: Scope) -> None:
    told = of.told.get("missing")
    chosen = report.strings(told) if told is not None else []
    if told is not None and not chosen:
        chosen = [_NO_WORDS]
    key = f"missing-{of.key}"
    st.multiselect(
        "Words for “no value”" + rereading.badge(of, "missing"),
        list(dict.fromkeys([*chosen, *_found_words(of), *_WORDS, _NO_WORDS])),
        default=chosen,
        placeholder="automatic",
        key=key,
        accept_new_options=True,
        select_all=False,
        on_change=_changed,
        args=(of, "missing", key, _words),
    )


def _found_words(of: Scope) -> list[str]:
    """The words that were read as no value, so that one of them can be left out."""
    words: dict[str, None] = {}
    for column in report.objects(of.report.get("columns")):
        missing = column.get("missing")
        if isinstance(missing, dict):
            words |= dict.fromkeys(missing)
    return list(words)[:50]


def _words(chosen: JsonValue) -> JsonValue:
    words = report.strings(chosen)
    if not words:
        return None
    return cast(JsonValue, [word for word in words if word != _NO_WORDS])


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

    st.pills(
        many.capitalize() + rereading.badge(of, "parts"),
        list(by_name),
        selection_mode="multi",
        default=on,
        format_func=name_of,
        key=key,
        help=f"Click a {one} to read it or to leave it out. Hidden ones are off until you switch them on.",
        on_change=_changed,
        args=(of, "parts", key, lambda chosen: [name for name in by_name if name in report.strings(chosen)] or None),
    )
    said = [part for part in parts if part.get("message")]
    for part in said[:5]:
        st.caption(f"{safe.label(report.text(part, 'name'))}: {safe.markdown(report.text(part, 'message'))}")
    if len(said) > 5:
        st.caption(f"{len(said) - 5} more are explained in the report.")
