"""Restrictions on real engines: the rows that pass, statements of every form, and values that would be SQL."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal

import pytest

from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.contracts import QueryFailure, QueryResult
from tabulaflow_core.data.restricting import Contains, DateRange, NumberRange, OneOf, Restriction, RowTest
from tests.data.restricting.engines import ENGINES, Row, connected, database

#: Each is a word of a row of its own, and asked for; none may be read as SQL.
HOSTILE = (
    "'",
    "''",
    '"',
    "`",
    "\\",
    "\\'",
    "' OR '1'='1",
    "'; DROP TABLE things; --",
    '"; DROP TABLE things; --',
    "1; DELETE FROM things",
    "x' UNION SELECT 1, 'y', NULL, NULL, NULL, NULL --",
    "-- comment",
    "/* comment */",
    "/*! SELECT 1 */",
    "/*M! SELECT 1 */",
    "# comment",
    "%",
    "_",
    "100%",
    "%s",
    "%(x)s",
    ":abc",
    "?",
    "$1",
    "@x",
    "$$ body $$",
    "E'\\x41'",
    "0x41",
    "X'41'",
    "NULL",
    "TRUE",
    "CURRENT_DATE",
    "2024-02-30",
    "9" * 400,
    "a\nb",
    "a\tb",
    "a\r\nb",
    " lead and trail ",
    "Ünïcödé",
    "ß",
    "İstanbul",
    "日本語",
    "שלום",
    "\u202eevil",
    "e\u0301",
    "😀",
    "\ufeffmark",
    "\x1a",
    "\x7f",
    "w" * 9_000,
)
ROWS: list[Row] = [
    (1, "apple", "2024-01-31", "2024-01-31 00:00:00", "10.00", 0.5),
    (2, "Banana", "2024-02-01", "2024-02-01 12:00:00", "20.50", 1.5),
    (3, "CHERRY", "2024-02-29", "2024-02-29 23:59:59", "-3.25", -2.5),
    (4, "École", "2024-03-01", "2024-03-01 00:00:00", "0.00", 1e300),
    (5, None, None, None, None, None),
    (9_007_199_254_740_993, "date", "9999-12-30", "1999-12-31 23:00:00", "9999999999.99", 0.1),
    *((100 + i, word, "2001-01-01", "2001-01-01 00:00:00", "1.00", 1.0) for i, word in enumerate(HOSTILE)),
]


@pytest.fixture(
    scope="module", params=[pytest.param(e, marks=[pytest.mark.server] if e in ENGINES[2:] else []) for e in ENGINES]
)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with database(request.param, tmp_path_factory.mktemp(request.param), ROWS) as found:
        yield found


@pytest.fixture
async def things(url: str) -> AsyncIterator[SQLConnector]:
    async with connected(url) as connector:
        yield connector


async def numbers(
    things: SQLConnector, column: str, test: RowTest, sql: str = "SELECT n FROM things WHERE n < 100 OR n > 1000"
) -> list[int]:
    """The first column of the rows that pass, sorted."""
    outcome = await things.run_query_async(sql, restrictions=[Restriction("things", column, test)])
    assert isinstance(outcome, QueryResult), outcome
    return sorted(outcome.table.column(0).to_pylist())


BIG = 9_007_199_254_740_993


@pytest.mark.parametrize(
    ("column", "test", "expected"),
    [
        ("day", DateRange(dt.date(2024, 2, 1), dt.date(2024, 2, 29)), [2, 3]),
        ("day", DateRange(dt.date(2024, 2, 29), None), [3, 4, BIG]),
        ("day", DateRange(None, dt.date(2024, 1, 31)), [1]),
        ("day", DateRange(None, dt.date(9999, 12, 31)), [1, 2, 3, 4, BIG]),
        ("day", DateRange(dt.date(2024, 3, 1), dt.date(2024, 1, 1)), []),
        ("day", DateRange(), [1, 2, 3, 4, 5, BIG]),
        ("day", DateRange(dt.date(1, 1, 1), None), [1, 2, 3, 4, BIG]),
        ("moment", DateRange(dt.date(2024, 2, 1), dt.date(2024, 2, 29)), [2, 3]),
        ("moment", DateRange(dt.date(2024, 3, 1), dt.date(2024, 3, 1)), [4]),
        ("price", NumberRange(Decimal("0"), Decimal("20.5")), [1, 2, 4]),
        ("price", NumberRange(None, Decimal("-3.25")), [3]),
        ("price", NumberRange(Decimal("9999999999.99"), None), [BIG]),
        ("price", NumberRange(Decimal("9999999999.991"), None), []),
        ("price", NumberRange(Decimal("1E+60"), None), []),
        ("price", NumberRange(Decimal("-1E+60"), Decimal("1E-25")), [3, 4]),
        ("ratio", NumberRange(Decimal("0.1"), Decimal("0.5")), [1, BIG]),
        ("ratio", NumberRange(Decimal("1E+299"), None), [4]),
        ("n", NumberRange(Decimal(BIG), Decimal(BIG)), [BIG]),
        ("n", NumberRange(Decimal(BIG + 1), None), []),
        ("n", NumberRange(Decimal("2.5"), Decimal("4.5")), [3, 4]),
        ("n", NumberRange(Decimal(10) ** 40, None), []),
        ("word", OneOf(("apple", "École", "nothing")), [1, 4]),
        ("word", OneOf(()), []),
        ("n", OneOf(("2", str(BIG))), [2, BIG]),
        ("day", OneOf(("2024-02-29",)), [3]),
        ("price", OneOf(("20.5", "20.50")), [2]),
        ("word", Contains("AN"), [2]),
        ("word", Contains("cherry"), [3]),
        ("word", Contains("école"), [4]),
        ("word", Contains("ÉCOLE"), [4]),
        ("word", Contains(""), [1, 2, 3, 4, BIG]),
        ("n", Contains("740993"), [BIG]),
        ("day", Contains("2024-02"), [2, 3]),
    ],
)
async def test_rows_that_pass(things: SQLConnector, column: str, test: RowTest, expected: list[int]) -> None:
    assert await numbers(things, column, test) == expected


@pytest.mark.parametrize("value", HOSTILE, ids=[repr(v[:24]) for v in HOSTILE])
async def test_a_value_is_never_sql(things: SQLConnector, value: str) -> None:
    whole = await things.run_query_async("SELECT count(*) FROM things")
    found = await numbers(things, "word", OneOf((value,)), "SELECT n FROM things")
    assert 100 + HOSTILE.index(value) in found
    # A collation may hold two of them for the same, such as with and without a blank at the end; nothing else comes.
    assert all(number >= 100 for number in found)
    assert len(found) <= 3
    holding = await numbers(things, "word", Contains(value), "SELECT n FROM things")
    assert 100 + HOSTILE.index(value) in holding
    assert await numbers(things, "word", OneOf((f"{value} and more",)), "SELECT n FROM things") == []
    again = await things.run_query_async("SELECT count(*) FROM things")
    assert isinstance(whole, QueryResult)
    assert isinstance(again, QueryResult)
    assert whole.table == again.table


@pytest.mark.parametrize("value", ["a\0b", "\0", "\ud800", "x" * 10_001], ids=["nul", "only nul", "half", "long"])
async def test_a_value_that_no_database_has_is_a_sentence(things: SQLConnector, value: str) -> None:
    for test in (OneOf((value,)), Contains(value)):
        wanted = Restriction("things", "word", test)
        outcome = await things.run_query_async("SELECT n FROM things", restrictions=[wanted])
        assert isinstance(outcome, QueryFailure)
        assert outcome.untaken == wanted
        assert "value" in outcome.message


FEBRUARY = Restriction("things", "day", DateRange(dt.date(2024, 2, 1), dt.date(2024, 2, 29)))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT n FROM things", [2, 3]),
        ("SELECT t.n FROM things t", [2, 3]),
        ("SELECT t.n FROM things AS t WHERE t.price > 0", [2]),
        ("SELECT things.n FROM things WHERE things.price > 0 OR things.n = 1", [2]),
        ("SELECT n FROM things -- ? $1 in a comment\n", [2, 3]),
        ("SELECT n FROM things WHERE word <> '?' AND word <> '$1' AND word <> '%s'", [2, 3]),
        ("SELECT a.n FROM things a JOIN things b ON a.n = b.n", [2, 3]),
        ("SELECT a.n FROM things a, things b WHERE a.n = b.n", [2, 3]),
        ("WITH s AS (SELECT * FROM things) SELECT n FROM s", [2, 3]),
        ("WITH things2 AS (SELECT n FROM things) SELECT n FROM things2 UNION ALL SELECT n FROM things", [2, 2, 3, 3]),
        ("SELECT n FROM things WHERE n = (SELECT max(n) FROM things)", [3]),
        ("SELECT n FROM (SELECT n, day FROM things) x WHERE n IN (SELECT n FROM things)", [2, 3]),
        ("SELECT count(*) FROM things GROUP BY day", [1, 1]),
        ("SELECT max(n) OVER () FROM things ORDER BY 1", [3, 3]),
        ("SELECT n FROM THINGS", [2, 3]),
        ("SELECT n FROM things ORDER BY n LIMIT 1", [2]),
        ("SELECT (SELECT count(*) FROM things i WHERE i.n <= o.n) FROM things o", [1, 2]),
        ("SELECT n % 2 FROM things", [0, 1]),
    ],
)
async def test_statements_of_every_form(things: SQLConnector, sql: str, expected: list[int]) -> None:
    if things.dialect == "mysql" and "THINGS" in sql:
        pytest.skip("names of tables have a case on this server")
    outcome = await things.run_query_async(sql, restrictions=[FEBRUARY])
    assert isinstance(outcome, QueryResult), outcome
    assert sorted(outcome.table.column(0).to_pylist()) == expected


async def test_several_restrictions_all_hold(things: SQLConnector) -> None:
    wanted = [FEBRUARY, Restriction("things", "word", Contains("an")), Restriction("things", "n", OneOf(("2", "3")))]
    sql = "SELECT n FROM things WHERE n IN (SELECT n FROM things)"
    outcome = await things.run_query_async(sql, restrictions=wanted)
    assert isinstance(outcome, QueryResult), outcome
    assert outcome.table.column(0).to_pylist() == [2]


@pytest.mark.parametrize(
    ("sql", "restriction", "words"),
    [
        ("SELECT 1", FEBRUARY, "does not read things"),
        ("WITH things AS (SELECT 1 AS n) SELECT n FROM things", FEBRUARY, "called like its table"),
        (
            "SELECT n FROM things UNION ALL SELECT n FROM (WITH THINGS AS (SELECT 7 AS n) SELECT n FROM things) z",
            FEBRUARY,
            "called like its table",
        ),
        (" UNION ALL ".join(["SELECT n FROM things"] * 51), FEBRUARY, "more than 50 times"),
        ("SELECT n FROM things", Restriction("nothing", "day", DateRange()), "no table nothing"),
        ("SELECT n FROM things", Restriction("things", "gone", DateRange()), "no column gone"),
        ("SELECT n FROM things", Restriction("things", "word", NumberRange(Decimal(1))), "cannot be tested so"),
        ("SELECT n FROM things", Restriction("things", "n", DateRange(dt.date(2024, 1, 1))), "cannot be tested so"),
        ("EXPLAIN SELECT n FROM things", FEBRUARY, "no plain SELECT"),
        ("SELECT n FROM things", Restriction("things", "word", OneOf(("a",) * 501)), "500 values"),
    ],
)
async def test_what_cannot_be_taken_is_said(
    things: SQLConnector, sql: str, restriction: Restriction, words: str
) -> None:
    outcome = await things.run_query_async(sql, restrictions=[restriction])
    assert isinstance(outcome, QueryFailure)
    assert outcome.untaken == restriction
    assert words in outcome.message


async def test_a_table_that_is_read_after_in_is_not_passed_over(things: SQLConnector) -> None:
    if things.dialect != "sqlite":
        pytest.skip("only SQLite reads a table there")
    one_column = "SELECT n, 5 IN things FROM things"
    outcome = await things.run_query_async(one_column, restrictions=[FEBRUARY])
    assert isinstance(outcome, QueryFailure)
    assert outcome.untaken == FEBRUARY


async def test_rows_of_a_whole_table_are_not_guessed(things: SQLConnector) -> None:
    name = {"postgres": "ctid", "sqlite": "rowid", "duckdb": "rowid"}.get(things.dialect)
    if name is None:
        pytest.skip("MariaDB has no such column")
    outcome = await things.run_query_async(f"SELECT {name} FROM things", restrictions=[FEBRUARY])
    assert isinstance(outcome, QueryFailure), outcome


@pytest.mark.parametrize("sql", ["SELECT n FROM things WHERE n = ?", "SELECT n FROM things WHERE n = $1"])
async def test_a_mark_of_ones_own_is_refused_with_and_without_values(things: SQLConnector, sql: str) -> None:
    for wanted in ((), (FEBRUARY,)):
        outcome = await things.run_query_async(sql, restrictions=wanted)
        assert isinstance(outcome, QueryFailure)
        assert outcome.untaken is None
