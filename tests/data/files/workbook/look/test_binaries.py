"""The look at XLS and XLSB workbooks."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from python_calamine import load_workbook

from tabulaflow_core.data.files.formats.workbook.look import Range, Span, WorkbookLook, look
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable
from tests.data.files.workbook.look.binaries import number, record, record12, wide, write_xlsb, xls

FORMATS = [(164, '#,##0.00 "€"'), (165, "00000")]
STYLES = (0, 10, 164, 165, 14)


def looked(tmp_path: Path, data: bytes) -> WorkbookLook:
    path = tmp_path / "a.xls"
    path.write_bytes(data)
    return look(path, "xls", watch=Watch())


def sheet_records() -> bytes:
    cells = number(1, 0, 1, 0.5) + number(2, 0, 1, 0.25)
    cells += record(0x27E, struct.pack("<HHHI", 1, 1, 2, 0x3FF00000)) + number(2, 1, 2, 3)
    cells += record(0xBD, struct.pack("<HHHIHIH", 1, 2, 3, 10, 4, 14, 3))  # two numbers side by side
    cells += record(0x06, struct.pack("<HHHdHI2s", 3, 0, 1, 2.5, 0, 0, b"\0\0"))
    cells += record(0x06, struct.pack("<HHH6s2sHI2s", 3, 1, 2, b"\0" * 6, b"\xff\xff", 0, 0, b"\0\0"))
    cells += record(0x201, struct.pack("<HHH", 9, 9, 1))  # formatted and empty
    rows = record(0x208, struct.pack("<HHHHHHHH", 2, 0, 4, 255, 0, 0, 0x20, 0))
    columns = record(0x7D, struct.pack("<HHHHHH", 3, 5, 0, 0, 1, 0))
    return columns + rows + cells + record(0xE5, struct.pack("<H4H", 1, 0, 0, 0, 2))


def test_xls(tmp_path: Path) -> None:
    chart = record(0x809, struct.pack("<HHHHII", 0x600, 0x20, 0, 0, 0, 6)) + number(7, 7, 1, 1) + record(0x0A)
    data = xls(
        {"Verkäufe": (0, 0, chart + sheet_records()), "h": (1, 0, b""), "v": (2, 0, b""), "c": (0, 2, b"")},
        formats=FORMATS,
        styles=STYLES,
        before=record(0x22, b"\1\0"),
    )
    found = looked(tmp_path, data)
    assert [(s.name, s.state, s.kind) for s in found.sheets] == [
        ("Verkäufe", "visible", "sheet"),
        ("h", "hidden", "sheet"),
        ("v", "very hidden", "sheet"),
        ("c", "visible", "chart"),
    ]
    assert found.date_1904
    sheet = found.sheets[0]
    assert sheet.merged == (Range(0, 0, 0, 2),)
    assert sheet.hidden_rows == (Span(2, 2),)
    assert sheet.hidden_columns == (Span(3, 5),)
    assert sheet.extent == Range(1, 0, 3, 3), "a chart on the sheet has cells of its own"
    assert [sheet.column_format(c, 0, 9) for c in range(4)] == ["0.00%", '#,##0.00 "€"', "00000", "mm-dd-yy"]
    assert sheet.formula_count == 2
    assert any("XLS" in notice for notice in found.notices)


@pytest.mark.parametrize(
    ("sides", "claimed"),
    [((0, 3, 0, 4), 12), ((0, 0, 0, 0), 0), ((5, 0, 0, 9), 0), ((5, 1, 0, 1), (1 << 32) - 4)],
)
def test_what_an_xls_sheet_says_of_its_size(tmp_path: Path, sides: tuple[int, ...], claimed: int) -> None:
    """The library makes room for what the sheet says, and a side that is negative is a huge one to it."""
    data = xls({"s": (0, 0, record(0x200, struct.pack("<IIHHH", *sides, 0)) + number(0, 0, 0, 1))})
    assert looked(tmp_path, data).sheets[0].claimed == claimed


def test_an_xls_sheet_that_begins_elsewhere(tmp_path: Path) -> None:
    """It would be read from there without having been looked at."""
    data = bytearray(xls({"s": (0, 0, number(0, 0, 0, 1))}))
    at = data.index(record(0x85)[:2] + b"\x0a\x00")
    data[at + 4] ^= 4
    with pytest.raises(FileUnreadable, match="damaged"):
        looked(tmp_path, bytes(data))


def test_cells_beyond_the_last_column_of_xlsb(tmp_path: Path) -> None:
    far = row_header(0) + cell(5, 0, 0, struct.pack("<d", 1)) + cell(5, 8_323_078, 0, struct.pack("<d", 1))
    seen = look(write_xlsb(tmp_path / "a.xlsb", {"s": (0, far)}), "xlsb", watch=Watch())
    assert seen.sheets[0].extent == Range(0, 0, 0, 8_323_078)


def test_xls_without_formulas_has_nothing_to_tell(tmp_path: Path) -> None:
    assert looked(tmp_path, xls({"s": (0, 0, number(0, 0, 0, 1))})).notices == ()


def test_xls_with_a_password(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match="password"):
        looked(tmp_path, xls({"s": (0, 0, b"")}, before=record(0x2F, b"\0" * 6)))


def test_xls_with_macros_and_links(tmp_path: Path) -> None:
    link = record(0x1AE, struct.pack("<HHB", 1, 3, 0) + b"b.x")
    data = xls({"s": (0, 0, sheet_records())}, styles=STYLES, before=link, folders=["_VBA_PROJECT_CUR"])
    found = looked(tmp_path, data)
    assert any("not run" in notice for notice in found.notices)
    assert any("other workbooks" in notice for notice in found.notices)


def test_cells_of_unknown_styles_and_short_records(tmp_path: Path) -> None:
    short = record(0x203, b"\1") + record(0x27E, b"") + record(0xBD, b"")
    with pytest.raises(FileUnreadable):
        looked(tmp_path, xls({"s": (0, 0, short)}))
    assert looked(tmp_path, xls({"s": (0, 0, number(0, 0, 99, 1))})).sheets[0].cell_format(0, 0) == ""


def test_long_xls_streams(tmp_path: Path) -> None:
    rows = b"".join(number(r, c, 1, r) for r in range(20_000) for c in range(3))
    sheet = looked(tmp_path, xls({"s": (0, 0, rows)}, styles=STYLES)).sheets[0]
    assert sheet.filled_cells == 60_000
    assert sheet.column_format(2, 0, 19_999) == "0.00%"


def test_a_compound_file_that_runs_in_a_circle(tmp_path: Path) -> None:
    data = bytearray(xls({"s": (0, 0, b"".join(number(r, 0, 0, r) for r in range(500)))}))
    table = data.rfind(struct.pack("<I", 1) + struct.pack("<I", 2))
    data[table + 4 : table + 8] = struct.pack("<I", 0)
    size = data.find("Workbook".encode("utf-16-le")) + 120
    data[size : size + 4] = struct.pack("<I", 0x7FFFFFFF)
    with pytest.raises(FileUnreadable) as caught:
        looked(tmp_path, bytes(data))
    assert "circle" in str(caught.value.detail)


def cell(kind: int, column: int, style: int, rest: bytes) -> bytes:
    return record12(kind, struct.pack("<II", column, style) + rest)


def row_header(row: int, *, hidden: bool = False) -> bytes:
    return record12(0, struct.pack("<IIHBBBI", row, 0, 300, 0, 0x10 if hidden else 0, 0, 0))


def test_xlsb(tmp_path: Path) -> None:
    records = row_header(0) + cell(6, 0, 0, wide("share"))
    records += row_header(1) + cell(5, 0, 1, struct.pack("<d", 0.5)) + cell(2, 1, 2, struct.pack("<I", 0x3FF00000))
    records += row_header(4, hidden=True) + cell(5, 0, 1, struct.pack("<d", 0.25)) + cell(1, 7, 1, b"")
    records += cell(9, 1, 2, struct.pack("<dHI", 2.5, 0, 0) + b"\0" * 4)
    merged = record12(176, struct.pack("<IIII", 5, 6, 0, 2))
    column = record12(60, struct.pack("<IIIIH", 2, 3, 2560, 0, 1))
    path = write_xlsb(
        tmp_path / "a.xlsb",
        {"Sales": (0, records + merged + column), "h": (1, b""), "v": (2, b"")},
        formats=FORMATS,
        styles=STYLES,
        date_1904=True,
    )
    found = look(path, "xlsb", watch=Watch())
    assert [(s.name, s.state) for s in found.sheets] == [("Sales", "visible"), ("h", "hidden"), ("v", "very hidden")]
    assert found.date_1904
    sheet = found.sheets[0]
    assert sheet.extent == Range(0, 0, 4, 1)
    assert sheet.merged == (Range(5, 0, 6, 2),)
    assert sheet.hidden_rows == (Span(4, 4),)
    assert sheet.hidden_columns == (Span(2, 3),)
    assert [sheet.column_format(c, 0, 9) for c in range(2)] == ["0.00%", '#,##0.00 "€"']
    assert sheet.formula_count == 1
    values = load_workbook(str(path)).get_sheet_by_name("Sales").to_python()
    assert values[0][0] == "share", "calamine reads the same records"
    assert values[1][0] == 0.5
