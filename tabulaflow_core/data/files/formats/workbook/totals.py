"""Rows of a block that are sums of others: totals at the end, and subtotals between the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tabulaflow_core.data.files.footers import total_label
from tabulaflow_core.data.files.formats.workbook.grid import CellColumn, Mask, valid
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.words import MEANS, SUBTOTALS

#: Rows of a table within which totals are looked for everywhere; in a larger one only at its end.
_MOST_ROWS: Final = 200_000
#: More rows that are called totals are a kind of data.
_MOST_TOTALS: Final = 100


@dataclass(frozen=True, slots=True)
class Sum:
    """A row that is a sum, by its place among the rows of the block."""

    place: int
    kind: str


def find_sums(cells: list[CellColumn]) -> list[Sum]:
    """Rows that are called totals and are the sums of all rows, or of those since the last such row."""
    count = cells[0].length if cells else 0
    if len(cells) < 2 or not 2 < count <= _MOST_ROWS:
        return []
    labels = _labels(cells[:2])
    if not labels or len(labels) > min(_MOST_TOTALS, max(3, count // 2)):
        return []
    rows = np.ones(count, dtype=bool)
    rows[list(labels)] = False
    numbers = [_numbers(c) for c in cells if "number" in c.arrays]
    found: list[Sum] = []
    since = 0
    for place, label in labels.items():
        kind = _judge(numbers, rows, since, place, label.casefold().rstrip(" :.*"), several=len(labels) > 1)
        if kind:
            found.append(Sum(place, kind))
            since = place + 1
    return found


def _labels(columns: list[CellColumn]) -> dict[int, str]:
    """Rows whose first cell, or second where the first is empty, is a word for a total."""
    found: dict[int, str] = {}
    before: Mask = np.zeros(columns[0].length, dtype=bool)
    for column in columns:
        texts = column.arrays.get("text")
        if texts is not None:
            words = [w for w in pc.unique(texts).to_pylist() if w and len(w) < 80 and total_label(Record(0, [w]))]
            if words:
                hits = pc.fill_null(pc.is_in(texts, value_set=pa.array(words, pa.string())), False)
                for place in np.flatnonzero(hits.to_numpy(zero_copy_only=False) & ~before).tolist():
                    found[place] = texts[place].as_py().strip()
        before |= column.filled()
    return dict(sorted(found.items()))


def _numbers(column: CellColumn) -> NDArray[np.float64]:
    values = column.arrays["number"]
    return np.where(valid(values), values.to_numpy(zero_copy_only=False), np.nan)


def _judge(numbers: list[NDArray[np.float64]], rows: Mask, since: int, place: int, word: str, *, several: bool) -> str:
    part = rows.copy()
    part[:since] = part[place:] = False
    whole_hits = part_hits = 0
    for values in numbers:
        stated = values[place]
        there = ~np.isnan(values)
        if not stated or np.isnan(stated):
            continue
        whole_hits += _same(stated, values[rows & there], mean=word in MEANS)
        part_hits += _same(stated, values[part & there], mean=word in MEANS)
    if whole_hits:
        return "totals row"
    return "subtotals row" if part_hits and (several or word in SUBTOTALS) else ""


def _same(stated: float, values: NDArray[np.float64], *, mean: bool) -> bool:
    if not len(values):
        return False
    found = float(values.mean() if mean else values.sum())
    return abs(stated - found) <= max(1e-6, abs(stated) * 1e-4)
