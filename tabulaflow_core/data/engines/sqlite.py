"""SQLite: `mode=ro`, an authorizer that allows reading only, and hardening against hostile files."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, TypeVar

import pyarrow as pa

from tabulaflow_core.data.arrow import TableBuilder
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import STATEMENTS, Caps, EngineFault, Fetched, IfExists
from tabulaflow_core.data.engines.sqlite_lock import connect, lock, unlock
from tabulaflow_core.data.engines.sqlite_schema import read_schema
from tabulaflow_core.data.engines.sqlite_write import write_table
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.profile import Profiles
from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.errors import SourceUnavailable

_UNUSABLE: Final = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
_NO_ROOM: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
#: Seconds to wait for another program's write to end, and between two looks.
_BUSY_SECONDS: Final = 5.0
_BUSY_PAUSE_SECONDS: Final = 0.02
#: Rows taken at once: a round trip costs nothing here, and what fits into the processor's cache is quicker.
_BATCH_ROWS: Final = 2_000

T = TypeVar("T")


class SQLiteAdapter:
    """One SQLite file, or one database in memory.

    Args:
        path: The file; None for a database in memory.
        read_only: Refuse `write_async`; a file must then exist.
    """

    dialect: Final = "sqlite"
    left_running: Final = ""
    binds: Final = True

    def __init__(self, path: Path | None, *, read_only: bool) -> None:
        self._path = path
        self._read_only = read_only
        self._memory: sqlite3.Connection | None = None
        self._turn = asyncio.Lock()  # one statement at a time on the connection in memory
        self._room = asyncio.Semaphore(STATEMENTS)
        self._closed = False
        self._profiles = Profiles()

    @property
    def notices(self) -> tuple[str, ...]:
        """None: a file has no roles."""
        return ()

    @property
    def unreadable(self) -> Mapping[str, str]:
        """None."""
        return {}

    async def open_async(self) -> None:
        """Open the file once."""
        if self._path is None:
            self._memory = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
            return
        await run_blocking_async(self._check, abandon=lambda _: None)

    def _check(self) -> None:
        assert self._path is not None
        if not os.path.exists(self._path) and not self._read_only:
            sqlite3.connect(self._path).close()
        try:
            with closing(self._reader()) as connection:
                connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.Error as error:
            raise self._unavailable(error) from None
        except UnicodeDecodeError:
            raise self._no_names() from None

    def _reader(self) -> sqlite3.Connection:
        """A new connection that cannot write: cheap, and a statement never sees what an earlier one left."""
        assert self._path is not None
        try:
            return connect(self._path, "mode=ro")
        except sqlite3.OperationalError:
            # A WAL database in a folder that cannot be written needs no -shm file when nobody writes to it.
            idle = os.path.isfile(self._path) and not os.path.exists(f"{self._path}-wal")
            if not idle or os.access(self._path.parent, os.W_OK):
                raise
            return connect(self._path, "mode=ro&immutable=1")

    def _no_names(self) -> SourceUnavailable:
        """For a name or a message that Python cannot make text of: a schema is UTF-8 unless it is damaged."""
        name = self._path.name if self._path else ":memory:"
        return SourceUnavailable(
            f"The SQLite file {name!r} is damaged: a name in its schema is no text. Restore it from a copy."
        )

    def _unavailable(self, error: sqlite3.Error) -> SourceUnavailable:
        name = self._path.name if self._path else ":memory:"
        # Those of `os.path` take a folder that may not be entered for one without the file; those of `Path` raise.
        if self._path is not None and not os.path.exists(self._path):
            if not os.access(self._path.parent, os.X_OK) and os.path.isdir(self._path.parent):
                return SourceUnavailable(f"The folder of {name!r} may not be entered. Check its permissions.")
            return SourceUnavailable(
                f"There is no file {name!r} at that place. Check the path; one from the root has four slashes: "
                "`sqlite:////srv/data.db`."
            )
        if self._path is not None and os.path.isdir(self._path):
            return SourceUnavailable(f"{name!r} is a folder, not a database file.")
        if _code(error) == sqlite3.SQLITE_NOTADB:
            return SourceUnavailable(
                f"{name!r} is not an SQLite database, or it is encrypted. If it is a CSV or Excel file, "
                "add it as a file instead."
            )
        if _code(error) == sqlite3.SQLITE_CORRUPT:
            return SourceUnavailable(f"The SQLite file {name!r} is damaged: {error}. Restore it from a copy.")
        return SourceUnavailable(f"The SQLite file {name!r} cannot be opened: {error}. Check its permissions.")

    async def fetch_async(self, sql: str, caps: Caps, values: Sequence[str] = ()) -> Fetched:
        """Run `sql` under the authorizer."""
        if self._closed:
            raise SourceUnavailable("This source is closed. Connect it again.")
        if self._path is None:
            async with self._turn:
                return await self._fetch_async(sql, caps, values)
        return await self._fetch_async(sql, caps, values)

    async def _fetch_async(self, sql: str, caps: Caps, values: Sequence[str]) -> Fetched:
        run = _Run()
        async with self._room:
            return await run_blocking_async(lambda: self._fetch(sql, caps, run, values), interrupt=run.interrupt)

    def _fetch(self, sql: str, caps: Caps, run: _Run, values: Sequence[str]) -> Fetched:
        deadline = time.monotonic() + min(_BUSY_SECONDS, caps.seconds)
        while True:
            try:
                return self._attempt(sql, caps, run, values)
            except _LockedByOther:
                # Not SQLite's own busy handler, which could not be interrupted.
                if run.stopped or time.monotonic() > deadline:
                    raise EngineFault(
                        FailureKind.FAILED, "another program has locked the database; try again"
                    ) from None
                time.sleep(_BUSY_PAUSE_SECONDS)

    def _attempt(self, sql: str, caps: Caps, run: _Run, values: Sequence[str]) -> Fetched:
        connection = self._memory
        try:
            if connection is None:
                connection = self._reader()
        except sqlite3.Error as error:
            raise _LockedByOther if _code(error) in _LOCKED else self._unavailable(error) from None
        run.start(connection)
        try:
            lock(connection, sql)
            return _read(connection, sql, caps, run, values)
        except sqlite3.Error as error:
            if _code(error) in _LOCKED:
                raise _LockedByOther from None
            if _code(error) in _UNUSABLE:
                raise self._unavailable(error) from None
            raise EngineFault(_kind(connection, sql, values, error), str(error)) from None
        except UnicodeDecodeError:
            raise self._no_names() from None
        finally:
            run.end()
            if connection is self._memory:
                unlock(connection)
            else:
                connection.close()

    async def read_schema_async(self) -> SourceSchema:
        """Tables, views, keys, row counts and samples."""
        return await self._exclusively_async(lambda connection: read_schema(connection, self._profiles), writable=False)

    async def write_async(self, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
        """Create or fill a table in one transaction."""
        await self._exclusively_async(
            lambda connection: write_table(connection, table, rows, if_exists=if_exists), writable=True
        )

    async def _exclusively_async(self, work: Callable[[sqlite3.Connection], T], *, writable: bool) -> T:
        run = _Run()

        def call() -> T:
            connection = self._memory
            try:
                if connection is None:
                    assert self._path is not None
                    connection = connect(self._path, "mode=rw") if writable else self._reader()
                connection.execute(f"PRAGMA busy_timeout = {int(_BUSY_SECONDS * 1000)}").close()
                run.start(connection)
                return work(connection)
            except sqlite3.Error as error:
                if writable and connection is not None and _code(error) in _NO_ROOM:
                    if connection is not self._memory:
                        run.end()
                        connection.close()
                        self._undo()
                    raise EngineFault(FailureKind.FAILED, _no_room(error)) from None
                if _code(error) in _UNUSABLE:
                    raise self._unavailable(error) from None
                raise EngineFault(FailureKind.FAILED, str(error)) from None
            except UnicodeDecodeError:
                raise self._no_names() from None
            finally:
                run.end()
                if connection is not None and connection is not self._memory:
                    connection.close()

        if self._closed:
            raise SourceUnavailable("This source is closed. Connect it again.")
        async with self._turn:
            return await run_blocking_async(call, interrupt=run.interrupt)

    def _undo(self) -> None:
        """Take back a write that broke off: what it left beside the file would keep readers out, who cannot."""
        assert self._path is not None
        with suppress(sqlite3.Error), closing(connect(self._path, "mode=rw")) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()

    async def close_async(self) -> None:
        """Close; statements on a file close their own connection."""
        self._closed = True
        async with self._turn:
            if self._memory is not None:
                self._memory.close()
                self._memory = None


class _LockedByOther(Exception):
    """Another program writes at the moment."""


def _no_room(error: sqlite3.Error) -> str:
    full = _code(error) == sqlite3.SQLITE_FULL
    return "there is no room left on its disk" if full else f"{error}; its disk may be full"


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code: sqlite.org/rescode.html."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


class _Run:
    """A statement that may be interrupted from another thread, whenever that comes."""

    def __init__(self) -> None:
        self._guard = threading.Lock()  # interrupting a closed connection would raise
        self._connection: sqlite3.Connection | None = None
        self.stopped = False

    def start(self, connection: sqlite3.Connection) -> None:
        with self._guard:
            self._connection = connection

    def end(self) -> None:
        with self._guard:
            self._connection = None

    def interrupt(self) -> None:
        with self._guard:
            self.stopped = True
            if self._connection is not None:
                self._connection.interrupt()


def _read(connection: sqlite3.Connection, sql: str, caps: Caps, run: _Run, values: Sequence[str]) -> Fetched:
    connection.text_factory = str
    try:
        return _read_once(connection, sql, caps, run, values)
    except sqlite3.OperationalError as error:
        if "decode to UTF-8" not in str(error):
            raise
    # Text that is no UTF-8 comes as bytes; decoding in Python is slow, so only then.
    connection.text_factory = _text_or_bytes
    try:
        return _read_once(connection, sql, caps, run, values)
    finally:
        connection.text_factory = str


def _text_or_bytes(raw: bytes) -> str | bytes:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _read_once(connection: sqlite3.Connection, sql: str, caps: Caps, run: _Run, values: Sequence[str]) -> Fetched:
    with closing(connection.cursor()) as cursor:
        cursor.execute(sql, tuple(values))
        if cursor.description is None:
            raise EngineFault(FailureKind.REFUSED, "the statement gives no rows")
        names = [column[0] for column in cursor.description]
        builder = TableBuilder(names, [None] * len(names), caps)
        while not run.stopped and builder.add(cursor.fetchmany(min(builder.batch_size, _BATCH_ROWS))):
            pass
        if run.stopped:
            raise sqlite3.OperationalError("interrupted")
        return builder.finish()


def _kind(connection: sqlite3.Connection, sql: str, values: Sequence[str], error: sqlite3.Error) -> FailureKind:
    """Did it not compile, or did it break while running? Compiling it once more tells."""
    if _code(error) == sqlite3.SQLITE_AUTH or "not authorized" in str(error):
        return FailureKind.REFUSED
    if isinstance(error, sqlite3.Warning | sqlite3.ProgrammingError):
        return FailureKind.INVALID
    try:
        connection.execute(f"EXPLAIN {sql}", tuple(values)).close()
    except sqlite3.Error:
        return FailureKind.INVALID
    return FailureKind.FAILED
