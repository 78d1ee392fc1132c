"""An open workbook: its sheets, what the second look tells of them, and their cells."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from tabulaflow_core.data.files.formats.workbook.errors import ErrorCells, error_cells
from tabulaflow_core.data.files.formats.workbook.grid import Grid, build_grid
from tabulaflow_core.data.files.formats.workbook.look import Range, SheetLook, WorkbookKind, WorkbookLook, look
from tabulaflow_core.data.files.formats.workbook.room import all_too_large, too_large
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

OLE_MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: Streams of BIFF without a container, as Excel 2 to 5 wrote them.
BARE_BIFF: Final = (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00", b"\x09\x08")


class SheetUnreadable(Exception):
    """One sheet cannot be read; the others can.

    Attributes:
        message: A sentence for a person.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class SheetCells:
    """One sheet with its cells.

    Attributes:
        merged: Merged cells.
        errors: Cells with errors, which are empty in the grid; of ODS only their number, and empty texts are in it.
    """

    look: SheetLook
    grid: Grid
    merged: tuple[Range, ...]
    errors: ErrorCells = field(default_factory=ErrorCells)


class OpenBook(Protocol):
    """An open workbook, whatever holds it."""

    seen: WorkbookLook

    def cells(self, sheet: SheetLook) -> SheetCells | None:
        """The cells of a sheet; None when it is empty.

        Raises:
            SheetUnreadable: It is damaged, or too large for the bounds.
            FileReadingStopped: Somebody stopped the reading.
        """


@dataclass(slots=True)
class Book:
    """An open workbook."""

    path: Path
    kind: WorkbookKind
    seen: WorkbookLook
    watch: Watch
    _workbook: CalamineWorkbook

    def cells(self, sheet: SheetLook) -> SheetCells | None:
        """The cells of a sheet; None when it is empty.

        Raises:
            SheetUnreadable: It is damaged, or too large for the bounds.
            FileReadingStopped: Somebody stopped the reading.
        """
        self.watch.advance("reading")
        if why := too_large(sheet, self.kind, self.watch):
            raise SheetUnreadable(why)
        with _faults_of(sheet):
            found = self._workbook.get_sheet_by_name(sheet.name)
            merged = sheet.merged or _merged(found)
        if found.start is None or found.end is None:
            return None
        first, width = found.start[1], found.end[1] + 1
        if width > self.watch.bounds.columns:
            raise SheetUnreadable(
                f"Sheet “{sheet.name}” has {width:,} columns; at most {self.watch.bounds.columns:,} are read. "
                "Keep the columns that you need and add the workbook again."
            )
        rows = found.iter_rows()  # from the first row of the sheet, but from the first column that is filled
        grid = build_grid(rows, before=first, width=width - first, height=found.end[0] + 1, watch=self.watch)
        return SheetCells(sheet, grid, merged, self._errors(sheet, grid)) if grid.filled.any() else None

    def _errors(self, sheet: SheetLook, grid: Grid) -> ErrorCells:
        """The cells with errors; those of XLSX are looked for only when more cells hold a value than were given."""
        if sheet.error_count:
            return ErrorCells(list(sheet.errors), sheet.error_count)
        lacking = sheet.filled_cells - int(grid.filled.sum())
        if lacking > 0 and self.kind == "ods" and sheet.formula_count:
            return ErrorCells(count=lacking)
        return error_cells(self.path, sheet.name, self.watch) if lacking > 0 and self.kind == "xlsx" else ErrorCells()


@contextmanager
def _faults_of(sheet: SheetLook) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        if not _is_calamines(error):
            raise
        raise SheetUnreadable(
            f"Sheet “{sheet.name}” cannot be read; it may be damaged. Open the workbook in a spreadsheet program, "
            "save it again, and add it anew."
        ) from error


@contextmanager
def open_book(path: Path, name: str, kind: WorkbookKind, folder: Path, watch: Watch) -> Iterator[Book]:
    """Open a workbook.

    Args:
        name: What a person calls it.
        folder: Where a second name of the file may stand, because calamine believes the suffix.

    Raises:
        FileUnreadable: It is encrypted, damaged or no workbook.
    """
    import python_calamine as calamine

    called = f"The spreadsheet {name}" if kind == "ods" else f"The Excel workbook {name}"
    try:
        seen = look(path, kind, watch=watch)
    except FileUnreadable as error:
        message = error.user_message.replace("This workbook", called, 1).replace("This file", name, 1)
        raise FileUnreadable(message, detail=error.detail) from error
    if why := all_too_large(seen, kind, watch):
        raise FileUnreadable(f"{called} cannot be read as it is. {why}")
    try:
        workbook = calamine.load_workbook(_without_suffix(path, folder))
    except calamine.PasswordError as error:
        raise FileUnreadable(
            f"{called} is locked by a password. Open it, remove the password, save it, and add it again."
        ) from error
    except BaseException as error:
        if not _is_calamines(error):
            raise
        raise FileUnreadable(
            f"{called} cannot be read; it may be damaged or cut off. Open it, save it again, and add it anew."
        ) from error
    try:
        yield Book(path, kind, seen, watch, workbook)
    finally:
        workbook.close()


def _without_suffix(path: Path, folder: Path) -> Path:
    """The file under a name without a suffix: calamine then looks at its bytes."""
    if not path.suffix:
        return path
    target = folder / "workbook"
    target.unlink(missing_ok=True)
    try:
        target.symlink_to(path.absolute())
    except OSError:  # Windows allows it to few
        shutil.copyfile(path, target)
    return target


def kind_of_workbook(path: Path) -> WorkbookKind | None:
    """What the bytes say the file is; None when it is no workbook."""
    with path.open("rb") as file:
        head = file.read(8)
    if head == OLE_MAGIC or head.startswith(BARE_BIFF):
        return "xls"
    if not head.startswith(b"PK"):
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if "mimetype" in names:
                if archive.getinfo("mimetype").file_size > 200:
                    return None
                return "ods" if b"opendocument.spreadsheet" in archive.read("mimetype") else None
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError):
        return None
    lower = {n.lower().replace("\\", "/") for n in names}
    if any(n.endswith("workbook.bin") for n in lower):
        return "xlsb"
    if any(n.startswith("xl/") for n in lower):
        return "xlsx"
    return "ods" if "content.xml" in lower else None


def _merged(cells: CalamineSheet) -> tuple[Range, ...]:
    ranges = cells.merged_cell_ranges or []
    return tuple(Range(first[0], first[1], last[0], last[1]) for first, last in ranges)


def _is_calamines(error: BaseException) -> bool:
    """True for an error of the library itself: one of its own, of input and output, or a panic of its Rust code."""
    import python_calamine as calamine

    return isinstance(error, calamine.CalamineError | OSError) or type(error).__name__ == "PanicException"
