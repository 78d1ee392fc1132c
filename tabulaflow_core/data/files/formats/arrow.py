"""Arrow and its kin: Feather, Arrow files and streams, ORC; columns that have types, copied batch by batch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

import duckdb
import pyarrow as pa

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.convert import quoted
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.arrow_columns import ArrowColumn, arrow_column
from tabulaflow_core.data.files.naming import column_names
from tabulaflow_core.data.files.report import ColumnReport, ColumnType, ReadingReport
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable

_FILE: Final = b"ARROW1\x00\x00"
_FEATHER_1: Final = b"FEA1"
_ORC: Final = b"ORC"
#: Each message of a stream begins so since Arrow 0.15: arrow.apache.org/docs/format/Columnar.html.
_STREAM: Final = b"\xff\xff\xff\xff"
_SUFFIXES: Final = frozenset({".feather", ".arrow", ".arrows", ".ipc", ".orc"})
#: Rows and bytes of one insert.
_ROWS: Final = 122_880
_BYTES: Final = 64 * 1024**2
#: The schema, the batches, and the number of rows or 0.
_Opened: TypeAlias = "tuple[pa.Schema, Iterable[pa.RecordBatch], int]"
_FAULTS: Final = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, duckdb.Error)


class ArrowReader:
    """Reads Feather of both versions, Arrow files and streams, and ORC."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """True for the magic bytes, and for the suffixes."""
        stream = head.startswith(_STREAM) and len(head) > 8 and 0 < int.from_bytes(head[4:8], "little") < 1 << 28
        orc = head.startswith(_ORC) and min(head[3:64], default=9) < 9  # else a word of text
        return head.startswith((_FILE, _FEATHER_1)) or orc or stream or suffix in _SUFFIXES

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Copy the file's one table.

        Raises:
            FileReadingStopped: Somebody stopped it.
            FileUnreadable: The file is damaged, or not what its name says.
        """
        with job.path.open("rb") as file:
            head = file.read(8)
        if head.startswith(_FEATHER_1):
            return self._read(job, "Feather", _feather_1)
        if head.startswith(_ORC):
            return self._read(job, "ORC", _orc)
        return self._read(job, "Arrow", _file if head.startswith(_FILE) else _stream)

    def _read(
        self, job: ReadJob, kind: str, opened: Callable[[pa.NativeFile], _Opened]
    ) -> tuple[list[WrittenTable], ReadingReport]:
        with reading(job, kind), pa.OSFile(str(job.path), "rb") as source:
            schema, rows, total = opened(source)
            return write_arrow(job, schema, rows, kind.lower(), total)


@contextmanager
def reading(job: ReadJob, kind: str) -> Iterator[None]:
    """Turns the faults of a reader into a sentence."""
    try:
        yield
    except (FileUnreadable, FileReadingStopped):
        raise
    except _FAULTS as error:
        text = str(error)
        if "encrypt" in text.lower() or "decrypt" in text.lower():
            raise FileUnreadable(f"{job.name} is an encrypted {kind} file. Export it without encryption.") from error
        raise FileUnreadable(
            f"{job.name} is {'an' if kind[0] in 'AEIOU' else 'a'} {kind} file that cannot be read; it may be damaged "
            "or cut off. Export it again."
        ) from error


def _file(source: pa.NativeFile) -> _Opened:
    reader = pa.ipc.open_file(source)
    return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches)), 0


def _stream(source: pa.NativeFile) -> _Opened:
    reader = pa.ipc.open_stream(source)
    return reader.schema, reader, 0


def _feather_1(source: pa.NativeFile) -> _Opened:
    from pyarrow import feather

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the old version will not be written, but still be found
        table = feather.read_table(source, memory_map=False)
    return table.schema, table.to_batches(_ROWS), table.num_rows


def _orc(source: pa.NativeFile) -> _Opened:
    from pyarrow import orc

    file = orc.ORCFile(source)
    return file.schema, (file.read_stripe(i) for i in range(file.nstripes)), file.nrows


def write_arrow(
    job: ReadJob, schema: pa.Schema, batches: Iterable[pa.RecordBatch], kind: str, total: int
) -> tuple[list[WrittenTable], ReadingReport]:
    """Write Arrow rows as the job's table, under clean and unique names, in DuckDB's types for theirs.

    Args:
        kind: The format, as the report names it.
        total: Rows to come; 0 when that is not known.

    Raises:
        FileReadingStopped: Somebody stopped it.
        FileUnreadable: It has no columns or too many, or a batch is damaged.
    """
    header = [str(name) for name in schema.names]
    bound = job.watch.bounds.columns
    if not header or len(header) > bound:
        what = "has no columns" if not header else f"has more than {bound:,} columns, the most that a table may have"
        raise FileUnreadable(f"{job.name} {what}. Export it again with the columns that you need.")
    names = column_names([h.replace("\x00", "") for h in header], len(header))
    columns = [arrow_column(field.type) for field in schema]
    target = f"out.main.{quoted(job.table)}"
    _insert(job, f"CREATE TABLE {target} AS SELECT * FROM incoming LIMIT 0", _empty(columns, names))
    count = 0
    for rows in _gathered(job, batches, columns, names, total):
        _insert(job, f"INSERT INTO {target} SELECT * FROM incoming", rows)
        count += rows.num_rows
    job.watch.advance("writing", count, total or count)
    notes = {name: column.note for name, column in zip(names, columns, strict=True)}
    notes |= _settled(job, target)
    types = dict(_described(job))
    kinds = tuple(kind_of(types[n]) for n in names)
    reports = tuple(
        ColumnReport(n, h, k, types[n], note=notes.get(n, "")) for n, h, k in zip(names, header, kinds, strict=True)
    )
    notices = [f"Column “{name}” was {note}." for name, note in notes.items() if note.startswith(("kept", "read"))]
    notices += [
        f"{counted(column.damaged, 'value')} of column “{name}” {agreed(column.damaged, 'holds', 'hold')} "
        f"bytes that are no UTF-8; {agreed(column.damaged, 'it is', 'they are')} shown as \ufffd."
        for name, column in zip(names, columns, strict=True)
        if column.damaged
    ]
    renamed = [f"“{h}” is “{n}”" for h, n in zip(header, names, strict=True) if h != n]
    if renamed:
        notices.append(
            f"{counted(len(renamed), 'column name')} "
            f"{agreed(len(renamed), 'was', 'were')} changed: {', '.join(renamed[:5])}."
        )
    if not count:
        notices.append("The table has columns but no rows.")
    report = ReadingReport(kind, columns=reports, rows_in_file=count, rows_in_table=count, notices=tuple(notices))
    return [WrittenTable(job.table, tuple(names), kinds, count)], report


def _insert(job: ReadJob, sql: str, rows: pa.Table) -> None:
    job.bench.connection.register("incoming", rows)
    try:
        job.bench.execute(sql)
    finally:
        job.bench.connection.unregister("incoming")


def _empty(columns: list[ArrowColumn], names: list[str]) -> pa.Table:
    return pa.table([pa.array([], c.type) for c in columns], names=names)


def _gathered(
    job: ReadJob, batches: Iterable[pa.RecordBatch], columns: list[ArrowColumn], names: list[str], total: int
) -> Iterator[pa.Table]:
    """Batches together until they are worth an insert; large ones in slices."""
    waiting: list[pa.Table] = []
    rows = size = done = 0
    for batch in batches:
        for start in range(0, max(batch.num_rows, 1), _ROWS):
            piece = batch.slice(start, _ROWS)
            job.watch.advance("reading", done, total)
            arrays = [c.take(a, job.name) for c, a in zip(columns, piece.columns, strict=True)]
            waiting.append(pa.table(arrays, names=names))
            rows, size, done = rows + piece.num_rows, size + piece.nbytes, done + piece.num_rows
            if rows >= _ROWS or size >= _BYTES:
                yield pa.concat_tables(waiting)
                waiting, rows, size = [], 0, 0
    if rows:
        yield pa.concat_tables(waiting)


def _described(job: ReadJob) -> list[tuple[str, str]]:
    rows = job.bench.connection.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = 'out' AND table_name = ? "
        "ORDER BY column_index",
        [job.table],
    ).fetchall()
    return [(str(name), str(kind)) for name, kind in rows]


def _settled(job: ReadJob, target: str) -> dict[str, str]:
    """Types that the whole column decides: bytes that are text, and nanoseconds that are none."""
    notes: dict[str, str] = {}
    for name, kind in _described(job):
        column = quoted(name)
        if kind == "BLOB":
            text = f"try(decode({column}))"
            control = f"regexp_matches({text}, '[\\x00-\\x08\\x0e-\\x1f]')"
            odd = f"count_if({column} IS NOT NULL AND ({text} IS NULL OR {control}))"
            there, bad = job.bench.one(f"SELECT count({column}), {odd} FROM {target}")
            if there and not bad:
                job.bench.execute(f"ALTER TABLE {target} ALTER {column} TYPE VARCHAR USING decode({column})")
                notes[name] = "read as text: the file holds it as bytes"
        elif kind in ("TIMESTAMP_NS", "TIMESTAMPTZ_NS", "TIME_NS"):
            plain = {"TIMESTAMP_NS": "TIMESTAMP", "TIMESTAMPTZ_NS": "TIMESTAMPTZ", "TIME_NS": "TIME"}[kind]
            (exact,) = job.bench.one(
                f"SELECT count_if({column}::{plain}::{kind} IS DISTINCT FROM {column}) = 0 FROM {target}"
            )
            if exact:
                job.bench.execute(f"ALTER TABLE {target} ALTER {column} TYPE {plain}")
    return notes


def kind_of(engine_type: str) -> ColumnType:
    """The kind of value of a DuckDB type."""
    name = engine_type.upper()
    if "[" in name or ("(" in name and not name.startswith(("DECIMAL", "ENUM"))):
        return "other"
    if name in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UHUGEINT") or name in (
        "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    ):  # fmt: skip
        return "integer"
    if name.startswith("DECIMAL") or name in ("FLOAT", "DOUBLE"):
        return "number"
    if name.startswith("TIMESTAMP"):
        return "datetime"
    simple: dict[str, ColumnType] = {
        "BOOLEAN": "boolean",
        "DATE": "date",
        "VARCHAR": "text",
        "UUID": "text",
        "JSON": "text",
    }
    return "text" if name.startswith("ENUM") else simple.get(name, "other")
