"""Records into a table of text, in batches: the whole file is on disk before any type is decided."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from tabulaflow_core.data.files.convert import TRIMMED
from tabulaflow_core.data.files.layout import is_blank, joined
from tabulaflow_core.data.files.report import LISTED, Misfit, SkippedLine
from tabulaflow_core.data.files.storage import Workbench
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.errors import FileUnreadable

_BATCH = 20_000
#: DuckDB writes groups of 122,880 rows; smaller inserts cost more than the rows in them.
_CLEAN_BATCH = 120_000
#: Records held back at the end, among which notes and totals are looked for.
TAIL = 40
#: The first records, kept to compare the last ones with.
_HEAD = 400


class TooNarrow(Exception):
    """More rows are longer than the table than a report can list; stage again with `width` columns."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.width = width


class Stage:
    """Collects rows of `width` text cells in `stage(line, c0, c1, …)`.

    Attributes:
        head: The first records.
        tail: The last records, not yet written: `finish` writes them.
        damaged: The file holds characters that its encoding does not know.

    Raises:
        FileUnreadable: There are more columns than `bench.watch.bounds` allows.
    """

    def __init__(self, bench: Workbench, width: int) -> None:
        most = bench.watch.bounds.columns
        if width > most:
            raise FileUnreadable(
                f"The file has {width:,} columns, more than the {most:,} that a table may have. "
                "Turn its rows and columns around, or export fewer of them."
            )
        self.bench = bench
        self.width = width
        self.head: list[Record] = []
        self.tail: deque[Record] = deque()
        self.records = 0
        self.blank = 0
        self.rows = 0
        self.short: list[int] = []
        self.short_count = 0
        self.extras: list[Misfit] = []
        self.flawed: list[tuple[int, str]] = []
        self.skipped: list[SkippedLine] = []
        self.skipped_count = 0
        self.damaged = False
        self._table = "stage"
        self._widest = width
        self._settled = False
        self._clean: list[pa.Table] = []
        self._clean_rows = 0
        self._lines: list[int] = []
        self._rows: list[list[str]] = []
        self._schema = pa.schema([("line", pa.int64()), *((f"c{i}", pa.string()) for i in range(width))])
        columns = ", ".join(f"c{i} VARCHAR" for i in range(width))
        bench.renew()
        bench.execute(f"CREATE OR REPLACE TEMP TABLE stage (line BIGINT, {columns})")

    def skip(self, record: Record, why: str) -> None:
        """Leave a record out and say so."""
        self.skipped_count += 1
        if len(self.skipped) < LISTED:
            self.skipped.append(SkippedLine(record.line, joined(record), why))

    def add_all(self, records: Iterable[Record]) -> None:
        """Take records; the last `TAIL` of them wait."""
        for record in records:
            if is_blank(record):
                self.blank += 1
                continue
            self.records += 1
            if len(self.head) < _HEAD:
                self.head.append(record)
            self.tail.append(record)
            if len(self.tail) > TAIL:
                self._write(self.tail.popleft())

    def add_clean(self, columns: pa.Table) -> None:
        """Take rows that are cut already; more records must follow."""
        while self.tail:
            self._write(self.tail.popleft())
        self.records += columns.num_rows
        self.rows += columns.num_rows
        self.flush()
        self._clean.append(columns)
        self._clean_rows += columns.num_rows
        if self._clean_rows >= _CLEAN_BATCH:
            self._send_clean()

    def settle(self, *, keep_tail: bool = False) -> None:
        """Send all that waits to the table, but for the tail if it is to be kept."""
        while self.tail and not keep_tail:
            self._write(self.tail.popleft())
        self.flush()
        self._send_clean()

    def count_typed(self, rows: int) -> None:
        """Count rows that went into the table without being staged; more records must follow."""
        self.records += rows
        self.rows += rows

    def rename(self, name: str) -> str:
        """Give the table another name, under which later records go into it too."""
        self.bench.execute(f"DROP TABLE IF EXISTS {name}")
        self.bench.execute(f"ALTER TABLE {self._table} RENAME TO {name}")
        self._table = name
        return name

    def take_all(self, view: str) -> None:
        """Hold the rows that the view shows as rows of one's own, in their order."""
        self.bench.execute(f"CREATE OR REPLACE TEMP TABLE all_rows AS SELECT * FROM {view} ORDER BY line")
        self.bench.execute(f"DROP TABLE {self._table}")
        self._table = "all_rows"

    def _send_clean(self) -> None:
        if self._clean:
            self._append(pa.concat_tables(self._clean))
            self._clean, self._clean_rows = [], 0

    def finish(self, keep: int) -> None:
        """Write the first `keep` of the waiting records."""
        for _ in range(keep):
            self._write(self.tail.popleft())
        self.flush()
        self._send_clean()

    def add_late(self, record: Record) -> None:
        """Write one record that had been held back; the table keeps its width, and cells beyond are extras."""
        self._settled = True
        self._write(record)
        self.flush()

    def _write(self, record: Record) -> None:
        cells = record.cells
        if record.flaw and len(self.flawed) < LISTED:
            self.flawed.append((record.line, record.flaw))
        if len(cells) != self.width:
            if len(cells) < self.width:
                self.short_count += 1
                if len(self.short) < LISTED:
                    self.short.append(record.line)
                cells = cells + [""] * (self.width - len(cells))
            else:
                self._extra(record)
                cells = cells[: self.width]
        self._lines.append(record.line)
        self._rows.append(cells)
        self.rows += 1
        if len(self._rows) >= _BATCH:
            self.flush()

    def _extra(self, record: Record) -> None:
        for index, cell in enumerate(record.cells[self.width :], self.width):
            if cell.strip():
                self.extras.append(Misfit(record.line, "", cell.strip()))
                self._widest = max(self._widest, index + 1)
        if len(self.extras) > LISTED and not self._settled:
            raise TooNarrow(self._widest)

    def flush(self) -> None:
        """Send the waiting batch to the table."""
        if self._rows:
            self._send_clean()
        if not self._rows:
            return
        columns = [
            pa.array(self._lines, pa.int64()),
            *(pa.array(c, pa.string()) for c in zip(*self._rows, strict=True)),
        ]
        self._append(pa.Table.from_arrays(columns, schema=self._schema))
        self._lines, self._rows = [], []

    def _append(self, batch: pa.Table) -> None:
        cells = [pc.utf8_trim(column, TRIMMED) for column in batch.columns[1:]]
        batch = pa.Table.from_arrays([batch.column(0), *cells], schema=self._schema)
        self.bench.connection.register("batch", batch)
        self.bench.execute(f"INSERT INTO {self._table} SELECT * FROM batch")
        self.bench.connection.unregister("batch")
