"""Records into a table of text, in batches: the whole file is on disk before any type is decided."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import pyarrow as pa

from tabulaflow_core.data.files.layout import is_blank, joined
from tabulaflow_core.data.files.report import LISTED, Misfit, SkippedLine
from tabulaflow_core.data.files.storage import Workbench
from tabulaflow_core.data.files.tokens import Record

_BATCH = 20_000
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
    """Collects rows of `width` text cells in `work.main.stage(line, c0, c1, …)`.

    Attributes:
        head: The first records.
        tail: The last records, not yet written: `finish` writes them.
    """

    def __init__(self, bench: Workbench, width: int) -> None:
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
        self._widest = width
        self._lines: list[int] = []
        self._rows: list[list[str]] = []
        self._schema = pa.schema([("line", pa.int64()), *((f"c{i}", pa.string()) for i in range(width))])
        columns = ", ".join(f"c{i} VARCHAR" for i in range(width))
        bench.execute(f"CREATE OR REPLACE TABLE work.main.stage (line BIGINT, {columns})")

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

    def finish(self, keep: int) -> None:
        """Write the first `keep` of the waiting records."""
        for _ in range(keep):
            self._write(self.tail.popleft())
        self.flush()

    def add_late(self, record: Record) -> None:
        """Write one record that had been held back."""
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
        if len(self.extras) > LISTED:
            raise TooNarrow(self._widest)

    def flush(self) -> None:
        """Send the waiting batch to the table."""
        if not self._rows:
            return
        columns = [pa.array(self._lines, pa.int64()), *(pa.array(c, pa.string()) for c in zip(*self._rows, strict=True))]
        batch = pa.Table.from_arrays(columns, schema=self._schema)
        self.append(batch)
        self._lines, self._rows = [], []

    def append(self, batch: pa.Table) -> None:
        """Send an Arrow table of the stage's columns."""
        connection = self.bench.connection
        connection.register("batch", batch)
        connection.execute("INSERT INTO work.main.stage SELECT * FROM batch").fetchall()
        connection.unregister("batch")
