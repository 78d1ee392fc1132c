"""What one cell may be: the grammar of numbers and dates, shared by detection and conversion.

A shape is a cell with every digit turned into `9`; a column of a million numbers has a few dozen shapes, so
that a type can be decided over the whole column from its shapes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Look = Literal["empty", "number", "date", "boolean", "text"]

#: Words that mean "no value" in a column of numbers or dates. In a column of text they stay: NA is Namibia.
MISSING = frozenset(
    {
        *(
            "na",
            "n/a",
            "n.a.",
            "n.a",
            "#n/a",
            "#na",
            "null",
            "(null)",
            "none",
            "nil",
            "nan",
            "\\n",
            "missing",
            "unknown",
        ),
        *("-", "--", "---", "–", "—", ".", "..", "...", "*", "**", "***", "****", "*****", "******", "?", "/", ":"),
        *(
            "#null!",
            "#div/0!",
            "#div/9!",
            "#value!",
            "#ref!",
            "#name?",
            "#num!",
            "k.a.",
            "k.a",
            "s/d",
            "nd",
            "n.d.",
            "n.d",
        ),
    }
)
#: Always "no value", even in text: the marker that databases export.
ALWAYS_MISSING = frozenset({"\\n"})

BOOLEANS: dict[str, bool] = {"true": True, "false": False, "wahr": True, "falsch": False, "vrai": True, "faux": False}

_CURRENCY = (
    r"(?:[$€£¥₹₽₩₺₪฿₫₴₦]|US\$|R\$|A\$|C\$|EUR|USD|GBP|CHF|JPY|CNY|INR|PLN|CZK|SEK|NOK|DKK|HUF|BRL|zł|kr\.?|Kč|Fr\.)"
)
_GAP = "[ \u00a0\u2009\u202f]"


def number_pattern(decimal: str) -> str:
    """RE2 and Python pattern of a whole cell that is a number with this decimal mark."""
    point, comma = (r"\.", ",") if decimal == "." else (",", r"\.")
    grouped = (
        rf"[0-9]{{1,3}}(?:{comma}[0-9]{{3}})+|[0-9]{{1,3}}(?:{_GAP}[0-9]{{3}})+|[0-9]{{1,3}}(?:['’][0-9]{{3}})+"
        rf"|[0-9]{{1,2}}(?:{comma}[0-9]{{2}})+{comma}[0-9]{{3}}"
    )
    core = rf"(?:(?:{grouped}|[0-9]+)(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    sign = r"[+\-−]?"
    before = rf"(?:{_CURRENCY}{_GAP}?)?"
    after = rf"(?:{_GAP}?(?:%|{_CURRENCY}))?"
    return rf"(?:{sign}{_GAP}?{before}{sign}{core}{after}|\({before}{core}{after}\)|{before}{core}{after}-)"


_NUMBER = {mark: re.compile(number_pattern(mark)) for mark in ".,"}

_MONTHS = {
    1: "january januar janvier enero gennaio januari janeiro jan janv ene gen jän jänner",
    2: "february februar février febrero febbraio februari fevereiro feb févr fév fev",
    3: "march märz mars marzo maart março mar mär mrz mrt",
    4: "april avril abril aprile apr avr abr",
    5: "may mai mayo maggio mei maio mag",
    6: "june juni juin junio giugno junho jun giu",
    7: "july juli juillet julio luglio julho jul juil lug",
    8: "august août agosto augustus aug aoû ago",
    9: "september septembre septiembre settembre setembro sep sept set",
    10: "october oktober octobre octubre ottobre outubro oct okt ott out",
    11: "november novembre noviembre novembro nov",
    12: "december dezember décembre diciembre dicembre dezembro dec dez déc dic",
}
MONTHS: dict[str, int] = {name: number for number, names in _MONTHS.items() for name in names.split()}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_TIME = r"(?:(?:T|[ ]+)[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:[ ]?[AaPp]\.?[Mm]\.?)?)"
_ZONE = r"(?:[ ]?(?:Z|UTC|GMT)|[ ]?[+\-][0-9]{2}:?[0-9]{2}|[+\-][0-9]{2})"
_TAIL = rf"(?P<time>{_TIME})?(?P<zone>(?<=[0-9]){_ZONE})?"
_DATE_FORMS = {
    "iso": re.compile(rf"[0-9]{{4}}(?P<sep>[-/.])[0-9]{{1,2}}(?P=sep)[0-9]{{1,2}}{_TAIL}"),
    "local": re.compile(rf"[0-9]{{1,2}}(?P<sep>[-/.])[0-9]{{1,2}}(?P=sep)(?P<year>[0-9]{{4}}|[0-9]{{2}}){_TAIL}"),
    "day_month": re.compile(
        rf"[0-9]{{1,2}}(?P<sep>[ .\-/]{{1,2}})(?:{_MONTH})\.?[ .\-/,]{{1,2}}(?P<year>[0-9]{{4}}|[0-9]{{2}}){_TAIL}",
        re.IGNORECASE,
    ),
    "month_day": re.compile(
        rf"(?:{_MONTH})\.?(?P<sep>[ ]?)[0-9]{{1,2}},?[ ]+(?P<year>[0-9]{{4}}){_TAIL}", re.IGNORECASE
    ),
}


def shape_of(cell: str) -> str:
    """The cell, trimmed, with digits as `9`."""
    return re.sub(r"[0-9]", "9", cell.strip(" \t\u00a0\u202f\r\n"))


@lru_cache(maxsize=20_000)
def number_shape(shape: str, decimal: str) -> bool:
    """True when a cell of this shape is a number with this decimal mark."""
    return any(c == "9" for c in shape) and _NUMBER[decimal].fullmatch(shape) is not None


@lru_cache(maxsize=20_000)
def date_shape(shape: str) -> tuple[str, str, str, bool, bool] | None:
    """Form, separator, year digits, with time, with zone; None when a cell of this shape is no date."""
    if not 6 <= len(shape) <= 45 or "9" not in shape:
        return None
    for form, pattern in _DATE_FORMS.items():
        if match := pattern.fullmatch(shape):
            parts = match.groupdict()
            zone = bool(parts.get("zone")) and bool(parts.get("time"))
            return form, parts["sep"] or "", parts.get("year") or "9999", bool(parts.get("time")), zone
    return None


def is_missing(text: str, words: frozenset[str] = MISSING) -> bool:
    """True for a word that means "no value" among numbers or dates."""
    return text.strip().casefold() in words


def looks_like(cell: str) -> Look:
    """The kind of one cell by itself."""
    text = cell.strip(" \t\u00a0\u202f\r\n")
    if not text or is_missing(text):
        return "empty"
    if len(text) > 60:
        return "text"
    shape = shape_of(text)
    if date_shape(shape):
        return "date"
    if number_shape(shape, ".") or number_shape(shape, ","):
        return "number"
    return "boolean" if text.casefold() in BOOLEANS else "text"
