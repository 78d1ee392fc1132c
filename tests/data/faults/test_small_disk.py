"""A real disk of 8 MB that fills up: what is told, what is left, and that it goes on when there is room again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_WAY = ["unshare", "--mount"] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["unshare", "--mount", "-r"]


@pytest.fixture(scope="module")
def small_disk() -> None:
    """Skips where this process may not mount a disk of its own."""
    probe = [*_WAY, "sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt"]
    if not shutil.which("unshare") or subprocess.run(probe, check=False, capture_output=True).returncode:
        pytest.skip("no disk of its own can be mounted here")


#: What each program has: `disk`, the folder of 8 MB, and `room`, which takes all that is left of it or gives it back.
_COMMON = """
import asyncio, os, sys
from pathlib import Path
from tabulaflow_core.errors import TabulaflowError

disk = Path(sys.argv[1])

def fill():
    with open(disk / "filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass

def told(error):
    assert str(disk) not in error.user_message, error.user_message
    print("told:", error.user_message)

def files():
    return sorted(str(p.relative_to(disk)) for p in disk.rglob("*") if p.is_file() and p.name != "filler")

async def count(source, table):
    from tabulaflow_core.data import QueryResult

    outcome = await source.run_query_async(f'SELECT count(*) AS n FROM "{table}"')
    assert isinstance(outcome, QueryResult), outcome
    return outcome.table.column(0)[0].as_py()
"""

_WRITE = """
import pandas as pd
from tabulaflow_core.data import SQLConnector

async def main():
    async with await SQLConnector.from_url_async(f"{sys.argv[2]}:///{disk}/a.{sys.argv[2]}", read_only=False) as source:
        await source.write_dataframe_async(pd.DataFrame({"a": [1, 2]}), "t")
        text = [os.urandom(80).hex() for _ in range(70_000)]  # 11 MB, however well they are packed
        large = pd.DataFrame({"a": range(len(text)), "t": text})
        before = files()
        for way in ("replace", "append", "fail"):
            try:
                await source.write_dataframe_async(large, "t" if way == "replace" else f"t_{way}", if_exists=way)
                print("written:", way)
            except TabulaflowError as error:
                told(error)
            assert await count(source, "t") == 2
        assert files() == before, files()
        assert {t.name for t in source.schema.tables} == {"t"}
        await source.write_dataframe_async(pd.DataFrame({"a": [3]}), "t", if_exists="append")
        print("rows:", await count(source, "t"))
"""

_READ = """
from tabulaflow_core.data.files import FilesConnector

async def main():
    small = disk / "small.csv"
    small.write_text("n,word\\n" + "".join(f"{n},word {n}\\n" for n in range(1000)))
    fill()
    for _ in range(2):
        try:
            await FilesConnector.from_files_async([small], storage=disk / "tables")
            print("read though the disk is full")
        except TabulaflowError as error:
            print("told:", error.user_message)
    assert files() == ["small.csv"], files()
    (disk / "filler").unlink()
    async with await FilesConnector.from_files_async([small], storage=disk / "tables") as source:
        print("rows:", await count(source, "small"))
"""

_STORE = """
from tabulaflow_core.config import Settings
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import Store

async def main():
    store = await Store.open_async(Settings(data_dir=disk / "data"))
    alice = Principal("alice", "Alice")
    first = await store.conversations.create_async(alice, title="first")
    fill()
    for _ in range(2):
        try:
            for n in range(200):
                await store.conversations.create_async(alice, title="x" * 200)
            print("kept though the disk is full")
        except TabulaflowError as error:
            told(error)
    assert (await store.conversations.get_async(alice, first.id)).title == "first"
    (disk / "filler").unlink()
    await store.conversations.rename_async(alice, first.id, "renamed")
    await store.close_async()
    store = await Store.open_async(Settings(data_dir=disk / "data"))
    print("rows:", (await store.conversations.get_async(alice, first.id)).title)
    await store.close_async()
"""


def _on_a_small_disk(folder: Path, program: str, *arguments: str) -> list[str]:
    text = f"{_COMMON}{program}\nasyncio.run(main())"
    mounted = [*_WAY, "sh", "-c", 'mount -t tmpfs -o size=8m tmpfs "$0" && exec "$@"', str(folder)]
    done = subprocess.run(
        [*mounted, sys.executable, "-c", text, str(folder), *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.usefixtures("small_disk")
@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_a_table_is_written(tmp_path: Path, engine: str) -> None:
    *told, rows = _on_a_small_disk(tmp_path, _WRITE, engine)
    assert len(told) == 3
    assert all(line.startswith("told: ") and "was not written" in line for line in told), told
    assert rows == "rows: 3"


@pytest.mark.usefixtures("small_disk")
def test_a_file_is_read(tmp_path: Path) -> None:
    first, second, rows = _on_a_small_disk(tmp_path, _READ)
    assert "no room left on the disk" in first
    assert first == second
    assert rows == "rows: 1000"


@pytest.mark.usefixtures("small_disk")
def test_the_store(tmp_path: Path) -> None:
    first, second, title = _on_a_small_disk(tmp_path, _STORE)
    assert "cannot be saved" in first
    assert "disk is not full" in first
    assert first == second
    assert title == "rows: renamed"
