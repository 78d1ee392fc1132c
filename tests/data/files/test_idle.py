"""A choice that a format has no use for is named; what it names does change nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from tabulaflow_core.data.files import FileReading, ReadOptions, read_file
from tabulaflow_core.data.files.idle import _IDLE

_GIVEN = ReadOptions(
    encoding="utf-16",
    delimiter="semicolon",
    quote="'",
    header=False,
    skip_lines=1,
    decimal=",",
    date_order="mdy",
    types={"b": "number"},
    missing=("y",),
    keep_totals=True,
    skip_end=1,
    header_rows=2,
    comment="1",
    escape="y",
    beside="several",
)


def _json(path: Path) -> None:
    path.write_text('[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]')


def _parquet(path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), path)


def _sqlite(path: Path) -> None:
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE t (a, b)")
        made.executemany("INSERT INTO t VALUES (?, ?)", [(1, "x"), (2, "y")])


def _xlsx(path: Path) -> None:
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("t")
        for place, row in enumerate((["a", "b"], [1, "x"], [2, "y"])):
            sheet.write_row(place, 0, row)


def _text(path: Path) -> None:
    path.write_text("a,b\n1,x\n2,y\n")


def _rows(reading: FileReading) -> list[tuple[tuple[str, ...], list[tuple[object, ...]]]]:
    (table,) = reading.tables
    with duckdb.connect(str(table.database), read_only=True) as made:
        return [(table.columns, made.sql(f'SELECT * FROM "{table.table}"').fetchall())]


@pytest.mark.parametrize(
    ("name", "make"),
    [("t.json", _json), ("t.parquet", _parquet), ("t.sqlite", _sqlite), ("t.xlsx", _xlsx), ("t.csv", _text)],
)
def test_what_is_named_changes_nothing(tmp_path: Path, name: str, make: Callable[[Path], None]) -> None:
    make(tmp_path / name)
    plain = read_file(tmp_path / name, storage=tmp_path / "s")
    idle = _IDLE[plain.report.format]
    only = {f.name: getattr(_GIVEN, f.name) for f in fields(_GIVEN) if f.name in idle}
    told = read_file(tmp_path / name, storage=tmp_path / "s", options=ReadOptions(**only))
    assert _rows(told) == _rows(plain)
    (sentence,) = [n for n in told.report.notices if "nothing in a file of" in n]
    assert all(choice.replace("_", " ") in sentence for choice in idle)


def test_a_choice_that_is_of_use_is_not_named(tmp_path: Path) -> None:
    _text(tmp_path / "t.csv")
    told = read_file(tmp_path / "t.csv", storage=tmp_path / "s", options=ReadOptions(delimiter="semicolon"))
    assert not [n for n in told.report.notices if "nothing in a file of" in n]
