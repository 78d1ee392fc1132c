"""The workbooks that the tests write are workbooks: calamine reads from them what was put in."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest
from python_calamine import load_workbook

from tests.data.files.workbooks import Cell, Sheet, Value, serial, write_xlsx
from tests.data.files.workbooks_ods import write_ods

ROWS: list[list[Value | Cell]] = [
    ["Day", "a < b & c", "é"],
    [date(2026, 3, 1), Cell(0.25, "0.0%"), True],
    [datetime(2026, 3, 1, 12, 30), Cell(1.5, "#,##0.00 €"), time(1, 2, 3)],
    [date(1900, 1, 5), Cell(5.0, formula="1+4"), Cell(runs=("one ", "two"), phonetic="wan")],
]
READ = [
    ["Day", "a < b & c", "é"],
    [date(2026, 3, 1), 0.25, True],
    [datetime(2026, 3, 1, 12, 30), 1.5, time(1, 2, 3)],
    [date(1900, 1, 5), 5.0, "one two"],
]


@pytest.mark.parametrize(
    "options", [{}, {"prefix": "x"}, {"quote": "'"}, {"strict": True}, {"shared": False}, {"date_1904": True}], ids=str
)
def test_xlsx(tmp_path: Path, options: dict[str, object]) -> None:
    rows = ROWS[:3] if options.get("date_1904") else ROWS
    path = write_xlsx(tmp_path / "a.xlsx", [Sheet("S", rows), Sheet("h", [[1]], state="hidden")], **options)  # type: ignore[arg-type]
    book = load_workbook(str(path))
    assert book.get_sheet_by_name("S").to_python() == READ[: len(rows)]
    assert [str(m.visible) for m in book.sheets_metadata] == ["SheetVisibleEnum.Visible", "SheetVisibleEnum.Hidden"]


def test_xlsx_dates_as_text_and_elapsed_time(tmp_path: Path) -> None:
    rows: list[list[Value | Cell]] = [[Cell(date(2020, 1, 1), kind="d"), timedelta(hours=30)]]
    book = load_workbook(str(write_xlsx(tmp_path / "a.xlsx", [Sheet("S", rows)])))
    assert book.get_sheet_by_name("S").to_python() == [[date(2020, 1, 1), timedelta(hours=30)]]


def test_ods(tmp_path: Path) -> None:
    book = load_workbook(str(write_ods(tmp_path / "a.ods", [Sheet("S", ROWS[:3]), Sheet("h", [[1]], state="hidden")])))
    assert book.get_sheet_by_name("S").to_python() == READ[:3]
    assert [str(m.visible) for m in book.sheets_metadata] == ["SheetVisibleEnum.Visible", "SheetVisibleEnum.Hidden"]


def test_serials() -> None:
    assert serial(date(1900, 1, 1)) == 1
    assert serial(date(1900, 3, 1)) == 61
    assert serial(date(1904, 1, 2), date_1904=True) == 1
    assert serial(time(12)) == 0.5
