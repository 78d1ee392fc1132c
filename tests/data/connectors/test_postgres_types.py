"""PostgreSQL: casts to types of a user, looked up before the statement runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tabulaflow_core.data import FailureKind, QueryFailure, QueryResult, SQLConnector
from tests.data.contract import boxes
from tests.data.contract.boxes import outside_postgres

pytestmark = pytest.mark.server

SETUP = (
    "CREATE TYPE size AS ENUM ('small', 'large')",
    "CREATE SCHEMA app",
    "CREATE TYPE app.\"Odd Size\" AS ENUM ('odd')",
    "CREATE DOMAIN positive AS integer CHECK (VALUE > 0)",
    "CREATE FUNCTION seen(i integer) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
    "CREATE DOMAIN checked AS integer CHECK (seen(VALUE))",
    "CREATE DOMAIN over_checked AS checked",
    "CREATE TYPE pair AS (a integer, b size)",
    "CREATE TYPE bad_pair AS (a integer, b over_checked)",
    "CREATE TYPE spans AS RANGE (subtype = checked)",
    "CREATE FUNCTION above(i integer, j integer) RETURNS boolean LANGUAGE sql AS 'SELECT i > j'",
    "CREATE OPERATOR >>>> (FUNCTION = above, LEFTARG = integer, RIGHTARG = integer)",
    "CREATE DOMAIN by_operator AS integer CHECK (VALUE >>>> 0)",
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with boxes.postgres_database() as url:
        outside_postgres(url, *SETUP)
        yield url


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("SELECT 'small'::size < 'large'::size", True),
        ("SELECT CAST('large' AS size)", "large"),
        ("SELECT ('{small,large}'::size[])[2]", "large"),
        ("SELECT 'odd'::app.\"Odd Size\"", "odd"),
        ("SELECT 3::positive", 3),
        ("SELECT (ROW(1, 'small')::pair).a", 1),
        ("EXPLAIN (COSTS off) SELECT 'small'::size", "Result"),
    ],
)
async def test_types_that_run_no_code_pass(url: str, sql: str, value: object) -> None:
    async with await SQLConnector.from_url_async(url) as connector:
        answer = await connector.run_query_async(sql)
        assert isinstance(answer, QueryResult), answer
        assert answer.table.column(0).to_pylist() == [value]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 3::checked", "SELECT CAST('3' AS over_checked)", "SELECT '{3}'::checked[]",
        "SELECT ROW(1, 2)::bad_pair", "SELECT '[1,2]'::spans", "SELECT 1::by_operator", "SELECT 3::public.checked",
        "SELECT * FROM json_to_record('{\"a\":1}') AS t(a checked)", "EXPLAIN ANALYZE SELECT 3::checked",
        "SELECT x::checked FROM generate_series(1, 2) x", "WITH q AS (SELECT 3::size::text::checked) SELECT * FROM q",
    ],
)  # fmt: skip
async def test_types_that_run_code_are_refused(url: str, sql: str) -> None:
    async with await SQLConnector.from_url_async(url) as connector:
        answer = await connector.run_query_async(sql)
        assert isinstance(answer, QueryFailure), answer
        assert answer.kind is FailureKind.REFUSED, answer
        assert "runs code of the database" in answer.message


async def test_a_type_that_is_not_there_is_the_statements_own_fault(url: str) -> None:
    async with await SQLConnector.from_url_async(url) as connector:
        answer = await connector.run_query_async("SELECT 1::nothing_like_it")
        assert isinstance(answer, QueryFailure)
        assert answer.kind is FailureKind.INVALID
