"""Numbers counted in bins of a round width, for a chart of how they are spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tabulaflow_core.output.cells import number_text, rounded

_FEWEST: Final = 5
_MOST: Final = 30


@dataclass(frozen=True, slots=True)
class Bins:
    """The bins in order.

    Attributes:
        names: From where to where each one goes.
        width: How wide each one is, in words.
    """

    names: list[str]
    counts: list[int]
    width: str


def bins_of(values: Sequence[float], *, whole: bool) -> Bins:
    """Count `values`, of which there must be one at least.

    Args:
        whole: They are whole numbers: every bin then holds the same count of them.
    """
    low, high = min(values), max(values)
    wanted = min(_MOST, max(_FEWEST, math.ceil(math.log2(len(values)) + 1)))  # Sturges' rule
    # Parts before the difference: the distance between two large numbers may be more than a float holds.
    width = _round_width(high / wanted - low / wanted, whole=whole) if high > low else 1.0
    start = math.floor(low / width)
    counts = [0] * (_place(high, width) - start + 1)
    for value in values:
        counts[_place(value, width) - start] += 1
    edges = [(start + at) * width for at in range(len(counts) + 1)]
    names = [f"{_text(begin)} to {_text(end)}" for begin, end in pairwise(edges)]
    return Bins(names, counts, _text(width))


def _place(value: float, width: float) -> int:
    # 0.3 belongs to the bin that begins at 0.3, though 0.3 / 0.1 is a little less than 3.
    return math.floor(value / width + 1e-9)


def _text(value: float) -> str:
    return number_text(rounded(value))


def _round_width(raw: float, *, whole: bool) -> float:
    if whole and raw <= 1:
        return 1.0
    power = 10.0 ** math.floor(math.log10(raw)) if raw > 0 else 1.0
    steps = (1, 2, 5, 10) if whole and power < 10 else (1, 2, 2.5, 5, 10)
    return next(step * power for step in steps if step * power >= raw * 0.999)
