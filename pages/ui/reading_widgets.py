"""The kinds of controls of a reading: each shows what is in force, whose choice it is, and reads the file again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

import streamlit as st
from pydantic import JsonValue

from pages.ui import report, rereading, safe
from pages.ui.rereading import Scope

_AUTOMATIC: Final = ""
_READER: Final = -1  # the number of header rows is the reader's choice
_HEADER_WORDS: Final = {"true": "the first row", "false": "none", "0": "none", "1": "1 row"}
_HEADERS: Final = {0: "none", 1: "1 row", 2: "2 rows", 3: "3 rows"}
#: Words for what would not be seen in a list.
_SIGNS: Final[Mapping[str, Mapping[str, str]]] = {
    "delimiter": {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"},
    "quote": {"none": ""},
    "escape": {"none": ""},
    "comment": {"none": ""},
}
_WORDS: Final = ("NA", "N/A", "null", "none", "-", "?", ".", "x", "missing", "unknown")
_READER_WORDS: Final = "(automatic)"


def changed(of: Scope, option: str, key: str, value: Callable[[JsonValue], JsonValue], shown: JsonValue) -> None:
    """Read the file again with what the widget `key` says. For callbacks.

    A widget that was out of sight for a run counts as changed when its value comes back, though nobody touched it.

    Args:
        value: Makes the option's value of the widget's.
        shown: What the widget showed at first.
    """
    chosen = st.session_state.get(key)
    if chosen != shown:
        rereading.want(of, {option: value(chosen)})


def _help(of: Scope, decision: str) -> str | None:
    found = report.decisions(of.report).get(decision)
    return safe.markdown(found.reason) if found is not None and found.reason not in ("", "as told") else None


def one_of(
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
    automatic = f"{found} · auto" if found else "automatic"
    key = f"{option}-{of.key}"
    st.selectbox(
        label + rereading.badge(of, option),
        options,
        index=options.index(current),
        format_func=lambda name: automatic if name == _AUTOMATIC else names.get(name, name),
        key=key,
        help=_help(of, option),
        accept_new_options=own,
        on_change=changed,
        args=(of, option, key, lambda name: _meant(str(name), options, names, signs), current),
    )


def _meant(chosen: str, options: Sequence[str], names: Mapping[str, str], signs: Mapping[str, str]) -> str | None:
    """The option's value for what was chosen, or typed: words of the list are understood as far as they are clear."""
    if chosen not in options:
        word = chosen.strip().casefold()
        if word and "automatic".startswith(word):
            return None
        alike = [name for name in options if word and names.get(name, name).casefold().startswith(word)]
        if len(alike) == 1 and len(word) > 1:
            chosen = alike[0]
    return None if chosen == _AUTOMATIC else signs.get(chosen, chosen)


def segments(of: Scope, option: str, label: str, names: Mapping[str, str], *, decision: str = "") -> None:
    """A few values beside each other, the one in force marked.

    A click on another chooses it; a click on the marked one confirms it, or gives a choice back to the reader.
    """
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
        on_change=changed,
        args=(of, option, key, lambda name: back if name is None else name, current if current in names else None),
    )


def header(of: Scope, *, rows: bool) -> None:
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
        format_func=lambda count: (
            (f"{found}auto" if found else "automatic") if count == _READER else names.get(count, f"{count} rows")
        ),
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


def count(of: Scope, option: str, label: str, *, shift: int = 0) -> None:
    """A number of lines; empty is automatic. With `shift` it is shown as the number of the next line."""
    told = of.told.get(option)
    decision = report.decisions(of.report).get(option)
    found = int(decision.value) + shift if decision is not None and decision.value.isdigit() else None
    shown = told + shift if isinstance(told, int) else None
    key = f"{option}-{of.key}"
    if shown is not None:  # a value given at first could not be emptied again: the box would go back to it
        st.session_state.setdefault(key, shown)
    st.number_input(
        label + rereading.badge(of, option),
        min_value=shift,
        max_value=1_000_000,
        value=None,
        step=1,
        placeholder="automatic" if found is None else f"{found} · auto",
        key=key,
        help=_help(of, option),
        on_change=changed,
        args=(of, option, key, lambda number: None if number is None else int(cast(int, number)) - shift, shown),
    )


def toggle(of: Scope) -> None:
    """Whether rows of totals, and notes, are kept as rows."""
    key, shown = f"keep_totals-{of.key}", "keep_totals" in of.told
    st.toggle(
        "Keep totals and notes below the table" + rereading.badge(of, "keep_totals"),
        value=shown,
        key=key,
        on_change=changed,
        args=(of, "keep_totals", key, lambda on: bool(on) or None, shown),
    )


def missing(of: Scope) -> None:
    """The words that are no values: those that were found to be, until a person changes the list."""
    told = of.told.get("missing")
    chosen = _found_words(of) if told is None else report.strings(told)
    key = f"missing-{of.key}"
    st.multiselect(
        "Words for “no value”" + rereading.badge(of, "missing"),
        list(dict.fromkeys([*chosen, *_WORDS, *([] if told is None else [_READER_WORDS])])),
        default=chosen,
        placeholder="none found" if told is None else "none",
        key=key,
        accept_new_options=True,
        select_all=False,
        on_change=changed,
        args=(of, "missing", key, _words, cast(JsonValue, chosen)),
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
    return None if _READER_WORDS in words else cast(JsonValue, words)
