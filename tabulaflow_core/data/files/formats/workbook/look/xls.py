"""The look at XLS workbooks (BIFF8, and BIFF5 as far as its records are the same).

Source: MS-XLS 2.4, the records named below.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tabulaflow_core.data.files.formats.workbook.look.model import (
    Range,
    SheetKind,
    SheetLook,
    SheetState,
    Span,
    WorkbookLook,
)
from tabulaflow_core.data.files.formats.workbook.look.ole import OleFile
from tabulaflow_core.data.files.formats.workbook.look.opc import LINKS, MACROS
from tabulaflow_core.data.files.formats.workbook.look.package import DAMAGED, ENCRYPTED
from tabulaflow_core.data.files.formats.workbook.look.runs import CellBatch
from tabulaflow_core.data.files.formats.workbook.look.sheet import MOST_MERGED, SheetFacts
from tabulaflow_core.data.files.formats.workbook.look.styles import StyleKeys
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable

#: What the format cannot tell.
CANNOT_TELL = (
    "XLS keeps a result with each formula, also where none was ever worked out: 0 may then stand for a formula "
    "that was never calculated."
)
_STATES: dict[int, SheetState] = {0: "visible", 1: "hidden", 2: "very hidden"}
_KINDS: dict[int, SheetKind] = {0: "sheet", 1: "macro", 2: "chart", 6: "macro"}
_BOF, _EOF, _FILEPASS, _DATEMODE, _SHEET, _FORMAT, _XF = 0x809, 0x0A, 0x2F, 0x22, 0x85, 0x41E, 0xE0
_FORMULA, _MULRK, _MERGED, _ROW, _COLINFO, _SUPBOOK, _DIMENSIONS = 0x06, 0xBD, 0xE5, 0x208, 0x7D, 0x1AE, 0x200
#: NUMBER, RK and FORMULA hold a number or may; LABELSST, LABEL, RSTRING and BOOLERR hold none.
_CELLS = {0x203: 1, 0x27E: 1, 0x06: 1, 0xFD: 0, 0x204: 0, 0xD6: 0, 0x205: 0}
_BOOLERR, _ERROR_RESULT = 0x205, 2
_PLACE = struct.Struct("<HHH").unpack_from
_BATCH = 50_000


@dataclass(slots=True)
class _Sheet:
    name: str
    state: SheetState
    kind: SheetKind
    facts: SheetFacts = field(default_factory=SheetFacts)


def look_at_xls(path: Path, *, watch: Watch) -> WorkbookLook:
    """Look at an XLS workbook.

    Raises:
        FileUnreadable: It is encrypted, or its structure is broken.
        struct.error: A record is shorter than it must be.
    """
    with path.open("rb") as file:
        ole = OleFile(file, watch=watch)
        stream = next((name for name in ("Workbook", "Book") if name in ole), None)
        if stream is None:
            raise FileUnreadable(ENCRYPTED if "EncryptedPackage" in ole else DAMAGED)
        book = _Book()
        for kind, buffer, start, end, position in _records(ole.blocks(stream)):
            if kind in _CELLS and end - start >= 6:
                book.cell(kind, buffer, start, end)
            else:
                book.record(kind, buffer[start:end], position)
        book.flush()
        if not book.sheets or len(book.met) < len(book.sheets):
            raise FileUnreadable(DAMAGED)  # a sheet that begins elsewhere would be read without having been looked at
        macros = ole.has_macros or any(s.kind == "macro" for s in book.sheets.values())
        formulas = any(s.facts.formula_count for s in book.sheets.values())
        notices = [MACROS] * macros + [LINKS] * (book.links and formulas) + [CANNOT_TELL] * formulas
        codes = book.styles.codes.all()
        sheets = tuple(
            SheetLook(
                s.name,
                s.state,
                s.kind,
                merged=tuple(s.facts.merged),
                hidden_rows=tuple(s.facts.hidden_rows),
                hidden_columns=tuple(sorted(s.facts.hidden_columns)),
                formula_count=s.facts.formula_count,
                errors=tuple(s.facts.errors),
                error_count=s.facts.error_count,
                extent=s.facts.runs.extent,
                filled_cells=s.facts.runs.filled,
                claimed=s.facts.claimed,
                formats=s.facts.runs.finish(codes),
            )
            for s in book.sheets.values()
        )
        return WorkbookLook(sheets, book.date_1904, tuple(notices))


def _records(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes, int, int, int]]:
    """Type of each record, some bytes, where in them its data begins and ends, and its position in the stream.

    A record that is cut off by the end of the stream is left out.
    """
    unpack = struct.Struct("<HH").unpack_from
    buffer, offset = b"", 0
    for block in _gathered(blocks):
        buffer += block
        at, most = 0, len(buffer) - 4
        while at <= most:
            kind, length = unpack(buffer, at)
            end = at + 4 + length
            if end > len(buffer):
                break
            yield kind, buffer, at + 4, end, offset + at
            at = end
        buffer, offset = buffer[at:], offset + at


def _gathered(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The sectors of a stream in larger blocks."""
    waiting: list[bytes] = []
    for i, block in enumerate(blocks, 1):
        waiting.append(block)
        if i % 1024 == 0:
            yield b"".join(waiting)
            waiting = []
    yield b"".join(waiting)


def _claimed(data: bytes) -> int:
    """Places between the first and the last cell, as the record says that tells them; a negative side is huge."""
    form = "<IIHH" if len(data) >= 14 else "<HHHH"  # BIFF8, and BIFF5 before it
    sides: tuple[int, ...] = struct.unpack_from(form, data)
    first_row, end_row, first_column, end_column = sides
    if (end_row, end_column) < (1, 1):
        return 0
    return ((end_row - first_row) & 0xFFFFFFFF) * ((end_column - first_column) & 0xFFFFFFFF)


class _Book:
    """Takes the records of the workbook stream.

    Attributes:
        met: Positions of sheets that were reached.
    """

    def __init__(self) -> None:
        self.met: set[int] = set()
        self.styles = StyleKeys()
        self.sheets: dict[int, _Sheet] = {}
        self.date_1904 = self.links = False
        self._keys: list[int] = []
        self._biff8 = True
        self._depth = 0
        self._facts: SheetFacts | None = None
        self._batch = CellBatch([])

    def record(self, kind: int, data: bytes, position: int) -> None:
        """One record, in the stream's order."""
        if kind == _BOF:
            self._depth += 1
            if self._depth == 1:
                self._begin(position, data)
        elif kind == _EOF:
            self._depth = max(0, self._depth - 1)
            if self._depth == 0:
                self.flush()
                self._facts = None
        elif kind == _DIMENSIONS and self._facts is not None:
            self._facts.claimed = max(self._facts.claimed, _claimed(data))
        elif self._depth == 1 and self._facts is not None:
            self._of_sheet(self._facts, kind, data)
        elif self._depth == 1:
            self._of_book(kind, data)

    def _begin(self, position: int, data: bytes) -> None:
        sheet = self.sheets.get(position)
        if sheet is not None:
            self.met.add(position)
            self._facts = sheet.facts
            if not self._keys:
                self._keys = self.styles.keys()
                self._batch = CellBatch(self._keys)
        elif not self.sheets:
            self._biff8 = struct.unpack_from("<H", data)[0] >= 0x600

    def _of_book(self, kind: int, data: bytes) -> None:
        if kind == _FILEPASS:
            raise FileUnreadable(ENCRYPTED)
        if kind == _DATEMODE:
            self.date_1904 = data[:1] == b"\1"
        elif kind == _SHEET:
            position, state, sort = struct.unpack_from("<IBB", data)
            name = self._text(data, 6, wide=False)
            self.sheets[position] = _Sheet(name, _STATES.get(state & 3, "visible"), _KINDS.get(sort, "sheet"))
        elif kind == _FORMAT:
            self.styles.add_format(struct.unpack_from("<H", data)[0], self._text(data, 2, wide=self._biff8))
        elif kind == _XF:
            self.styles.add_style(struct.unpack_from("<HH", data)[1])
        elif kind == _SUPBOOK and len(data) > 4:
            self.links |= data[2:4] not in (b"\x01\x04", b"\x01\x3a")  # this workbook itself, or an add-in

    def _text(self, data: bytes, at: int, *, wide: bool) -> str:
        """A string with its length before it, in one byte or (wide) two."""
        length = struct.unpack_from("<H" if wide else "<B", data, at)[0]
        at += 2 if wide else 1
        if not self._biff8:
            return data[at : at + length].decode("cp1252", "replace")
        if data[at : at + 1] == b"\1":
            return data[at + 1 : at + 1 + 2 * length].decode("utf-16-le", "replace")
        return data[at + 1 : at + 1 + length].decode("latin-1")

    def _of_sheet(self, facts: SheetFacts, kind: int, data: bytes) -> None:
        if kind == _MULRK:
            row, first = struct.unpack_from("<HH", data)
            for i in range((len(data) - 6) // 6):
                self._batch.cells.append((row, first + i, struct.unpack_from("<H", data, 4 + 6 * i)[0], 1))
        elif kind == _ROW:
            if struct.unpack_from("<H", data, 12)[0] & 0x20:
                row = struct.unpack_from("<H", data)[0]
                facts.hide_rows(row, row)
        elif kind == _COLINFO:
            first, last, _, _, flags = struct.unpack_from("<5H", data)
            if flags & 1 and first <= last:
                facts.hidden_columns.append(Span(first, min(last, 255)))
        elif kind == _MERGED:
            count = struct.unpack_from("<H", data)[0]
            for i in range(min(count, (len(data) - 2) // 8)):
                r1, r2, c1, c2 = struct.unpack_from("<4H", data, 2 + 8 * i)
                if r1 <= r2 and c1 <= c2 and len(facts.merged) < MOST_MERGED:
                    facts.merged.append(Range(r1, c1, r2, c2))

    def cell(self, kind: int, buffer: bytes, start: int, end: int) -> None:
        """A record of one filled cell."""
        facts = self._facts
        if facts is None or self._depth != 1:
            return
        number = _CELLS[kind]
        if kind == _FORMULA:
            facts.formula_count += 1
            # MS-XLS 2.5.133: a result that is no number says so in its last two bytes
            number = int(buffer[start + 12 : min(start + 14, end)] != b"\xff\xff")
            if not number and buffer[start + 6] == _ERROR_RESULT:
                row, column, _ = _PLACE(buffer, start)
                facts.add_error(row, column, buffer[start + 8])
        elif kind == _BOOLERR and end - start >= 8 and buffer[start + 7]:
            row, column, _ = _PLACE(buffer, start)
            facts.add_error(row, column, buffer[start + 6])
        cells = self._batch.cells
        cells.append((*_PLACE(buffer, start), number))
        if len(cells) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Hand the cells that wait to their sheet."""
        if self._facts is not None:
            self._batch.flush(self._facts.runs)
