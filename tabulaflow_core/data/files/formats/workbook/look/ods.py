"""The look at ODS workbooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from xml.parsers.expat import ExpatError

import numpy as np

from tabulaflow_core.data.files.formats.workbook.look.model import NamedTable, Range, SheetLook, Span, WorkbookLook
from tabulaflow_core.data.files.formats.workbook.look.ods_styles import DataStyles
from tabulaflow_core.data.files.formats.workbook.look.opc import LINKS, MACROS
from tabulaflow_core.data.files.formats.workbook.look.package import ENCRYPTED, Package
from tabulaflow_core.data.files.formats.workbook.look.sheet import MOST_MERGED, SheetFacts, range_of
from tabulaflow_core.data.files.formats.workbook.look.xml import Attributes, Start, XmlStream, read_xml, whole
from tabulaflow_core.data.files.watch import ReadBounds, Watch
from tabulaflow_core.errors import FileUnreadable

#: Prefixes that attributes are known by here, by the last words of their namespaces.
_PREFIXES = {"office": "office", "style": "style", "table": "table", "datastyle": "number", "text": "text"}
#: Columns and rows of the largest sheets of LibreOffice.
_MOST_COLUMNS, _MOST_ROWS = 16_384, 1 << 24
_NAMESPACE = re.compile(rb"""xmlns:([\w.-]+)\s*=\s*["']urn:oasis:names:tc:opendocument:xmlns:(\w+):1.0["']""", re.ASCII)
_BATCH = 50_000
#: Elements whose end means nothing here; they are nearly all of them.
_INSIDE_CELLS = frozenset(("p", "table-cell", "covered-table-cell", "span", "s", "a"))
_NO_STYLES = "The workbook's shared styles could not be read, so some percent and currency formats may be missing."


def look_at_ods(path: Path, *, watch: Watch) -> WorkbookLook:
    """Look at an ODS workbook.

    Raises:
        FileUnreadable: It is encrypted or holds no spreadsheet, or goes beyond the bounds.
        zipfile.BadZipFile, xml.parsers.expat.ExpatError: It is damaged; so may be other errors of reading a zip.
    """
    bounds = watch.bounds
    with Package(path, watch=watch) as package:
        if "encrypted-package" in package or _is_encrypted(package, bounds=bounds):
            raise FileUnreadable(ENCRYPTED)
        if "content.xml" not in package:
            raise FileUnreadable("This file is a zip, but no spreadsheet is in it. Choose another file.")
        styles = DataStyles()
        reader = _ContentReader(styles)
        notices = [MACROS] * any(part.startswith(("basic/", "scripts/")) for part in package.names())
        package.total = package.size("content.xml") + package.size("styles.xml")
        try:
            blocks = package.blocks("styles.xml")
            _read(blocks, styles.start, styles, bounds=bounds)
        except ExpatError:
            notices.append(_NO_STYLES)
        _read(package.blocks("content.xml"), reader.start, styles, reader=reader, bounds=bounds)
        notices += [LINKS] * reader.links
        return WorkbookLook(tuple(reader.finish()), reader.date_1904, tuple(notices))


def _is_encrypted(package: Package, *, bounds: ReadBounds) -> bool:
    found = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal found
        found |= name == "encryption-data"

    read_xml(package.blocks("META-INF/manifest.xml"), start, bounds=bounds)
    return found


def _read(
    blocks: Iterator[bytes],
    start: Start,
    styles: DataStyles,
    *,
    reader: _ContentReader | None = None,
    bounds: ReadBounds,
) -> None:
    """Read a document, its attributes with their usual prefixes also where it has chosen others."""
    head = next(blocks, b"")
    rename = {
        prefix.decode(): _PREFIXES[uri.decode()]
        for prefix, uri in _NAMESPACE.findall(head[:20_000])
        if prefix.decode() != _PREFIXES.get(uri.decode(), prefix.decode())
    }

    def renamed(name: str, attributes: Attributes) -> None:
        usual: Attributes = {}
        for key, value in attributes.items():
            prefix, colon, rest = key.partition(":")
            usual[rename.get(prefix, prefix) + colon + rest] = value
        start(name, usual)

    end = reader.end if reader else styles.end
    stream = XmlStream(renamed if rename else start, end, bounds=bounds, text=styles.text)
    if reader:
        reader.on_sheets = stream.ignore_text
    for block in chain((head,), blocks) if head else ():
        stream.feed(block)
    if head:
        stream.close()


class _ContentReader:
    """Takes the elements of `content.xml`: styles first, then sheets."""

    def __init__(self, styles: DataStyles) -> None:
        self.date_1904 = self.links = False
        self.on_sheets: Callable[[], None] = lambda: None
        self._styles = styles
        self._sheets: list[tuple[str, str, SheetFacts]] = []
        self._databases: list[tuple[str, str, bool]] = []
        self._facts: SheetFacts | None = None
        self._outside = 0
        self._row = self._column = 0
        self._repeat_row = 1
        self._row_style = ""
        self._columns: list[str] = []
        self._line: list[tuple[int, int, int]] = []
        self._cells: list[tuple[int, int, int]] = []

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if name in ("table-cell", "covered-table-cell"):
            if self._facts is not None:
                self._cell(self._facts, attributes)
        elif name == "p":
            return
        elif name == "table":
            self._table(attributes)
        elif name == "dde-link":
            self._outside += 1
        elif self._facts is None:
            self._around(name, attributes)
        elif name == "table-row":
            self._column, self._line = 0, []
            self._repeat_row = max(1, whole(attributes, "table:number-rows-repeated", 1))
            self._row_style = attributes.get("table:default-cell-style-name", "")
            if attributes.get("table:visibility", "visible") != "visible":
                self._facts.hide_rows(self._row, self._row + self._repeat_row - 1)
        elif name == "table-column":
            self._table_column(self._facts, attributes)
        elif name == "table-source":
            self.links = True

    def _table(self, attributes: Attributes) -> None:
        if self._facts is not None or self._outside:
            self._outside += 1  # a table inside a cell, or a stored answer of another program
            return
        self.on_sheets()
        self._facts = SheetFacts()
        name, style = attributes.get("table:name", ""), attributes.get("table:style-name", "")
        self._sheets.append((name, style, self._facts))
        self._row, self._columns = 0, []

    def _around(self, name: str, attributes: Attributes) -> None:
        if name == "null-date":
            self.date_1904 = attributes.get("table:date-value", "").startswith("1904")
        elif name == "database-range":
            header = attributes.get("table:contains-header", "true") != "false"
            address = attributes.get("table:target-range-address", "")
            self._databases.append((attributes.get("table:name", ""), address, header))
        else:
            self._styles.start(name, attributes)

    def _table_column(self, facts: SheetFacts, attributes: Attributes) -> None:
        times = max(1, whole(attributes, "table:number-columns-repeated", 1))
        first = len(self._columns)
        times = min(times, _MOST_COLUMNS - first)
        if times > 0:
            if attributes.get("table:visibility", "visible") != "visible":
                facts.hidden_columns.append(Span(first, first + times - 1))
            self._columns += [attributes.get("table:default-cell-style-name", "")] * times

    def _cell(self, facts: SheetFacts, attributes: Attributes) -> None:
        if self._outside:
            return
        first, times = self._column, 1
        if "table:number-columns-repeated" in attributes:
            times = max(1, whole(attributes, "table:number-columns-repeated", 1))
        self._column = first + times
        value_type = attributes.get("office:value-type", "")
        formula = "table:formula" in attributes
        last = first + times - 1
        if last >= _MOST_COLUMNS or self._row >= _MOST_ROWS:
            last = _MOST_COLUMNS - 1
            if last < first or self._row >= _MOST_ROWS:
                return
        if formula:
            count = (last - first + 1) * self._repeat_row
            facts.formula_count += count
            if not value_type:
                facts.lacks_value(self._row, first, times=count)
        if "table:number-columns-spanned" in attributes or "table:number-rows-spanned" in attributes:
            wide = whole(attributes, "table:number-columns-spanned", 1)
            high = whole(attributes, "table:number-rows-spanned", 1)
            if (wide > 1 or high > 1) and len(facts.merged) < MOST_MERGED:
                facts.merged.append(Range(self._row, first, self._row + max(high, 1) - 1, first + max(wide, 1) - 1))
        if not value_type:
            return
        style = attributes.get("table:style-name") or self._row_style
        if not style and first < len(self._columns):
            style = self._columns[first]
        key = self._styles.key(style, value_type, attributes.get("office:currency", ""))
        if times == 1 and self._repeat_row == 1:
            self._cells.append((self._row, first, key))
        else:
            self._line.append((first, last, key))

    def end(self, name: str) -> None:
        """An element ends."""
        if name in _INSIDE_CELLS and self._facts is not None:
            return
        if name == "table-row" and self._facts is not None and not self._outside:
            last = min(self._row + self._repeat_row, _MOST_ROWS) - 1
            for first_column, last_column, key in self._line:
                if self._row <= last:
                    self._facts.runs.add_block(self._row, last, first_column, last_column, key)
            self._line = []
            self._row = last + 1
            if len(self._cells) >= _BATCH:
                self._flush(self._facts)
        elif name == "dde-link" or (name == "table" and self._outside):
            self._outside -= 1
        elif name == "table" and self._facts is not None:
            self._flush(self._facts)
            self._facts = None
        elif self._facts is None:
            self._styles.end(name)

    def _flush(self, facts: SheetFacts) -> None:
        if self._cells:
            rows, columns, keys = np.array(self._cells, dtype=np.int64).T
            facts.runs.add_cells(rows, columns, keys)
            self._cells = []

    def finish(self) -> list[SheetLook]:
        """The sheets, once the whole document was read."""
        codes = self._styles.codes.all()
        return [
            SheetLook(
                name,
                "hidden" if style in self._styles.hidden_tables else "visible",
                merged=tuple(facts.merged),
                tables=tuple(self._tables_of(name)),
                hidden_rows=tuple(facts.hidden_rows),
                hidden_columns=tuple(facts.hidden_columns),
                formulas_without_value=tuple(facts.without_value),
                formulas_without_value_count=facts.without_value_count,
                formula_count=facts.formula_count,
                extent=facts.runs.extent,
                filled_cells=facts.runs.filled,
                formats=facts.runs.finish(codes),
            )
            for name, style, facts in self._sheets
        ]

    def _tables_of(self, sheet: str) -> list[NamedTable]:
        found: list[NamedTable] = []
        for name, address, header in self._databases:
            first, _, last = address.rpartition(":")
            owner, _, start = (first or last).rpartition(".")
            owner = owner.lstrip("$")
            if owner.startswith("'") and owner.endswith("'"):
                owner = owner[1:-1].replace("''", "'")
            place = range_of(f"{start}:{last.rpartition('.')[2]}")
            # a filter that was merely switched on has a range too, without a name that anybody gave
            if owner == sheet and place is not None and not name.startswith("__Anonymous"):
                found.append(NamedTable(name, place, int(header)))
        return found
