"""Which sheets are read, what their tables are called, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tabulaflow_core.data.files import ReadOptions, ReadProgress, Watch, read_file
from tabulaflow_core.data.files.watch import ReadBounds
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable
from tests.data.files.workbook.conftest import Book, see
from tests.data.files.workbooks import Sheet, write_xlsx
from tests.data.files.workbooks_ods import write_ods

ROWS = [["a", "b"], [1, "x"], [2, "y"]]


def test_a_table_for_each_sheet(book: Book) -> None:
    seen = book([Sheet("Costs 2026", ROWS), Sheet("Лист1", ROWS), Sheet("empty")])
    assert list(seen.tables) == ["book_costs_2026", "book_лист1"]
    assert [t.part for t in seen.tables.values()] == ["Costs 2026", "Лист1"]
    assert [(p.name, p.state, p.tables) for p in seen.report.parts] == [
        ("Costs 2026", "read", ("book_costs_2026",)),
        ("Лист1", "read", ("book_лист1",)),
        ("empty", "empty", ()),
    ]


def test_one_sheet_with_data_is_named_after_the_file(book: Book) -> None:
    seen = book([Sheet("empty"), Sheet("Data", ROWS), Sheet("Sheet3")])
    assert list(seen.tables) == ["book"]
    assert seen.report.parts[1].tables == ("book",)
    assert seen.only.choice("sheet") == "Data"


def test_a_title_page_is_listed_and_off(book: Book) -> None:
    cover = Sheet("Cover", [[], [None, "Annual report 2024"]])
    seen = book([cover, Sheet("Data", ROWS)])
    assert list(seen.tables) == ["book"]
    assert seen.told("1 sheet holds no table", "Cover")
    part = seen.report.parts[0]
    assert (part.name, part.state) == ("Cover", "off")
    assert part.message == "It holds no table, only one cell: “Annual report 2024”."
    assert [t.part for t in book([cover, Sheet("Data", ROWS)], parts=("Cover",)).tables.values()] == ["Cover"]
    assert [t.rows for t in book([cover, Sheet("empty")]).tables.values()] == [[("Annual report 2024",)]]
    assert len(book([Sheet("One", [[5]]), Sheet("Data", ROWS)]).tables) == 2


def test_hidden_sheets_are_listed_and_off(book: Book) -> None:
    sheets = [Sheet("Shown", ROWS), Sheet("Hid", ROWS, state="hidden"), Sheet("Deep", ROWS, state="veryHidden")]
    seen = book(sheets)
    assert list(seen.tables) == ["book"]
    assert [(p.name, p.state, p.hidden) for p in seen.report.parts] == [
        ("Shown", "read", False), ("Hid", "off", True), ("Deep", "off", True),
    ]  # fmt: skip
    assert seen.told("2 hidden", "Hid", "Deep")
    assert [t.part for t in book(sheets, parts=("hid", "Deep")).tables.values()] == ["Hid", "Deep"]


def test_sheets_that_are_not_there(book: Book) -> None:
    assert book([Sheet("A", ROWS), Sheet("B", ROWS)], parts=("A", "C")).told("no sheet", "C")
    with pytest.raises(FileUnreadable, match="no sheet “C”"):
        book([Sheet("A", ROWS)], parts=("C",))


def test_charts_are_listed(book: Book) -> None:
    seen = book([Sheet("A", ROWS), Sheet("Chart1", kind="chart")])
    assert seen.report.parts[1].state == "off"
    assert seen.told("no table", "Chart1")


def test_choices_for_one_sheet(book: Book) -> None:
    by_part = {"B": ReadOptions(header=False, types={"column_1": "text"})}
    seen = book([Sheet("A", ROWS), Sheet("B", ROWS)], by_part=by_part)
    assert seen.tables["book_a"].names == ["a", "b"]
    assert seen.tables["book_b"].rows == [("a", "b"), ("1", "x"), ("2", "y")]


def test_a_sheet_leaves_to_the_reader_what_the_workbook_was_told(book: Book) -> None:
    by_part = {"B": ReadOptions(automatic=("header", "types"))}
    seen = book([Sheet("A", ROWS), Sheet("B", ROWS)], header=False, types={"a": "text"}, by_part=by_part)
    assert seen.tables["book_a"].names == ["column_1", "column_2"]
    assert (seen.tables["book_b"].names, seen.tables["book_b"].rows) == (["a", "b"], [(1, "x"), (2, "y")])


def test_hidden_rows_are_data(book: Book) -> None:
    seen = book([Sheet("A", ROWS, hidden_rows=[1], hidden_columns=[1])]).only
    assert len(seen.rows) == 2
    assert seen.told("1 row", "hidden")
    assert seen.told("1 column", "hidden", "B")


def test_ods(tmp_path: Path) -> None:
    path = write_ods(tmp_path / "a.ods", [Sheet("S", [["Title"], [], *ROWS])])
    assert see(read_file(path, storage=tmp_path / "s")).only.rows == [(1, "x"), (2, "y")]


def test_the_content_decides_and_not_the_name(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xls", [Sheet("S", ROWS)])
    assert see(read_file(path, storage=tmp_path / "s")).only.names == ["a", "b"]
    text = tmp_path / "b.xls"
    text.write_text("a\tb\n1\tx\n2\ty\n")
    assert read_file(text, storage=tmp_path / "s").tables[0].columns == ("a", "b")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:700])


def _junk(path: Path) -> None:
    path.write_bytes(bytes(range(1, 9)) * 100)


def _ole(path: Path) -> None:
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000))


@pytest.mark.parametrize(("spoil", "word"), [(_cut, "damaged"), (_junk, "is not"), (_ole, "damaged")])
def test_what_is_no_workbook(tmp_path: Path, spoil: Callable[[Path], None], word: str) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", [Sheet("S", ROWS)])
    spoil(path)
    with pytest.raises(FileUnreadable, match=r"a\.xlsx") as caught:
        read_file(path, storage=tmp_path / "s")
    assert word in caught.value.user_message
    assert not list((tmp_path / "s").glob("*"))


def test_nothing_but_empty_or_hidden_sheets(book: Book) -> None:
    with pytest.raises(FileUnreadable, match="all of its sheets are empty"):
        book([Sheet("A"), Sheet("B")])
    with pytest.raises(FileUnreadable, match="hidden sheets are “B”"):
        book([Sheet("A"), Sheet("B", ROWS, state="hidden")])


def test_cells_far_apart_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", [Sheet("Far", [["a"]]), Sheet("Near", ROWS)])
    xml = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
        "</sheetData></worksheet>"
    )
    write_xlsx(path, [Sheet("Far", [["a"]]), Sheet("Near", ROWS)], replace={"xl/worksheets/sheet1.xml": xml})
    seen = see(read_file(path, storage=tmp_path / "s"))
    assert list(seen.tables) == ["a"]
    assert seen.report.parts[0].state == "unreadable"
    assert "XFD1048576" in seen.report.parts[0].message
    assert seen.told("XFD1048576")


def test_too_many_columns_and_cells(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", [Sheet("S", [[f"c{i}" for i in range(40)], list(range(40))])])
    with pytest.raises(FileUnreadable, match="40 columns"):
        read_file(path, storage=tmp_path / "s", watch=Watch(bounds=ReadBounds(columns=30)))
    with pytest.raises(FileUnreadable, match="80 cells"):
        read_file(path, storage=tmp_path / "s", watch=Watch(bounds=ReadBounds(memory_bytes=1000)))


def test_a_reading_can_be_stopped(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", [Sheet("S", ROWS), Sheet("T", ROWS)])
    watch = Watch()

    def tell(progress: ReadProgress) -> None:
        if progress.stage == "writing":
            watch.stop()

    watch.tell = tell
    with pytest.raises(FileReadingStopped):
        read_file(path, storage=tmp_path / "s", watch=watch)
    assert not list((tmp_path / "s").glob("*"))


def test_cells_beyond_the_end_of_any_sheet(tmp_path: Path) -> None:
    xml = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A99999999"><v>1</v></c></row></sheetData></worksheet>'
    )
    path = write_xlsx(tmp_path / "a.xlsx", [Sheet("S", ROWS)], replace={"xl/worksheets/sheet1.xml": xml})
    with pytest.raises(FileUnreadable, match="A99999999"):
        read_file(path, storage=tmp_path / "s")


def test_many_rows_of_numbers_alone(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", [Sheet("S", [["a"], *[[i] for i in range(100_500)]])])
    (table,) = read_file(path, storage=tmp_path / "s", options=ReadOptions(types={"b": "text"})).tables
    assert table.row_count == 100_500
    assert table.types == ("integer",)
