"""Reads bytes as a file and shows what can be queried afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import FileReading, ReadingReport, ReadOptions, read_file


@dataclass(frozen=True)
class Seen:
    """One file after it was read."""

    names: list[str]
    types: list[str]
    rows: list[tuple[object, ...]]
    report: ReadingReport
    reading: FileReading

    def column(self, name: str) -> list[object]:
        return [row[self.names.index(name)] for row in self.rows]

    def type_of(self, name: str) -> str:
        return self.types[self.names.index(name)]

    def told(self, *words: str) -> bool:
        """True when one notice holds all the words."""
        return any(all(w.casefold() in n.casefold() for w in words) for n in self.report.notices)

    def choice(self, name: str) -> str:
        decision = self.report.decision(name)
        return decision.value if decision else ""


Reader = Callable[..., Seen]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    def _read(content: bytes | str, name: str = "data.csv", **options: object) -> Seen:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        reading = read_file(path, storage=tmp_path / "storage", options=ReadOptions(**options))  # type: ignore[arg-type]
        (table,) = reading.tables
        with duckdb.connect(str(table.database), read_only=True) as connection:
            connection.execute("SET TimeZone = 'UTC'").fetchall()
            rows = connection.execute(f'SELECT * FROM "{table.table}"').fetchall()
        assert len(rows) == table.row_count == reading.report.rows_in_table
        return Seen(list(table.columns), list(table.types), rows, reading.report, reading)

    return _read
