"""Cells as text: as the program shows them where a column mixes kinds, and in names and reports."""

from __future__ import annotations

import datetime as dt


def shown(value: bool | int | float | str | dt.date | dt.time | dt.timedelta) -> str:
    """A cell as text.

    >>> shown(4500012345678.0), shown(0.1 + 0.2), shown(True)
    ('4500012345678', '0.3', 'TRUE')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, dt.timedelta):
        return duration_text(value)
    return value.isoformat()


def number_text(value: float) -> str:
    """A number with the 15 digits that spreadsheets keep, and no `.0` behind a whole one."""
    if value == int(value) if abs(value) < 1e18 else False:
        return str(int(value))
    return f"{value:.15g}"


def duration_text(value: dt.timedelta) -> str:
    """Hours, minutes and seconds; hours may be more than 24."""
    seconds = round(abs(value).total_seconds())
    sign = "-" if value < dt.timedelta() else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def column_letters(column: int) -> str:
    """The letters of a column, from 0.

    >>> column_letters(0), column_letters(27)
    ('A', 'AB')
    """
    letters = ""
    number = column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def address(row: int, column: int) -> str:
    """A cell's address, row and column from 0."""
    return f"{column_letters(column)}{row + 1}"


def span(first_row: int, first_column: int, last_row: int, last_column: int) -> str:
    """The address of a rectangle, such as `A5:F15`."""
    first, last = address(first_row, first_column), address(last_row, last_column)
    return first if first == last else f"{first}:{last}"
