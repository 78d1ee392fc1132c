"""Moments of years that Python's own calendar does not reach, as ISO text."""

from __future__ import annotations

from typing import Final

_DAY: Final = 86_400
#: Days of 400 years, and from the first of March of the year 0 to the first of January 1970.
_ERA, _SHIFT = 146_097, 719_468


def day_text(days: int) -> str:
    """The day so many days after 1970-01-01, in the calendar of today carried on: `290000-01-01`, `-0043-03-15`."""
    era, of_era = divmod(days + _SHIFT, _ERA)
    year_of_era = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    of_march = (5 * of_year + 2) // 153
    day, month = of_year - (153 * of_march + 2) // 5 + 1, of_march + 3 if of_march < 10 else of_march - 9
    year = era * 400 + year_of_era + (month <= 2)
    return f"{'-' if year < 0 else ''}{abs(year):04}-{month:02}-{day:02}"


def moment_text(ticks: int, per_second: int) -> str:
    """The moment so many ticks after 1970-01-01, without its zone.

    Args:
        per_second: How many ticks make a second.
    """
    seconds, part = divmod(ticks, per_second)
    days, of_day = divmod(seconds, _DAY)
    fraction = f".{part:0{len(str(per_second)) - 1}d}".rstrip("0") if part else ""
    return f"{day_text(days)} {of_day // 3600:02}:{of_day // 60 % 60:02}:{of_day % 60:02}{fraction}"
