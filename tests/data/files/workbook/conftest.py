"""Writes sheets as a workbook, reads it, and shows each table by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import FileReading, ReadingReport, ReadOptions, read_file
from tests.data.files.workbooks import Sheet, write_xlsx


@dataclass(frozen=True)
class SeenTable:
    """One table of a workbook after it was read."""

    names: list[str]
    types: list[str]
    rows: list[tuple[object, ...]]
    report: ReadingReport
    part: str

    def column(self, name: str) -> list[object]:
        return [row[self.names.index(name)] for row in self.rows]

    def type_of(self, name: str) -> str:
        return self.types[self.names.index(name)]

    def note(self, name: str) -> str:
        return next(c.note for c in self.report.columns if c.name == name)

    def told(self, *words: str) -> bool:
        """True when one notice holds all the words."""
        return any(all(w.casefold() in n.casefold() for w in words) for n in self.report.notices)

    def choice(self, name: str) -> str:
        decision = self.report.decision(name)
        return decision.value if decision else ""


@dataclass(frozen=True)
class SeenBook:
    """A workbook after it was read."""

    tables: dict[str, SeenTable]
    report: ReadingReport

    @property
    def only(self) -> SeenTable:
        (table,) = self.tables.values()
        return table

    def told(self, *words: str) -> bool:
        return any(all(w.casefold() in n.casefold() for w in words) for n in self.report.notices)


Book = Callable[..., SeenBook]


def see(reading: FileReading) -> SeenBook:
    """The tables of a reading."""
    tables = {}
    for table in reading.tables:
        with duckdb.connect(str(table.database), read_only=True) as connection:
            rows = connection.execute(f'SELECT * FROM "{table.table}"').fetchall()
        report = table.report or reading.report
        assert len(rows) == table.row_count == report.rows_in_table
        header = report.decision("header_rows")
        assert header is not None
        assert report.rows_in_file == len(rows) + report.skipped_count + int(header.value)
        tables[table.name] = SeenTable(list(table.columns), list(table.types), rows, report, table.part)
    return SeenBook(tables, reading.report)


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """Read sheets, or rows of one sheet, as the file `book.xlsx`."""

    def _book(content: object, **options: object) -> SeenBook:
        assert isinstance(content, list)
        sheets = content if content and isinstance(content[0], Sheet) else [Sheet("Sheet1", content)]
        path = write_xlsx(tmp_path / "book.xlsx", sheets)
        return see(read_file(path, storage=tmp_path / "storage", options=ReadOptions(**options)))  # type: ignore[arg-type]

    return _book
