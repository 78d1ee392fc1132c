"""XLS and XLSB read as a whole: numbers, dates, text, truth values, codes, hidden sheets, errors; and those of ODS."""

from __future__ import annotations

import datetime as dt
import struct
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import FileReading, ReadBounds, Watch, read_file
from tabulaflow_core.errors import FileUnreadable
from tests.data.files.workbook.look.binaries import number, record, record12, wide, write_xlsb, xls
from tests.data.files.workbooks import write_zip
from tests.data.files.workbooks_ods import KIND, SPACES

FORMATS = [(164, "yyyy-mm-dd"), (165, "00000"), (166, "0.0%")]
STYLES = (0, 164, 165, 166)
HEADER = ["id", "name", "day", "ok", "zip", "share", "v"]
ROWS = [(1, "Ann", 45000, 1, 123, 0.5, 1.25), (2, "Zoë", 45001, 0, 4567, 0.25, None), (3, "Bob", 45002, 1, 89, 0.1, 7)]
DIVISION = 7


def label(row: int, column: int, text: str) -> bytes:
    return record(0x204, struct.pack("<HHHHB", row, column, 0, len(text), 1) + text.encode("utf-16-le"))


def flag(row: int, column: int, value: int, *, error: bool) -> bytes:
    return record(0x205, struct.pack("<HHHBB", row, column, 0, value, error))


def xls_records() -> bytes:
    body = b"".join(label(0, i, name) for i, name in enumerate(HEADER))
    for r, (key, name, day, ok, code, share, value) in enumerate(ROWS, 1):
        body += number(r, 0, 0, key) + label(r, 1, name) + number(r, 2, 1, day) + flag(r, 3, ok, error=False)
        body += number(r, 4, 2, code) + number(r, 5, 3, share)
        body += flag(r, 6, DIVISION, error=True) if value is None else number(r, 6, 0, value)
    wrong = struct.pack("<HHHBBBBHHHI2s", 4, 6, 0, 2, 0, 42, 0, 0, 0xFFFF, 0, 0, b"\0\0")
    return body + number(4, 0, 0, 4) + record(0x06, wrong)


def cell(kind: int, column: int, style: int, data: bytes) -> bytes:
    return record12(kind, struct.pack("<II", column, style) + data)


def real(column: int, style: int, value: float) -> bytes:
    return cell(5, column, style, struct.pack("<d", value))


def xlsb_records() -> bytes:
    def begin(row: int) -> bytes:
        return record12(0, struct.pack("<IIHBBBI", row, 0, 300, 0, 0, 0, 0))

    body = begin(0) + b"".join(cell(6, i, 0, wide(name)) for i, name in enumerate(HEADER))
    for r, (key, name, day, ok, code, share, value) in enumerate(ROWS, 1):
        body += begin(r) + real(0, 0, key) + cell(6, 1, 0, wide(name)) + real(2, 1, day) + cell(4, 3, 0, bytes([ok]))
        body += real(4, 2, code) + real(5, 3, share)
        body += cell(3, 6, 0, bytes([DIVISION])) if value is None else real(6, 0, value)
    wrong = cell(11, 6, 0, bytes([42]) + struct.pack("<HII", 0, 0, 0))
    return body + begin(4) + real(0, 0, 4) + wrong


def read_of(path: Path, kind: str) -> FileReading:
    if kind == "xls":
        path = path / "a.xls"
        sheets = {"Data": (0, 0, xls_records()), "Old": (1, 0, xls_records())}
        path.write_bytes(xls(sheets, formats=FORMATS, styles=STYLES))
    else:
        binary = {"Data": (0, xlsb_records()), "Old": (1, xlsb_records())}
        path = write_xlsb(path / "a.xlsb", binary, formats=FORMATS, styles=STYLES)
    return read_file(path, storage=path.parent / "s")


@pytest.mark.parametrize("kind", ["xls", "xlsb"])
def test_a_binary_workbook(tmp_path: Path, kind: str) -> None:
    reading = read_of(tmp_path, kind)
    (table,) = reading.tables
    with duckdb.connect(str(table.database), read_only=True) as connection:
        rows = connection.execute(f'SELECT * FROM "{table.table}"').fetchall()
    assert table.columns == tuple(HEADER)
    assert table.types == ("integer", "text", "date", "boolean", "text", "number", "number")
    assert rows == [
        (1, "Ann", dt.date(2023, 3, 15), True, "00123", 0.5, 1.25),
        (2, "Zoë", dt.date(2023, 3, 16), False, "04567", 0.25, None),
        (3, "Bob", dt.date(2023, 3, 17), True, "00089", 0.1, 7),
        (4, None, None, None, None, None, None),
    ]
    told = " ".join(reading.report.notices)
    assert "2 cells hold an error and are empty here: #DIV/0! in G3, #N/A in G5." in told
    assert "1 hidden sheet was not read: “Old”" in told
    assert [(p.name, p.state, p.hidden) for p in reading.report.parts] == [
        ("Data", "read", False),
        ("Old", "off", True),
    ]


def ods(path: Path, rows: str) -> Path:
    content = (
        f"<office:document-content {SPACES}><office:body><office:spreadsheet>"
        f'<table:table table:name="S">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = f"<manifest:manifest {SPACES}/>"
    return write_zip(path, {"mimetype": KIND, "content.xml": content, "META-INF/manifest.xml": manifest})


def row(*cells: str) -> str:
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def text(value: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'


def whole(value: int) -> str:
    return f'<table:table-cell office:value-type="float" office:value="{value}"/>'


def test_errors_of_ods_are_counted(tmp_path: Path) -> None:
    wrong = (
        '<table:table-cell table:formula="of:=1/0" office:value-type="string" office:string-value="">'
        "<text:p>#DIV/0!</text:p></table:table-cell>"
    )
    rows = row(text("id"), text("v")) + row(whole(1), wrong) + row(whole(2), whole(3))
    reading = read_file(ods(tmp_path / "e.ods", rows), storage=tmp_path / "s")
    assert any("1 cell of the sheet holds an error or an empty text" in n for n in reading.report.notices)


def test_a_far_cell_of_ods_is_the_reason(tmp_path: Path) -> None:
    gap = '<table:table-row table:number-rows-repeated="1000000"><table:table-cell/></table:table-row>'
    far = row('<table:table-cell table:number-columns-repeated="900"/>', text("x"))
    rows = row(text("id"), text("v")) + row(whole(1), whole(2)) + gap + far
    with pytest.raises(FileUnreadable, match="lie as far apart as A1 and AHQ1000003"):
        read_file(ods(tmp_path / "far.ods", rows), storage=tmp_path / "s")


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [(1 << 16, 1 << 14, "more than any XLS sheet"), (1 << 31, 9, "more than any XLS sheet")],
)
def test_sizes_that_an_xls_sheet_cannot_have(tmp_path: Path, rows: int, columns: int, words: str) -> None:
    path = tmp_path / "a.xls"
    size = record(0x200, struct.pack("<IIHHH", 0, rows, 0, columns, 0))
    path.write_bytes(xls({"Shown": (0, 0, xls_records()), "Hidden": (1, 0, size + xls_records())}))
    with pytest.raises(FileUnreadable, match=words):
        read_file(path, storage=tmp_path / "s")


def test_far_cells_of_a_hidden_xls_sheet(tmp_path: Path) -> None:
    """All sheets of XLS are read at once, those that nobody asked for too."""
    path = tmp_path / "a.xls"
    path.write_bytes(
        xls({"Shown": (0, 0, xls_records()), "Hidden": (1, 0, number(0, 0, 0, 1) + number(65_000, 60_000, 0, 1))})
    )
    with pytest.raises(FileUnreadable, match=r"Sheet “Hidden” has a cell at CJSS65001"):
        read_file(path, storage=tmp_path / "s")


def test_sheets_that_are_too_large_together(tmp_path: Path) -> None:
    path = tmp_path / "a.xls"
    wide = number(0, 0, 0, 1) + number(60_000, 40, 0, 1)
    path.write_bytes(xls({f"S{i}": (0, 0, wide) for i in range(4)}))
    watch = Watch(bounds=ReadBounds(memory_bytes=64 * 1024**2))
    with pytest.raises(FileUnreadable, match="4 sheets together"):
        read_file(path, storage=tmp_path / "s", watch=watch)
