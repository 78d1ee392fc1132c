"""A question that may mean another column: told, and never where the question settles it. On a real SQLite file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.agents.readings import Reading, other_reading
from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.registry import DataConnectorRegistry
from tabulaflow_core.models.scripted import ScriptedModel, text
from tests.agents.test_compact import SMALL, fence
from tests.agents.test_mend import table

TABLES = (
    table("hotels", "hotel_id INTEGER", "name TEXT", "city TEXT", "guest_score REAL", "press_score REAL",
          "rooms INTEGER", "beds INTEGER", "architect TEXT", "painter TEXT", "opened_on DATE", "renovated_on DATE",
          key="hotel_id"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "sql", "other"),
    [
        ("What are the scores of all hotels?", "SELECT guest_score FROM hotels", "press_score"),
        ("Average score per city?", "SELECT city, AVG(press_score) FROM hotels GROUP BY city", "guest_score"),
        ("Which hotel has the best score?", "SELECT name FROM hotels ORDER BY guest_score DESC LIMIT 1", "press_score"),
        ("Who made the Ritz?", "SELECT architect FROM hotels WHERE name = 'Ritz'", "painter"),
        ("Which is the biggest?", "SELECT name FROM hotels ORDER BY beds DESC LIMIT 1", "rooms"),
        # the question settles it
        ("What are the guest scores?", "SELECT guest_score FROM hotels", ""),
        ("What does the press say in scores?", "SELECT press_score FROM hotels", ""),
        ("How many rooms has the Ritz?", "SELECT rooms FROM hotels WHERE name = 'Ritz'", ""),
        ("Guest score and press score?", "SELECT guest_score, press_score FROM hotels", ""),
        ("Which hotels have a score over 8?", "SELECT name FROM hotels WHERE guest_score > 8", ""),
        # what things are called, keys, long lists, and what is not one SELECT
        ("Who is the biggest?", "SELECT name FROM hotels LIMIT 1", ""),
        ("Which is first?", "SELECT hotel_id FROM hotels LIMIT 1", ""),
        ("Tell me all about it", "SELECT name, city, architect, beds FROM hotels", ""),
        ("What do you have most of here?", "SELECT name FROM hotels ORDER BY beds DESC LIMIT 1", ""),
        ("Who made them?", "SELECT architect FROM hotels UNION SELECT painter FROM hotels", ""),
        ("Nonsense", "SELECT FROM WHERE", ""),
    ],
)
def test_readings(question: str, sql: str, other: str) -> None:
    found = other_reading(sql, question, TABLES, "sqlite")
    assert (found.other if found else "") == other


def test_the_other_query_exchanges_the_column_everywhere() -> None:
    sql = "SELECT city, AVG(guest_score) AS s FROM hotels WHERE guest_score > 3 GROUP BY city ORDER BY AVG(guest_score)"
    found = other_reading(sql, "Average score by city?", TABLES, "sqlite")
    assert found == Reading("guest_score", "press_score", sql.replace("guest", "press"))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What are the scores?", "This takes “guest score”; “press score” would be another reading."),
        ("Wie sind die Scores der Hotels?", "Genommen ist „guest score“; „press score“ wäre eine andere Lesart."),
    ],
)
async def test_the_answer_says_it_where_the_rows_differ(tmp_path: Path, question: str, said: str) -> None:
    for press, told in ((4.0, True), (9.0, False)):
        path = tmp_path / f"{press}.sqlite"
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE hotels (name TEXT, guest_score REAL, press_score REAL)")
            connection.execute("INSERT INTO hotels VALUES ('Ritz', 9.0, ?)", (press,))
        connection.close()
        model = ScriptedModel(facts=SMALL)
        model.enqueue(text(fence("SELECT guest_score FROM hotels")))
        async with DataConnectorRegistry() as registry:
            registry.register("hotels", await SQLConnector.from_url_async(f"sqlite:///{path}"))
            result = await ChatSession(registry=registry, model=model).run(question)
        assert (said in result.text) is told
        assert "9" in result.text
        assert len([spec for spec in result.artifacts if spec.kind == "table"]) <= 1


def test_the_question_for_the_other_reading_settles_it() -> None:
    reading = Reading("guest_score", "press_score", "")
    asked = reading.question("What are the scores?")
    assert asked == "What are the scores (press score)?"
    assert other_reading("SELECT press_score FROM hotels", asked, TABLES, "sqlite") is None
