"""The XML that Excel 2003 and many report programs write as a workbook (SpreadsheetML 2003), mostly named `.xls`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from tabulaflow_core.data.files.formats.workbook.errors import ErrorCells
from tabulaflow_core.data.files.formats.workbook.grid import CellValue
from tabulaflow_core.data.files.formats.workbook.laid import LaidBook, LaidSheet, Room
from tabulaflow_core.data.files.formats.workbook.look import Range, SheetLook, SheetState, Span, WorkbookLook
from tabulaflow_core.data.files.formats.workbook.look.formats import describe
from tabulaflow_core.data.files.formats.workbook.look.sheet import MOST_MERGED, SheetFacts
from tabulaflow_core.data.files.formats.workbook.look.styles import Codes
from tabulaflow_core.data.files.formats.workbook.look.xml import Attributes, XmlStream, local
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable

_BLOCK: Final = 1 << 18
_MOST_ROWS, _MOST_COLUMNS = 1 << 20, 1 << 14
_EPOCH: Final = dt.datetime(1899, 12, 30)
#: The day on which a time without a date lies.
_NO_DAY: Final = dt.datetime(1899, 12, 31)
#: Excel has a 29 February 1900, so its days before are one less far from the epoch.
_AFTER_LEAP, _LEAP_SERIAL = dt.datetime(1900, 3, 1), 61
#: Formats by the names that the format has for them.
_NAMED: Final = {
    "general": "", "general number": "", "general date": "m/d/yyyy h:mm", "short date": "m/d/yyyy",
    "medium date": "d-mmm-yy", "long date": "dddd, mmmm d, yyyy", "short time": "h:mm", "medium time": "h:mm AM/PM",
    "long time": "h:mm:ss", "currency": '"$"#,##0.00', "euro currency": "[$€-2] #,##0.00", "fixed": "0.00",
    "standard": "#,##0.00", "percent": "0.00%", "scientific": "0.00E+00",
}  # fmt: skip
_STATES: Final[dict[str, SheetState]] = {"SheetHidden": "hidden", "SheetVeryHidden": "very hidden"}


@dataclass(slots=True)
class _Sheet:
    name: str
    laid: LaidSheet = field(default_factory=LaidSheet)
    facts: SheetFacts = field(default_factory=SheetFacts)
    places: list[tuple[int, int, str]] = field(default_factory=list)
    columns: dict[int, str] = field(default_factory=dict)
    marks: list[tuple[int, int, int]] = field(default_factory=list)
    state: SheetState = "visible"


class _Reader:
    """Takes the elements of the file."""

    def __init__(self, room: Room) -> None:
        self.sheets: list[_Sheet] = []
        self.codes = Codes()
        self._room = room
        self._styles: dict[str, str] = {}
        self._style = ""
        self._row = self._column = self._next_column = -1
        self._row_style = self._cell_style = self._kind = ""
        self._formula = self._full = False
        self._aside = 0
        self._text: list[str] | None = None
        self._state: list[str] | None = None

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if self._aside or name in ("Comment", "PhoneticText"):
            self._aside += 1  # a comment has data of its own, which is none of the cell
            return
        own = {local(key): value for key, value in attributes.items()}
        if name == "Cell" and self.sheets:
            self._begin_cell(self.sheets[-1], own)
        elif name == "Data" and self.sheets and self._column >= 0:
            self._kind, self._text = own.get("Type", "String"), []
        elif name == "Row" and self.sheets:
            self._begin_row(self.sheets[-1], own)
        elif name == "Column" and self.sheets:
            self._of_column(self.sheets[-1], own)
        elif name == "Worksheet":
            taken = {s.name for s in self.sheets}
            title = own.get("Name", "") or f"Sheet{len(self.sheets) + 1}"
            self.sheets.append(_Sheet(title if title not in taken else f"{title} ({len(self.sheets) + 1})"))
            self._row = self._column = self._next_column = -1
        elif name == "Style":
            self._style = own.get("ID", "")
            self._styles[self._style] = self._styles.get(own.get("Parent", ""), "")
        elif name == "NumberFormat" and self._style:
            code = own.get("Format", "")
            self._styles[self._style] = _NAMED.get(code.lower(), code)
        elif name == "Visible":
            self._state = []

    def _begin_row(self, sheet: _Sheet, own: dict[str, str]) -> None:
        told = _count(own.get("Index"))
        self._row = told - 1 if told else self._row + 1
        if self._row >= _MOST_ROWS:
            raise FileUnreadable("This workbook has a row beyond the end of any sheet. Save it again in Excel.")
        self._next_column, self._row_style = 0, own.get("StyleID", "")
        if own.get("Hidden") == "1":
            sheet.facts.hide_rows(self._row, min(self._row + _count(own.get("Span")), _MOST_ROWS))

    def _of_column(self, sheet: _Sheet, own: dict[str, str]) -> None:
        told, span = _count(own.get("Index")), min(_count(own.get("Span")), _MOST_COLUMNS)
        first = told - 1 if told else max(sheet.columns, default=-1) + 1
        for column in range(first, min(first + span + 1, _MOST_COLUMNS)):
            sheet.columns[column] = own.get("StyleID", "")
        if own.get("Hidden") == "1" and first < _MOST_COLUMNS:
            sheet.facts.hidden_columns.append(Span(first, min(first + span, _MOST_COLUMNS - 1)))

    def _begin_cell(self, sheet: _Sheet, own: dict[str, str]) -> None:
        told = _count(own.get("Index"))
        self._row = max(self._row, 0)
        self._column = told - 1 if told else max(self._next_column, 0)
        across, down = _count(own.get("MergeAcross")), _count(own.get("MergeDown"))
        self._next_column = self._column + across + 1
        self._room.column(self._column)
        self._cell_style = own.get("StyleID") or self._row_style or sheet.columns.get(self._column, "")
        self._formula, self._full = "Formula" in own, False
        if (across or down) and across < _MOST_COLUMNS and down < _MOST_ROWS and len(sheet.facts.merged) < MOST_MERGED:
            sheet.facts.merged.append(Range(self._row, self._column, self._row + down, self._column + across))

    def text(self, text: str) -> None:
        """Character data."""
        if self._state is not None:
            self._state.append(text)
        elif self._text is not None and not self._aside:
            self._text.append(text)

    def end(self, name: str) -> None:
        """An element ends."""
        if self._aside:
            self._aside -= 1
        elif name == "Data" and self._text is not None:
            self._put(self.sheets[-1], "".join(self._text))
            self._text = None
        elif name == "Cell" and self.sheets:
            if self._formula:
                self.sheets[-1].facts.formula_count += 1
                if not self._full:
                    self.sheets[-1].facts.lacks_value(self._row, self._column)
            self._column = -1
        elif name == "Visible" and self._state is not None:
            if self.sheets:
                self.sheets[-1].state = _STATES.get("".join(self._state).strip(), "visible")
            self._state = None
        elif name == "Style":
            self._style = ""

    def _put(self, sheet: _Sheet, text: str) -> None:
        if self._kind == "Error":
            self._full = True
            sheet.places.append((self._row, self._column, text.strip() or "error"))
            return
        code = self._styles.get(self._cell_style, "")
        value = _value(self._kind, text, code)
        if value == "":
            return
        self._full = True
        self._room.take()
        sheet.laid.put(self._row, self._column, value)
        number = isinstance(value, float)
        sheet.marks.append((self._row, self._column, self.codes.key(code) + number))


def _count(text: str | None) -> int:
    """A whole number that is not negative; 0 for none."""
    digits = (text or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0


def _value(kind: str, text: str, code: str) -> CellValue:
    """What a cell holds; its text where that is not of the kind that it says."""
    plain = text.strip()
    try:
        if kind == "Number":
            return _number(float(plain), describe(code).kind)
        if kind == "DateTime":
            return _moment(dt.datetime.fromisoformat(plain).replace(tzinfo=None), describe(code).kind)
        if kind == "Boolean" and plain in ("0", "1"):
            return plain == "1"
    except (ValueError, OverflowError):
        return text
    return text if plain else ""


def _number(number: float, shown: str) -> CellValue:
    """A number, or what its format makes of it."""
    if shown == "duration":
        return dt.timedelta(days=number)
    if shown not in ("date", "datetime", "time"):
        return number
    value = _EPOCH + dt.timedelta(days=number + (1 <= number < _LEAP_SERIAL))
    return value.time() if number < 1 else value


def _moment(value: dt.datetime, shown: str) -> CellValue:
    """A date with a time as it was written; without a date it lies on the last day of 1899."""
    if shown == "duration":
        return value - (_NO_DAY if value < _AFTER_LEAP else _EPOCH)
    return value.time() if value < _NO_DAY + dt.timedelta(days=1) else value


def read_excel_xml(path: Path, name: str, watch: Watch) -> LaidBook:
    """The workbook with all of its sheets.

    Raises:
        FileUnreadable: It goes beyond the bounds, or has no sheet.
        FileReadingStopped: Somebody stopped the reading.
        xml.parsers.expat.ExpatError: It is not well-formed.
    """
    reader = _Reader(Room(name, watch))
    stream = XmlStream(reader.start, reader.end, bounds=watch.bounds, text=reader.text)
    for block in _blocks(path, watch):
        stream.feed(block)
    stream.close()
    if not reader.sheets:
        raise FileUnreadable(f"{name} is an Excel XML file without a sheet. Save it again in Excel.")
    codes = reader.codes.all()
    looks = []
    for sheet in reader.sheets:
        runs = sheet.facts.runs
        if sheet.marks:
            rows, columns, keys = np.array(sheet.marks, dtype=np.int64).T
            runs.add_cells(rows, columns, keys)
        looks.append(
            SheetLook(
                sheet.name, sheet.state, merged=tuple(sheet.facts.merged), hidden_rows=tuple(sheet.facts.hidden_rows),
                hidden_columns=tuple(sorted(sheet.facts.hidden_columns)),
                formulas_without_value=tuple(sheet.facts.without_value),
                formulas_without_value_count=sheet.facts.without_value_count,
                formula_count=sheet.facts.formula_count, extent=runs.extent, filled_cells=runs.filled,
                formats=runs.finish(codes),
            )
        )  # fmt: skip
    errors = {s.name: ErrorCells(s.places[:200], len(s.places)) for s in reader.sheets if s.places}
    return LaidBook(WorkbookLook(tuple(looks)), watch, {s.name: s.laid for s in reader.sheets}, errors)


def _blocks(path: Path, watch: Watch) -> Iterator[bytes]:
    total, done = path.stat().st_size, 0
    with path.open("rb") as file:
        head = file.read(_BLOCK).lstrip()  # some writers put blank lines before the declaration
        while head:
            yield head
            done += len(head)
            watch.advance("reading", done, total)
            head = file.read(_BLOCK)
