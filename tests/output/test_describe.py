"""Sentences from rows alone."""

from __future__ import annotations

import importlib.util
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from tabulaflow_core.output import describe, question_language, unsupported_figures

from ._results import result


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"total_revenue": [Decimal("1234567.50")]}, "Total revenue: 1,234,567.50."),
        ({"COUNT(*)": [12]}, "Count: 12."),
        ({"sum(a.x * b.y)": [2.5]}, "Result: 2.5."),
        ({"avg(o.unit_price)": [2.5]}, "Average unit price: 2.5."),
        ({'sum("Soll-FTE")': [135.5]}, "Sum of Soll-FTE: 135.5."),
        ({"sum(s.`net amount`)": [9]}, "Sum of net amount: 9."),
        ({"avg([unit price])": [1.5]}, "Average unit price: 1.5."),
        ({'max("a"."b c")': [1]}, "Highest b c: 1."),
        ({"count(DISTINCT customer)": [3]}, "Count of different customer: 3."),
        ({"n": [3], "city": ["Ulm"]}, "N: 3; city: Ulm."),
        ({"n": [3, 4], "city": ["Ulm", "Bonn"]}, "N: Ulm (3) and Bonn (4)."),
        ({"avg": [3.3333333333333335]}, "Avg: 3.3333."),
        ({"tiny": [0.000012345678]}, "Tiny: 0.00001235."),
        ({"year": [2024]}, "Year: 2024."),
        ({"product": ["Dock"], "on_hand": [1200]}, "Product: Dock; on hand: 1,200."),
        ({"name": ["A", "B", "C"]}, "There are 3: A, B and C."),
        ({"name": ["A", "B"], "n": [2000, None]}, "N: A (2,000) and B (empty)."),
        ({"name": ["A", "B"], "x": [1, 2], "y": [3, 4]}, "There are 2: A (x 1, y 3) and B (x 2, y 4)."),
        ({"n": pa.array([], pa.int64())}, "No row fits this question."),
        ({"n": pa.array([None], pa.int64())}, "There is no value for this: no row fits, or the cells are empty."),
    ],
)
def test_what_the_rows_say(columns: dict, text: str) -> None:
    assert describe(result(columns)) == text


def test_many_rows_are_counted_and_the_top_named() -> None:
    names = [f"p{i}" for i in range(1500)]
    falling = describe(result({"name": names, "sold": [3000 - i for i in range(1500)]}))
    assert falling == "1,500 rows; the highest sold: p0 (3,000), p1 (2,999) and p2 (2,998)."
    mixed = describe(result({"name": names[:40], "sold": [i * 7 % 40 for i in range(40)]}))
    assert mixed == "40 rows; the highest sold: p17 (39), p34 (38) and p11 (37)."
    assert describe(result({"name": names})) == "1,500 rows; the first are p0, p1 and p2."


def test_a_series_is_told_by_its_ends_and_extremes() -> None:
    months = [f"2024-{m:02}" for m in range(1, 13)]
    text = describe(result({"month": months, "sold": [5, 1, 2, 3, 9, 4, 5, 6, 7, 8, 2, 6]}))
    assert text == "12 rows from 2024-01 to 2024-12; the highest sold: 2024-05 (9); the lowest: 2024-02 (1)."


def test_a_few_months_in_no_order_are_told_in_their_own() -> None:
    march, april, may = (date(2026, month, 1) for month in (3, 4, 5))
    loose = describe(result({"month": [april, march, may], "sold": [5, 9, 7]}))
    assert loose == "Sold: 2026-03 (9), 2026-04 (5) and 2026-05 (7)."
    ranked = describe(result({"month": [march, may, april], "sold": [9, 7, 5]}))
    assert ranked == "Sold: 2026-03 (9), 2026-05 (7) and 2026-04 (5)."
    latest = describe(result({"month": [may, april, march], "sold": [7, 5, 9]}))
    assert latest == "Sold: 2026-05 (7), 2026-04 (5) and 2026-03 (9)."
    words = describe(result({"month": ["May", "March", "April"], "sold": [7, 9, 8], "n": [1, 2, 1]}))
    assert words == "There are 3: March (sold 9, n 2), April (sold 8, n 1) and May (sold 7, n 1)."


def test_a_cut_result_says_so() -> None:
    assert describe(result({"a": ["x", "y"]}, truncated=True)).endswith("The result was cut; there are more rows.")


@pytest.mark.parametrize(
    ("question", "language", "text"),
    [
        ("Wie viele Kunden gibt es in der Stadt?", "de", "N: A (1234.5) und B (2)."),
        ("¿Cuántos clientes hay por ciudad?", "es", "N: A (1234.5) y B (2)."),
        ("Combien de clients par ville ?", "fr", "N: A (1234.5) et B (2)."),
        ("How many customers are in each city?", "en", "N: A (1,234.5) and B (2)."),
        ("???", "en", "N: A (1,234.5) and B (2)."),
    ],
)
def test_the_question_s_language(question: str, language: str, text: str) -> None:
    assert question_language(question) == language
    assert describe(result({"name": ["A", "B"], "n": [1234.5, 2]}), question=question) == text


def test_a_description_states_nothing_unsupported() -> None:
    table = pa.table(
        {
            "day": [date(2024, 1, d) for d in range(1, 29)],
            "sold": [d * 1000 / 7 for d in range(28)],
            "code": [f"A-{d}" for d in range(28)],
        }
    )
    for size in (1, 5, 28):
        text = describe(result(table.slice(0, size)))
        assert unsupported_figures(text, [table.slice(0, size)]) == (), text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which of the customers are there?", "There are 2: A and B."),
        ("Welche sind die Kunden?", "Es sind 2: A und B."),
        ("¿Cuáles son los clientes?", "Hay 2: A y B."),
        ("Quels sont les clients ?", "Il y en a 2 : A et B."),
    ],
)
def test_a_short_list_is_counted_and_named(question: str, text: str) -> None:
    assert describe(result({"name": ["A", "B"]}), question=question) == text


_FIRSTS = [datetime(2026, m, 1) for m in range(1, 13)]
_SALES = [5, 1, 2, 3, 255, 4, 5, 6, 7, 8, 2, 6]


@pytest.mark.parametrize(
    "months",
    [
        _FIRSTS,
        [f.replace(tzinfo=UTC) for f in _FIRSTS],
        [f.date() for f in _FIRSTS],
        [str(f) for f in _FIRSTS],
        [f.date().isoformat() for f in _FIRSTS],
    ],
    ids=["naive", "zone", "date", "text", "text date"],
)
def test_firsts_of_months_are_months(months: list) -> None:
    text = describe(result({"m": months, "sold": _SALES}))
    assert text == "12 rows from 2026-01 to 2026-12; the highest sold: 2026-05 (255); the lowest: 2026-02 (1)."


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"first_order": [datetime(2026, 1, 1)]}, "First order: 2026-01-01."),
        ({"month": [datetime(2026, 1, 1)]}, "Month: 2026-01."),
        ({"at": [datetime(2026, 1, 2, tzinfo=UTC)]}, "At: 2026-01-02."),
        ({"start_date": _FIRSTS[:3]}, "There are 3: 2026-01-01, 2026-02-01 and 2026-03-01."),
        ({"at": [datetime(2026, 1, 1), datetime(2026, 1, 1, 12)]}, "There are 2: 2026-01-01 and 2026-01-01 12:00:00."),
    ],
)
def test_midnights_are_days(columns: dict, text: str) -> None:
    assert describe(result(columns)) == text


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([None, *range(1, 20)], "20 rows; the lowest x: p1 (1), p2 (2) and p3 (3)."),
        ([*range(19, 0, -1), None], "20 rows; the highest x: p0 (19), p1 (18) and p2 (17)."),
        ([(-1) ** i * (40 - i) for i in range(20)], "20 rows; the first are p0 (40), p1 (-39) and p2 (38)."),
    ],
    ids=["rising after empty", "falling before empty", "falling in size"],
)
def test_sorted_rows_keep_their_order(values: list, text: str) -> None:
    assert describe(result({"name": [f"p{i}" for i in range(20)], "x": values})) == text


def test_no_module_hides_a_public_name_of_the_package() -> None:
    import tabulaflow_core.output as package

    for name in package.__all__:
        assert importlib.util.find_spec(f"{package.__name__}.{name}") is None, name
