"""Times that stand as text: the form in which they are drawn, and the one in which they sort as time runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from tabulaflow_core.output.words import MONTHS

_CLOCK: Final = r"[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?"
_DAY: Final = re.compile(rf"(?P<y>\d{{4}})-(?P<m>\d\d?)(?:-(?P<d>\d\d?)(?P<clock>{_CLOCK})?)?")
_MONTH_FIRST: Final = re.compile(r"(?P<m>0?[1-9]|1[0-2])(?:[-/]|(?<=\d\d)\.)(?P<y>(?:19|20)\d\d)")
_NAME: Final = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
_YEAR: Final = r"(?:19|20)\d\d"
_NAMED: Final = re.compile(
    # A year of two digits needs a mark before it: `May 12` is a day of May.
    rf"(?P<name>{_NAME})\.?(?:[\s,/.-]*(?:de )?(?={_YEAR})|[ ]?[-/'’])(?P<y>{_YEAR}|\d\d)"
    rf"|(?P<y2>{_YEAR})[\s/.-]*(?P<name2>{_NAME})\.?",
    re.IGNORECASE,
)
_PART: Final = re.compile(
    r"(?:(?P<y>\d{4})[-/. ]*(?P<kind>Q|T|H|S|W|KW)[ -]?(?P<n>\d\d?)"
    r"|(?P<kind2>Q|T|H|S|W|KW)[ -]?(?P<n2>\d\d?)[-/. ']*(?P<y2>(?:19|20)\d\d))",
    re.IGNORECASE,
)
#: Most of a year that ends a century begins the next one: `Jan-98` is 1998, `Jan-26` 2026.
_CENTURY: Final = 70
_FEW_YEARS: Final = 5


def iso(text: str) -> str | None:
    """A day or a month as ISO text with two digits a part, the clock as written; None for what is neither.

    `2026-1-5`, `Jan 2026`, `01/2026` and `Jan-26` are read; the 30th of February is none.
    """
    text = text.strip()
    if match := _DAY.fullmatch(text):
        year, month, day = int(match["y"]), int(match["m"]), match["d"]
        if not _exists(year, month, int(day or 1)):
            return None
        return f"{year:04}-{month:02}" + (f"-{int(day):02}{match['clock'] or ''}" if day else "")
    if match := _MONTH_FIRST.fullmatch(text):
        return f"{match['y']}-{int(match['m']):02}"
    if match := _NAMED.fullmatch(text):
        name, year_text = (match["name"], match["y"]) if match["name"] else (match["name2"], match["y2"])
        year = int(year_text)
        if year < 100:
            year += 1900 if year >= _CENTURY else 2000
        return f"{year}-{MONTHS[name.casefold()]:02}"
    return None


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def are_days_or_months(texts: Sequence[str]) -> bool:
    """Every text has the form of a day or a month of a year, and some of them exist.

    `Jan-26` counts as a month only where the column has few years: it may be the 26th of January.
    """
    if not texts or not all(_DAY.fullmatch(t) or _MONTH_FIRST.fullmatch(t) or _NAMED.fullmatch(t) for t in texts):
        return False
    short = {match["y"] for t in texts if (match := _NAMED.fullmatch(t)) and match["name"] and len(match["y"]) == 2}
    return len(short) <= _FEW_YEARS and any(map(iso, texts))


def are_parts(texts: Sequence[str]) -> bool:
    """Every text is a quarter, a half or a week of a year, all of the same kind."""
    matches = [_PART.fullmatch(text) for text in texts]
    kinds = {(match["kind"] or match["kind2"]).upper() for match in matches if match}
    return bool(matches) and all(matches) and len(kinds) == 1


def sort_key(text: str) -> str:
    """A quarter or week of a year as text that sorts as time runs; any other text as it is."""
    match = _PART.fullmatch(text.strip())
    if match is None:
        return text
    return f"{match['y'] or match['y2']}-{(match['kind'] or match['kind2']).upper()}{int(match['n'] or match['n2']):02}"
