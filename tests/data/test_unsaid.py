"""What an engine does without a word is said beside its answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.contracts import QueryResult
from tabulaflow_core.data.schema import ColumnSchema, SourceSchema, TableSchema
from tabulaflow_core.data.unsaid import notices_of

_ITEMS = TableSchema(
    "items",
    (
        ColumnSchema("Unit Price", "DOUBLE"),
        ColumnSchema("name", "TEXT"),
        ColumnSchema("created", "bigint(20)"),
        ColumnSchema("day", "date"),
    ),
)


def _said(sql: str, dialect: str) -> str:
    return " ".join(notices_of(sql, SourceSchema((_ITEMS,)), used=("items",), dialect=dialect))


@pytest.mark.parametrize(
    ("dialect", "sql", "words"),
    [
        ("sqlite", 'SELECT avg("Unit Prise") FROM items', "text 'Unit Prise'"),
        ("sqlite", 'SELECT "nmae" FROM items AS i', "text 'nmae'"),
        ("sqlite", "SELECT count(*) FROM items WHERE created > '2026-01-01'", "datetime(created, 'unixepoch')"),
        ("sqlite", "SELECT 1 FROM items WHERE created BETWEEN date('now') AND 5", "created holds whole numbers"),
        ("mysql", 'SELECT avg("Unit Price") FROM items', "quoted as `Unit Price`"),
        ("mysql", "SELECT 1 FROM items AS i WHERE i.created >= DATE '2026-03-01'", "FROM_UNIXTIME(i.created)"),
        ("mysql", "SELECT 1 FROM items WHERE '2026-03-01 10:00:00' < created", "created holds whole numbers"),
    ],
)
def test_what_would_look_like_an_answer_is_said(dialect: str, sql: str, words: str) -> None:
    assert words in _said(sql, dialect)


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("sqlite", 'SELECT avg("Unit Price") AS "mean" FROM items ORDER BY "mean"'),
        ("sqlite", 'WITH x AS (SELECT name AS "n" FROM items) SELECT "n" FROM x'),
        ("sqlite", 'SELECT "rowid", i."name" FROM items AS i'),
        ("sqlite", "SELECT count(*) FROM items WHERE day > '2026-01-01' AND created > 5"),
        ("mysql", 'SELECT sum(`Unit Price`) AS "name" FROM items WHERE name = "Ana"'),
        ("mysql", "SELECT 1 FROM items WHERE FROM_UNIXTIME(created) > '2026-01-01'"),
        ("postgres", "SELECT count(*) FROM items WHERE created > '2026-01-01'"),
    ],
)
def test_what_is_right_is_left_alone(dialect: str, sql: str) -> None:
    assert _said(sql, dialect) == ""


async def test_the_sentence_comes_with_the_rows(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "p.db") as made:
        made.execute('CREATE TABLE p ("Unit Price" REAL)')
    async with await SQLConnector.from_url_async(f"sqlite:///{tmp_path / 'p.db'}") as connector:
        await connector.refresh_schema_async()
        outcome = await connector.run_query_async('SELECT count("Unit Prise") FROM p')
    assert isinstance(outcome, QueryResult)
    assert ["Unit Prise" in notice for notice in outcome.notices] == [True]
