"""Reads files of several tables and shows all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import FileReading, Part, ReadOptions, Watch, read_file


@dataclass(frozen=True)
class Several:
    """All tables of one file by name, as rows."""

    tables: dict[str, list[tuple[object, ...]]]
    reading: FileReading

    def part(self, name: str) -> Part:
        return next(p for p in self.reading.report.parts if p.name == name)

    @property
    def parts(self) -> dict[str, str]:
        return {p.name: p.state for p in self.reading.report.parts}

    def told(self, *words: str) -> bool:
        return any(all(w.casefold() in n.casefold() for w in words) for n in self.reading.report.notices)


ReadAll = Callable[..., Several]


@pytest.fixture
def read_all(tmp_path: Path) -> ReadAll:
    def _read(content: bytes, name: str, *, watch: Watch | None = None, **options: object) -> Several:
        path = tmp_path / name
        path.write_bytes(content)
        storage = tmp_path / "storage"
        reading = read_file(path, storage=storage, watch=watch, options=ReadOptions(**options))  # type: ignore[arg-type]
        tables = {}
        for table in reading.tables:
            with duckdb.connect(str(table.database), read_only=True) as connection:
                connection.execute("SET TimeZone = 'UTC'").fetchall()
                tables[table.name] = connection.execute(f'SELECT * FROM "{table.table}"').fetchall()
            assert len(tables[table.name]) == table.row_count
        return Several(tables, reading)

    return _read
