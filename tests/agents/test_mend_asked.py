"""What the words of a question settle: a sum or an average, and which value of a follow-up."""

from __future__ import annotations

import pytest

from tabulaflow_core.agents.mend import mend
from tests.agents.test_mend import source

PLAIN = "SELECT city, AVG(km) FROM trips GROUP BY city"


@pytest.mark.parametrize(
    ("question", "sql", "mended"),
    [
        ("What is the total distance per city?", PLAIN, "SELECT city, SUM(km) FROM trips GROUP BY city"),
        ("Gesamtkilometer je Stadt?", PLAIN, "SELECT city, SUM(km) FROM trips GROUP BY city"),
        (
            "Total km per city, highest first",
            "SELECT city, AVG(km) AS avg_km FROM trips GROUP BY city ORDER BY avg_km DESC",
            "SELECT city, SUM(km) AS sum_km FROM trips GROUP BY city ORDER BY sum_km DESC",
        ),
        (
            "What is the average distance per city?",
            "SELECT city, SUM(km) AS total_km FROM trips GROUP BY city",
            "SELECT city, AVG(km) AS average_km FROM trips GROUP BY city",
        ),
        ("Durchschnittliche Kilometer?", "SELECT SUM(km) FROM trips", "SELECT AVG(km) FROM trips"),
        ("The mean distance?", "SELECT SUM(km) FROM trips", "SELECT AVG(km) FROM trips"),
        # what stays
        ("Load means all km. What was it?", "SELECT SUM(km) FROM trips", None),
        ("What is the distance per city?", PLAIN, None),
        ("The total and the average per city?", PLAIN, None),
        ("What is the average total?", "SELECT AVG(total) FROM orders", None),
        ("What is the average order total?", "SELECT SUM(total) FROM orders", "SELECT AVG(total) FROM orders"),
        ("Which total is in the orders?", "SELECT AVG(total) FROM orders", None),
        ("Average of the summer trips?", "SELECT AVG(km) FROM trips", None),
        ("Average km a driver?", "SELECT SUM(km) / COUNT(DISTINCT driver) FROM trips", None),
        (
            "What is the average of the totals per city?",
            "SELECT AVG(t) FROM (SELECT SUM(km) AS t FROM trips GROUP BY city) AS x",
            None,
        ),
        ("Total km above the mean?", "SELECT SUM(km) FROM trips WHERE km > (SELECT AVG(km) FROM trips)", None),
    ],
)
async def test_a_named_measure_is_the_one_that_is_taken(question: str, sql: str, mended: str | None) -> None:
    result = await mend(sql, source("duckdb"), question)
    assert result.sql == (mended or sql)
    assert bool(result.notes) == (mended is not None)


@pytest.mark.parametrize(
    ("question", "where", "mended"),
    [
        ("And in Graz?", "city IN ('Wien', 'Graz')", "city = 'Graz'"),
        ("And in Graz?", "city = 'wien' OR city = 'Graz'", "city = 'Graz'"),
        ("And in Graz?", "(city = 'Wien' OR city = 'Graz') AND km > 3", "city = 'Graz' AND km > 3"),
        ("Und in Graz oder Linz?", "city IN ('Wien', 'Graz', 'Linz')", "city IN ('Graz', 'Linz')"),
        # what stays
        ("And in Wien and Graz?", "city IN ('Wien', 'Graz')", None),
        ("And in both, with Graz?", "city IN ('Wien', 'Graz')", None),
        ("And compared with Graz?", "city IN ('Wien', 'Graz')", None),
        ("How many trips are in Graz?", "city IN ('Wien', 'Graz')", None),
        ("And in the others?", "city IN ('Wien', 'Graz')", None),
        ("And in Graz?", "city = 'Graz'", None),
        ("And in Graz?", "driver = 'Wien' OR city = 'Graz'", None),
    ],
)
async def test_a_follow_up_with_another_value_asks_for_that_one(question: str, where: str, mended: str | None) -> None:
    before = "SELECT COUNT(*) FROM trips WHERE city = 'Wien'"
    select = "SELECT COUNT(*) FROM trips WHERE "
    result = await mend(select + where, source("duckdb"), question, previous_sql=before)
    assert result.sql == select + (mended or where)
    assert bool(result.notes) == (mended is not None)


async def test_a_column_that_is_shown_tells_its_values_apart() -> None:
    before = "SELECT COUNT(*) FROM trips WHERE city = 'Wien'"
    sql = "SELECT city, COUNT(*) FROM trips WHERE city IN ('Wien', 'Graz') GROUP BY city"
    assert (await mend(sql, source("duckdb"), "And in Graz?", previous_sql=before)).sql == sql


@pytest.mark.parametrize("between", ["\n", ";\n", " ; "])
async def test_the_last_query_written_once_more_is_left_out(between: str) -> None:
    before = "SELECT COUNT(*) AS in_wien FROM trips WHERE city = 'Wien'"
    new = "SELECT COUNT(*) AS in_graz FROM trips WHERE city = 'Graz'"
    sql = before.replace(" FROM", "\nFROM") + between + new
    assert (await mend(sql, source("duckdb"), "And in Graz?", previous_sql=before)).sql == new
    other = f"SELECT 2{between}{new}"
    assert (await mend(other, source("duckdb"), "And in Graz?", previous_sql=before)).sql == other
