"""What one cell may be: the grammar of numbers and dates, shared by detection and conversion.

A shape is a cell with every digit turned into `9`; a column of a million numbers has a few dozen shapes, so
that a type can be decided over the whole column from its shapes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from tabulaflow_core.data.files.scripts import DECIMAL, folded
from tabulaflow_core.data.files.words import ALWAYS_MISSING, BOOLEANS, CURRENCIES, MISSING, MONTHS

__all__ = [
    "AFTERNOON",
    "ALWAYS_MISSING",
    "BLANK",
    "BOOLEANS",
    "EAST_CLOCK",
    "EAST_DAY",
    "EAST_MONTH",
    "FORENOON",
    "MISSING",
    "MONTHS",
    "SECONDS",
    "WEEKDAY",
    "WORDED",
    "Look",
    "date_shape",
    "is_missing",
    "looks_like",
    "number_pattern",
    "number_shape",
    "shape_of",
]

Look = Literal["empty", "number", "date", "boolean", "text"]

_CURRENCY = "(?:" + "|".join(re.escape(word) for word in CURRENCIES) + ")"
#: Blanks that group digits: space, no-break, figure, thin and narrow no-break space.
_GAP = "[ \u00a0\u2007\u2009\u202f]"
_MINUS = "[-\u2212\u2013]"


def number_pattern(decimal: str) -> str:
    """RE2 and Python pattern of a whole cell that is a number with this decimal mark."""
    comma = "," if decimal == "." else r"\."
    point = f"[{decimal}{DECIMAL}]"
    grouped = (
        rf"[0-9]{{1,3}}(?:{comma}[0-9]{{3}})+|[0-9]{{1,3}}(?:{_GAP}[0-9]{{3}})+|[0-9]{{1,3}}(?:['’][0-9]{{3}})+"
        rf"|[0-9]{{1,2}}(?:{comma}[0-9]{{2}})+{comma}[0-9]{{3}}"
    )
    core = rf"(?:(?:{grouped}|[0-9]+)(?:{point}(?:[0-9]*|[–-]))?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    sign = r"[+\-−–]?"
    before = rf"(?:{_CURRENCY}{_GAP}?)?"
    after = rf"(?:{_GAP}?(?:[%‰]|{_CURRENCY}))?"
    booked = rf"(?:{_GAP}?(?:CR|DR))"
    return (
        rf"(?:{sign}{_GAP}?{before}{sign}{core}{after}|{before}\({_GAP}?{before}{core}{after}{_GAP}?\){after}"
        rf"|{before}{core}{after}{_GAP}?[\-−–]|{before}{core}{booked})"
    )


_CURRENCY_SIGN = re.compile(_CURRENCY)
#: What accounts show in place of a zero or of nothing, behind a currency too.
_DASHES = ("-", "–", "—")
_NUMBER = {mark: re.compile(number_pattern(mark)) for mark in ".,"}

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun montag "
    "dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so lundi mardi mercredi jeudi "
    "vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo"
)
#: A day of the week before a date, with what parts it from the date; RE2 and Python.
WEEKDAY = "(?:(?:" + "|".join(sorted(_WEEKDAYS.split(), key=len, reverse=True)) + r")[.,]?[ ]+)?"
_OF = r"(?:de |del |of )?"
#: Decimals of seconds that are looked at.
SECONDS = 12
#: A blank within a time: browsers write a narrow one before AM and PM.
BLANK = "[ \u00a0\u202f]"
#: The halves of a day before and behind a time; RE2 and Python.
AFTERNOON = f"(?:[Pp]\\.?{BLANK}?[Mm]\\.?|[μΜ]\\.?{BLANK}?[μΜ]\\.?|下午|午後|오후)"
FORENOON = f"(?:[Aa]\\.?{BLANK}?[Mm]\\.?|[πΠ]\\.?{BLANK}?[μΜ]\\.?|上午|午前|오전)"
_HALF = f"(?:{FORENOON}|{AFTERNOON})"
_CLOCK = (
    rf"(?:(?:{_HALF}{BLANK}?)?[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:[.,][0-9]{{1,12}})?)?(?:{BLANK}?{_HALF})?"
    rf"|[0-9]{{1,2}}\.[0-9]{{2}}\.[0-9]{{2}}(?:\.[0-9]{{1,12}})?{BLANK}?{_HALF})"
)
#: How DB2 parts a day from its time.
_DOTTED = r"-[0-9]{2}\.[0-9]{2}\.[0-9]{2}(?:\.[0-9]{1,12})?"
_TIME = rf"(?:(?:[Tt:]|,?[ ]{{1,3}}){_CLOCK}|{_DOTTED})"
_ZONE = r"(?:[ ]?(?:Z|UTC|GMT)|[ ]?[+\-][0-9]{2}:?[0-9]{2}|[+\-][0-9]{2})"
_TAIL = rf"(?P<time>{_TIME})?(?P<zone>(?<=[0-9]){_ZONE})?"
_YEAR = "(?P<year>[0-9]{4}|[0-9]{2})"
#: Years, months and days of East Asia, each with its own sign; the weekday may follow.
_EAST_WEEKDAY = "[月火水木金土日월화수목금토일](?:曜日?|요일)?|(?:星期|周|週)[一二三四五六日天]"
EAST_DAY = f"[0-9]{{1,2}} ?[日일号](?: ?[(（]?(?:{_EAST_WEEKDAY})[)）]?)?"
EAST_MONTH = "[年년] ?[0-9]{1,2} ?[月월]"
EAST_CLOCK = "[0-9]{1,2} ?[時时시点] ?[0-9]{1,2} ?[分분](?: ?[0-9]{1,2} ?[秒초])?"
#: Dots between numbers may have a blank behind them, and the last number a dot of its own: `2024. 1. 5.`
_GAPPED = r"(?:(?<=\.) )?"
_LAST_DOT = "(?:" + "|".join(rf"(?<=\.{g}{n})\." for g in ("", " ") for n in ("[0-9]", "[0-9]{2}", "[0-9]{4}")) + ")?"
_DATE_FORMS = {
    "iso": re.compile(rf"[0-9]{{4}}(?P<sep>[-/.]){_GAPPED}[0-9]{{1,2}}(?P=sep){_GAPPED}[0-9]{{1,2}}{_LAST_DOT}{_TAIL}"),
    "local": re.compile(rf"[0-9]{{1,2}}(?P<sep>[-/.]){_GAPPED}[0-9]{{1,2}}(?P=sep){_GAPPED}{_YEAR}{_LAST_DOT}{_TAIL}"),
    "day_month": re.compile(
        rf"{WEEKDAY}[0-9]{{1,2}}(?:st|nd|rd|th|er|º)?(?P<sep>[ .\-/]{{1,2}}){_OF}(?:{_MONTH})"
        rf"\.?[ .\-/,]{{1,2}}{_OF}{_YEAR}{_TAIL}",
        re.IGNORECASE,
    ),
    "month_day": re.compile(
        rf"{WEEKDAY}(?:{_MONTH})\.?(?P<sep>[ \-/]?)[0-9]{{1,2}}(?:st|nd|rd|th)?,?[ \-/]{{1,2}}"
        rf"(?P<year>[0-9]{{4}}){_TAIL}",
        re.IGNORECASE,
    ),
    "year_month": re.compile(
        rf"(?P<year>[0-9]{{4}})(?P<sep>[ .\-/])(?:{_MONTH})\.?[ .\-/][0-9]{{1,2}}{_TAIL}", re.IGNORECASE
    ),
    "glued": re.compile(rf"[0-9]{{2}}(?P<sep>)(?:{_MONTH})(?P<year>[0-9]{{4}}){_TAIL}", re.IGNORECASE),
    "unix": re.compile(
        rf"{WEEKDAY}(?:{_MONTH})(?P<sep>[ ]{{1,2}})[0-9]{{1,2}} (?P<time>[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}})"
        r"(?P<zone> (?:UTC|GMT|[+\-][0-9]{4}))? (?P<year>[0-9]{4})",
        re.IGNORECASE,
    ),
    "east": re.compile(rf"{_YEAR} ?(?P<sep>){EAST_MONTH} ?{EAST_DAY}(?P<time>{_TIME}| ?{EAST_CLOCK})?"),
    "east_month": re.compile(rf"(?P<year>[0-9]{{4}}) ?(?P<sep>){EAST_MONTH}"),
}
#: Dates with the month written out, which two values alone do not prove.
WORDED = ("day_month", "month_day", "year_month")


def shape_of(cell: str) -> str:
    """The cell, trimmed, with digits as `9` and the signs of ASCII."""
    return re.sub(r"[0-9]", "9", folded(cell.strip(" \t\u00a0\u202f\r\n")).strip(" "))


@lru_cache(maxsize=20_000)
def number_shape(shape: str, decimal: str) -> bool:
    """True when a cell of this shape is a number with this decimal mark."""
    return any(c == "9" for c in shape) and _NUMBER[decimal].fullmatch(shape) is not None


@lru_cache(maxsize=20_000)
def date_shape(shape: str) -> tuple[str, str, str, bool, bool] | None:
    """Form, separator, year digits, with time, with zone; None when a cell of this shape is no date."""
    if not 6 <= len(shape) <= 60 or "9" not in shape:
        return None
    for form, pattern in _DATE_FORMS.items():
        if match := pattern.fullmatch(shape):
            parts = match.groupdict()
            zone = bool(parts.get("zone")) and bool(parts.get("time"))
            return form, parts["sep"] or "", parts.get("year") or "9999", bool(parts.get("time")), zone
    return None


def is_missing(text: str, words: frozenset[str] = MISSING) -> bool:
    """True for a word that means "no value" among numbers or dates, and for a dash behind a currency.

    Args:
        words: None of them when no cell is to be taken for one.
    """
    bare = text.strip()
    if bare.casefold() in words:
        return True
    return bool(words) and bare[-1:] in _DASHES and _CURRENCY_SIGN.sub("", bare).strip() in _DASHES


def looks_like(cell: str) -> Look:
    """The kind of one cell by itself."""
    text = cell.strip(" \t\u00a0\u202f\r\n")
    if not text:
        return "empty"
    return _look(text) if len(text) <= 60 else "text"


@lru_cache(maxsize=20_000)
def _look(text: str) -> Look:
    text = folded(text)
    if is_missing(text):
        return "empty"
    shape = shape_of(text)
    if date_shape(shape):
        return "date"
    if number_shape(shape, ".") or number_shape(shape, ","):
        return "number"
    return "boolean" if text.casefold() in BOOLEANS else "text"
