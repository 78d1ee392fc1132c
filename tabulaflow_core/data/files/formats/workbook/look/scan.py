"""The quick way through the cells of a usual worksheet: tags are found and read by whole arrays at a time.

A sheet of six million cells has 250 MB of XML; one call for each element would take half a minute. Start tags that
are laid out as the common writers do are read column-wise by numpy, others one by one with a regular expression.
What this way cannot be sure of (comments, CDATA, other encodings) raises `Unusual`, and the sheet is read again by
`sheet.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tabulaflow_core.data.files.formats.workbook.look.model import LISTED_CELLS
from tabulaflow_core.data.files.formats.workbook.look.sheet import SheetFacts, place

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_ATTRIBUTE = re.compile(rb"""\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_HIDDEN = re.compile(rb"""\shidden\s*=\s*["'](?:1|true|on)["']""", re.IGNORECASE)
_NOT_PLAIN = np.zeros(256, dtype=bool)
_NOT_PLAIN[[ord("!"), ord("?")]] = True
#: What may follow the name of a tag.
_AFTER_NAME = np.zeros(256, dtype=bool)
_AFTER_NAME[[ord(c) for c in " />\t\r\n"]] = True
#: How a type is kept: 0 none or a number, 1 text of a formula, 2 anything else that is no number.
_NUMBER, _FORMULA_TEXT, _OTHER = 0, 1, 2


class Unusual(Exception):
    """Not an error: the sheet must be read the slow way."""


@dataclass(slots=True)
class _Tags:
    """Start tags of the cells of one piece, in their order.

    Attributes:
        begins: Where each begins in the piece.
        rows: Row of each, 0-based.
        digits: How many digits its row's number has.
        first_of_row: Whether it is the first cell of its row.
    """

    begins: Ints
    rows: Ints
    digits: Ints
    first_of_row: Flags


class CellScan:
    """Takes the rows of one sheet, piece by piece; each piece holds whole rows.

    Args:
        keys: As of `SheetHandler`.
    """

    def __init__(self, facts: SheetFacts, keys: list[int]) -> None:
        self._facts = facts
        self._keys = np.array([*keys, 0], dtype=np.int64)  # the last is for styles that do not exist
        self._next_row = 0

    def feed(self, piece: bytes) -> None:
        """Read a piece.

        Raises:
            Unusual: Something in it needs the slow way.
        """
        data = np.frombuffer(piece, dtype=np.uint8)
        tags = np.flatnonzero(data == ord("<"))
        second = data.take(tags + 1, mode="clip")
        opening = second != ord("/")
        tags, second = tags[opening], second[opening]
        if not len(tags):
            return
        third = data.take(tags + 2, mode="clip")
        if _NOT_PLAIN[second].any():
            raise Unusual
        ends = _AFTER_NAME[third]
        is_row = (second == ord("r")) & (third == ord("o"))
        is_cell = (second == ord("c")) & ends
        row_numbers, row_digits = self._rows(piece, data, tags[is_row])
        is_formula = (second == ord("f")) & ends
        formulas = bool(is_formula.any())
        if not is_cell.any():
            return
        row_of_tag = np.cumsum(is_row) - 1
        row_of_cell = row_of_tag[is_cell]
        if row_of_cell[0] < 0:
            raise Unusual
        new = np.ones(len(row_of_cell), dtype=bool)
        new[1:] = row_of_cell[1:] != row_of_cell[:-1]
        cells = _Tags(tags[is_cell], row_numbers[row_of_cell], row_digits[row_of_cell], new)
        columns, styles, types = _read_tags(piece, data, cells)
        cell_of_tag = np.cumsum(is_cell) - 1
        is_value = (second == ord("v")) & ends
        is_inline = (second == ord("i")) & (third == ord("s"))
        full = is_inline | (is_value & ~_is_empty(data, tags))
        filled = np.zeros(len(columns), dtype=bool)
        filled[cell_of_tag[full]] = True
        text = types == _FORMULA_TEXT
        stored = cell_of_tag[is_value]
        filled[stored[text[stored]]] = True  # an empty text is a result too
        if formulas:
            with_formula = np.zeros(len(columns), dtype=bool)
            with_formula[cell_of_tag[is_formula]] = True
            self._note_formulas(cells.rows, columns, with_formula, with_formula & ~filled)
        styles[styles >= len(self._keys)] = len(self._keys) - 1
        keys = self._keys[styles[filled]] + (types[filled] == _NUMBER)
        self._facts.runs.add_cells(cells.rows[filled], columns[filled], keys)

    def _rows(self, piece: bytes, data: Bytes, begins: Ints) -> tuple[Ints, Ints]:
        """0-based numbers of the piece's rows, and how many digits each has in the file."""
        usual = np.ones(len(begins), dtype=bool)
        for i, byte in enumerate(b'<row r="'):
            usual &= data.take(begins + i, mode="clip") == byte
        numbers, digits = _read_number(data, begins + 8)
        usual &= (digits > 0) & (data.take(begins + 8 + digits, mode="clip") == ord('"'))
        if not usual.all():
            numbers, digits = self._odd_rows(piece, begins)
        numbers -= 1
        if len(begins):
            self._next_row = int(numbers[-1]) + 1
            if numbers.min() < 0:
                raise Unusual
        if b"hidden" in piece:
            for number, begin in zip(numbers.tolist(), begins.tolist(), strict=True):
                if _HIDDEN.search(piece, begin, piece.find(b">", begin)):
                    self._facts.hide_rows(number, number)
        return numbers, digits

    def _odd_rows(self, piece: bytes, begins: Ints) -> tuple[Ints, Ints]:
        """The same from tags of any layout, but counted from 1; a row without a number follows the one before it."""
        numbers = np.zeros(len(begins), dtype=np.int64)
        digits = np.zeros(len(begins), dtype=np.int64)
        for i, begin in enumerate(begins.tolist()):
            number = _attributes(piece[begin : piece.find(b">", begin)]).get(b"r", b"")
            if number and (not number.isdigit() or len(number) > 9):
                raise Unusual
            self._next_row = int(number) if number else self._next_row + 1
            numbers[i], digits[i] = self._next_row, len(number)
        return numbers, digits

    def _note_formulas(self, rows: Ints, columns: Ints, with_formula: Flags, without_value: Flags) -> None:
        facts = self._facts
        facts.formula_count += int(with_formula.sum())
        found = np.flatnonzero(without_value)
        listed = len(facts.without_value)
        for i in found[: max(0, LISTED_CELLS - listed)].tolist():
            facts.lacks_value(int(rows[i]), int(columns[i]), times=0)
        facts.without_value_count += len(found)


def _is_empty(data: Bytes, tags: Ints) -> Flags:
    """Whether an element of a one-letter name is `<v/>`, `<v />` or `<v></v>`."""
    third, fourth = data.take(tags + 2, mode="clip"), data.take(tags + 3, mode="clip")
    closed = (third == ord("/")) | ((third == ord(" ")) & (fourth == ord("/")))
    empty: Flags = closed | ((third == ord(">")) & (fourth == ord("<")))
    return empty


def _read_tags(piece: bytes, data: Bytes, cells: _Tags) -> tuple[Ints, Ints, Ints]:
    """Columns, styles and kept types of the cells."""

    def at(places: Ints) -> Bytes:
        return data.take(places, mode="clip")

    begin = cells.begins
    known = (at(begin + 2) == ord(" ")) & (at(begin + 3) == ord("r"))
    known &= (at(begin + 4) == ord("=")) & (at(begin + 5) == ord('"'))
    columns = np.zeros(len(begin), dtype=np.int64)
    place_now = begin + 6
    letters = known.copy()
    for _ in range(3):
        letter = at(place_now)
        letters &= (letter >= ord("A")) & (letter <= ord("Z"))
        columns = np.where(letters, columns * 26 + letter - 64, columns)
        place_now += letters
    known &= columns > 0
    columns -= 1
    place_now += cells.digits
    known &= (cells.digits > 0) & (at(place_now) == ord('"'))
    place_now += 1
    bare = not known.any()
    if bare:  # some writers leave all references out: cells follow each other
        order = np.arange(len(begin))
        columns = order - np.maximum.accumulate(np.where(cells.first_of_row, order, 0))
        known[:], place_now = True, begin + 2
    styles, types, known = _read_attributes(data, place_now, known)
    if bare and not known.all():
        known[:] = False
    odd = np.flatnonzero(~known)
    for i in odd.tolist():
        _read_odd(piece, cells, i, columns, styles, types)
    return columns, styles, types


def _read_number(data: Bytes, begins: Ints) -> tuple[Ints, Ints]:
    """Whole numbers of up to seven digits that begin there, and how many digits each has."""
    numbers = np.zeros(len(begins), dtype=np.int64)
    digits = np.zeros(len(begins), dtype=np.int64)
    going = np.ones(len(begins), dtype=bool)
    for i in range(7):
        digit = data.take(begins + i, mode="clip") - np.uint8(ord("0"))
        going &= digit <= 9
        if not going.any():
            break
        numbers = np.where(going, numbers * 10 + digit, numbers)
        digits += going
    return numbers, digits


def _read_attributes(data: Bytes, cursor: Ints, known: Flags) -> tuple[Ints, Ints, Flags]:
    """Styles and types from `s="…"` and `t="…"` in either order; `known` is false where there is anything else."""
    styles = np.zeros(len(cursor), dtype=np.int64)
    types = np.zeros(len(cursor), dtype=np.int64)
    for _ in range(2):
        more = (data.take(cursor, mode="clip") == ord(" ")) & (data.take(cursor + 1, mode="clip") != ord("/"))
        active = np.flatnonzero(known & more)
        if not len(active):
            break
        where = cursor[active]
        name = data.take(where + 1, mode="clip")
        opened = (data.take(where + 2, mode="clip") == ord("=")) & (data.take(where + 3, mode="clip") == ord('"'))
        is_style, is_type = opened & (name == ord("s")), opened & (name == ord("t"))
        known[active[~(is_style | is_type)]] = False
        if is_style.any():
            chosen, begin = active[is_style], where[is_style] + 4
            number, digits = _read_number(data, begin)
            styles[chosen] = number
            end = begin + digits
            known[chosen[data.take(end, mode="clip") != ord('"')]] = False
            cursor[chosen] = end + 1
        if is_type.any():
            chosen, begin = active[is_type], where[is_type] + 4
            first = data.take(begin, mode="clip")
            length = np.zeros(len(chosen), dtype=np.int64)
            for letters in (9, 3, 1):
                length[data.take(begin + letters, mode="clip") == ord('"')] = letters
            number_like = (length == 1) & ((first == ord("n")) | (first == ord("d")))
            types[chosen] = np.where(number_like, _NUMBER, np.where(length == 3, _FORMULA_TEXT, _OTHER))
            known[chosen[length == 0]] = False
            cursor[chosen] = begin + length + 1
    cursor = cursor + (data.take(cursor, mode="clip") == ord(" "))
    last = data.take(cursor, mode="clip")
    return styles, types, known & ((last == ord(">")) | (last == ord("/")))


def _attributes(text: bytes) -> dict[bytes, bytes]:
    return {name: double or single for name, double, single in _ATTRIBUTE.findall(text)}


def _read_odd(piece: bytes, cells: _Tags, i: int, columns: Ints, styles: Ints, types: Ints) -> None:
    """One cell whose tag has another layout; without a reference it follows the cell before it."""
    begin = int(cells.begins[i])
    found = _attributes(piece[begin : piece.find(b">", begin)])
    where = place(found.get(b"r", b"").decode("ascii", "replace"))
    if where is not None:
        cells.rows[i], columns[i] = where
    else:
        columns[i] = 0 if cells.first_of_row[i] else columns[i - 1] + 1
    style = found.get(b"s", b"0")
    styles[i] = int(style) if style.isdigit() and len(style) < 7 else 0
    kind = found.get(b"t", b"n")
    types[i] = _NUMBER if kind in (b"n", b"d") else _FORMULA_TEXT if kind == b"str" else _OTHER
