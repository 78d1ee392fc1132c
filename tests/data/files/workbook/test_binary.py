"""XLS and XLSB read as a whole: numbers, dates, text, truth values, codes, hidden sheets, errors."""

from __future__ import annotations

import datetime as dt
import struct
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import FileReading, read_file
from tests.data.files.workbook.look.binaries import number, record, record12, wide, write_xlsb, xls

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
    assert "2 cell(s) hold an error and are empty here: #DIV/0! in G3, #N/A in G5." in told
    assert "1 hidden sheet(s) were not read: “Old”" in told
    assert [(p.name, p.state, p.hidden) for p in reading.report.parts] == [
        ("Data", "read", False),
        ("Old", "off", True),
    ]
