"""Writing a DataFrame into a DuckDB file: the one way that data changes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import pyarrow as pa

from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import EngineFault, IfExists
from tabulaflow_core.data.engines.duckdb_lock import instance_config, quote, run, unavailable

#: Bytes of the main header and of the two that take turns: duckdb.org/docs/stable/internals/storage.
_HEADERS: Final = 3 * 4096
#: Of the system's own messages for a full disk, a used-up quota and a file that may not grow.
_NO_ROOM: Final = ("No space left on device", "Disk quota exceeded", "File too large")


def create_database(path: Path) -> None:
    """Make an empty database when there is no file.

    Raises:
        SourceUnavailable: The folder is missing or not writable.
    """
    import duckdb

    if path.exists():
        return
    try:
        duckdb.connect(str(path), config=instance_config()).close()
    except duckdb.Error as error:
        raise unavailable(path, error) from None


def write_table(path: Path, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
    """Create or fill a table in one transaction.

    Raises:
        EngineFault: DuckDB refused the rows; the file is as before.
        SourceUnavailable: The file cannot be opened for writing.
    """
    import duckdb

    before = _Extent(path)
    try:
        connection = duckdb.connect(str(path), config=instance_config())
    except duckdb.Error as error:
        raise unavailable(path, error) from None
    failed = True
    try:
        connection.register("incoming_rows", rows)
        run(connection, "BEGIN")
        if if_exists == "replace":
            run(connection, f"DROP TABLE IF EXISTS main.{quote(table)}")
        if if_exists == "append" and _exists(connection, table):
            run(connection, f"INSERT INTO main.{quote(table)} BY NAME SELECT * FROM incoming_rows")
        else:
            run(connection, f"CREATE TABLE main.{quote(table)} AS SELECT * FROM incoming_rows")
        run(connection, "COMMIT")
        failed = False
    except duckdb.Error as error:
        if any(words in str(error) for words in _NO_ROOM):
            raise EngineFault(FailureKind.FAILED, "there is no room left on its disk") from None
        message = str(error).split("\n", 1)[0].replace(str(path), path.name)  # where it lies is nobody's business
        raise EngineFault(FailureKind.FAILED, message) from None
    finally:
        connection.close()
        if failed:
            before.restore()


class _Extent:
    """How long a file is and how it begins: with the headers that say which of its blocks count.

    What a broken-off write put behind the old end stays there otherwise, and keeps a full disk full.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(f"{path.name}.wal")
        self._had_log = self._log.exists()
        with path.open("rb") as file:
            self._head = file.read(_HEADERS)
            self._size = os.fstat(file.fileno()).st_size

    def restore(self) -> None:
        """Cut off what was added, unless the headers changed or another program has opened the file meanwhile."""
        try:
            import fcntl
        except ImportError:  # Windows: the room is used again by the next write
            return
        with suppress(OSError), self._path.open("r+b") as file:  # in use: it stays as it is
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if file.read(_HEADERS) != self._head:
                return
            if os.fstat(file.fileno()).st_size > self._size:
                file.truncate(self._size)
            if not self._had_log:
                self._log.unlink(missing_ok=True)


def _exists(connection: object, table: str) -> bool:
    found = connection.execute(  # type: ignore[attr-defined]
        "SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'main' AND lower(table_name) = lower(?)", [table]
    ).fetchall()
    return bool(found[0][0])
