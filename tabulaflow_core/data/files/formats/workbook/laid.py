"""A workbook whose cells are laid out already: that of a page or of Excel's XML, whose values and look are one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tabulaflow_core.data.files.formats.workbook.book import SheetCells, SheetUnreadable
from tabulaflow_core.data.files.formats.workbook.errors import ErrorCells
from tabulaflow_core.data.files.formats.workbook.grid import CellValue, build_grid
from tabulaflow_core.data.files.formats.workbook.look import SheetLook, WorkbookLook
from tabulaflow_core.data.files.formats.workbook.room import too_large
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable

#: Memory that a cell takes as a Python value in a list, with what a row takes for itself.
_CELL_BYTES = 120
#: A reading may take this many times the memory of its DuckDB for the cells.
_MEMORY_TIMES = 4


@dataclass(slots=True)
class LaidSheet:
    """The cells of one sheet, row by row as they come.

    Attributes:
        rows: Values of the rows that hold any, by their place; they may be of different lengths.
        width: The cells of the longest row.
        filled: How many cells hold a value.
    """

    rows: dict[int, list[CellValue]] = field(default_factory=dict)
    width: int = 0
    filled: int = 0

    def put(self, row: int, column: int, value: CellValue) -> None:
        """Set a cell."""
        cells = self.rows.setdefault(row, [])
        if column >= len(cells):
            cells.extend([""] * (column + 1 - len(cells)))
            self.width = max(self.width, column + 1)
        self.filled += cells[column] == ""
        cells[column] = value

    def each(self) -> Iterator[list[CellValue]]:
        """All rows in order, blank ones among them, and all as long as the longest."""
        for row in range(max(self.rows, default=-1) + 1):
            cells = self.rows.get(row, [])
            yield cells + [""] * (self.width - len(cells))


class Room:
    """Counts cells as they come, so that a file that holds too many is refused before they fill the memory."""

    def __init__(self, name: str, watch: Watch) -> None:
        self._name, self._watch = name, watch
        self._left = _MEMORY_TIMES * watch.bounds.memory_bytes // _CELL_BYTES

    def take(self, count: int = 1) -> None:
        """Some more cells.

        Raises:
            FileUnreadable: There are too many.
        """
        self._left -= count
        if self._left < 0:
            raise FileUnreadable(
                f"{self._name} has more cells than a reading has memory for. Save it as CSV and add that file."
            )

    def column(self, column: int) -> None:
        """A cell in that column, from 0.

        Raises:
            FileUnreadable: There are not so many.
        """
        if column >= self._watch.bounds.columns:
            raise FileUnreadable(
                f"{self._name} has a table of more than {self._watch.bounds.columns:,} columns, the most that are "
                "read. Keep the columns that you need and add it again."
            )


@dataclass(slots=True)
class LaidBook:
    """An open workbook of sheets that are laid out."""

    seen: WorkbookLook
    watch: Watch
    sheets: dict[str, LaidSheet]
    errors: dict[str, ErrorCells] = field(default_factory=dict)

    def cells(self, sheet: SheetLook) -> SheetCells | None:
        """The cells of a sheet; None when it is empty. They can be asked for once, for they are not kept.

        Raises:
            SheetUnreadable: It is too large for the bounds.
            FileReadingStopped: Somebody stopped the reading.
        """
        if why := too_large(sheet, "xlsx", self.watch):
            raise SheetUnreadable(why)
        laid = self.sheets.pop(sheet.name, LaidSheet())
        if not laid.filled:
            return None
        grid = build_grid(laid.each(), width=laid.width, height=max(laid.rows) + 1, watch=self.watch)
        if not grid.filled.any():
            return None
        return SheetCells(sheet, grid, sheet.merged, self.errors.get(sheet.name, ErrorCells()))
