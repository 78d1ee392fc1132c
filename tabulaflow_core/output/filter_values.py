"""A filter's value as it stands in a URL or a field, read into a test of a column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Final

from tabulaflow_core.data.restricting import Contains, DateRange, NumberRange, OneOf, RowTest
from tabulaflow_core.output.dashboards import DashboardFilter, FilterKind

#: Between the two ends of a range.
BETWEEN: Final = ".."
_MOST: Final = 200
_LONGEST: Final = 1_000
_MOST_DIGITS: Final = 60
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAYS: Final = "Days are written as 2024-01-31, a range as 2024-01-01..2024-12-31; either end may be left out."
_NUMBERS: Final = "Numbers are written as 12.5, a range as 10..20; either end may be left out."


@dataclass(frozen=True, slots=True)
class FilterValue:
    """What was chosen for a filter.

    Attributes:
        texts: As written.
        test: None for no restriction.
        fault: Why it cannot be used, as a sentence; then `test` is None.
    """

    texts: tuple[str, ...] = ()
    test: RowTest | None = None
    fault: str = ""


def read_value(asked: DashboardFilter, texts: Sequence[str]) -> FilterValue:
    """Read what was chosen; never raises, whatever the texts are."""
    given = tuple(text for text in texts if text != "")
    if not given:
        return FilterValue()
    if len(given) > _MOST:
        return _fault(given, asked, f"At most {_MOST} values can be chosen.")
    if any(len(text) > _LONGEST for text in given):
        return _fault(given, asked, f"A value has at most {_LONGEST:,} characters.")
    if any(c == "\0" or 0xD800 <= ord(c) <= 0xDFFF for text in given for c in text):
        return _fault(given, asked, "It holds a character that no text of a database has.")
    if asked.kind == "choice":
        return FilterValue(given, OneOf(tuple(dict.fromkeys(given))))
    if len(given) > 1:
        return _fault(given, asked, "It takes one value.")
    match asked.kind:
        case "text":
            return FilterValue(given, Contains(given[0]))
        case "date_range":
            return _days(asked, given[0])
        case "number":
            return _numbers(asked, given[0])


def range_text(low: str, high: str) -> str:
    """Two ends as one text; empty for none."""
    return f"{low}{BETWEEN}{high}" if low or high else ""


def range_ends(text: str) -> tuple[str, str]:
    """The two ends of a range as written; one value stands for both."""
    low, between, high = text.partition(BETWEEN)
    return (low.strip(), high.strip()) if between else (low.strip(), low.strip())


def said(asked: DashboardFilter, value: FilterValue) -> str:
    """The choice in words, such as `Region: north, south`; empty for none."""
    if value.test is None:
        return ""
    if asked.kind in ("date_range", "number"):
        low, high = range_ends(value.texts[0])
        words = low if low == high else f"{low} to {high}" if low and high else f"from {low}" if low else f"to {high}"
    elif asked.kind == "text":
        words = f"holds “{value.texts[0]}”"
    else:
        words = ", ".join(value.texts)
    return f"{asked.label}: {words}"


def _fault(given: tuple[str, ...], asked: DashboardFilter, why: str) -> FilterValue:
    return FilterValue(given, None, f"{asked.label} was not used. {why}")


def _days(asked: DashboardFilter, text: str) -> FilterValue:
    try:
        low, high = (_day(end) if end else None for end in range_ends(text))
    except ValueError:
        return _fault((text,), asked, _DAYS)
    if low is not None and high is not None and low > high:
        return _fault((text,), asked, "Its first day is after its last.")
    return FilterValue((text,), DateRange(low, high) if low or high else None)


def _day(text: str) -> date:
    if not _DAY.fullmatch(text):  # `date` reads week dates too
        raise ValueError(text)
    return date.fromisoformat(text)


def _numbers(asked: DashboardFilter, text: str) -> FilterValue:
    try:
        low, high = (_number(end) if end else None for end in range_ends(text))
    except ValueError:
        return _fault((text,), asked, _NUMBERS)
    if low is not None and high is not None and low > high:
        return _fault((text,), asked, "Its first number is above its last.")
    return FilterValue((text,), NumberRange(low, high) if low is not None or high is not None else None)


def _number(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ValueError(text) from None
    if not text.isascii() or "_" in text or not value.is_finite() or abs(value.adjusted()) > _MOST_DIGITS:
        raise ValueError(text)
    if len(value.as_tuple().digits) > _MOST_DIGITS or abs(int(value.as_tuple().exponent)) > _MOST_DIGITS:
        raise ValueError(text)
    return value


#: What each kind of filter asks of a column.
TEST_OF: Final[dict[FilterKind, type[RowTest]]] = {
    "date_range": DateRange,
    "choice": OneOf,
    "number": NumberRange,
    "text": Contains,
}
