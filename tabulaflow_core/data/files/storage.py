"""Immutable storage: every reading is a new DuckDB file that nobody writes again.

A file is written under a temporary name and put in place by one rename, so that a second process sees it
whole or not at all, and it is only ever attached read-only, so that any number of processes may query it.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tabulaflow_core.data.files.convert import literal

if TYPE_CHECKING:
    import duckdb

#: Memory of one reading; more goes to a temporary folder beside the storage.
_MEMORY = "2GB"


class Workbench:
    """A private DuckDB in memory with the new file attached as `out`.

    Attributes:
        connection: Where readers stage text and write `out.main.<table>`.
        folder: A temporary folder of this reading.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
        self.connection = connection
        self.folder = folder

    def execute(self, sql: str) -> None:
        """Run a statement that has no result."""
        self.connection.execute(sql).fetchall()

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a query."""
        rows: list[tuple[object, ...]] = self.connection.execute(sql).fetchall()
        return rows

    def one(self, sql: str) -> tuple[object, ...]:
        """The first row of a query."""
        return self.rows(sql)[0]


@contextmanager
def new_database(storage: Path, name: str) -> Iterator[tuple[Workbench, Path]]:
    """A workbench and the path at which the file will stand when the block ends well.

    Nothing is left behind when it ends with an exception.
    """
    import duckdb

    storage.mkdir(parents=True, exist_ok=True)
    token = uuid.uuid4().hex
    final = storage / f"{name[:60]}-{token}.duckdb"
    folder = storage / f".{token}"
    folder.mkdir(mode=0o700)
    partial = folder / "table.duckdb"
    config = {
        "memory_limit": _MEMORY,
        "temp_directory": str(folder / "spill"),
        "threads": 2,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        connection = duckdb.connect(":memory:", config=config)
        try:
            connection.execute("SET TimeZone = 'UTC'").fetchall()
            connection.execute(f"ATTACH {literal(str(partial))} AS out").fetchall()
            yield Workbench(connection, folder), final
            connection.execute("CHECKPOINT out").fetchall()
            connection.execute("DETACH out").fetchall()
        finally:
            connection.close()
        _sync(partial)
        partial.chmod(0o400)
        os.replace(partial, final)
        _sync(storage)
    finally:
        _remove(folder)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(folder: Path) -> None:
    import shutil

    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
