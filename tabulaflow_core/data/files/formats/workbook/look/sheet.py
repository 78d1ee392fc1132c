"""What one worksheet's XML says: read element by element, and the store that both ways of reading fill.

This way is right for any XML. The quick one in `scan.py` takes over the cells of usual sheets and leaves to this
module what stands before and after them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from tabulaflow_core.data.files.formats.workbook.look.model import LISTED_CELLS, Range, Span
from tabulaflow_core.data.files.formats.workbook.look.runs import RunsBuilder
from tabulaflow_core.data.files.formats.workbook.look.xml import Attributes, flag, local, whole

_REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,9})")
#: Merged ranges that are kept; more than this is a drawing and not a table.
MOST_MERGED = 200_000
_BATCH = 50_000
#: Words of errors by their code: MS-XLS 2.5.10, MS-XLSB 2.5.97.2.
_ERRORS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}


def place(reference: str) -> tuple[int, int] | None:
    """Row and column, 0-based, of a reference such as `B7`; None when it is none."""
    match = _REFERENCE.fullmatch(reference)
    if match is None or int(match[2]) == 0:
        return None
    column = 0
    for letter in match[1].upper():
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1


def range_of(reference: str) -> Range | None:
    """The range of `A1:C9` or `A1`; None when it is none."""
    first, _, last = reference.strip().partition(":")
    start, end = place(first), place(last or first)
    if start is None or end is None:
        return None
    (r1, c1), (r2, c2) = start, end
    return Range(min(r1, r2), min(c1, c2), max(r1, r2), max(c1, c2))


@dataclass(slots=True)
class SheetFacts:
    """What is collected of one sheet while it is read."""

    runs: RunsBuilder = field(default_factory=RunsBuilder)
    formula_count: int = 0
    without_value: list[tuple[int, int]] = field(default_factory=list)
    without_value_count: int = 0
    hidden_rows: list[Span] = field(default_factory=list)
    hidden_columns: list[Span] = field(default_factory=list)
    merged: list[Range] = field(default_factory=list)
    table_ids: list[str] = field(default_factory=list)
    errors: list[tuple[int, int, str]] = field(default_factory=list)
    error_count: int = 0
    claimed: int = 0

    def add_error(self, row: int, column: int, code: int) -> None:
        """Note a cell with an error, by its code in a binary workbook."""
        self.error_count += 1
        if len(self.errors) < LISTED_CELLS:
            self.errors.append((row, column, _ERRORS.get(code, "error")))

    def hide_rows(self, first: int, last: int) -> None:
        """Note rows as hidden; neighbours become one span."""
        before = self.hidden_rows[-1] if self.hidden_rows else None
        if before is not None and before.first <= first <= before.last + 1:
            self.hidden_rows[-1] = Span(before.first, max(last, before.last))
        else:
            self.hidden_rows.append(Span(first, last))

    def lacks_value(self, row: int, column: int, *, times: int = 1) -> None:
        """Note a formula without a value."""
        self.without_value_count += times
        if len(self.without_value) < LISTED_CELLS:
            self.without_value.append((row, column))


class SheetHandler:
    """Takes the elements of one worksheet.

    Args:
        keys: For each cell style twice the index of its format code, as `FormatRuns` has it.
    """

    def __init__(self, facts: SheetFacts, keys: list[int]) -> None:
        self.facts = facts
        self._keys = keys
        self._row = self._column = -1
        self._in_cell = False
        self._style, self._type = 0, "n"
        self._formula = self._has_value = self._in_value = False
        self._cells: list[tuple[int, int, int]] = []

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if name == "c":
            self._column += 1
            found = place(attributes.get("r", ""))
            if found is not None:
                self._row, self._column = found
            self._style, self._type = whole(attributes, "s"), attributes.get("t", "n")
            self._in_cell, self._formula, self._has_value = True, False, False
        elif self._in_cell:
            if name == "f":
                self._formula = True
            elif name in ("v", "is"):
                self._in_value = True
                self._has_value |= name == "is" or self._type == "str"
        elif name == "row":
            self._column = -1
            self._row = max(whole(attributes, "r", self._row + 2) - 1, 0)
            if flag(attributes, "hidden"):
                self.facts.hide_rows(self._row, self._row)
        else:
            self._outside(name, attributes)

    def _outside(self, name: str, attributes: Attributes) -> None:
        facts = self.facts
        if name == "mergeCell":
            found = range_of(attributes.get("ref", ""))
            if found is not None and len(facts.merged) < MOST_MERGED:
                facts.merged.append(found)
        elif name == "col" and flag(attributes, "hidden"):
            first, last = whole(attributes, "min"), whole(attributes, "max")
            if 0 < first <= last:
                facts.hidden_columns.append(Span(first - 1, last - 1))
        elif name == "tablePart":
            facts.table_ids += [value for key, value in attributes.items() if local(key) == "id"]

    def text(self, text: str) -> None:
        """Character data."""
        if self._in_value and text:
            self._has_value = True

    def end(self, name: str) -> None:
        """An element ends."""
        if name in ("v", "is"):
            self._in_value = False
        elif name == "c" and self._in_cell:
            self._in_cell = False
            self._finish_cell()

    def _finish_cell(self) -> None:
        facts = self.facts
        if self._formula:
            facts.formula_count += 1
            if not self._has_value:
                facts.lacks_value(self._row, self._column)
        if self._has_value:
            key = self._keys[self._style] if self._style < len(self._keys) else 0
            self._cells.append((self._row, self._column, key + (self._type in ("n", "d"))))
            if len(self._cells) >= _BATCH:
                self.flush()

    def flush(self) -> None:
        """Hand the cells that wait to the store."""
        if self._cells:
            rows, columns, keys = np.array(self._cells, dtype=np.int64).T
            self.facts.runs.add_cells(rows, columns, keys)
            self._cells.clear()
