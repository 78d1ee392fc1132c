"""SQLite and DuckDB files: each table becomes one of ours, views when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Protocol

from tabulaflow_core.data.files.convert import quoted
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.naming import table_name, unique
from tabulaflow_core.data.files.report import Part, ReadingReport
from tabulaflow_core.errors import FileUnreadable

_SQLITE: Final = b"SQLite format 3\x00"
#: DuckDB's, behind the eight bytes of a checksum.
_DUCKDB: Final = b"DUCK"
_SUFFIXES: Final = frozenset({".sqlite", ".sqlite3", ".db", ".db3", ".s3db", ".sl3", ".duckdb", ".ddb"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A table or view of a database file.

    Attributes:
        name: What a person calls it: with its schema where that is not the usual one.
        kind: `table`, or what else it is.
        unreadable: Why it cannot be read; empty when it can.
    """

    name: str
    kind: str = "table"
    unreadable: str = ""


class Database(Protocol):
    """An open database file."""

    notices: list[str]

    def entries(self) -> list[Entry]:
        """Its tables and views."""

    def copy(self, job: ReadJob, entry: Entry) -> tuple[WrittenTable, ReadingReport]:
        """Write one of them as the job's table.

        Raises:
            FileReadingStopped: Somebody stopped it.
            FileUnreadable: It cannot be read.
        """


class DatabaseReader:
    """Reads the tables of SQLite and DuckDB files."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """True for the magic bytes, and for the suffixes unless there is text below them."""
        known = head.startswith(_SQLITE) or head[8:12] == _DUCKDB
        return known or (suffix in _SUFFIXES and b"\x00" in head) or (suffix in _SUFFIXES and not _is_text(head))

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Copy the tables, and the views that are named.

        Raises:
            FileReadingStopped: Somebody stopped it.
            FileUnreadable: It is locked, encrypted or damaged, or holds no table.
        """
        with job.path.open("rb") as file:
            head = file.read(16)
        if head.startswith(_SQLITE):
            from tabulaflow_core.data.files.formats.sqlite import open_sqlite

            with open_sqlite(job) as database:
                return _copied(job, "sqlite", database)
        if head[8:12] == _DUCKDB:
            from tabulaflow_core.data.files.formats.duckdb_file import open_duckdb

            with open_duckdb(job) as duckdb_file:
                return _copied(job, "duckdb", duckdb_file)
        raise FileUnreadable(
            f"{job.name} is no SQLite or DuckDB database, or it is encrypted or damaged. Export it without "
            "encryption, or export its tables as CSV."
        )


def _is_text(head: bytes) -> bool:
    return not any(b < 9 or 14 <= b < 27 for b in head)


def _copied(job: ReadJob, kind: str, database: Database) -> tuple[list[WrittenTable], ReadingReport]:
    entries = database.entries()
    wanted = _wanted(job, entries)
    names = dict(zip((e.name for e in wanted), _names(job.table, wanted), strict=True))
    written: list[WrittenTable] = []
    parts: list[Part] = []
    failures: list[str] = []
    for entry in entries:
        if entry.name not in names:
            message = entry.unreadable or ("it is a view; name it to read it" if entry.kind == "view" else "")
            parts.append(Part(entry.name, "table", "unreadable" if entry.unreadable else "off", message=message))
            continue
        own = replace(job, table=names[entry.name], part=entry.name, options=job.options.for_part(entry.name))
        try:
            if entry.unreadable:
                raise FileUnreadable(entry.unreadable)
            table, report = database.copy(own, entry)
        except FileUnreadable as error:
            job.bench.execute(f"DROP TABLE IF EXISTS out.main.{quoted(own.table)}")
            failures.append(f"{entry.name}: {error.user_message}")
            parts.append(Part(entry.name, "table", "unreadable", message=error.user_message))
            continue
        written.append(replace(table, report=report, part=entry.name))
        parts.append(Part(entry.name, "table", "read", tables=(table.name,)))
    if not written:
        if failures:
            raise FileUnreadable(f"No table of {job.name} can be read. {' '.join(failures[:3])}")
        raise FileUnreadable(f"{job.name} is a database without tables. Choose another file.")
    notices = [*database.notices, *_told(parts)]
    if len(written) == 1:
        (table,) = written
        assert table.report is not None
        about = tuple(parts) if len(parts) > 1 else ()
        report = replace(table.report, notices=(*notices, *table.report.notices), parts=about)
        return [replace(table, report=None, part=table.part if about else "")], report
    rows = sum(t.row_count for t in written)
    shown = ", ".join(t.name for t in written[:10]) + (", …" if len(written) > 10 else "")
    notices.insert(0, f"The database holds {len(written)} tables that were read: {shown}.")
    report = ReadingReport(kind, rows_in_file=rows, rows_in_table=rows, notices=tuple(notices), parts=tuple(parts))
    return written, report


def _wanted(job: ReadJob, entries: list[Entry]) -> list[Entry]:
    named = job.options.parts
    if named is None:
        return [e for e in entries if e.kind == "table" and not e.unreadable]
    known = {e.name for e in entries}
    for name in named:
        if name not in known:
            shown = ", ".join(f"“{e.name}”" for e in entries[:10])
            raise FileUnreadable(f"{job.name} holds no “{name}”. It holds {shown}.")
    return [e for e in entries if e.name in named]


def _names(table: str, entries: list[Entry]) -> list[str]:
    if len(entries) == 1:
        return [table]
    return unique(f"{table}_{table_name(e.name)}" for e in entries)


def _told(parts: list[Part]) -> Iterator[str]:
    off = [p.name for p in parts if p.state == "off"]
    if off:
        more = f" and {len(off) - 10} more" if len(off) > 10 else ""
        yield f"Left out: {', '.join(off[:10])}{more}. Views are read only when they are named."
    for part in [p for p in parts if p.state == "unreadable"][:10]:
        yield f"{part.name} cannot be read: {part.message}"
