"""Tables of a DuckDB file, read through a second instance that is locked: what the file's schema says is data."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, TypeVar

import duckdb
import pyarrow as pa

from tabulaflow_core.data.engines.duckdb_lock import lock, open_locked, run
from tabulaflow_core.data.executor import run_beside
from tabulaflow_core.data.files.convert import quoted
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.arrow import reading, write_arrow
from tabulaflow_core.data.files.formats.database import Entry
from tabulaflow_core.data.files.report import ReadingReport
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable, SourceUnavailable

_ROWS: Final = 65_536
#: A view is a query, and it may be one without an end.
VIEW_SECONDS: Final = 60
_TICK_SECONDS: Final = 0.1

T = TypeVar("T")

#: Types that Arrow does not know, or holds less of; they travel as text, and these come back from it.
_BACK: Final = frozenset({"HUGEINT", "UHUGEINT", "BIT", "TIME WITH TIME ZONE", "TIMETZ"})
_PLAIN: Final = frozenset(
    {
        "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT",
        "DOUBLE", "VARCHAR", "BLOB", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS",
        "TIMESTAMP WITH TIME ZONE", "INTERVAL", "UUID", "TIME_NS",
    }
)  # fmt: skip


@contextmanager
def open_duckdb(job: ReadJob) -> Iterator[DuckdbFile]:
    """The file, attached read-only in an instance of its own.

    Raises:
        FileUnreadable: It is in use, encrypted, damaged, or of a version that is not known.
    """
    try:
        instance = open_locked({"file": job.path}, memory_mb=max(128, job.watch.bounds.memory_bytes // 2 // 1024**2))
    except SourceUnavailable as error:
        raise FileUnreadable(error.user_message.replace(repr(job.path.name), job.name)) from error
    try:
        lock(instance)
        yield DuckdbFile(instance)
    except duckdb.Error as error:
        raise FileUnreadable(f"The DuckDB file {job.name} cannot be read; it may be damaged.") from error
    finally:
        instance.close()


class DuckdbFile:
    """One open file.

    Attributes:
        notices: None.
    """

    def __init__(self, instance: duckdb.DuckDBPyConnection) -> None:
        self.notices: list[str] = []
        self._instance = instance
        self._places: dict[str, tuple[str, str]] = {}

    def entries(self) -> list[Entry]:
        """Tables and views of all schemas."""
        rows = run(
            self._instance,
            "SELECT schema_name, table_name, 'table', table_oid FROM duckdb_tables() WHERE database_name = 'file' "
            "AND NOT internal UNION ALL SELECT schema_name, view_name, 'view', view_oid FROM duckdb_views() "
            "WHERE database_name = 'file' AND NOT internal ORDER BY 3, 1, 4",
        )
        entries = []
        for schema, table, kind, _ in rows:
            name = str(table) if schema == "main" else f"{schema}.{table}"
            self._places[name] = (str(schema), str(table))
            entries.append(Entry(name, str(kind)))
        return entries

    def copy(self, job: ReadJob, entry: Entry) -> tuple[WrittenTable, ReadingReport]:
        """Write one table."""
        deadline = time.monotonic() + VIEW_SECONDS if entry.kind == "view" else math.inf
        return self._copy(job, entry, deadline)

    def _batches(self, job: ReadJob, selection: str, deadline: float) -> Iterator[pa.RecordBatch]:
        reader = self._waited(job, lambda: self._instance.sql(selection).to_arrow_reader(_ROWS), deadline)
        while (batch := self._waited(job, lambda: next(reader, None), deadline)) is not None:
            yield batch

    def _waited(self, job: ReadJob, call: Callable[[], T], deadline: float) -> T:
        """What `call` gives, which is ended when somebody stops the reading or the time is over."""
        running = run_beside(call)
        over = False
        while not running.done():
            wait([running], timeout=_TICK_SECONDS)
            over = time.monotonic() > deadline
            if over or job.watch.stopped:
                self._instance.interrupt()  # one that comes between two statements is lost, so it is repeated
        if job.watch.stopped:
            raise FileReadingStopped
        if over or time.monotonic() > deadline:
            raise FileUnreadable(f"its query took more than {VIEW_SECONDS} seconds.")
        return running.result()

    def _copy(self, job: ReadJob, entry: Entry, deadline: float) -> tuple[WrittenTable, ReadingReport]:
        place = "file." + ".".join(quoted(part) for part in self._places[entry.name])
        try:
            described = run(self._instance, f"DESCRIBE SELECT * FROM {place}")
            columns = [(str(row[0]), str(row[1])) for row in described]
            total = 0
            if entry.kind == "table":
                total = int(str(run(self._instance, f"SELECT count(*) FROM {place}")[0][0]))
            selected = ", ".join(_selected(name, kind) for name, kind in columns)
            empty = self._instance.sql(f"SELECT {selected} FROM {place} LIMIT 0").to_arrow_table()
        except duckdb.Error as error:
            raise FileUnreadable(f"DuckDB says: {str(error).splitlines()[0][:300]}") from error
        with reading(replace(job, name=entry.name), "DuckDB"):
            batches = self._batches(job, f"SELECT {selected} FROM {place}", deadline)
            (table,), report = write_arrow(job, empty.schema, batches, "duckdb", total)
        return _back(job, table, report, columns)


def _selected(name: str, kind: str) -> str:
    column = quoted(name)
    plain = kind in _PLAIN or kind.startswith(("DECIMAL(", "ENUM("))
    nested = (kind.endswith("]") or kind.startswith(("STRUCT(", "MAP("))) and not any(
        word in kind for word in ("HUGEINT", "BIT", "TIME WITH TIME ZONE", "UNION(", "VARIANT", "GEOMETRY")
    )
    return column if plain or nested else f"CAST({column} AS VARCHAR) AS {column}"


def _back(
    job: ReadJob, table: WrittenTable, report: ReadingReport, columns: list[tuple[str, str]]
) -> tuple[WrittenTable, ReadingReport]:
    """Give the columns back the types that travelled as text."""
    kinds, reports = list(table.types), list(report.columns)
    for i, (_, kind) in enumerate(columns):
        if kind in _BACK:
            name = quoted(table.columns[i])
            target = f"out.main.{quoted(job.table)}"
            job.bench.execute(f"ALTER TABLE {target} ALTER {name} TYPE {kind} USING CAST({name} AS {kind})")
            kinds[i] = "integer" if "HUGEINT" in kind else "other"
            reports[i] = replace(reports[i], type=kinds[i], engine_type=kind)
    return replace(table, types=tuple(kinds)), replace(report, columns=tuple(reports))
