"""What code puts right about values: a name for a key, years for days, texts that are subtracted. On a real SQLite."""

from __future__ import annotations

import sqlite3

import pytest

from tabulaflow_core.agents.mend import mend
from tabulaflow_core.agents.sources import Source
from tabulaflow_core.data.schema import ForeignKey, SourceSchema
from tests.agents.fakes import FakeConnector
from tests.agents.test_mend import table

ROWS = """
CREATE TABLE airline (uid INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE flight (flight_no INTEGER PRIMARY KEY, airline INTEGER, code TEXT, left_on DATE, landed_on DATE);
INSERT INTO airline VALUES (1, 'Blue Wings', 'USA'), (2, 'Red Air', 'France');
INSERT INTO flight VALUES (7, 1, 'BW', '2023-01-30', '2023-02-02'), (8, 1, 'BW', '2023-05-01', '2023-05-01'),
  (9, 2, 'RA', '2022-12-30', '2023-01-02');
"""
SCHEMA = SourceSchema(
    (
        table("airline", "uid INTEGER", "name TEXT", "country TEXT", key="uid"),
        table("flight", "flight_no INTEGER", "airline INTEGER", "code TEXT", "left_on DATE", "landed_on DATE",
              key="flight_no", points=(ForeignKey(("airline",), "airline", ("uid",)),)),
    )
)  # fmt: skip


def rows(sql: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(ROWS)
        return sorted(connection.execute(sql).fetchall())


async def stored(sql: str) -> list[str] | None:
    return [str(value) for (value,) in rows(sql)]


@pytest.mark.parametrize(
    ("question", "sql", "right"),
    [
        ("How many flights has Blue Wings?", "SELECT COUNT(*) FROM flight WHERE airline = 'blue wings'", [(2,)]),
        ("Those of red?", "SELECT flight_no FROM flight f WHERE f.airline LIKE '%Red%' AND f.airline > 0", [(9,)]),
        ("Flights in the first quarter of 2023?",
         "SELECT flight_no FROM flight WHERE strftime('%Y', left_on) BETWEEN '2023-01-01' AND '2023-03-31'", [(7,)]),
        ("Flights in May 2023?", "SELECT flight_no FROM flight WHERE strftime('%Y', left_on) = '2023-05'", [(8,)]),
        ("Average days in the air?", "SELECT AVG(landed_on - left_on) FROM flight", [(2.0,)]),
        ("How many days was flight 9 in the air?",
         "SELECT strftime('%Y', landed_on) - strftime('%Y', left_on) FROM flight WHERE flight_no = 9", [(3.0,)]),
    ],
)  # fmt: skip
async def test_what_is_put_right(question: str, sql: str, right: list[tuple[object, ...]]) -> None:
    assert rows(sql) != right, "nothing to mend"
    result = await mend(sql, Source("air", "sqlite", SCHEMA, FakeConnector()), question, values=stored)
    assert rows(result.sql) == right
    assert result.notes


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT flight_no FROM flight WHERE airline = 1",
        "SELECT flight_no FROM flight WHERE airline = '2'",
        "SELECT flight_no FROM flight WHERE airline = 'Nobody'",
        "SELECT flight_no FROM flight WHERE strftime('%Y', left_on) = '2023'",
        "SELECT flight_no FROM flight WHERE strftime('%Y-%m', left_on) >= '2023-01'",
        "SELECT strftime('%Y', landed_on) - strftime('%Y', left_on) FROM flight",
        "SELECT flight_no - airline FROM flight",
    ],
)
async def test_what_stays(sql: str) -> None:
    result = await mend(sql, Source("air", "sqlite", SCHEMA, FakeConnector()), "Which years?", values=stored)
    assert (result.sql, result.notes) == (sql, ())
