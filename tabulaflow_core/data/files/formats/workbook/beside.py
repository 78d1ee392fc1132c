"""Whether two parts of a sheet with blank columns between them are one table or two.

A blank column in a table is a spacer, and its rows go on behind it. Two tables have each a header and rows of their
own: they begin or end elsewhere, or stand further apart than a spacer is wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from tabulaflow_core.data.files.formats.workbook.grid import Grid, Mask
from tabulaflow_core.data.files.formats.workbook.look import Range
from tabulaflow_core.data.files.layout import filled, total_label

Beside = Literal["one", "several"]
#: A spacer is one column wide.
_APART: Final = 2
#: Rows at the end of a part that may be notes or totals and not rows of its own.
_ENDING: Final = 4
_MOST_FILLED: Final = 0.8


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two parts; rows and columns from 0, the last ones inside.

    Attributes:
        header: The row that names its columns.
        named: How many of its columns that row names.
        over: How many of these stand over values that are no text.
    """

    header: int
    last_row: int
    first_column: int
    last_column: int
    named: int
    over: int

    @property
    def width(self) -> int:
        """How many columns it has."""
        return self.last_column - self.first_column + 1


def judge(grid: Grid, mask: Mask, left: Side, right: Side, merged: Sequence[Range]) -> Beside | None:
    """What two parts with their headers in one row are; None when there is no doubt that they are one table."""
    if left.named < left.width or right.named < right.width:
        return None
    ends = [_own_end(grid, side) for side in (left, right)]
    if min(ends) <= left.header:
        return None
    parts = [
        mask[side.header + 1 : end + 1, side.first_column : side.last_column + 1]
        for side, end in zip((left, right), ends, strict=True)
    ]
    full = [float(part.mean()) for part in parts]
    tight = [bool(part.all()) for part in parts]
    shorter = int(ends[1] < ends[0])
    words = not (left.over and right.over)
    if words and not all(tight):
        return None  # columns of words with gaps are what notes look like
    if ends[0] != ends[1] and tight[shorter]:
        return "several"
    if _gap(left, right, merged) >= _APART and min(full) >= _MOST_FILLED:
        return "several"
    return "one"


def _own_end(grid: Grid, side: Side) -> int:
    """The last row of a part that is neither a note nor a total."""
    columns = range(side.first_column, side.last_column + 1)
    first = max(side.header + 1, side.last_row - _ENDING + 1)
    records = grid.records(np.arange(first, side.last_row + 1), columns)
    for record in reversed(records):
        if filled(record) > 1 and not total_label(record):
            return record.line - 1
    return first - 1


def _gap(left: Side, right: Side, merged: Sequence[Range]) -> int:
    """Blank columns between the two, without those under cells that are merged over them."""
    between = set(range(left.last_column + 1, right.first_column))
    for area in merged:
        if area.last_row >= left.header and area.first_column <= left.last_column <= area.last_column:
            between -= set(range(area.first_column, area.last_column + 1))
    return len(between)
