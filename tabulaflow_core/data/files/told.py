"""What a person is told of one file: the sentences on all of it, then those on its tables, each under its name."""

from __future__ import annotations

from typing import Final

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.report import FileReading

#: Sentences on tables, of one file.
_MOST: Final = 40


def told(reading: FileReading, *, most: int = _MOST) -> tuple[str, ...]:
    """The sentences of a reading.

    Args:
        most: Sentences on tables at most; then their number is told. Those on the whole file are all given.
    """
    whole = reading.report.notices
    known = set(whole)
    tables: list[str] = []
    for table in reading.tables:
        for notice in table.report.notices if table.report else ():
            if notice not in known:
                tables.append(f"{table.name}: {notice}")
    if len(tables) <= most:
        return (*whole, *tables)
    left = len(tables) - most
    return (
        *whole,
        *tables[:most],
        f"{counted(left, 'more sentence')} on its tables {agreed(left, 'is', 'are')} in the reports of the tables.",
    )
