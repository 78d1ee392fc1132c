"""What a second look at a workbook finds: what the cells' values alone do not tell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tabulaflow_core.data.files.formats.workbook.look.runs import NO_RUNS, FormatRuns, Range

WorkbookKind = Literal["xlsx", "xlsb", "xls", "ods"]
SheetState = Literal["visible", "hidden", "very hidden"]
SheetKind = Literal["sheet", "chart", "macro", "dialog"]

#: How many cells of formulas without a value are listed by their place; the count stays true beyond it.
LISTED_CELLS = 200
#: The share of a column's cells that must have one number format for it to be the column's.
NEARLY_ALL = 0.95


class Span(NamedTuple):
    """Rows or columns next to each other, 0-based, both ends inside."""

    first: int
    last: int


__all__ = [
    "LISTED_CELLS",
    "NamedTable",
    "Range",
    "SheetKind",
    "SheetLook",
    "SheetState",
    "Span",
    "WorkbookKind",
    "WorkbookLook",
]


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A list object: a range that a person made a table in Excel, or a database range of ODS.

    Attributes:
        range: With its header and totals rows.
        header_rows: 0 or more rows at its start that name the columns.
        totals_rows: 0 or more rows at its end that are sums and not data.
    """

    name: str
    range: Range
    header_rows: int = 1
    totals_rows: int = 0


@dataclass(frozen=True, slots=True)
class SheetLook:
    """One sheet.

    Attributes:
        state: `very hidden` is a sheet that the program itself offers no way to show.
        merged: Merged cells.
        tables: List objects.
        hidden_rows: In ascending order; neighbours are one span. `hidden_columns` likewise.
        formulas_without_value: Row and column of cells that hold a formula and no result, the first 200 of them.
        formulas_without_value_count: All of them.
        formula_count: Cells with a formula.
        errors: Row, column and word of cells that hold an error such as `#DIV/0!`, the first 200 of them; of XLS and
            XLSB only.
        error_count: All of them.
        extent: The rectangle around all filled cells; None when there is none or the format cannot tell.
        filled_cells: How many cells hold a value. Far fewer than the extent has means a sheet to be careful with.
        claimed: How many places the sheet itself says it has, of XLS only.
    """

    name: str
    state: SheetState = "visible"
    kind: SheetKind = "sheet"
    merged: tuple[Range, ...] = ()
    tables: tuple[NamedTable, ...] = ()
    hidden_rows: tuple[Span, ...] = ()
    hidden_columns: tuple[Span, ...] = ()
    formulas_without_value: tuple[tuple[int, int], ...] = ()
    formulas_without_value_count: int = 0
    formula_count: int = 0
    errors: tuple[tuple[int, int, str], ...] = ()
    error_count: int = 0
    extent: Range | None = None
    filled_cells: int = 0
    claimed: int = 0
    formats: FormatRuns = field(default=NO_RUNS, repr=False)

    def column_format(self, column: int, first_row: int, last_row: int) -> str:
        """The number format code of nearly all (95 %) cells with a number in a part of a column.

        Cells with text count only where there is no number at all: their format shows nothing.

        Args:
            column: 0-based, and so are the rows, both of them inside.

        Returns:
            A code as Excel writes it, such as `0.00%`; empty when it is General or mixed, or cannot be known.
        """
        return self.formats.column_format(column, first_row, last_row, share=NEARLY_ALL)

    def cell_format(self, row: int, column: int) -> str:
        """The number format code of a filled cell, empty for General; 0-based."""
        return self.formats.cell_format(row, column)


@dataclass(frozen=True, slots=True)
class WorkbookLook:
    """A workbook.

    Attributes:
        sheets: In the file's order, those without cells (charts, macros) among them.
        date_1904: Whether dates count from 1904 and not from 1900.
        notices: Sentences for a person: macros that were not run, what the format cannot tell.
    """

    sheets: tuple[SheetLook, ...]
    date_1904: bool = False
    notices: tuple[str, ...] = ()

    def sheet(self, name: str) -> SheetLook | None:
        """The sheet of that name."""
        return next((s for s in self.sheets if s.name == name), None)
