"""The look at XLSB workbooks: an Office package whose parts are records in place of XML.

Source: MS-XLSB 2.1.4 (records) and 2.4, the records named below.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from tabulaflow_core.data.files.formats.workbook.look.model import Range, SheetLook, SheetState, Span, WorkbookLook
from tabulaflow_core.data.files.formats.workbook.look.opc import (
    SHEET_KINDS,
    Relation,
    notices_of,
    relations,
    workbook_part,
)
from tabulaflow_core.data.files.formats.workbook.look.package import DAMAGED, Package
from tabulaflow_core.data.files.formats.workbook.look.runs import CellBatch
from tabulaflow_core.data.files.formats.workbook.look.sheet import MOST_MERGED, SheetFacts
from tabulaflow_core.data.files.formats.workbook.look.styles import StyleKeys
from tabulaflow_core.data.files.watch import ReadBounds, Watch
from tabulaflow_core.errors import FileUnreadable

#: What this look does not tell of the format.
CANNOT_TELL = "Tables that were named in an XLSB workbook are not told apart from other cells."
_STATES: dict[int, SheetState] = {0: "visible", 1: "hidden", 2: "very hidden"}
_ROW, _COLUMN, _MERGED, _BOOK_PROPERTIES, _BUNDLE = 0, 60, 176, 153, 156
_FORMAT, _STYLE, _STYLES_BEGIN, _STYLES_END, _TABLE = 44, 47, 617, 618, 661
#: Kinds of cells that hold a value, with whether it is a number; 8 to 11 are formulas.
_CELLS = {2: 1, 3: 0, 4: 0, 5: 1, 6: 0, 7: 0, 8: 0, 9: 1, 10: 0, 11: 0, 62: 0}
_ERROR_CELLS = frozenset({3, 11})
_BATCH = 50_000


def look_at_xlsb(path: Path, *, watch: Watch) -> WorkbookLook:
    """Look at an XLSB workbook.

    Raises:
        FileUnreadable: It is encrypted or lists no sheet, or goes beyond the bounds.
        zipfile.BadZipFile, struct.error: It is damaged; so may be other errors of reading a zip.
    """
    bounds = watch.bounds
    with Package(path, watch=watch) as package:
        main = workbook_part(package, bounds=bounds, usual="xl/workbook.bin")
        if main not in package:
            raise FileUnreadable("This file is a zip, but no workbook is in it. Choose another file.")
        references = relations(package, main, bounds=bounds)
        notices = notices_of(references)
        date_1904, listed = _list(package, main, bounds)
        if not listed:
            raise FileUnreadable(DAMAGED)
        name = next((r.target for r in references.values() if r.kind == "styles"), "xl/styles.bin")
        styles = _styles(package.blocks(name), bounds)
        keys = styles.keys()
        package.total = package.done + sum(package.size(r.target) for r in references.values() if r.kind == "worksheet")
        seen: dict[str, tuple[SheetFacts, bool]] = {}
        sheets: list[SheetLook] = []
        for title, state, identity in listed:
            relation = references.get(identity, Relation("", ""))
            kind = SHEET_KINDS.get(relation.kind, "sheet")
            if kind != "sheet":
                sheets.append(SheetLook(title, state, kind))
                continue
            if relation.target not in seen:
                seen[relation.target] = _sheet(package.blocks(relation.target), keys, bounds)
            facts, _ = seen[relation.target]
            sheets.append(
                SheetLook(
                    title,
                    state,
                    merged=tuple(facts.merged),
                    hidden_rows=tuple(facts.hidden_rows),
                    hidden_columns=tuple(sorted(facts.hidden_columns)),
                    formula_count=facts.formula_count,
                    errors=tuple(facts.errors),
                    error_count=facts.error_count,
                    extent=facts.runs.extent,
                    filled_cells=facts.runs.filled,
                    formats=facts.runs.finish(styles.codes.all()),
                )
            )
        notices += [CANNOT_TELL] * any(tables for _, tables in seen.values())
        return WorkbookLook(tuple(sheets), date_1904, tuple(notices))


def _records(blocks: Iterable[bytes], bounds: ReadBounds) -> Iterator[tuple[int, bytes, int, int]]:
    """Type of each record, with some bytes and where in them its data begins and ends.

    A record that is cut off by the end of the part is left out.
    """
    buffer = b""
    for block in blocks:
        buffer += block
        at, size = 0, len(buffer)
        while at + 1 < size:
            kind, length, start = buffer[at], buffer[at + 1], at + 2
            if kind > 127 or length > 127:
                header = _header(buffer, at)
                if header is None:
                    break
                kind, length, start = header
                if length > bounds.cell_bytes:
                    raise FileUnreadable("This workbook holds one value that is larger than the allowed amount.")
            end = start + length
            if end > size:
                break
            yield kind, buffer, start, end
            at = end
        buffer = buffer[at:]


def _header(buffer: bytes, at: int) -> tuple[int, int, int] | None:
    """Type, length and where the data begins; 7 bits a byte, the type in up to two and the length in up to four."""
    values = []
    for most in (2, 4):
        value = 0
        for i in range(most):
            if at >= len(buffer):
                return None
            byte, at = buffer[at], at + 1
            value |= (byte & 0x7F) << 7 * i
            if byte < 128:
                break
        values.append(value)
    return values[0], values[1], at


def _text(data: bytes, at: int) -> tuple[str, int]:
    """An XLWideString, and where it ends; a length of all ones is no string."""
    (length,) = struct.unpack_from("<I", data, at)
    if length == 0xFFFFFFFF:
        return "", at + 4
    end = at + 4 + 2 * length
    return data[at + 4 : end].decode("utf-16-le", "replace"), end


def _list(package: Package, part: str, bounds: ReadBounds) -> tuple[bool, list[tuple[str, SheetState, str]]]:
    date_1904, listed = False, []
    for kind, buffer, start, end in _records(package.blocks(part), bounds):
        data = buffer[start:end]
        if kind == _BOOK_PROPERTIES:
            date_1904 = bool(struct.unpack_from("<I", data)[0] & 1)
        elif kind == _BUNDLE:
            state = _STATES.get(struct.unpack_from("<I", data)[0], "visible")
            identity, after = _text(data, 8)
            listed.append((_text(data, after)[0], state, identity))
    return date_1904, listed


def _styles(blocks: Iterable[bytes], bounds: ReadBounds) -> StyleKeys:
    found, inside = StyleKeys(), False
    for kind, buffer, start, end in _records(blocks, bounds):
        data = buffer[start:end]
        if kind == _FORMAT:
            found.add_format(struct.unpack_from("<H", data)[0], _text(data, 2)[0])
        elif kind in (_STYLES_BEGIN, _STYLES_END):
            inside = kind == _STYLES_BEGIN
        elif kind == _STYLE and inside:
            found.add_style(struct.unpack_from("<HH", data)[1])
    return found


def _sheet(blocks: Iterable[bytes], keys: list[int], bounds: ReadBounds) -> tuple[SheetFacts, bool]:
    """What the records of a sheet tell, and whether it has named tables."""
    facts, row, tables = SheetFacts(), 0, False
    batch = CellBatch(keys)
    add, unpack, cells = batch.cells.append, struct.Struct("<II").unpack_from, _CELLS
    for kind, buffer, start, end in _records(blocks, bounds):
        if kind in cells:
            if end - start < 8:
                continue
            column, style = unpack(buffer, start)
            # Beyond the end of a sheet too: the library would make room for all columns up to there.
            add((row, min(column, 1 << 24), style & 0xFFFFFF, cells[kind]))
            if 8 <= kind <= 11:
                facts.formula_count += 1
            if kind in _ERROR_CELLS and end - start > 8:
                facts.add_error(row, column, buffer[start + 8])
            continue
        if len(batch.cells) >= _BATCH:
            batch.flush(facts.runs)
        data = buffer[start:end]
        if kind == _ROW:
            row = min(struct.unpack_from("<I", data)[0], 1 << 24)
            if len(data) > 11 and data[11] & 0x10:
                facts.hide_rows(row, row)
        elif kind == _COLUMN:
            first, last, _, _, flags = struct.unpack_from("<IIIIH", data)
            if flags & 1 and first <= last < 1 << 16:
                facts.hidden_columns.append(Span(first, last))
        elif kind == _MERGED:
            r1, r2, c1, c2 = struct.unpack_from("<4I", data)
            if r1 <= r2 < 1 << 24 and c1 <= c2 < 1 << 16 and len(facts.merged) < MOST_MERGED:
                facts.merged.append(Range(r1, c1, r2, c2))
        elif kind == _TABLE:
            tables = True
    batch.flush(facts.runs)
    return facts, tables
