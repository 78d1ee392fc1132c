"""The query of a preview, in the words of each engine."""

from __future__ import annotations

import pytest

from tabulaflow_core.data.guard import Allowed, check_statement
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.data.statements import first_rows


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("sqlite", 'SELECT * FROM "a b"."Order ""Lines""" LIMIT 5'),
        ("mysql", 'SELECT * FROM `a b`.`Order "Lines"` LIMIT 5'),
        ("databricks", 'SELECT * FROM `a b`.`Order "Lines"` LIMIT 5'),
        ("bigquery", 'SELECT * FROM `a b`.`Order "Lines"` LIMIT 5'),
        ("tsql", 'SELECT TOP 5 * FROM [a b].[Order "Lines"]'),
        ("oracle", 'SELECT * FROM "a b"."Order ""Lines""" FETCH FIRST 5 ROWS ONLY'),
    ],
)
def test_each_engine_gets_its_own_words(dialect: str, sql: str) -> None:
    written = first_rows(TableSchema(name='Order "Lines"', columns=(), schema="a b"), dialect, limit=5)
    assert written.split() == sql.split()
    assert isinstance(check_statement(written, dialect=dialect), Allowed)
