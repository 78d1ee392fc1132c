"""What a control of a reading makes of what a person, or only the browser, says."""

from __future__ import annotations

import pytest
import streamlit as st
from pydantic import JsonValue

from pages.ui import reading_widgets, rereading
from pages.ui.rereading import Scope
from tabulaflow_core.runtime import FileOutcome

OF = Scope("a.csv", "", {}, {}, "a.csv--1-0")


def test_what_nobody_touched_reads_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[object] = []
    monkeypatch.setattr(rereading, "want", lambda of, changes: wanted.append(changes))
    state: dict[str, JsonValue] = {"decimal": "."}
    monkeypatch.setattr(st, "session_state", state)
    reading_widgets.changed(OF, "decimal", "decimal", lambda mark: mark, ".")
    assert wanted == []
    state["decimal"] = ","
    reading_widgets.changed(OF, "decimal", "decimal", lambda mark: mark, ".")
    assert wanted == [{"decimal": ","}]


def test_choices_that_are_in_force_read_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, object] = {}
    monkeypatch.setattr(st, "session_state", state)
    kept = FileOutcome("a.csv", "loaded", options={"decimal": ",", "keep_totals": False})
    monkeypatch.setattr(rereading, "find", lambda name: kept)
    rereading.want(OF, {"decimal": ",", "header_rows": None})
    assert not state.get("tf_reread")
    rereading.want(OF, {"decimal": None})
    assert state["tf_reread"] == {"a.csv": {}}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", None),
        ("auto", None),
        ("semicolon", ";"),
        ("Semi", ";"),
        ("co", "co"),  # comma or colon
        ("+", "+"),
        ("||", "||"),
    ],
)
def test_a_typed_word_of_the_list_is_understood(typed: str, meant: str | None) -> None:
    names = {"comma": "comma", "semicolon": "semicolon", ":": "colon"}
    signs = {"comma": ",", "semicolon": ";"}
    assert reading_widgets._meant(typed, ["", *names], names, signs) == meant
