"""Workbooks as a real writer makes them, with the answers written down before the reading."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
import xlsxwriter

from tabulaflow_core.data.files import read_file
from tests.data.files.workbook.conftest import SeenBook, see

Write = Callable[["xlsxwriter.Workbook"], None]


def written(folder: Path, write: Write, **options: object) -> SeenBook:
    path = folder / "book.xlsx"
    with xlsxwriter.Workbook(str(path), options) as book:
        write(book)
    return see(read_file(path, storage=folder / "s"))


@pytest.mark.parametrize(
    ("code", "numbers", "values", "kind"),
    [
        ("[h]:mm", [1.5, -0.25], [dt.timedelta(hours=36), dt.timedelta(hours=-6)], "other"),
        ("h:mm AM/PM", [0.25, 0.75], [dt.time(6), dt.time(18)], "other"),
        ("yyyy-mm-dd", [1, 59, 61], [dt.date(1900, 1, 1), dt.date(1900, 2, 28), dt.date(1900, 3, 1)], "date"),
        ("mmm yyyy", [46031], [dt.date(2026, 1, 9)], "date"),
        ("0.0%", [0.125, 1.5], [0.125, 1.5], "number"),
        ("[$€-407] #,##0.00", [1234.5, 2], [1234.5, 2.0], "number"),
        ("_($* #,##0.00_);_($* (#,##0.00)", [-10.5, 3], [-10.5, 3.0], "number"),
        ("00000", [123, 45678], ["00123", "45678"], "text"),
        ("# ?/?", [0.5, 1.25], [0.5, 1.25], "number"),
    ],
)
def test_formats(tmp_path: Path, code: str, numbers: list[float], values: list[object], kind: str) -> None:
    def write(book: xlsxwriter.Workbook) -> None:
        sheet, style = book.add_worksheet(), book.add_format({"num_format": code})
        sheet.write_row(0, 0, ["n", "v"])
        for row, number in enumerate(numbers, 1):
            sheet.write_row(row, 0, [f"r{row}"])
            sheet.write_number(row, 1, number, style)

    seen = written(tmp_path, write).only
    assert (seen.column("v"), seen.type_of("v")) == (values, kind)


def test_formulas_and_errors(tmp_path: Path) -> None:
    def write(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["n", "f", "array", "ok", "err"])
        for row in range(1, 5):
            sheet.write_number(row, 0, row)
            sheet.write_formula(row, 1, f"=A{row + 1}*2", None, row * 2)
            sheet.write_boolean(row, 3, row % 2 == 0)
            sheet.write_formula(row, 4, "=NA()", None, "#N/A" if row == 2 else row)
        sheet.write_array_formula("C2:C5", "{=A2:A5*3}", None, 3)
        sheet.write_column(2, 2, [6, 9, 12])

    seen = written(tmp_path, write).only
    assert seen.rows == [(1, 2, 3, False, 1), (2, 4, 6, True, None), (3, 6, 9, False, 3), (4, 8, 12, True, 4)]
    assert seen.told("#N/A in E3")


def test_three_rows_of_merged_names_and_merged_data(tmp_path: Path) -> None:
    def write(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet()
        merges = ("A1:F1", "Annual report"), ("A2:A4", "Region"), ("B2:E2", "2025"), ("B3:C3", "H1"), ("D3:E3", "H2")
        for place, text in (*merges, ("F2:F4", "Note")):
            sheet.merge_range(place, text)
        sheet.write_row(3, 1, ["Units", "Sales", "Units", "Sales"])
        for row in range(4, 8):
            sheet.write_row(row, 0, [f"R{row}", row, row * 1.5, row * 2, row * 2.5, "ok"])
        sheet.merge_range("A6:A7", "Rx")
        sheet.write_row(8, 0, ["Total", 22, 33, 44, 55])
        sheet.write(10, 0, "Source: ours")

    seen = written(tmp_path, write).only
    halves = [f"2025 / {half} / {what}" for half in ("H1", "H2") for what in ("Units", "Sales")]
    assert seen.names == ["Region", *halves, "Note"]
    assert seen.column("Region") == ["R4", "Rx", "Rx", "R7"]
    assert {s.why for s in seen.report.skipped} == {"above the table", "totals row", "below the table"}


def test_a_list_object_and_a_plain_table_below_it(tmp_path: Path) -> None:
    def write(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet("S")
        columns = [{"header": "who", "total_string": "Sum"}, {"header": "n", "total_function": "sum"}]
        data = [[f"r{i}", i] for i in range(5)]
        sheet.add_table(2, 1, 8, 2, {"name": "Sales", "total_row": True, "data": data, "columns": columns})
        sheet.write(0, 1, "A title")
        sheet.write_row(11, 1, ["x", "y"])
        for row in range(12, 15):
            sheet.write_row(row, 1, [f"k{row}", row])

    seen = written(tmp_path, write)
    assert [(name, len(t.rows)) for name, t in seen.tables.items()] == [("book_sales", 5), ("book", 3)]


def test_a_far_cell_leaves_the_other_sheets(tmp_path: Path) -> None:
    def write(book: xlsxwriter.Workbook) -> None:
        book.add_worksheet("Empty")
        data, far = book.add_worksheet("Data"), book.add_worksheet("Far")
        for sheet in (data, far):
            sheet.write_row(0, 0, ["a", "b"])
            sheet.write_row(1, 0, [1, "x"])
        far.write(1_048_575, 16_383, 5)

    seen = written(tmp_path, write)
    assert [t.rows for t in seen.tables.values()] == [[(1, "x")]]
    assert seen.told("Far", "XFD1048576")
    assert [p.state for p in seen.report.parts] == ["empty", "read", "unreadable"]


def test_days_from_1904(tmp_path: Path) -> None:
    def write(book: xlsxwriter.Workbook) -> None:
        sheet, style = book.add_worksheet(), book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, ["day", "n"])
        for row, day in enumerate((dt.datetime(2026, 3, 1), dt.datetime(1904, 1, 2)), 1):
            sheet.write_datetime(row, 0, day, style)
            sheet.write_number(row, 1, row)

    seen = written(tmp_path, write, date_1904=True)
    assert seen.only.rows == [(dt.date(2026, 3, 1), 1), (dt.date(1904, 1, 2), 2)]
