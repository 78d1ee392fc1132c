"""What a file holds counts more than its name: text named as a workbook, and every other way round."""

from __future__ import annotations

import gzip
import io
import sqlite3
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from tabulaflow_core.data.files import read_file
from tabulaflow_core.data.files.formats.names import believed_suffix
from tabulaflow_core.errors import FileUnreadable
from tests.data.files.workbooks import Sheet, write_xlsx
from tests.data.files.workbooks_ods import write_ods

TAB = b"name\tn\nAnn\t1\nBob\t2\n"
ROWS = [["name", "n"], ["Ann", 1], ["Bob", 2]]


def workbook(folder: Path) -> bytes:
    return write_xlsx(folder / "made", [Sheet("S", ROWS)]).read_bytes()


def arrow(kind: str) -> bytes:
    buffer, table = io.BytesIO(), pa.table({"name": ["Ann", "Bob"], "n": [1, 2]})
    parquet.write_table(table, buffer) if kind == "parquet" else feather.write_feather(table, buffer)
    return buffer.getvalue()


def database() -> bytes:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t AS SELECT 'Ann' name, 1 n UNION ALL SELECT 'Bob', 2")
        return connection.serialize()


def zipped(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", TAB)
    return buffer.getvalue()


def content(what: str, folder: Path) -> bytes:
    return {
        "text": lambda: TAB, "wide text": lambda: TAB.decode().encode("utf-16"),
        "json": lambda: b'[{"name": "Ann", "n": 1}, {"name": "Bob", "n": 2}]',
        "gzip": lambda: gzip.compress(TAB), "workbook": lambda: workbook(folder),
        "ods": lambda: write_ods(folder / "made", [Sheet("S", ROWS)]).read_bytes(), "parquet": lambda: arrow("parquet"),
        "feather": lambda: arrow("feather"), "database": database, "zip": lambda: zipped(folder),
    }[what]()  # fmt: skip


@pytest.mark.parametrize(
    ("what", "name", "told"),
    [
        ("text", "a.xlsx", "it holds text"), ("text", "a.xls", "it holds text"), ("text", "a.xlsb", "it holds text"),
        ("text", "a.ods", "it holds text"), ("text", "a.parquet", "it holds text"),
        ("text", "a.feather", "it holds text"),
        ("wide text", "a.xlsx", "it holds text"), ("wide text", "a.xls", "it holds text"), ("text", "a.txt", ""),
        ("json", "a.xlsx", "it holds JSON"), ("gzip", "a.csv", ""), ("gzip", "a.xlsx", "it holds text"),
        ("workbook", "a.csv", "it holds an Excel workbook"), ("workbook", "a.zip", ""), ("workbook", "a.xls", ""),
        ("workbook", "a", ""), ("ods", "a.xlsx", "it holds an ODS spreadsheet"),
        ("parquet", "a.csv", "it holds a Parquet file"), ("feather", "a.csv", "it holds an Arrow file"),
        ("parquet", "a.xlsx", "it holds a Parquet file"), ("database", "a.csv", "it holds a SQLite database"),
        ("zip", "a.xlsx", "it holds a ZIP archive"), ("zip", "a.csv", "it holds a ZIP archive"),
    ],
)  # fmt: skip
def test_content_decides(what: str, name: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content(what, tmp_path))
    reading = read_file(path, storage=tmp_path / "s")
    assert [(t.row_count, t.columns) for t in reading.tables] == [(2, ("name", "n"))]
    said = [n for n in reading.report.notices if n.startswith(f"The name {name}")]
    assert len(said) == bool(told)
    assert all(told in n for n in said)


@pytest.mark.parametrize("name", ["a.xlsx", "a.ods"])
@pytest.mark.parametrize("data", [b"PK\x03\x04cut off", b"\x00\x01\x02\x03\x04 junk", b"%PDF-1.7 x"])
def test_what_is_neither_text_nor_a_workbook_is_refused(data: bytes, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(FileUnreadable, match=r"damaged|not an Excel workbook|not a spreadsheet"):
        read_file(path, storage=tmp_path / "s")


def test_suffixes_are_believed_where_bytes_tell_nothing() -> None:
    assert believed_suffix(b"a\tb\n", ".xlsx") == ".txt"
    assert believed_suffix(b"a\tb\n", ".csv") == ".csv"
    assert believed_suffix(b"PK\x03\x04\x00\x00", ".xlsx") == ".xlsx"
    assert believed_suffix(b"", ".xlsx") == ".xlsx"
