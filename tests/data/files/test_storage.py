"""Immutable storage, the files connector, and files that cannot be read."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest

from tabulaflow_core.data.contracts import DataConnector, QueryFailure, QueryResult
from tabulaflow_core.data.files import FilesConnector, read_file
from tabulaflow_core.errors import FileUnreadable
from tests.data.files.conftest import Reader


def csv(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


async def rows(connector: DataConnector, sql: str) -> list[tuple[object, ...]]:
    result = await connector.run_query_async(sql)
    assert isinstance(result, QueryResult), result
    return [tuple(row.values()) for row in result.table.to_pylist()]


async def test_files_join(tmp_path: Path) -> None:
    orders = csv(tmp_path, "Orders 2026.csv", "id;zip;amount\n1;00123;1.234,50\n2;01200;95,00\n")
    zips = csv(tmp_path, "Größen.csv", "zip,town\n00123,Aa\n01200,Bb\n")
    async with await FilesConnector.from_files_async([orders, zips]) as source:
        assert [t.name for t in source.schema.tables] == ["orders_2026", "größen"]
        assert {t.kind for t in source.schema.tables} == {"file"}
        assert [t.row_count for t in source.schema.tables] == [2, 2]
        sql = "SELECT town, amount FROM orders_2026 JOIN größen USING (zip) ORDER BY 1"
        assert await rows(source, sql) == [("Aa", Decimal("1234.50")), ("Bb", Decimal("95.00"))]
        assert [r.file for r in source.readings] == ["Orders 2026.csv", "Größen.csv"]
        folder = source._folder
        assert folder is not None
        assert folder.exists()
    assert not folder.exists()


async def test_keys_are_table_names(tmp_path: Path) -> None:
    path = csv(tmp_path, "x.csv", "a,b\n1,2\n")
    reading = read_file(path, storage=tmp_path / "s", name="first name")
    async with await FilesConnector.from_files_async({"My Sales": path}) as source:
        assert await rows(source, 'SELECT a FROM "My Sales"') == [(1,)]
    async with await FilesConnector.open_async({"Renamed": reading.tables[0].database}) as source:
        assert [t.name for t in source.schema.tables] == ["Renamed"]
        assert await rows(source, "SELECT b FROM renamed") == [(2,)]
    async with await FilesConnector.open_async([reading, reading]) as source:
        assert source.readings == (reading, reading)


async def test_same_stems_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    one, two = csv(tmp_path, "t.csv", "a,b\n1,2\n"), csv(tmp_path / "d", "T.csv", "a,b\n3,4\n")
    async with await FilesConnector.from_files_async([one, two]) as source:
        assert [t.name for t in source.schema.tables] == ["t", "t_2"]


async def test_the_source_cannot_be_written_or_left(tmp_path: Path) -> None:
    path = csv(tmp_path, "t.csv", "a,b\n1,2\n")
    async with await FilesConnector.from_files_async([path]) as source:
        for sql in (f"SELECT * FROM read_csv('{path}')", f"SELECT * FROM '{path}'", "DELETE FROM t", "DROP TABLE t"):
            assert isinstance(await source.run_query_async(sql), QueryFailure)


def test_each_reading_is_a_new_file(tmp_path: Path) -> None:
    path = csv(tmp_path, "t.csv", "a,b\n1,2\n")
    storage = tmp_path / "storage"
    first, second = (read_file(path, storage=storage).tables[0].database for _ in range(2))
    assert first != second
    assert sorted(storage.iterdir()) == sorted([first, second])
    assert not os.stat(first).st_mode & 0o222


def test_a_failed_reading_leaves_nothing(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    with pytest.raises(FileUnreadable):
        read_file(csv(tmp_path, "t.csv", "\n\n \n"), storage=storage)
    assert not storage.exists() or list(storage.iterdir()) == []


async def test_two_processes_query_one_stored_table(tmp_path: Path) -> None:
    reading = read_file(csv(tmp_path, "t.csv", "a,b\n1,x\n2,y\n"), storage=tmp_path / "s")
    code = f"""
import asyncio
from pathlib import Path
from tabulaflow_core.data.files import FilesConnector

async def main():
    async with await FilesConnector.open_async({{"t": Path({str(reading.tables[0].database)!r})}}) as source:
        result = await source.run_query_async("SELECT sum(a) AS s FROM t")
        print(result.table.to_pylist()[0]["s"], flush=True)
        input()

asyncio.run(main())
"""
    async with await FilesConnector.open_async([reading]) as source:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen([sys.executable, "-c", code], **pipes) as other:  # type: ignore[call-overload]  # noqa: ASYNC220
            assert other.stdout.readline() == "3\n"
            assert await rows(source, "SELECT b FROM t ORDER BY a") == [("x",), ("y",)]
            other.communicate("\n", timeout=30)
        assert other.returncode == 0
        assert await rows(source, "SELECT count(*) FROM t") == [(2,)]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", "empty"),
        ("blank.csv", b"\n\n   \n", "no data"),
        ("commas.csv", b",,,\n,,,\n", "no data"),
        ("photo.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10, "PNG"),
        ("paper.csv", b"%PDF-1.7\n" + bytes(range(256)), "PDF"),
        ("noise.csv", bytes((i * 7919) % 251 for i in range(5000)), "binary"),
        ("book.xlsx", b"PK\x03\x04rest", "Excel workbook"),
        ("page.csv", b"<!DOCTYPE html><html><body>1,2</body></html>", "web page"),
        ("old.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "Excel"),
        ("data.parquet", b"PAR1" + bytes(100) + b"PAR1", "Parquet"),
        ("data.json", b'[{"a": 1}', "JSON"),
        ("none.json", b"[]", "no records"),
        ("data.csv.gz", b"\x1f\x8b\x08broken", "damaged"),
        ("data.zip", b"PK\x03\x04broken", "cannot be"),
    ],
)
def test_unreadable_files_say_what_to_do(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileUnreadable) as caught:
        read_file(path, storage=tmp_path / "s")
    assert words.casefold() in caught.value.user_message.casefold()
    assert name.removesuffix(".gz").split(".")[0] in caught.value.user_message


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match="There is no file none"):
        read_file(tmp_path / "none.csv", storage=tmp_path / "s")


def test_a_folder_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match="is a folder, not a file"):
        read_file(tmp_path, storage=tmp_path / "storage")


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return buffer.getvalue()


def test_packed_files(read: Reader) -> None:
    text = b"a,b\n1,x\n"
    assert read(gzip.compress(text), "t.csv.gz").rows == [(1, "x")]
    assert read(bz2.compress(text), "t.csv.bz2").rows == [(1, "x")]
    assert read(zipped(t_csv=text), "t.csv.zip").rows == [(1, "x")]
    assert read(gzip.compress(text), "t.csv.gz").reading.tables[0].name == "t"


def test_a_long_file_is_read_alike_in_blocks(read: Reader) -> None:
    """Rows that need care in the middle of clean blocks keep their place, and none is lost."""
    lines = ["id,name,amount"]
    for i in range(120_000):
        match i % 40_000:
            case 20_000:
                lines.append(f'{i},"two\nlines {i}",1.50')
            case 25_000:
                lines.append(f"{i},short")
            case 30_000:
                lines.append(f'{i},"open,1.50')
            case _:
                lines.append(f'{i},"name, {i}",{i % 100}.50')
    seen = read("\n".join(lines) + "\n")
    assert seen.column("id") == list(range(120_000))
    assert seen.rows[20_000][1] == "two\nlines 20000"
    assert seen.rows[25_000][1:] == ("short", None)
    assert seen.rows[99_999] == (99_999, "name, 99999", Decimal("99.50"))
    assert seen.types == ["integer", "text", "number"]
    assert seen.report.rows_in_file == 120_001


def test_names_of_catalogs_are_no_tables(tmp_path: Path) -> None:
    path = tmp_path / "pg_catalog.csv"
    path.write_text("a,b\n1,2\n")
    assert read_file(path, storage=tmp_path / "s").tables[0].name == "t_pg_catalog"
    with pytest.raises(FileUnreadable, match="databases keep for themselves"):
        read_file(path, storage=tmp_path / "s", name="pg_catalog")


@pytest.mark.parametrize("content", [b"\x01", b"\x01\x02\n\x03", b"\x1b\x1b", b"\x07,\x08\r\n"])
def test_control_characters_are_no_table(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tiny.csv"
    path.write_bytes(content)
    with pytest.raises(FileUnreadable, match="binary data"):
        read_file(path, storage=tmp_path / "s")
