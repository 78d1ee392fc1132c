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


def test_names_in_capitals_are_told_in_lower_case() -> None:
    table = TableSchema(name="orders", columns=(), schema="Sales")
    assert first_rows(table, "snowflake", limit=1) == 'SELECT * FROM "Sales"."ORDERS" LIMIT 1'
    assert first_rows(table, "postgres", limit=1) == 'SELECT * FROM "Sales"."orders" LIMIT 1'
