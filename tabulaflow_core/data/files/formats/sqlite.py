"""Tables of an SQLite file: the type of a column is decided from all of its values, which SQLite types one by one.

The file is opened read-only, under the authorizer of `engines.sqlite_lock`: what its schema says is data.
"""

from __future__ import annotations

import math
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Final

import pyarrow as pa

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.engines.sqlite_lock import connect, lock
from tabulaflow_core.data.files.convert import literal, quoted
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.database import Entry
from tabulaflow_core.data.files.formats.sqlite_columns import SqliteColumn, declared_time
from tabulaflow_core.data.files.naming import column_names
from tabulaflow_core.data.files.report import LISTED, ReadingReport
from tabulaflow_core.data.files.values import MISSING
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable

_ROWS: Final = 20_000
_BYTES: Final = 32 * 1024**2
#: Steps of SQLite's machine between two looks whether somebody stopped the reading.
_STEPS: Final = 100_000
#: A view is a query, and it may be one without an end.
VIEW_SECONDS: Final = 60
_WAL_MODE: Final = 2
_SHADOW: Final = "shadow"
#: A message that names damaged parts of a schema may itself be no text.
_FAULTS: Final = (sqlite3.Error, UnicodeDecodeError)


@contextmanager
def open_sqlite(job: ReadJob) -> Iterator[SqliteFile]:
    """The file, locked against writing and against what it may hold.

    Raises:
        FileUnreadable: It is in use, encrypted or damaged.
    """
    with job.path.open("rb") as raw:
        head = raw.read(20)
    wal = len(head) > 18 and _WAL_MODE in head[18:20]
    beside = os.path.exists(f"{job.path}-wal")
    try:
        # Without a log beside it nobody writes, and so nothing has to be created beside it either.
        connection = connect(job.path, "mode=ro&immutable=1" if wal and not beside else "mode=ro")
    except _FAULTS as error:
        raise _unreadable(job, error) from error
    with closing(connection):
        file = SqliteFile(job, connection)
        if wal and not beside:
            file.notices.append(
                "The database keeps its latest changes in a second file (-wal), which is not beside it. If a program "
                "had it open, close it there and add the file again."
            )
        try:
            lock(connection, "")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, job.watch.bounds.cell_bytes)
            yield file
        except _FAULTS as error:
            raise _unreadable(job, error) from error


def _unreadable(job: ReadJob, error: Exception) -> FileUnreadable:
    code = int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return FileUnreadable(f"Another program is writing to {job.name}. Close it there, or add a copy of the file.")
    if code == sqlite3.SQLITE_NOTADB:
        return FileUnreadable(f"{job.name} is encrypted or damaged: SQLite cannot read it. Export it unencrypted.")
    if code == sqlite3.SQLITE_CANTOPEN and os.path.exists(f"{job.path}-journal"):
        return FileUnreadable(
            f"A change to {job.name} was broken off (there is a -journal file). Open it once with its own program."
        )
    return FileUnreadable(f"The SQLite file {job.name} cannot be read: {_said(error)}. Restore it from a copy.")


class SqliteFile:
    """One open file.

    Attributes:
        notices: What a person should know of all of it.
    """

    def __init__(self, job: ReadJob, connection: sqlite3.Connection) -> None:
        self.notices: list[str] = []
        self._job = job
        self._connection = connection
        connection.text_factory = _text
        self._deadline = math.inf
        connection.set_progress_handler(lambda: job.watch.stopped or time.monotonic() > self._deadline, _STEPS)

    def entries(self) -> list[Entry]:
        """Tables and views, without those that SQLite and its extensions keep for themselves."""
        listed = self._connection.execute(
            "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
            "ESCAPE '\\' ORDER BY rowid"
        ).fetchall()
        try:
            kinds = dict(self._connection.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main'"))
        except _FAULTS:  # before SQLite 3.37, or a module is missing: then nothing is known to be a shadow
            kinds = {}
        entries = []
        for name, kind in listed:
            if kinds.get(name) == _SHADOW:
                continue
            entries.append(Entry(str(name), str(kind), self._fault(str(name)) if kind == "table" else ""))
        return entries

    def _fault(self, name: str) -> str:
        """Why a table cannot be asked at all; empty when it can."""
        try:
            self._connection.execute(f"SELECT * FROM {quoted(name)} LIMIT 0").close()
        except _FAULTS as error:
            if "no such module" in str(error):
                return f"it needs an extension of SQLite that is not here ({_said(error)})."
            return f"SQLite says: {_said(error)}."
        return ""

    def copy(self, job: ReadJob, entry: Entry) -> tuple[WrittenTable, ReadingReport]:
        """Write one table."""
        if entry.kind == "view":
            self._deadline = time.monotonic() + VIEW_SECONDS
        try:
            return self._copy(job, entry)
        except _FAULTS as error:
            if job.watch.stopped:
                raise FileReadingStopped from error
            if time.monotonic() > self._deadline:
                raise FileUnreadable(f"its query took more than {VIEW_SECONDS} seconds.") from error
            if int(getattr(error, "sqlite_errorcode", 0)) & 0xFF == sqlite3.SQLITE_TOOBIG:
                most = job.watch.bounds.cell_bytes // 1024**2
                raise FileUnreadable(f"it holds a value of more than {most} MB, the most that one may have.") from error
            raise FileUnreadable(f"SQLite says: {_said(error)}.") from error
        finally:
            self._deadline = math.inf

    def _copy(self, job: ReadJob, entry: Entry) -> tuple[WrittenTable, ReadingReport]:
        cursor = self._connection.execute(f"SELECT * FROM {quoted(entry.name)} LIMIT 0")
        header = [str(d[0]) for d in cursor.description]
        cursor.close()
        bound = job.watch.bounds.columns
        if len(header) > bound:
            raise FileUnreadable(f"it has more than {bound:,} columns, the most that a table may have.")
        names = column_names([h.replace("\x00", "") for h in header], len(header))
        columns, total = self._columns(job, entry, header, names)
        target = f"out.main.{quoted(job.table)}"
        declared = ", ".join(f"{quoted(c.name)} {c.stored}" for c in columns)
        job.bench.execute(f"CREATE TABLE {target} ({declared})")
        count = self._fill(job, entry, columns, target, total)
        for column in columns:
            if column.time:
                declared_time(job.bench, target, column)
        misfits = [m for c in columns for m in c.misfits]
        report = ReadingReport(
            "sqlite",
            columns=tuple(c.report() for c in columns),
            misfits=tuple(misfits[:LISTED]),
            misfit_count=sum(c.misfit_count for c in columns),
            rows_in_file=count,
            rows_in_table=count,
            notices=tuple(_notices(columns, header)),
        )
        return WrittenTable(job.table, tuple(names), tuple(c.kind for c in columns), count), report

    def _columns(
        self, job: ReadJob, entry: Entry, header: Sequence[str], names: Sequence[str]
    ) -> tuple[list[SqliteColumn], int]:
        """Count what each column holds, in one pass, some columns at a time."""
        declared = self._declared(entry.name)
        words = ", ".join(literal(w) for w in sorted({*MISSING, ""}))
        columns: list[SqliteColumn] = []
        total = 0
        for start in range(0, len(header), 100):
            job.watch.advance("finding types", start, len(header))
            parts = []
            for place in range(start, min(start + 100, len(header))):
                c = f"c{place}"
                parts += [
                    f"sum(typeof({c}) = 'integer')",
                    f"sum(typeof({c}) = 'real')",
                    f"sum(typeof({c}) = 'text')",
                    f"sum(typeof({c}) = 'blob')",
                    f"sum(typeof({c}) = 'text' AND lower(trim({c})) IN ({words}))",
                    f"sum(typeof({c}) = 'integer' AND {c} NOT BETWEEN -9007199254740992 AND 9007199254740992)",
                    f"sum(typeof({c}) = 'integer' AND {c} NOT IN (0, 1))",
                ]
            shown = ", ".join(f"c{i}" for i in range(len(header)))
            rows = quoted(f"{entry.name}_")  # not the table's own name, which would then mean itself
            sql = (
                f"WITH {rows}({shown}) AS (SELECT * FROM {quoted(entry.name)}) "
                f"SELECT count(*), {', '.join(parts)} FROM {rows}"
            )
            total, *counts = self._connection.execute(sql).fetchone()
            for i, place in enumerate(range(start, min(start + 100, len(header)))):
                own = [int(n or 0) for n in counts[i * 7 : i * 7 + 7]]
                columns.append(_column(names[place], header[place], declared.get(header[place], ""), own))
        for column in columns:
            column.decide(int(total))
        return columns, int(total)

    def _declared(self, name: str) -> dict[str, str]:
        rows = self._connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
        return {str(row[1]): str(row[2] or "") for row in rows}

    def _fill(self, job: ReadJob, entry: Entry, columns: list[SqliteColumn], target: str, total: int) -> int:
        done = size = spent = 0
        rows = _ROWS
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(f"SELECT * FROM {quoted(entry.name)}")
            while batch := cursor.fetchmany(rows):
                job.watch.advance("reading", done, total)
                arrays = [
                    column.array(values, done) for column, values in zip(columns, zip(*batch, strict=True), strict=True)
                ]
                table = pa.table(arrays, names=[c.name for c in columns])
                job.bench.connection.register("incoming", table)
                job.bench.execute(f"INSERT INTO {target} SELECT * FROM incoming")
                job.bench.connection.unregister("incoming")
                done, size = done + len(batch), table.nbytes
                spent += size
                if spent > job.watch.bounds.unpacked_bytes:
                    raise FileUnreadable("it holds more bytes than may be unpacked. Raise the bound (unpacked_bytes).")
                rows = max(1, min(_ROWS, _BYTES * len(batch) // max(size, 1)))
        return done


def _said(error: Exception) -> str:
    return "its schema is damaged" if isinstance(error, UnicodeDecodeError) else str(error)


def _column(name: str, header: str, declared: str, counts: list[int]) -> SqliteColumn:
    integers, reals, texts, blobs, words, beyond, not_bits = counts
    return SqliteColumn(name, header, declared, integers, reals, texts, blobs, words, beyond, not_bits)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _notices(columns: list[SqliteColumn], header: Sequence[str]) -> Iterator[str]:
    for column in columns:
        yield from column.notices()
    renamed = [f"“{h}” is “{c.name}”" for h, c in zip(header, columns, strict=True) if h != c.name]
    if renamed:
        yield (
            f"{counted(len(renamed), 'column name')} "
            f"{agreed(len(renamed), 'was', 'were')} changed: {', '.join(renamed[:5])}."
        )
