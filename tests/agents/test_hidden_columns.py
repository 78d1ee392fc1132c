"""No request to a model holds the name, the comment or a value of a hidden column, whatever the model asks for."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.config import Settings
from tabulaflow_core.data import DataConnectorRegistry, FilesConnector, SQLConnector
from tabulaflow_core.data.files import read_file
from tabulaflow_core.models.scripted import DEMO, ScriptedModel, call, text
from tests.data.contract import boxes

SECRET = "nightingale"
NAME = "whereabouts"


async def _registry(tmp_path: Path) -> DataConnectorRegistry:
    boxes._run_sqlite(
        tmp_path / "x.db",
        f"CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, {NAME} TEXT)",
        *(f"INSERT INTO people VALUES ({i}, 'Ann', '{SECRET}')" for i in range(1, 5)),
        f"CREATE VIEW seen AS SELECT id, {NAME} FROM people",
        f"CREATE INDEX by_place ON people ({NAME})",
    )
    (tmp_path / "staff.csv").write_text(f"id,{NAME}\n1,{SECRET}\n2,{SECRET}\n3,\n")
    registry = DataConnectorRegistry()
    registry.register("shop", await SQLConnector.from_url_async(f"sqlite:///{tmp_path / 'x.db'}"))
    reading = read_file(tmp_path / "staff.csv", storage=tmp_path)
    registry.register("files", await FilesConnector.open_async([reading]), hidden_columns=[f"staff.{NAME}"])
    return registry


_SQL = (
    ("shop", "SELECT * FROM people"),
    ("shop", "SELECT max(whereabouts) FROM people"),
    ("shop", "SELECT * FROM seen"),
    ("shop", "SELECT sql FROM sqlite_master"),
    ("shop", "SELECT name FROM people WHERE nothing = 1"),
    ("files", "SELECT * FROM staff"),
    ("files", "SUMMARIZE staff"),
    ("files", "SELECT s FROM staff s"),
    (None, "SELECT * FROM files.staff s JOIN shop.people p ON p.id = s.id"),
)


@pytest.mark.parametrize("profile", ["standard", "compact"])
async def test_nothing_of_a_hidden_column_reaches_the_model(tmp_path: Path, profile: str) -> None:
    facts = dataclasses.replace(DEMO, profile=profile)
    model = ScriptedModel(facts=facts)
    async with await _registry(tmp_path) as registry:
        settings = Settings(data_dir=tmp_path, hidden_columns=(f"shop.people.{NAME}",))
        session = ChatSession(registry=registry, model=model, settings=settings)
        told = ""
        for source, sql in _SQL:
            if profile == "compact":
                model.enqueue(text(f"```sql\n{sql}\n```"), text(f"```sql\n{sql}\n```"))
                model.enqueue(text(f"```sql\n{sql}\n```"))
            else:
                arguments = {"sql": sql} if source is None else {"sql": sql, "source": source}
                model.enqueue(call("run_query", **arguments)).enqueue(call("describe_source", table="people"))
                model.enqueue(text("Done."))
            result = await session.run("What is in these tables, row by row?")
            assert SECRET not in result.text
        for request in model.requests:
            told += str(request)
    assert "people" in told
    assert "staff" in told
    assert SECRET not in told
    for part in [line for line in told.split("\\n") if NAME in line]:
        # Only its own words come back to it, and the sentence that refuses them.
        assert f"max({NAME})" in part or "hidden from the model" in part, part
