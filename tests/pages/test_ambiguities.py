"""Doubts become questions with examples from the file."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from pages.ui import ambiguities


def report(decisions: list[JsonValue] | None = None, columns: list[JsonValue] | None = None) -> dict[str, JsonValue]:
    return {"format": "text", "decisions": decisions or [], "columns": columns or []}


def guess(name: str, value: str) -> JsonValue:
    return {"name": name, "value": value, "certainty": "guess", "reason": ""}


def column(name: str, kind: str, certainty: str = "guess") -> JsonValue:
    return {"name": name, "header": name, "type": kind, "certainty": certainty}


def test_a_date_that_can_be_read_both_ways_is_the_example() -> None:
    lines = ["id,paid", "1,31/12/2026", "2,05/05/2026", "3,03/04/2026"]
    (doubt,) = ambiguities.of_report(report([guess("date_order", "mdy")], [column("paid", "date")]), lines)
    assert doubt.question == "03/04/2026 in paid: is that 3 April or 4 March? The file does not tell."
    assert [(a.label, dict(a.options), a.taken) for a in doubt.answers] == [
        ("3 April · day first", {"date_order": "dmy"}, False),
        ("4 March · month first", {"date_order": "mdy"}, True),
    ]


@pytest.mark.parametrize("text", ["1.2.3.4", "10.0.12.1", "2026/03/04", "1/2", "03/04/20267"])
def test_what_is_no_date_is_no_example(text: str) -> None:
    (doubt,) = ambiguities.of_report(report([guess("date_order", "dmy")], [column("d", "date")]), [text])
    assert doubt.question.startswith("Which comes first in the dates in d")
    assert [a.label for a in doubt.answers] == ["day first", "month first"]


def test_thousands_or_decimals() -> None:
    lines = ["sku,units", 'A,"1,810"']
    (doubt,) = ambiguities.of_report(report([], [column("units", "integer")]), lines)
    assert doubt.question == "1,810 in units: does the comma mark thousands, or decimals? The file does not tell."
    assert [(a.label, dict(a.options), a.taken) for a in doubt.answers] == [
        ("1810 · thousands", {"decimal": "."}, True),
        ("1.810 · decimals", {"decimal": ","}, False),
    ]


def test_a_header_in_doubt_is_shown_with_its_cells() -> None:
    columns = [column("north", "text", "certain"), column("south", "text", "certain")]
    (doubt,) = ambiguities.of_report(report([guess("header", "line 1")], columns), [])
    assert doubt.question == "Does line 1 (north | south) name the columns, or is it a row of the data?"
    assert [dict(a.options) for a in doubt.answers] == [{"header_rows": 1}, {"header_rows": 0}]


def test_a_delimiter_in_doubt_offers_what_stands_in_the_file() -> None:
    (doubt,) = ambiguities.of_report(report([guess("delimiter", "comma")]), ["a;b,c"])
    assert [a.label for a in doubt.answers] == ["comma", "semicolon"]


def test_an_encoding_in_doubt_shows_a_word_in_each() -> None:
    (doubt,) = ambiguities.of_report(report([guess("encoding", "cp1252")]), ["name", "M\u00fcller"])
    labels = [a.label for a in doubt.answers]
    assert labels[0] == "M\u00fcller · Windows-1252"
    assert len(labels) > 1
    assert len({label.split(" · ")[0] for label in labels}) == len(labels)


def test_what_is_sure_or_told_is_not_asked() -> None:
    told: JsonValue = {"name": "date_order", "value": "dmy", "certainty": "told", "reason": ""}
    columns = [column("d", "date", "certain"), column("n", "number", "likely")]
    assert ambiguities.of_report(report([told], columns), ["03/04/2026,1.810"]) == []
