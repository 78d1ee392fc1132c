"""Times of day and durations: how they are written, and the SQL that converts them.

Only what a TIME gives back as it was written becomes one by itself, and times with AM and PM. `8:05` may be a time or
a duration, and `26:15` hours or minutes: such columns keep their text, and a person may say what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal

from tabulaflow_core.data.files.values import AFTERNOON, BLANK, FORENOON, SECONDS

#: `full` is 08:05:00, `short` 8:05, `long` 1:02:03 or 126:00:00, `half` 1:30 PM, 9 a. m. or 오후 1:30, `days`
#: 1 day 02:00:00, `iso` PT1H30M, `units` 2h 15m, and `unit` 15 m, which may be another thing.
ClockForm = Literal["full", "short", "long", "half", "days", "iso", "units", "unit"]

_DAYS = "d|days?|tage?|jours?|días?|giorni|dni"
_HOURS = "h|hrs?|hours?|std|stunden?|heures?|horas?|ore|godz"
_MINUTES = "m|min|mins|minutes?|minuten?|minutos?|minuti"
_SECONDS = "s|sec|secs|seconds?|sek|sekunden?|secondes?|segundos?|secondi"
_MILLIS = "ms|millis|milliseconds?"
_AMOUNT = r"[0-9]+(?:[.,][0-9]+)?"
_PART = rf"{_AMOUNT} ?(?:{_DAYS}|{_HOURS}|{_MINUTES}|{_SECONDS}|{_MILLIS})\.?"
#: Words that mean nothing but a time; `5 m` may be metres.
_SURE = re.compile(
    r"[0-9] ?(?:days?|tage?|h|hrs?|hours?|std|stunden?|min|mins|minutes?|minuten?|sec|secs|seconds?|sek|sekunden?)\b",
    re.I,
)
_FRACTION = rf"(?:[.,][0-9]{{1,{SECONDS}}})?"
_HALF: Final = f"(?:{FORENOON}|{AFTERNOON})"
_PLAIN: Final = rf"[0-9]{{1,2}}(?:[:.][0-9]{{2}}(?:[:.][0-9]{{2}}{_FRACTION})?)?"
_FORMS: Final[dict[ClockForm, str]] = {
    "full": rf"[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}{_FRACTION}",
    "short": r"[-+]?[0-9]{1,4}:[0-9]{2}",
    "long": rf"[-+]?[0-9]{{1,5}}:[0-9]{{2}}:[0-9]{{2}}{_FRACTION}",
    "half": rf"(?:{_PLAIN}{BLANK}?{_HALF}|{_HALF}{BLANK}?{_PLAIN})",
    "days": rf"[-+]?[0-9]+(?: ?(?:{_DAYS}),? ?|\.)[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}{_FRACTION})?",
    "iso": rf"[-+]?P(?:[0-9]+D)?(?:T(?:{_AMOUNT}H)?(?:{_AMOUNT}M)?(?:{_AMOUNT}S)?)?",
    "units": rf"[-+]?{_PART}(?:(?: |, ?)?{_PART})+",
    "unit": rf"[-+]?{_PART}",
}
#: Hour, minute and second of a half of a day; no hour above twelve.
_HALF_PARTS: Final = (
    rf"(?:^|[^0-9:.])(0?[0-9]|1[0-2])(?:[:.]([0-9]{{2}})(?:[:.]([0-9]{{2}}{_FRACTION}))?)?(?:[^0-9:.]|$)"
)
_PATTERNS: Final = {form: re.compile(pattern, re.IGNORECASE) for form, pattern in _FORMS.items()}
_CLOCK: Final = rf"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9]{_FRACTION})?"


@lru_cache(maxsize=20_000)
def clock_form(shape: str) -> ClockForm | None:
    """How a cell of this shape is a time or a duration, None when it is neither."""
    if "9" not in shape or len(shape) > 40:
        return None
    found = next((form for form, pattern in _PATTERNS.items() if pattern.fullmatch(shape)), None)
    return "units" if found == "unit" and _SURE.search(shape) else found


def time_expression(value: str, forms: Iterable[ClockForm], *, told: bool = False) -> str:
    """SQL of a TIME; NULL for what is none, such as `26:15`.

    Args:
        forms: Those of the column.
        told: A person says that they are times: then any form with a colon is one.
    """
    choices = []
    if told or "full" in forms:
        choices.append(f"WHEN regexp_full_match({value}, '{_CLOCK}') THEN TRY_CAST(replace({value}, ',', '.') AS TIME)")
    if told or "half" in forms:
        choices.append(f"WHEN {is_half(value)} THEN TRY_CAST({half_clock(value)} AS TIME)")
    return f"CASE {' '.join(choices)} END"


def is_half(value: str) -> str:
    """SQL that is true for a time with AM or PM, or with a word of another language for them."""
    return f"regexp_full_match({value}, '{_FORMS['half']}')"


def half_clock(value: str) -> str:
    """SQL of such a time as text of 24 hours; what is no time, such as `13:05 PM`, gives no time either."""
    hour, minute, second = (f"regexp_extract({value}, '{_HALF_PARTS}', {group})" for group in (1, 2, 3))
    after = f"CASE WHEN regexp_matches({value}, '{AFTERNOON}') THEN 12 ELSE 0 END"
    hours = f"TRY_CAST({hour} AS INTEGER) % 12 + {after}"
    filled = f"coalesce(nullif({minute}, ''), '00') || ':' || coalesce(nullif(replace({second}, ',', '.'), ''), '00')"
    return f"lpad(CAST({hours} AS VARCHAR), 2, '0') || ':' || {filled}"


def beyond_a_day(value: str) -> str:
    """SQL that is true for times with a colon which no day has, such as `26:15` or `25:00:00`."""
    colons = "|".join(_FORMS[form] for form in ("full", "short", "long"))
    return f"regexp_full_match({value}, '{colons}') AND NOT regexp_full_match({value}, '{_CLOCK}')"


def duration_expression(value: str) -> str:
    """SQL of an INTERVAL, of hours and less: `26:15` is 26 hours and 15 minutes."""
    colons = rf"^[-+]?(?:([0-9]+)(?: ?(?:{_DAYS}),? ?|\.))?([0-9]+):([0-5][0-9])(?::([0-5][0-9](?:[.,][0-9]+)?))?$"
    parts = [f"nullif(regexp_extract(lower({value}), '{colons}', {n}), '')" for n in range(1, 5)]
    whole = _sum(zip(parts, (86400, 3600, 60, 1), strict=True))
    words = (_DAYS, _HOURS, _MINUTES, _SECONDS, _MILLIS)
    # The end of a unit is no letter: `m` is not that of `ms`. In ISO 8601 the next number, or T, follows.
    named = [
        f"nullif(regexp_extract(lower({value}), '({_AMOUNT}) ?(?:{unit})(?:[^a-zí]|t|$)', 1), '')" for unit in words
    ]
    spelled = _sum(zip(named, (86400.0, 3600.0, 60.0, 1.0, 0.001), strict=True))
    in_words = "|".join(_FORMS[form] for form in ("iso", "units", "unit"))
    seconds = (
        f"CASE WHEN regexp_full_match(lower({value}), '{colons}') THEN {whole} "
        f"WHEN regexp_full_match({value}, '(?i)(?:{in_words})') THEN {spelled} END"
    )
    sign = f"CASE WHEN left({value}, 1) = '-' THEN -1 ELSE 1 END"
    return f"to_microseconds(CAST(round({sign} * ({seconds}) * 1000000) AS BIGINT))"


def _sum(parts: Iterable[tuple[str, float]]) -> str:
    return " + ".join(f"coalesce(TRY_CAST(replace({p}, ',', '.') AS DOUBLE), 0) * {factor}" for p, factor in parts)


def described(forms: Iterable[ClockForm], example: str, *, long: bool) -> str:
    """Why a column of times or durations stays text, and what a person can do.

    Args:
        example: One of its values.
        long: Some of its hours are those of no day.
    """
    found = set(forms)
    if found == {"unit"}:
        return ""
    if long or found & {"days", "iso", "units"}:
        return f"its values are durations, such as {example}; read it as duration to reckon with them"
    return f"its values are times or durations, such as {example}; read it as time or as duration to reckon with them"
