"""Stored tables that are opened together again and again: each is looked into once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabulaflow_core.data.engines import duckdb_schema
from tabulaflow_core.data.files import FileReading, FilesConnector, read_file
from tabulaflow_core.data.files.known import Known


def read(tmp_path: Path, name: str, text: str, *, table: str = "") -> FileReading:
    path = tmp_path / name
    path.write_text(text)
    return read_file(path, storage=tmp_path / "stored", name=table or path.stem)


@pytest.fixture
def looked_into(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    look = duckdb_schema._samples

    def looking(connection: object, place: duckdb_schema.Place) -> dict[str, tuple[str, ...]]:
        seen.append(place[2])
        return look(connection, place)  # type: ignore[arg-type]

    monkeypatch.setattr(duckdb_schema, "_samples", looking)
    return seen


def samples(connector: FilesConnector) -> dict[str, tuple[str, ...]]:
    return {table.name: table.columns[0].samples for table in connector.schema.tables}


async def test_only_the_new_table_is_looked_into(tmp_path: Path, looked_into: list[str]) -> None:
    known = Known()
    first, second = read(tmp_path, "a.csv", "x\n1\n2\n"), read(tmp_path, "b.csv", "y\nu\nv\n")
    async with await FilesConnector.open_async([first], known=known) as one:
        assert samples(one) == {"a": ("1", "2")}
    async with await FilesConnector.open_async([second, first], known=known) as both:
        assert samples(both) == {"a": ("1", "2"), "b": ("u", "v")}
        await both.refresh_schema_async()
    assert looked_into == ["a", "b"]


async def test_another_version_under_the_same_name_is_another_table(tmp_path: Path) -> None:
    known = Known()
    for renamed in (False, True):  # a table under another name than that of its file stands behind a view
        for text, seen in (("x\n1\n", ("1",)), ("x\n5\n", ("5",))):
            reading = read(tmp_path, "a.csv", text)
            given = {"b": reading.tables[0].database} if renamed else [reading]
            async with await FilesConnector.open_async(given, known=known) as one:
                assert samples(one) == {"b" if renamed else "a": seen}
