"""How much memory the cells of a sheet would take, told before it is taken.

The library makes room for every place between the first and the last cell of a sheet, empty or not, and what cannot
be had ends the whole process. Of XLSX and XLSB it reads one sheet at a time, of XLS and ODS all of them at once.
"""

from __future__ import annotations

from typing import Final

from tabulaflow_core.data.files.formats.workbook.look import SheetLook, WorkbookKind, WorkbookLook
from tabulaflow_core.data.files.formats.workbook.shown import address
from tabulaflow_core.data.files.watch import Watch

#: Memory that a cell takes while its sheet is read, measured with calamine 0.9; empty ones in between take part of it.
_CELL_BYTES: Final = 72
_EMPTY_BYTES: Final = 32
#: Rows and columns that the programs know; LibreOffice may have sixteen times as many rows, and some writers of XLS
#: that are no Excel go beyond its 256 columns.
_MOST_ROWS: Final[dict[WorkbookKind, int]] = {"xlsx": 1 << 20, "xlsb": 1 << 20, "xls": 1 << 20, "ods": 1 << 24}
_MOST_COLUMNS: Final = 16_384
#: Places of a whole sheet of XLS. A sheet that says it has more lies, and the library would believe it.
_MOST_CLAIMED: Final = (1 << 16) * (1 << 8)
#: A reading may take this many times the memory of its DuckDB for the cells.
_MEMORY_TIMES: Final = 4


def too_large(sheet: SheetLook, kind: WorkbookKind, watch: Watch) -> str:
    """Why a sheet cannot be read with the memory that a reading may take; empty when it can."""
    if sheet.extent is None:
        return ""
    _, _, last_row, last_column = sheet.extent
    if last_row >= _MOST_ROWS[kind] or last_column >= _MOST_COLUMNS:
        return (
            f"Sheet “{sheet.name}” has a cell at {address(last_row, last_column)}, beyond the end of any sheet, "
            "so it was not read. Save it again in a spreadsheet program, and add it anew."
        )
    if _bytes(sheet, kind) <= _MEMORY_TIMES * watch.bounds.memory_bytes:
        return ""
    return _strays(sheet) or (
        f"Sheet “{sheet.name}” has {sheet.filled_cells:,} cells, which is too much for the memory that a reading may "
        "take. Save the sheet as CSV and add that file."
    )


def all_too_large(seen: WorkbookLook, kind: WorkbookKind, watch: Watch) -> str:
    """Why a workbook cannot be opened whose sheets are all read at once; empty when it can."""
    if kind not in ("xls", "ods"):
        return ""
    for sheet in seen.sheets:
        if why := too_large(sheet, kind, watch):
            return why
        if kind == "xls" and sheet.claimed > _MOST_CLAIMED:
            return (
                f"Sheet “{sheet.name}” says that it has {sheet.claimed:,} cells, more than any XLS sheet; the file may "
                "be damaged. Save it again in a spreadsheet program, and add it anew."
            )
    if sum(_bytes(sheet, kind) for sheet in seen.sheets) > _MEMORY_TIMES * watch.bounds.memory_bytes:
        return (
            f"Its {len(seen.sheets)} sheets together take more memory than a reading may take. "
            "Save the sheets that you need as CSV and add those files."
        )
    return ""


def _bytes(sheet: SheetLook, kind: WorkbookKind) -> int:
    if sheet.extent is None:
        return 0
    first_row, first_column, last_row, last_column = sheet.extent
    if kind == "ods":  # the library counts from the first cell of the sheet
        first_row = first_column = 0
    spread = (last_row - first_row + 1) * (last_column - first_column + 1)
    return sheet.filled_cells * _CELL_BYTES + spread * _EMPTY_BYTES


def _strays(sheet: SheetLook) -> str:
    """What to say of a sheet with few cells in a wide rectangle; empty for any other."""
    if sheet.extent is None:
        return ""
    first_row, first_column, last_row, last_column = sheet.extent
    spread = (last_row - first_row + 1) * (last_column - first_column + 1)
    if sheet.filled_cells * 20 >= spread:
        return ""
    return (
        f"Sheet “{sheet.name}” has only {sheet.filled_cells:,} cells with a value, but they lie as far apart as "
        f"{address(first_row, first_column)} and {address(last_row, last_column)}. "
        "Delete the rows or columns that stray, or move the table to a sheet of its own."
    )
