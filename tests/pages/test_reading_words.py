"""The line that says how a file was read."""

from __future__ import annotations

from pydantic import JsonValue

from pages.ui import reading_words
from tabulaflow_core.data.schema import ColumnSchema, TableSchema


def table(rows: int, columns: int = 2) -> TableSchema:
    return TableSchema("t", tuple(ColumnSchema(f"c{at}", "VARCHAR") for at in range(columns)), row_count=rows)


def decided(name: str, value: str, certainty: str = "certain") -> dict[str, JsonValue]:
    return {"name": name, "value": value, "certainty": certainty, "reason": ""}


def test_the_choices_of_a_text_file_stand_in_one_line() -> None:
    report: dict[str, JsonValue] = {
        "format": "text",
        "decisions": [
            decided("encoding", "utf-8"),
            decided("line_end", "LF"),
            decided("delimiter", "comma", "likely"),
            decided("header", "line 1"),
            decided("decimal_mark", "."),
            decided("date_order", "mdy", "guess"),
        ],
    }
    assert reading_words.summary([table(575, 4)], report) == (
        "575 rows, 4 columns · comma · UTF-8 · header in line 1 · month before day (a guess)"
    )


def test_what_a_person_chose_and_what_was_lost_is_said() -> None:
    report: dict[str, JsonValue] = {
        "format": "text",
        "decisions": [decided("encoding", "cp1252", "told"), decided("header", "none"), decided("decimal_mark", ",")],
        "skipped_count": 1,
        "misfit_count": 3,
    }
    assert reading_words.summary([table(1, 1)], report) == (
        "1 row, 1 column · Windows-1252 (your choice) · no header · decimal comma · 1 line left out · "
        "3 values did not fit"
    )


def test_a_workbook_says_how_many_of_its_sheets_were_read() -> None:
    parts: list[JsonValue] = [
        {"name": "Prices", "kind": "sheet", "state": "read", "tables": ["prices"]},
        {"name": "Terms", "kind": "sheet", "state": "read", "tables": ["terms"]},
        {"name": "Notes", "kind": "sheet", "state": "off", "hidden": True},
    ]
    line = reading_words.summary([table(46), table(3)], {"format": "xlsx", "parts": parts})
    assert line == "2 tables from 2 of 3 sheets (1 hidden and off) · Excel workbook"


def test_rows_are_reckoned_up() -> None:
    report: dict[str, JsonValue] = {"rows_in_file": 12, "rows_in_table": 9, "skipped_count": 2, "blank_lines": 1}
    assert reading_words.reckoning(report) == (
        "12 rows in the file, 9 in the table; the difference is 1 header row and 2 lines left out. "
        "1 blank line not counted."
    )
    assert reading_words.reckoning({}) == ""


def test_a_report_of_an_unknown_shape_breaks_nothing() -> None:
    report: dict[str, JsonValue] = {"decisions": "none", "parts": [1, None], "skipped_count": "many"}
    assert reading_words.summary([table(2)], report) == "2 rows, 2 columns"


def test_a_column_alone_has_no_delimiter_to_tell() -> None:
    found = {"name": "delimiter", "value": "none", "certainty": "likely"}
    assert reading_words.summary([table(3, 1)], {"decisions": [found]}) == "3 rows, 1 column"
    told = {**found, "certainty": "told"}
    assert (
        reading_words.summary([table(3, 1)], {"decisions": [told]}) == "3 rows, 1 column · no delimiter (your choice)"
    )
    blanks = {**found, "value": "blanks"}
    assert reading_words.summary([table(3)], {"decisions": [blanks]}).endswith("· two or more blanks")


def test_pages_and_xml_have_names() -> None:
    assert reading_words.summary([table(2)], {"format": "html"}).endswith("HTML page")
    assert reading_words.summary([table(2)], {"format": "xml"}).endswith("XML workbook")
