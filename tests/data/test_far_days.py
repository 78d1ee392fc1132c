"""Days beyond Python's calendar, against that calendar where it reaches and against DuckDB where it does not."""

from __future__ import annotations

import random
from datetime import date, timedelta

import duckdb
import pytest

from tabulaflow_core.data.far_days import day_text, moment_text


def test_the_days_of_pythons_calendar() -> None:
    chance = random.Random(1)
    first, last = (date.min - date(1970, 1, 1)).days, (date.max - date(1970, 1, 1)).days
    for days in [first, -1, 0, 1, 59, 60, last, *(chance.randint(first, last) for _ in range(5_000))]:
        assert day_text(days) == (date(1970, 1, 1) + timedelta(days)).isoformat()


@pytest.mark.parametrize("text", ["290000-01-01 03:04:05.25", "290000-12-31 23:59:59.000001", "99999-02-28 00:00:00"])
def test_far_moments(text: str) -> None:
    (ticks,) = duckdb.execute(f"SELECT epoch_us(TIMESTAMP '{text}')").fetchone() or (0,)
    assert moment_text(ticks, 10**6) == text


def test_the_year_before_the_first_is_none() -> None:
    assert day_text((date.min - date(1970, 1, 1)).days - 1) == "0000-12-31"
    assert day_text(-735_000) == "-0043-08-22"
