"""Numbers in an answer's text that no row gave: what an answer must not state."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Final

import pyarrow as pa

from tabulaflow_core.data.files.scripts import DIGITS
from tabulaflow_core.output.cells import column_values
from tabulaflow_core.output.words import MONTHS

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_LIST_MARK: Final = re.compile(r"^[ \t>*-]*\d{1,3}[.)](?=\s)", re.MULTILINE)
_ORDINAL: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:st|nd|rd|th|º|ª|er|ère|e|ème)\b|#\d{1,3}\b", re.IGNORECASE)
_MONTH_WORD: Final = "|".join(sorted((re.escape(m) for m in MONTHS if len(m) > 2), key=len, reverse=True))
_DATES: Final = re.compile(
    r"\b(?P<y1>\d{4})-(?P<m1>\d{1,2})(?:-(?P<d1>\d{1,2}))?"
    r"(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)"
    r"|\b(?P<a2>\d{1,2})[./](?P<b2>\d{1,2})[./](?P<y2>\d{4}|\d{2})\b"
    rf"|\b(?P<d3>\d{{1,2}})\.?\s+(?:de\s+)?(?P<m3>{_MONTH_WORD})\b\.?(?:\s+(?:de\s+)?(?P<y3>\d{{4}}))?"
    rf"|\b(?P<m4>{_MONTH_WORD})\b\.?\s+(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(?P<y4>\d{{4}}))?"
    rf"|\b(?P<m5>{_MONTH_WORD})\b\.?\s+(?:de\s+)?(?P<y5>\d{{4}})\b"
    r"|\b\d{1,2}:\d\d(?::\d\d)?\b",
    re.IGNORECASE,
)
#: Digits of other scripts, and the marks of Arabic and Persian numbers, by those that they stand for.
_OTHER_SCRIPTS: Final = str.maketrans(DIGITS + "٬٫٪", "0123456789" * (len(DIGITS) // 10) + ",.%")
_GROUP: Final = r"[.,'’\u00a0\u202f\u2009 ]"
_NUMBER: Final = re.compile(
    rf"(?<![\w.,])(?<![^\W\d_]-)(?P<digits>\d{{1,3}}(?:{_GROUP}\d{{3}})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?)"
    r"(?P<exp>[eE][+-]?\d+)?"
    r"(?:[ \u00a0\u202f]?"
    r"(?P<unit>%|percent\b|per cent\b|prozent\b|por ciento\b|pour cent\b|k\b|m\b|mn\b|mio\b|mrd\b|bn\b|b\b"
    r"|thousand\b|tausend\b|mil\b|mille\b|millions?\b|millionen\b|millones\b|millón\b|billions?\b|milliarden?\b|milliards?\b))?",
    re.IGNORECASE,
)
_SCALE: Final = {
    **dict.fromkeys(("k", "thousand", "tausend", "mil", "mille"), 1e3),
    **dict.fromkeys(("m", "mn", "mio", "million", "millions", "millionen", "millones", "millón"), 1e6),
    **dict.fromkeys(("b", "bn", "mrd", "billion", "billions", "milliarde", "milliarden", "milliard", "milliards"), 1e9),
}
#: "5 m" may be metres, "3 mil" may be miles.
_ALSO_UNITS: Final = ("k", "m", "b", "mn", "mil")
_PERCENT: Final = ("%", "percent", "per cent", "prozent", "por ciento", "pour cent")


def unsupported_figures(text: str, results: Sequence[pa.Table], *, question: str = "") -> tuple[str, ...]:
    """The numbers of `text`, as written there, that nothing supports.

    Support is a cell of `results`, the same cell rounded, as a percentage or in thousands and millions, a row count,
    or a number in the question. Both English and continental marks are read. The numbers of lists, ordinals, code
    and clock times are no figures.
    A date is supported when its year, month and day, as far as written, stand in one of the rows or in the question.

    Args:
        results: The results of this conversation that the answer may rest on.
    """
    known = _Known(results, question)
    plain = _blank(_CODE, text.translate(_OTHER_SCRIPTS))
    missing: list[str] = []
    plain = _LIST_MARK.sub(lambda m: " " * len(m.group()), plain)
    for match in _DATES.finditer(plain):
        if not known.has_date(match):
            missing.append(text[slice(*match.span())].strip())
    plain = _blank(_DATES, plain)
    plain = _blank(_ORDINAL, plain)
    for match in _NUMBER.finditer(plain):
        if not known.has_number(match) and not known.has_parts(match["digits"]):
            missing.append(text[slice(*match.span())].strip())
    return tuple(dict.fromkeys(missing))


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match.group()), text)


class _Known:
    """Every number and date that a text may state."""

    def __init__(self, results: Sequence[pa.Table], question: str) -> None:
        self._dates: set[tuple[int | None, int, int | None]] = set()
        numbers: set[float] = {float(table.num_rows) for table in results}
        words = [question]
        for table in results:
            words += [name for name in table.column_names if any(c.isdigit() for c in name)]
            for index in range(table.num_columns):
                column = table.column(index)
                nested = pa.types.is_nested(column.type)
                self._read(column_values(column if nested else column.unique()), numbers, words)
        self._read_words("\n".join(words).translate(_OTHER_SCRIPTS), numbers)
        self._sorted = sorted(numbers)

    def _read(self, cells: Iterable[object], numbers: set[float], words: list[str]) -> None:
        for cell in cells:
            if isinstance(cell, bool) or cell is None:
                continue
            if isinstance(cell, (int, float, Decimal)):
                _add(numbers, cell)
            elif isinstance(cell, (datetime, date)):
                self._add_date(cell.year, cell.month, cell.day)
                numbers.add(float(cell.year))
            elif re.search(r"\d", text := str(cell)):
                words.append(text)

    def _add_date(self, year: int | None, month: int, day: int | None) -> None:
        self._dates |= {(year, month, day), (None, month, day), (year, month, None), (None, month, None)}

    def _read_words(self, text: str, numbers: set[float]) -> None:
        for match in _DATES.finditer(text):
            for year, month, day in _date_readings(match):
                self._add_date(year, month, day)
                if year is not None:
                    numbers.add(float(year))
        for digits in re.findall(rf"\d+(?:{_GROUP}\d+)*", text):
            numbers.update(_readings(digits))
        # every run of digits by itself, for codes such as A-4711/12
        numbers.update(float(run) for run in re.findall(r"\d{1,18}", text))

    def has_date(self, match: re.Match[str]) -> bool:
        readings = _date_readings(match)
        return not readings or any(reading in self._dates for reading in readings)

    def has_number(self, match: re.Match[str]) -> bool:
        unit = (match["unit"] or "").casefold()
        for value, step in _stated(match["digits"], match["exp"] or ""):
            scale = _SCALE.get(unit, 1.0)
            if self._near(value * scale, step * scale / 2):
                return True
            if unit in _ALSO_UNITS and self._near(value, step / 2):
                return True
            if unit in _PERCENT and self._near(value / 100, step / 200):
                return True
        return False

    def has_parts(self, digits: str) -> bool:
        """`in 5 100 orders`: what looks like thousands may be two numbers side by side."""
        parts = digits.split(" ")
        return len(parts) > 1 and all(self._near(float(part), 0.0) for part in parts if part.isdecimal())

    def _near(self, value: float, tolerance: float) -> bool:
        slack = tolerance * (1 + 1e-9) + abs(value) * 1e-12
        at = bisect_left(self._sorted, value - slack)
        return at < len(self._sorted) and self._sorted[at] <= value + slack


def _add(numbers: set[float], cell: int | float | Decimal) -> None:
    try:
        value = abs(float(cell))
    except OverflowError:
        return
    if value == value:
        numbers.add(value)


def _readings(digits: str) -> set[float]:
    """What the written number may mean: with English marks, and with continental ones."""
    return {value for value, _ in _stated(digits, "")}


def _stated(digits: str, exponent: str) -> list[tuple[float, float]]:
    """Each reading of a written number with the step of its last place, which is what it may be rounded to."""
    readings: list[tuple[float, float]] = []
    compact = re.sub(r"['’\u00a0\u202f\u2009 ]", "", digits)
    for group, mark in ((",", "."), (".", ",")):
        whole, _, fraction = compact.partition(mark)
        if mark in fraction or group in fraction or not _grouped(whole, group):
            continue
        plain = whole.replace(group, "")
        try:
            value = float(f"{plain}.{fraction or '0'}{exponent}")
        except ValueError:
            continue
        step = 10.0 ** -len(fraction) * (10.0 ** int(exponent[1:]) if exponent else 1.0)
        if not fraction and not exponent:
            step = _round_step(plain)
        readings.append((value, step))
    return readings


def _grouped(whole: str, group: str) -> bool:
    parts = whole.split(group)
    return len(parts) == 1 or (all(len(p) == 3 for p in parts[1:]) and 1 <= len(parts[0]) <= 3)


def _round_step(digits: str) -> float:
    """12,000 may stand for 12,345, but two digits at least must be told: 10,000 may not stand for 12,345."""
    zeros = len(digits) - len(digits.rstrip("0"))
    return float(10 ** max(0, min(zeros, len(digits) - 2)))


def _date_readings(match: re.Match[str]) -> list[tuple[int | None, int, int | None]]:
    """`(year, month, day)` as far as written; day and month both ways when only numbers tell; none for a clock time."""
    if match["y1"]:
        return [(int(match["y1"]), int(match["m1"]), _int(match["d1"]))]
    if match["a2"]:
        year = int(match["y2"]) + (2000 if len(match["y2"]) == 2 else 0)
        a, b = int(match["a2"]), int(match["b2"])
        return [(year, month, day) for day, month in ((a, b), (b, a)) if 1 <= month <= 12]
    for number in "345":
        if word := match[f"m{number}"]:
            day = None if number == "5" else _int(match[f"d{number}"])
            return [(_int(match[f"y{number}"]), MONTHS[word.casefold()], day)]
    return []


def _int(text: str | None) -> int | None:
    return int(text) if text else None
