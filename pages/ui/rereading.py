"""Reading a file again with other choices: a control's callback notes the choice, the card's next run carries it out.

Two steps, because a callback runs before anything is drawn: the person would look at a frozen page for as long as
a large file takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, cast

import streamlit as st
from pydantic import JsonValue

from pages.ui import report, state, wording
from pages.ui.report import Json
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import FileOutcome, get_runtime

_WANTED: Final = "tf_reread"
_FAULT: Final = "tf_reread_fault"
_ROUND: Final = "tf_reread_round"
_LISTED: ContextVar[Sequence[FileOutcome] | None] = ContextVar("listed_files", default=None)
#: Choices that hold for a file and not for one of its parts.
_WHOLE_FILE: Final = ("parts",)
#: Where a part notes which of the file's choices it leaves to the reader.
_LEFT: Final = "automatic"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a control is about: a file, or one part of it.

    Attributes:
        file: The file's name.
        part: The sheet or member; empty for a file of one table.
        report: How it was read.
        told: The choices of a person in force for it.
        key: Unique on the page, and new after each reading, so that every control shows what is in force.
    """

    file: str
    part: str
    report: Json
    told: Json
    key: str


def scope(outcome: FileOutcome, *, part: str = "", of: Json | None = None) -> Scope:
    """The scope of a file, or of one of its parts with the report `of`."""
    own = _told(_for_part(outcome.options, part)) if part else {}
    left = report.strings(own.pop(_LEFT, []))
    told = {name: value for name, value in _told(outcome.options).items() if name not in left} | own
    key = f"{outcome.name}-{part}-{outcome.version}-{_round(outcome.name)}"
    return Scope(outcome.name, part, outcome.report if of is None else of, told, key)


def _told(options: Json) -> dict[str, JsonValue]:
    """The choices that somebody made, those for parts aside. What is left to the reader is None, false or empty."""
    return {name: value for name, value in options.items() if name != "by_part" and not _is_open(name, value)}


def _is_open(name: str, value: JsonValue) -> bool:
    return value is None or value == {} or (value is False and name != "header")


def _for_part(options: Json, part: str) -> dict[str, JsonValue]:
    by_part = options.get("by_part")
    own = by_part.get(part) if isinstance(by_part, dict) else None
    return own if isinstance(own, dict) else {}


def want(of: Scope, changes: Mapping[str, JsonValue], also: Sequence[str] = ()) -> None:
    """Read the file again with `changes`; None leaves a choice to the reader. For callbacks.

    Args:
        also: Other parts of the file that they are made for.
    """
    outcome = find(of.file)
    if outcome is None:
        return
    options = merged(outcome.options, of.part, changes)
    for part in also:
        options = merged(options, part, changes)
    st.session_state.setdefault(_FAULT, {}).pop(of.file, None)
    if options == merged(outcome.options, "", {}):  # as it is read already
        return
    st.session_state.setdefault(_WANTED, {})[of.file] = options


def want_automatic(of: Scope) -> None:
    """Leave everything to the reader again, for one part or for the whole file."""
    outcome = find(of.file)
    if outcome is None:
        return
    options = _told(outcome.options)
    by_part = outcome.options.get("by_part")
    by_part = by_part if isinstance(by_part, dict) else {}
    if of.part:
        kept = {name: own for name, own in by_part.items() if name != of.part}
        if left := sorted(name for name in options if name not in _WHOLE_FILE):
            kept[of.part] = {_LEFT: cast(JsonValue, left)}
        options |= {"by_part": cast(JsonValue, kept)} if kept else {}
    else:
        options = {}
    st.session_state.setdefault(_WANTED, {})[of.file] = options


def merged(options: Json, part: str, changes: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The full set of choices when `changes` are made for `part`, or for the file when it is empty."""
    full = _told(options)
    by_part = options.get("by_part")
    parts: dict[str, JsonValue] = dict(by_part) if isinstance(by_part, dict) else {}
    own = _told(_for_part(options, part))
    left = set(report.strings(own.pop(_LEFT, [])))
    for name, value in changes.items():
        if part and name not in _WHOLE_FILE:
            left = left | {name} if _is_open(name, value) else left - {name}
        target = own if part and name not in _WHOLE_FILE else full
        if _is_open(name, value):
            target.pop(name, None)
        else:
            target[name] = value
    if part:
        left &= set(full)  # what the file leaves to the reader too need not be noted
        parts[part] = own | ({_LEFT: cast(JsonValue, sorted(left))} if left else {})
    kept = {name: value for name, value in parts.items() if value}
    return full | ({"by_part": cast(JsonValue, kept)} if kept else {})


def carry_out(name: str) -> None:
    """Do what a callback noted for the file `name`; what goes wrong is said, and the earlier reading stays."""
    options = st.session_state.get(_WANTED, {}).pop(name, None)
    if options is None:
        return
    faults = st.session_state.setdefault(_FAULT, {})
    faults.pop(name, None)
    st.session_state.setdefault(_ROUND, {})[name] = _round(name) + 1
    try:
        with st.spinner("Reading it again"):
            outcome = get_runtime().reread_file(state.principal(), name, options)
    except TabulaflowError as error:
        faults[name] = error.user_message
        return
    _LISTED.set(None)  # the list of before is out of date; what follows on the page looks for itself
    if outcome.status == "message":
        faults[name] = outcome.message


def fault(name: str) -> str:
    """Why the last reading of `name` with other choices failed; empty when it did not."""
    return str(st.session_state.get(_FAULT, {}).get(name, ""))


def forget(name: str) -> None:
    """The file is gone, or another has come under its name."""
    for key in (_WANTED, _FAULT):
        st.session_state.get(key, {}).pop(name, None)


def find(name: str) -> FileOutcome | None:
    """The file as it is kept; None when it is gone."""
    listed = _LISTED.get()
    files = get_runtime().files(state.principal()) if listed is None else listed
    return next((file for file in files if file.name == name and file.status != "waiting"), None)


@contextmanager
def listed(files: Sequence[FileOutcome]) -> Iterator[None]:
    """Within it `find` looks through `files`: a page of many cards asks for the list once, and not once a card.

    A card that runs by itself later is outside, and sees what is kept by then.
    """
    token = _LISTED.set(files)
    try:
        yield
    finally:
        _LISTED.reset(token)


def _round(name: str) -> int:
    return int(st.session_state.get(_ROUND, {}).get(name, 0))


def badge(of: Scope, option: str, decision: str = "") -> str:
    """How sure the choice is, as a mark behind a label; empty when there is nothing to say."""
    sure = report.certainty(of.report, decision or option)
    if option in of.told or sure == "told":
        return " :green-badge[changed by you]"
    return " :orange-badge[a guess]" if sure == "guess" else ""


def told_count(of: Scope) -> str:
    """How many choices are a person's, in words; empty when none is."""
    number = len([name for name in of.told if name not in _WHOLE_FILE])
    return wording.count(number, "choice of yours", "choices of yours") if number else ""
