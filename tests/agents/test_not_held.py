"""What the data does not hold is said, and not passed off as an empty list. On a real SQLite file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.registry import DataConnectorRegistry
from tabulaflow_core.models.scripted import ScriptedModel, text
from tests.agents.test_compact import SMALL, fence


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "trips.sqlite"
    with sqlite3.connect(made) as connection:
        connection.execute("CREATE TABLE trips (driver TEXT, home_city TEXT, km REAL)")
        connection.execute("INSERT INTO trips VALUES ('Ann', 'Wien', 4), ('Bo', 'Graz', 9), ('Cy', 'Wien', NULL)")
    connection.close()
    return made


@pytest.mark.parametrize(
    ("question", "sql", "said", "outcome"),
    [
        ("Who lives in Oslo?", "SELECT driver FROM trips WHERE home_city = 'Oslo'",
         "The data does not have this: no row has “Oslo” in “home city”.", "cannot_answer"),
        ("How far do people from Oslo go on average?", "SELECT AVG(km) FROM trips WHERE home_city = 'Oslo'",
         "The data does not have this: no row has “Oslo” in “home city”.", "cannot_answer"),
        ("Who has an x in the name?", "SELECT driver FROM trips WHERE driver LIKE '%x%'",
         "The data does not have this: no row has “x” in “driver”.", "cannot_answer"),
        ("Welche Fahrer wohnen in der Stadt Oslo?", "SELECT driver FROM trips WHERE home_city = 'Oslo'",
         "Das steht nicht in den Daten: keine Zeile hat „Oslo“ in „home city“.", "cannot_answer"),
        ("How many are from Oslo?", "SELECT COUNT(*) FROM trips WHERE home_city = 'Oslo'",
         "Count: 0. The data does not have this: no row has “Oslo” in “home city”.", "answered"),
        # the values are there: that no row has them together is the answer
        ("Who from Graz goes under 3 km?", "SELECT driver FROM trips WHERE home_city = 'Graz' AND km < 3",
         "No row fits this question.", "answered"),
        ("Who has a y and is from Graz?", "SELECT driver FROM trips WHERE driver LIKE '%Y%' AND home_city = 'Graz'",
         "No row fits this question.", "answered"),
        # nothing that is kept out is missing
        ("Who outside Oslo goes under 3 km?", "SELECT driver FROM trips WHERE home_city <> 'Oslo' AND km < 3",
         "No row fits this question.", "answered"),
        ("Who is not from Oslo and goes under 3 km?",
         "SELECT driver FROM trips WHERE NOT home_city IN ('Oslo', 'Rom') AND km < 3", "No row fits this question.",
         "answered"),
        # there is something to tell
        ("Who in Wien or Oslo goes over 3?", "SELECT driver FROM trips WHERE home_city IN ('Wien', 'Oslo') AND km > 3",
         "Driver: Ann.", "answered"),
    ],
)  # fmt: skip
async def test_what_is_said(path: Path, question: str, sql: str, said: str, outcome: str) -> None:
    model = ScriptedModel(facts=SMALL)
    model.enqueue(text(fence(sql)))
    async with DataConnectorRegistry() as registry:
        registry.register("trips", await SQLConnector.from_url_async(f"sqlite:///{path}"))
        result = await ChatSession(registry=registry, model=model).run(question)
    assert (result.text, result.outcome) == (said, outcome)
