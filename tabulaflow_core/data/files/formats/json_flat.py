"""Blocks of flat records that all are written alike, cut into cells without decoding any of them.

What stands between two values of the first record stands between those of all: the name of the next column, within
marks that close no text. Where a record is written otherwise, one of its cells does not begin with its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

_BLANK: Final = rb"[ \t\r\n]*"
_VALUE: Final = rb'(?:"(?:[^"\\]|\\.)*"|[^"\\,{}\[\]\s]+)'
_KEY: Final = rb'"([^"\\]+)"(:[ \t]*)'
#: The beginning of a block: a flat record, and what stands before the next.
_FIRST: Final = re.compile(
    rb"\{(?P<lead>" + _BLANK + rb")" + _KEY + _VALUE + rb"(?:(?P<comma>," + _BLANK + rb")" + _KEY + _VALUE + rb")*"
    rb"(?P<tail>" + _BLANK + rb")\}(?P<between>" + _BLANK + rb",?" + _BLANK + rb")(?=\{)"
)
_KEYS: Final = re.compile(_KEY + _VALUE)
#: A first record that is longer is not looked at.
_LOOK: Final = 1 << 16
#: What cuts the cells: a text holds no quote without a backslash before it.
CUT: Final = ',"'


@dataclass(frozen=True, slots=True)
class FlatBlock:
    """Records as lines of cells, each of which begins with the name of its column.

    Attributes:
        cells: The lines; cells are cut by `CUT`.
        rows: How many they are.
        taken: The bytes of the file that they stand for.
        keys: The columns of the first record.
        colon: What stands between a name and its value, from the quote on.
        escapes: Whether there is a backslash in it.
    """

    cells: bytes
    rows: int
    taken: int
    keys: tuple[str, ...]
    colon: str
    escapes: bool


def flat_block(data: bytes, *, lines: bool) -> FlatBlock | None:
    """The whole records at the beginning of `data` but for the last, None when they are not flat or not alike.

    Args:
        data: UTF-8 that begins with a record.
        lines: Each record must have a line of its own.
    """
    first = _FIRST.match(data, 0, _LOOK)
    if first is None:
        return None
    comma, colon = first["comma"] or b",", first[3]
    begin = b"{" + first["lead"] + b'"'
    end = first["tail"] + b"}" + first["between"]
    if lines and (end.count(b"\n") != 1 or b"\n" in begin + comma):
        return None
    border = end + begin
    last = data.rfind(border)
    keys = [m[1] for m in _KEYS.finditer(data, 0, first.end())]
    if last < 0 or any(m[2] != colon for m in _KEYS.finditer(data, 0, first.end())):
        return None
    cells = data[len(begin) : last].replace(border, b"\n")
    if comma != b",":
        cells = cells.replace(comma + b'"', CUT.encode())
    rows = cells.count(b"\n") + 1
    if int(np.count_nonzero(np.frombuffer(cells, np.uint8) < 32)) != rows - 1:
        return None  # a text cannot hold such signs
    try:
        names = tuple(key.decode() for key in keys)
    except UnicodeDecodeError:
        return None
    if len(set(names)) < len(names):
        return None
    return FlatBlock(cells, rows, last + len(end), names, '"' + colon.decode(), b"\\" in cells)
