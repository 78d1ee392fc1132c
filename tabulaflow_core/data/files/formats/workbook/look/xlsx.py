"""The look at XLSX and XLSM workbooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.parsers.expat import ExpatError

from tabulaflow_core.data.files.formats.workbook.look.model import NamedTable, SheetLook, SheetState, WorkbookLook
from tabulaflow_core.data.files.formats.workbook.look.opc import (
    SHEET_KINDS,
    ListedSheet,
    Relation,
    list_sheets,
    notices_of,
    relations,
    workbook_part,
)
from tabulaflow_core.data.files.formats.workbook.look.package import DAMAGED, Package
from tabulaflow_core.data.files.formats.workbook.look.scan import CellScan, Unusual
from tabulaflow_core.data.files.formats.workbook.look.sheet import SheetFacts, SheetHandler, range_of
from tabulaflow_core.data.files.formats.workbook.look.styles import StyleKeys, read_styles
from tabulaflow_core.data.files.formats.workbook.look.xml import Attributes, XmlStream, is_plain, read_xml, whole
from tabulaflow_core.data.files.watch import ReadBounds, Watch
from tabulaflow_core.errors import FileUnreadable

NO_STYLES = "The workbook's number formats could not be read, so percent, currency and codes appear as plain numbers."
TOO_MIXED = "The number formats of the sheet {name} change from cell to cell too often; not all of them were kept."
GONE = "The sheet {name} is listed in the workbook, but its part is missing."
_STATES: dict[str, SheetState] = {"visible": "visible", "hidden": "hidden", "veryhidden": "very hidden"}
_DATA = re.compile(rb"<(?:(\w[\w.-]*):)?sheetData(?:\s[^>]*)?>")
#: How much may stand before the first cell.
_HEAD = 16 * 1024**2


def look_at_xlsx(path: Path, *, watch: Watch) -> WorkbookLook:
    """Look at an XLSX or XLSM workbook.

    Raises:
        FileUnreadable: It is encrypted or lists no sheet, or goes beyond the bounds.
        zipfile.BadZipFile, xml.parsers.expat.ExpatError: It is damaged; so may be other errors of reading a zip.
    """
    bounds = watch.bounds
    with Package(path, watch=watch) as package:
        main = workbook_part(package, bounds=bounds, usual="xl/workbook.xml")
        if main not in package:
            raise FileUnreadable("This file is a zip, but no workbook is in it. Choose another file.")
        listed, date_1904 = list_sheets(package, main, bounds=bounds)
        if not listed:
            raise FileUnreadable(DAMAGED)
        references = relations(package, main, bounds=bounds)
        notices = notices_of(references)
        try:
            name = next((r.target for r in references.values() if r.kind == "styles"), "xl/styles.xml")
            styles = read_styles(package.blocks(name), bounds=bounds)
        except ExpatError:
            styles = StyleKeys()
            notices.append(NO_STYLES)
        book = _Book(package, bounds, references, styles, styles.keys(), notices)
        package.total = package.done + sum(package.size(r.target) for r in references.values() if r.kind == "worksheet")
        sheets = tuple(book.sheet(item) for item in listed)
        return WorkbookLook(sheets, date_1904, tuple(notices))


@dataclass(slots=True)
class _Book:
    package: Package
    bounds: ReadBounds
    references: dict[str, Relation]
    styles: StyleKeys
    keys: list[int]
    notices: list[str]
    seen: dict[str, SheetLook] = field(default_factory=dict)

    def sheet(self, item: ListedSheet) -> SheetLook:
        relation = self.references.get(item.relation, Relation("", ""))
        kind = SHEET_KINDS.get(relation.kind, "sheet")
        state = _STATES.get(item.state.lower(), "visible")
        if relation.target in self.seen:  # a part is read once, however many sheets say that it is theirs
            return replace(self.seen[relation.target], name=item.name, state=state)
        if kind != "sheet" or relation.target not in self.package:
            if kind == "sheet":
                self.notices.append(GONE.format(name=item.name))
            return SheetLook(item.name, state, kind)
        try:
            facts = self._quick(relation.target)
        except Unusual:
            facts = self._careful(relation.target)
        if facts.runs.full:
            self.notices.append(TOO_MIXED.format(name=item.name))
        found = self.seen[relation.target] = SheetLook(
            item.name,
            state,
            kind,
            merged=tuple(facts.merged),
            tables=self._tables(relation.target, facts),
            hidden_rows=tuple(facts.hidden_rows),
            hidden_columns=tuple(sorted(facts.hidden_columns)),
            formulas_without_value=tuple(facts.without_value),
            formulas_without_value_count=facts.without_value_count,
            formula_count=facts.formula_count,
            extent=facts.runs.extent,
            filled_cells=facts.runs.filled,
            formats=facts.runs.finish(self.styles.codes.all()),
        )
        return found

    def _careful(self, part: str) -> SheetFacts:
        facts = SheetFacts()
        handler = SheetHandler(facts, self.keys)
        read_xml(self.package.blocks(part), handler.start, handler.end, bounds=self.bounds, text=handler.text)
        handler.flush()
        return facts

    def _quick(self, part: str) -> SheetFacts:
        facts = SheetFacts()
        handler = SheetHandler(facts, self.keys)
        around = XmlStream(handler.start, handler.end, bounds=self.bounds)
        blocks = self.package.blocks(part)
        head, data, prefix = _until_cells(blocks)
        around.feed(head)
        scan = CellScan(facts, self.keys)
        closing = b"</" + prefix + b"sheetData"
        pieces = _pieces(data, blocks, prefix=prefix, closing=closing, most=self.bounds.cell_bytes)
        for piece, inside in pieces:
            if inside:
                scan.feed(piece)
            else:
                around.feed(piece)
        around.close()
        handler.flush()
        return facts

    def _tables(self, part: str, facts: SheetFacts) -> tuple[NamedTable, ...]:
        if not facts.table_ids:
            return ()
        found: list[NamedTable] = []

        def start(name: str, attributes: Attributes) -> None:
            place = range_of(attributes.get("ref", "")) if name == "table" else None
            if place is not None:
                totals = whole(attributes, "totalsRowCount")
                name = attributes.get("displayName") or attributes.get("name", "")
                found.append(NamedTable(name, place, whole(attributes, "headerRowCount", 1), totals))

        try:
            references = relations(self.package, part, bounds=self.bounds)
            targets = dict.fromkeys(references[i].target for i in facts.table_ids if i in references)
            for target in targets:
                read_xml(self.package.blocks(target), start, bounds=self.bounds)
        except ExpatError:
            self.notices.append("A list of tables in the workbook is damaged and was left out.")
        return tuple(found)


def _until_cells(blocks: Iterator[bytes]) -> tuple[bytes, bytes, bytes]:
    """What stands before the cells with the tag that opens them, what follows of the block, and the tags' prefix.

    Raises:
        Unusual: The cells cannot be read the quick way.
    """
    head = b""
    for block in blocks:
        head += block
        found = _DATA.search(head)
        if found is None:
            if len(head) > _HEAD:
                break
            continue
        before = head[: found.start()]
        if not is_plain(before) or found[0].endswith(b"/>"):
            break
        prefix = found[1] + b":" if found[1] else b""
        return head[: found.end()], head[found.end() :], prefix
    raise Unusual


def _pieces(
    data: bytes, blocks: Iterator[bytes], *, prefix: bytes, closing: bytes, most: int
) -> Iterator[tuple[bytes, bool]]:
    """Pieces of whole rows (True), without their prefix, and then what follows the cells (False).

    Raises:
        FileUnreadable: One row is larger than the bounds allow.
    """
    row, inside = b"<" + prefix + b"row", True
    while inside:
        end = data.find(closing)
        inside = end < 0
        cut = data.rfind(row) if inside else end
        if cut > 0:
            piece = data[:cut]
            if prefix:
                piece = piece.replace(b"<" + prefix, b"<").replace(b"</" + prefix, b"</")
            yield piece, True
            data = data[cut:]
        if inside:
            more = next(blocks, None)
            if more is None:
                break
            data += more
            if len(data) > most:
                raise FileUnreadable("This workbook holds one row that is larger than the allowed amount.")
    yield data, False
    for block in blocks:
        yield block, False
