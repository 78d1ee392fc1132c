"""Which of many points are drawn: a browser takes seconds for tens of thousands of shapes."""

from __future__ import annotations

import random
from collections.abc import Sequence


def min_max_indexes(values: Sequence[float | None], most: int) -> list[int]:
    """For a line, at most `most` indexes: the first, the last, and of each stretch its lowest and highest value."""
    buckets = max(1, (most - 2) // 2)
    size = len(values) / buckets
    kept = {0, len(values) - 1}
    for bucket in range(buckets):
        known = [
            i for i in range(int(bucket * size), min(int((bucket + 1) * size), len(values))) if values[i] is not None
        ]
        if known:
            kept.add(min(known, key=lambda i: values[i] or 0.0))
            kept.add(max(known, key=lambda i: values[i] or 0.0))
    return sorted(kept)


def sample_indexes(xs: Sequence[str | float], ys: Sequence[float | None], most: int) -> list[int]:
    """For a cloud, `most` indexes: its outermost points, the others at random but the same ones each time.

    The lowest and highest of each stretch, which keep the shape of a line, would draw a cloud hollow.
    """
    places = range(len(xs))
    kept = set()
    for axis in (ys, xs):
        numbers = {i: value for i in places if isinstance(value := axis[i], float)}
        if numbers:
            kept |= {min(numbers, key=numbers.__getitem__), max(numbers, key=numbers.__getitem__)}
    rest = [i for i in places if i not in kept]
    return sorted({*kept, *random.Random(len(xs)).sample(rest, most - len(kept))})
