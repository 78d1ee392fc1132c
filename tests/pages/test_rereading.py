"""One changed choice makes a full set of choices."""

from __future__ import annotations

from pages.ui import reading_columns, rereading


def test_a_choice_joins_those_in_force_and_leaves_them() -> None:
    assert rereading.merged({"delimiter": ";", "encoding": None, "types": {}}, "", {"date_order": "dmy"}) == {
        "delimiter": ";",
        "date_order": "dmy",
    }
    assert rereading.merged({"delimiter": ";", "date_order": "dmy"}, "", {"delimiter": None}) == {"date_order": "dmy"}


def test_zero_empty_and_no_are_choices() -> None:
    told = {"skip_lines": 0, "quote": "", "header": False, "missing": []}
    assert rereading.merged(told, "", {"header_rows": 0}) == {**told, "header_rows": 0}
    assert rereading.merged({"keep_totals": False}, "", {}) == {}


def test_a_choice_for_a_part_stays_with_it() -> None:
    options = {"date_order": "dmy", "by_part": {"A": {"header_rows": 2}, "B": {"skip_lines": 1}}}
    assert rereading.merged(options, "A", {"skip_lines": 3}) == {
        "date_order": "dmy",
        "by_part": {"A": {"header_rows": 2, "skip_lines": 3}, "B": {"skip_lines": 1}},
    }
    assert rereading.merged(options, "A", {"header_rows": None}) == {
        "date_order": "dmy",
        "by_part": {"B": {"skip_lines": 1}},
    }
    assert rereading.merged(options, "A", {"parts": ["A"]})["parts"] == ["A"]


def test_types_written_into_the_list_of_columns_are_choices() -> None:
    edits = {0: {"Type": "text"}, 2: {"Type": "automatic"}, 1: {"Remark": "x"}, 9: {"Type": "date"}}
    assert reading_columns.with_edits({"c": "date", "d": "text"}, edits, ["a", "b", "c"]) == {"a": "text", "d": "text"}
