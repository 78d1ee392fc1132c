"""Workbooks to take away, read back with another program's reader and as raw XML."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest
from python_calamine import CalamineWorkbook

from tabulaflow_core.output import xlsx_bytes


def _read(table: pa.Table, sheet: str = "Result") -> list[list[object]]:
    book = CalamineWorkbook.from_filelike(io.BytesIO(xlsx_bytes(table)))
    return book.get_sheet_by_name(sheet).to_python()


def _column(values: list[object], kind: pa.DataType | None = None) -> list[object]:
    return [row[0] for row in _read(pa.table({"c": pa.array(values, kind)}))[1:]]


def test_numbers_are_numbers_with_their_places() -> None:
    assert _column([Decimal("1289.60"), None, Decimal("-5.00")]) == [1289.6, "", -5.0]
    assert _column([1, -2, 999_999_999_999_999]) == [1, -2, 999_999_999_999_999]
    book = xlsx_bytes(pa.table({"c": pa.array([Decimal("1289.60")])}))
    assert b'formatCode="0.00"' in zipfile.ZipFile(io.BytesIO(book)).read("xl/styles.xml")


def test_a_column_that_excel_would_round_is_text_as_a_whole() -> None:
    assert _column([9007199254740993, 1]) == ["9007199254740993", "1"]
    assert _column([Decimal("12345678901234567.89"), Decimal("0.10")]) == ["12345678901234567.89", "0.10"]


def test_moments() -> None:
    assert _column([date(2026, 2, 28)]) == [date(2026, 2, 28)]
    assert _column([date(1899, 5, 1), date(2026, 1, 1)]) == ["1899-05-01", "2026-01-01"]
    assert _column([datetime(2026, 3, 1, 0, 30)]) == [datetime(2026, 3, 1, 0, 30)]
    assert _column([datetime(2026, 3, 1, 0, 30, tzinfo=UTC)]) == ["2026-03-01 00:30:00+00:00"]
    assert _column([datetime(2026, 3, 1, 0, 30, 0, 123456)]) == ["2026-03-01 00:30:00.123456"]
    assert _column([time(14, 30)]) == [time(14, 30)]
    assert _column([timedelta(hours=30)]) == [timedelta(hours=30)]
    assert _column([timedelta(hours=-25, milliseconds=-500)]) == ["-25:00:00.5"]


def test_truth_floats_and_nested_values() -> None:
    assert _column([True, None, False]) == [True, "", False]
    assert _column([0.5, float("nan"), float("-inf")]) == [0.5, "NaN", "-Infinity"]
    assert _column([None, [1, 2]]) == ["", "[1,2]"]
    assert _column([b"\x01\xff"]) == ["0x01ff"]


@pytest.mark.parametrize("text", ["=1+1", "@sum", "+49 30 1", "-5 apples", "http://example.com", "{=A1}", "00123"])
def test_text_is_never_a_formula_a_link_or_a_number(text: str) -> None:
    book = zipfile.ZipFile(io.BytesIO(xlsx_bytes(pa.table({"c": [text]}))))
    sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet
    assert _column([text]) == [text]
    guarded = b'quotePrefix="1"' in book.read("xl/styles.xml") and 's="2"' in sheet
    assert guarded == (text[0] in "=+-@")


def test_names_repeat_and_the_table_may_be_empty() -> None:
    repeated = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert _read(repeated) == [["a", "a"], [1, 2]]
    assert _read(pa.table({"a": pa.array([], pa.int64())})) == [["a"]]


def test_more_rows_than_a_sheet_are_refused() -> None:
    with pytest.raises(ValueError, match="1,048,575 rows"):
        xlsx_bytes(pa.table({"a": pa.nulls(1_048_576)}))


def test_about_says_where_the_rows_come_from() -> None:
    book = xlsx_bytes(pa.table({"a": [1]}), about=[("Query", "=SELECT 1"), ("Source", "shop")])
    page = CalamineWorkbook.from_filelike(io.BytesIO(book)).get_sheet_by_name("About").to_python()
    assert page == [["Query", "=SELECT 1"], ["Source", "shop"]]


def test_a_text_longer_than_a_cell_is_cut_and_said() -> None:
    book = CalamineWorkbook.from_filelike(io.BytesIO(xlsx_bytes(pa.table({"a": ["x" * 40_000, "y"]}))))
    assert [len(row[0]) for row in book.get_sheet_by_name("Result").to_python()] == [1, 32_767, 1]
    ((heading, said),) = book.get_sheet_by_name("About").to_python()
    assert heading == "Cut"
    assert said.startswith("1 text longer than 32,767 characters")


@pytest.mark.parametrize("text", ["_x0041_", "a\x07b\x1fc", "😀 \u202e ß", "two\r\nlines", " spaces "])
def test_odd_characters_come_back_as_they_were(text: str) -> None:
    assert _column([text]) == [text]
