"""What the elements of an ODS document tell: its sheets, rows and cells.

Source: OpenDocument 1.3 part 3, 9.1 (tables) and 19.6 on (their attributes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from tabulaflow_core.data.files.formats.workbook.look.model import NamedTable, Range, SheetLook, Span
from tabulaflow_core.data.files.formats.workbook.look.ods_styles import DataStyles
from tabulaflow_core.data.files.formats.workbook.look.sheet import MOST_MERGED, SheetFacts, range_of
from tabulaflow_core.data.files.formats.workbook.look.xml import Attributes, whole

#: Columns and rows of the largest sheets of LibreOffice.
_MOST_COLUMNS, _MOST_ROWS = 16_384, 1 << 24
_BATCH = 50_000
#: Repeated cells that are kept one by one.
_FEW = 64
#: Elements whose end means nothing here; they are nearly all of them.
_INSIDE_CELLS = frozenset(("p", "table-cell", "covered-table-cell", "span", "s", "a"))


@dataclass(frozen=True, slots=True)
class OdsCell:
    """The start tag of a cell.

    Attributes:
        times: How many columns it stands for.
        value_type: The kind of its value; empty when it has none.
        plain: Whether it is one filled cell and nothing else.
    """

    times: int
    value_type: str
    formula: bool
    style: str
    currency: str
    wide: int
    high: int
    plain: bool

    @classmethod
    def of(cls, attributes: Attributes) -> Self:
        """The cell with these attributes."""
        times = max(1, whole(attributes, "table:number-columns-repeated", 1))
        wide = max(1, whole(attributes, "table:number-columns-spanned", 1))
        high = max(1, whole(attributes, "table:number-rows-spanned", 1))
        value_type, formula = attributes.get("office:value-type", ""), "table:formula" in attributes
        plain = bool(value_type) and not formula and times == wide == high == 1
        style, currency = attributes.get("table:style-name", ""), attributes.get("office:currency", "")
        return cls(times, value_type, formula, style, currency, wide, high, plain)


class ContentReader:
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
                self.cell(OdsCell.of(attributes))
        elif name == "p":
            return
        elif name == "table":
            self._table(attributes)
        elif name == "dde-link":
            self._outside += 1
        elif self._facts is None:
            self._around(name, attributes)
        elif self._outside:
            return
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

    def cell(self, cell: OdsCell) -> None:
        """The next cell of the row."""
        facts = self._facts
        if facts is None or self._outside:
            return
        first = self._column
        self._column = first + cell.times
        if not cell.plain:
            self._unusual_cell(facts, first, cell)
        elif first < _MOST_COLUMNS and self._row < _MOST_ROWS:
            key = self._key(cell, first)
            if self._repeat_row == 1:
                self._cells.append((self._row, first, key))
            else:
                self._line.append((first, first, key))

    def _unusual_cell(self, facts: SheetFacts, first: int, cell: OdsCell) -> None:
        """A cell that is repeated, merged, empty or a formula."""
        last = min(first + cell.times, _MOST_COLUMNS) - 1
        if last < first or self._row >= _MOST_ROWS:
            return
        if cell.formula:
            count = (last - first + 1) * self._repeat_row
            facts.formula_count += count
            if not cell.value_type:
                facts.lacks_value(self._row, first, times=count)
        if (cell.wide > 1 or cell.high > 1) and len(facts.merged) < MOST_MERGED:
            facts.merged.append(Range(self._row, first, self._row + cell.high - 1, first + cell.wide - 1))
        if cell.value_type:
            key = self._key(cell, first)
            if self._repeat_row == 1 and cell.times <= _FEW:
                self._cells += [(self._row, column, key) for column in range(first, last + 1)]
            else:
                self._line.append((first, last, key))

    def _key(self, cell: OdsCell, column: int) -> int:
        style = cell.style or self._row_style
        if not style and column < len(self._columns):
            style = self._columns[column]
        return self._styles.key(style, cell.value_type, cell.currency)

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
