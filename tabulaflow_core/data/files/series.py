"""Files of one series: names that are equal but for a date or a number, such as `sales_jan` and `sales_feb`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tabulaflow_core.data.files.reader import stem
from tabulaflow_core.data.files.values import MONTHS

#: Words that only say which one of a series a file is.
_SERIAL: Final = (
    "q h kw cw wk week woche semaine semana month monat mois mes quarter quartal year jahr fy v ver version rev "
    "part teil copy kopie final new neu latest update updated"
)
_WORDS: Final = frozenset(MONTHS) | frozenset(_SERIAL.split())


def series_of(file_name: str) -> str:
    """The name of the series of a file, without suffix, dates and numbers; empty when nothing else is in it.

    >>> series_of("Sales 2026-02 (1).csv")
    'sales'
    """
    words = re.findall(r"[^\W\d_]+", stem(file_name).casefold())
    return "_".join(word for word in words if word not in _WORDS)


def alike(one: str, other: str) -> bool:
    """Whether two files are of one series."""
    return series_of(one) == series_of(other)


def common_name(file_names: Sequence[str]) -> str:
    """A name for the table of all these files: their series, else the words that all begin with, else the first's."""
    series = {series_of(name) for name in file_names}
    if len(series) == 1 and (only := series.pop()):
        return only
    words = [re.findall(r"[^\W\d_]+", stem(name).casefold()) for name in file_names]
    shared = []
    for column in zip(*words, strict=False):
        if len(set(column)) > 1:
            break
        shared.append(column[0])
    return "_".join(shared) or stem(file_names[0])
