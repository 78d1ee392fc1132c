"""The number formats of a sheet's cells, kept as runs down each column: small even for millions of cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabulaflow_core.errors import FileUnreadable

Ints = NDArray[np.int64]
#: A run is one record: where it begins and ends, how many filled cells it has, and which format.
RUN = np.dtype([("column", "<i4"), ("first", "<i4"), ("last", "<i4"), ("count", "<i4"), ("key", "<i4")])
Runs = NDArray[np.void]

#: Cells that one sheet may hold: a thousand columns by a million rows.
MOST_CELLS = 1_000_000_000
#: Runs that one sheet may have. Only a sheet whose formats change from cell to cell comes near: 80 MB.
MOST_RUNS = 4_000_000


class Range(NamedTuple):
    """A rectangle of cells, 0-based, all four sides inside."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


@dataclass(frozen=True, slots=True)
class FormatRuns:
    """Which cells have which number format.

    Attributes:
        codes: Format codes; the first is "" for General.
        runs: Records of `RUN` in the order of column and row. `key` is twice the index of the code, plus 1 for
            cells that hold a number.
    """

    codes: tuple[str, ...]
    runs: Runs

    def _within(self, column: int, first_row: int, last_row: int) -> Runs:
        start, end = np.searchsorted(self.runs["column"], (column, column + 1))
        runs = self.runs[start:end]
        return runs[(runs["last"] >= first_row) & (runs["first"] <= last_row)]

    def column_format(self, column: int, first_row: int, last_row: int, *, share: float) -> str:
        """The code that at least `share` of the numbers there have (of all filled cells where there is no number)."""
        runs = self._within(column, first_row, last_row)
        numbers = runs[runs["key"] % 2 == 1]
        runs = numbers if len(numbers) else runs
        if not len(runs):
            return ""
        first = np.maximum(runs["first"], first_row)
        inside = np.minimum(runs["last"], last_row) - first + 1.0
        weights = runs["count"] * inside / (runs["last"] - runs["first"] + 1.0)
        totals = np.bincount(runs["key"] // 2, weights=weights)
        best = int(totals.argmax())
        return self.codes[best] if totals[best] >= share * totals.sum() else ""

    def cell_format(self, row: int, column: int) -> str:
        """The code of one cell; of an empty cell between two of one format, theirs."""
        runs = self._within(column, row, row)
        return self.codes[int(runs["key"][0]) // 2] if len(runs) else ""


NO_RUNS = FormatRuns(("",), np.zeros(0, RUN))


class RunsBuilder:
    """Collects cells in any order, best row by row.

    Attributes:
        full: Whether cells were left out because the sheet has too many different runs.
        filled: How many cells were added.
        extent: The rectangle around them.
    """

    def __init__(self) -> None:
        self._parts: list[Runs] = []
        self._kept = 0
        self._compact_at = MOST_RUNS // 4
        self.full = False
        self.filled = 0
        self.extent: Range | None = None

    def add_cells(self, rows: Ints, columns: Ints, keys: Ints) -> None:
        """Add filled cells, one entry each in the three arrays.

        Raises:
            FileUnreadable: The sheet has more cells than any table needs.
        """
        if not len(rows):
            return
        self._grow(Range(int(rows.min()), int(columns.min()), int(rows.max()), int(columns.max())), len(rows))
        # A stable sort of 16-bit numbers is a radix sort, five times as fast as one of larger numbers.
        order = np.argsort(columns.astype(np.uint16), kind="stable") if columns.max() < 1 << 16 else np.argsort(columns)
        rows, columns, keys = rows[order], columns[order], keys[order]
        new = np.ones(len(rows), dtype=bool)
        new[1:] = (columns[1:] != columns[:-1]) | (keys[1:] != keys[:-1])
        starts = np.flatnonzero(new)
        runs = np.zeros(len(starts), RUN)
        runs["column"], runs["key"] = columns[starts], keys[starts]
        runs["first"], runs["last"] = np.minimum.reduceat(rows, starts), np.maximum.reduceat(rows, starts)
        runs["count"] = np.diff(starts, append=len(rows))
        self._add(runs)

    def add_block(self, first_row: int, last_row: int, first_column: int, last_column: int, key: int) -> None:
        """Add a rectangle of filled cells that share one format.

        Raises:
            FileUnreadable: The sheet has more cells than any table needs.
        """
        high, wide = last_row - first_row + 1, last_column - first_column + 1
        self._grow(Range(first_row, first_column, last_row, last_column), high * wide)
        runs = np.zeros(last_column - first_column + 1, RUN)
        runs["column"] = np.arange(first_column, last_column + 1)
        runs["first"], runs["last"], runs["count"], runs["key"] = first_row, last_row, last_row - first_row + 1, key
        self._add(runs)

    def _grow(self, block: Range, count: int) -> None:
        old = self.extent or block
        self.extent = Range(
            min(old.first_row, block.first_row),
            min(old.first_column, block.first_column),
            max(old.last_row, block.last_row),
            max(old.last_column, block.last_column),
        )
        self.filled += count
        if self.filled > MOST_CELLS:
            raise FileUnreadable(
                f"A sheet of this workbook claims to hold more than {MOST_CELLS:,} cells, so it was not read. "
                "Save the part that you need as CSV, and add that file."
            )

    def _add(self, runs: Runs) -> None:
        if self.full or not len(runs):
            return
        self._parts.append(runs)
        self._kept += len(runs)
        if self._kept > self._compact_at:
            self._compact()
            self._compact_at = self._kept + MOST_RUNS // 4
            self.full = self._kept > MOST_RUNS

    def _compact(self) -> Runs:
        runs = _merged(np.concatenate(self._parts)) if self._parts else np.zeros(0, RUN)
        self._parts, self._kept = [runs], len(runs)
        return runs

    def finish(self, codes: tuple[str, ...]) -> FormatRuns:
        """What was collected, with the codes that the keys speak of."""
        return FormatRuns(codes, self._compact())


def _merged(runs: Runs) -> Runs:
    """Runs in the order of column and row, neighbours of one format made one."""
    if not len(runs):
        return runs
    place = runs["column"].astype(np.int64) << 32 | runs["first"]
    if np.any(place[1:] < place[:-1]):
        runs = runs[np.argsort(place, kind="stable")]
    new = np.ones(len(runs), dtype=bool)
    new[1:] = (runs["column"][1:] != runs["column"][:-1]) | (runs["key"][1:] != runs["key"][:-1])
    starts = np.flatnonzero(new)
    merged = runs[starts]
    merged["last"] = np.maximum.reduceat(runs["last"], starts)
    merged["count"] = np.add.reduceat(runs["count"], starts)
    return merged


class CellBatch:
    """Cells of binary workbooks on their way to a store: appended one by one, worked on together.

    Attributes:
        cells: Row, column, style and whether it is a number (1) or not (0) of each.
    """

    def __init__(self, keys: list[int]) -> None:
        self.cells: list[tuple[int, int, int, int]] = []
        self._keys = np.array([*keys, 0], dtype=np.int64)  # the last is for styles that do not exist

    def flush(self, runs: RunsBuilder) -> None:
        """Hand them over."""
        if self.cells:
            rows, columns, styles, numbers = np.array(self.cells, dtype=np.int64).T
            runs.add_cells(rows, columns, self._keys[np.minimum(styles, len(self._keys) - 1)] + numbers)
            self.cells.clear()
