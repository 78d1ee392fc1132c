"""Orders of day and month: only those that fit are offered, and one that cannot be followed is said."""

from __future__ import annotations

import datetime as dt

import pytest

from tests.data.files.conftest import Reader, Seen

OPEN = "k,v\na,03/04/2026\nb,05/06/2026\nc,07/08/2026\n"
DAYS = "k,v\na,13/04/2026\nb,25/06/2026\nc,07/08/2026\n"
SHORT = "k,v\na,03/04/26\nb,05/06/26\nc,07/08/26\n"


def offered(seen: Seen) -> tuple[str, ...]:
    decision = seen.report.decision("date_order")
    return decision.choices if decision else ()


@pytest.mark.parametrize(
    ("text", "fitting"), [(OPEN, ("dmy", "mdy")), (DAYS, ("dmy",)), (SHORT, ("dmy", "mdy", "ymd"))]
)
def test_only_orders_that_fit_are_offered(read: Reader, text: str, fitting: tuple[str, ...]) -> None:
    assert offered(read(text)) == fitting


@pytest.mark.parametrize("text", [OPEN, DAYS])
def test_year_first_is_refused_in_words_where_years_stand_last(read: Reader, text: str) -> None:
    seen = read(text, date_order="ymd")
    assert seen.rows == read(text).rows
    assert seen.told("year first", "was chosen", "day first")


def test_an_order_that_fits_is_followed_and_nothing_is_said(read: Reader) -> None:
    seen = read(SHORT, date_order="ymd")
    assert seen.column("v")[0] == dt.date(2003, 4, 26)
    assert not seen.told("was chosen")


def test_an_order_for_no_dates_is_said_to_change_nothing(read: Reader) -> None:
    assert read("k,v\na,1\nb,2\n", date_order="mdy").told("order of day and month", "changes nothing")


def test_a_guessed_encoding_is_called_by_a_plain_name() -> None:
    from tabulaflow_core.data.files.encoding import described

    assert described("cp1252") == "Windows Western (cp1252)"
    assert described("utf-7") == "utf-7"
