"""What a person is told of a file of several tables."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tabulaflow_core.data.files import FileReading, FilesConnector, ReadingReport, ReadTable, read_file
from tabulaflow_core.data.files.told import told


def test_sentences_of_tables_stand_under_their_names_once_and_bounded() -> None:
    own = ReadingReport("x", notices=("for all", "own"))
    tables = tuple(ReadTable(f"t{i}", (), (), 0, Path(), f"t{i}", own) for i in range(50))
    reading = FileReading("f", tables, ReadingReport("x", notices=("for all",)))
    assert told(reading, most=2) == (
        "for all",
        "t0: own",
        "t1: own",
        "48 more sentences on its tables are in the reports of the tables.",
    )
    assert told(reading, most=50)[-1] == "t49: own"


def test_the_source_tells_them(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps({"a": [{"x": [1]}], "b": [{"y": 1}]}))
    reading = read_file(path, storage=tmp_path / "s")

    async def notices() -> tuple[str, ...]:
        async with await FilesConnector.open_async([reading]) as connector:
            return connector.notices

    assert "f.json: f_a: Nested values are kept as JSON text in x." in asyncio.run(notices())
