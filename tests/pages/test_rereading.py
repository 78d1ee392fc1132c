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


def test_another_type_of_a_column_is_a_choice_and_automatic_takes_it_back() -> None:
    told = {"c": "date", "d": "text"}
    assert reading_columns.with_type(told, "a", "text") == {"c": "date", "d": "text", "a": "text"}
    assert reading_columns.with_type(told, "c", "text") == {"d": "text", "c": "text"}
    assert reading_columns.with_type(told, "c", "automatic") == {"d": "text"}
    assert reading_columns.with_type(told, "a", "automatic") == told


def test_a_part_can_leave_to_the_reader_what_the_file_was_told() -> None:
    told = {"header_rows": 2, "decimal": ",", "by_part": {"B": {"skip_lines": 1}}}
    back = rereading.merged(told, "A", {"header_rows": None})
    assert back == {**told, "by_part": {"B": {"skip_lines": 1}, "A": {"automatic": ["header_rows"]}}}
    assert rereading.merged(back, "A", {"header_rows": 3})["by_part"] == {
        "B": {"skip_lines": 1},
        "A": {"header_rows": 3},
    }
    assert rereading.merged(back, "", {"header_rows": None})["decimal"] == ","
