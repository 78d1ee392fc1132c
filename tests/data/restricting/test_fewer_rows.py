"""A restricted statement gives what it gives where the table has no other rows, whatever its form, on each engine."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest

from tabulaflow_core.data.contracts import QueryFailure
from tabulaflow_core.data.restricting import DateRange, Restriction
from tests.data.restricting.engines import ENGINES, connected, database
from tests.data.restricting.test_restricting import ROWS

LOW, HIGH = "2024-02-01", "2024-02-29"
FEWER = [row for row in ROWS if row[2] is not None and LOW <= row[2] <= HIGH]
FEBRUARY = Restriction("things", "day", DateRange(dt.date.fromisoformat(LOW), dt.date.fromisoformat(HIGH)))
#: Of all four dialects; what an engine does not know, it refuses with and without the restriction.
STATEMENTS = (
    "SELECT n FROM things",
    "SELECT t.* FROM things t",
    'SELECT * FROM "things"',
    "SELECT * FROM `things`",
    'SELECT "things"."n" FROM "things"',
    "SELECT * FROM main.things",
    "SELECT main.things.n FROM main.things",
    "SELECT * FROM public.things",
    "SELECT public.things.n FROM public.things",
    "SELECT things.n FROM public.things WHERE public.things.n>0",
    "(SELECT n FROM things) UNION (SELECT n FROM things) ORDER BY 1",
    "SELECT n FROM things INTERSECT SELECT n FROM things",
    "SELECT n FROM things EXCEPT SELECT n FROM things WHERE n=2",
    "WITH things AS (SELECT * FROM things) SELECT n FROM things",
    "WITH a AS (SELECT * FROM things), b AS (SELECT * FROM a JOIN things USING (n)) SELECT n FROM b",
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r WHERE i < (SELECT count(*) FROM things)) "
    "SELECT i FROM r",
    "SELECT a.n FROM things a JOIN LATERAL (SELECT count(*) c FROM things b WHERE b.n<=a.n) x ON true",
    "SELECT a.n, x.c FROM things a, LATERAL (SELECT count(*) c FROM things b WHERE b.n<=a.n) x",
    "SELECT n FROM things NATURAL JOIN (SELECT n FROM things) z",
    "SELECT n FROM things LEFT JOIN (SELECT n AS m FROM things) z ON z.m=n",
    "SELECT (SELECT max(n) FROM things) AS m",
    "SELECT EXISTS (SELECT 1 FROM things WHERE n=1) AS e",
    "SELECT n FROM things WHERE n IN (SELECT n FROM things) AND EXISTS (SELECT 1 FROM things x WHERE x.n=things.n)",
    "SELECT CASE WHEN (SELECT count(*) FROM things)>2 THEN 1 ELSE 0 END AS q",
    "SELECT n FROM things WHERE n = ANY (SELECT n FROM things)",
    "SELECT n FROM things WHERE n >= ALL (SELECT n FROM things)",
    "SELECT sum(n) OVER (ORDER BY n) AS s FROM things ORDER BY n",
    "SELECT count(*) FROM things t1, things t2, things t3",
    "SELECT t(n) FROM things",
    "SELECT * FROM things AS t(a,b,c,d,e,f)",
    "SELECT * FROM things /* things */ -- things",
    "SELECT n AS things FROM things",
    'SELECT things.n AS "things" FROM things ORDER BY things.n',
    "SELECT n FROM things things",
    "SELECT x.n FROM (things x)",
    "SELECT x.n FROM (things x JOIN things y ON x.n=y.n)",
    "SELECT x.n FROM ((things x) JOIN (things y) ON x.n=y.n)",
    "SELECT * FROM ONLY things",
    "SELECT n FROM things TABLESAMPLE SYSTEM (100)",
    "SELECT n FROM things USE INDEX (PRIMARY)",
    "FROM things",
    "FROM things SELECT n",
    "SELECT n FROM things QUALIFY row_number() OVER (ORDER BY n)=1",
    "PIVOT things ON word USING count(*)",
    "SELECT * FROM (PIVOT things ON word USING count(*))",
    "SELECT COLUMNS('n') FROM things",
    "SELECT * EXCLUDE (word) FROM things",
    "SUMMARIZE things",
    "DESCRIBE things",
    "SELECT n FROM things NOT INDEXED",
    "SELECT DISTINCT ON (day) n FROM things ORDER BY day, n",
    "SELECT n FROM things FOR SYSTEM_TIME ALL",
    "SELECT n FROM things GROUP BY n HAVING count(*) = (SELECT count(*) FROM things)-1",
    "VALUES ((SELECT count(*) FROM things))",
    "SELECT * FROM query_table('things')",
    "SELECT * FROM query('SELECT * FROM things')",
    "SELECT n FROM Things",
    "SELECT n FROM THINGS",
    "SELECT unnest(list(n)) AS u FROM things",
    "SELECT n FROM things POSITIONAL JOIN (SELECT n AS k FROM things)",
    "SELECT a.n FROM things a ASOF JOIN things b ON a.n>=b.n",
    "SELECT array(SELECT n FROM things ORDER BY n) AS a",
    "SELECT string_agg(word, ',') AS a FROM things",
    "SELECT row_to_json(things) AS j FROM things",
    "SELECT n FROM things WHERE word = '''; SELECT * FROM things'",
)
#: How many of them run on each engine, at least: that the others are refused is no success.
LEAST = {"sqlite": 30, "duckdb": 45, "postgres": 40, "mysql": 25}


@pytest.fixture(
    scope="module", params=[pytest.param(e, marks=[pytest.mark.server] if e in ENGINES[2:] else []) for e in ENGINES]
)
def urls(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    name = request.param
    with (
        database(name, tmp_path_factory.mktemp(f"{name}-all"), ROWS) as whole,
        database(name, tmp_path_factory.mktemp(f"{name}-part"), FEWER) as part,
    ):
        yield whole, part


async def test_the_same_rows_as_of_a_table_without_the_others(urls: tuple[str, str]) -> None:
    alike = 0
    async with connected(urls[0]) as whole, connected(urls[1]) as part:
        for sql in STATEMENTS:
            found = await whole.run_query_async(sql, restrictions=[FEBRUARY])
            if isinstance(found, QueryFailure):  # said, and never all rows in its place
                continue
            expected = await part.run_query_async(sql)
            assert not isinstance(expected, QueryFailure), sql
            assert sorted(map(repr, found.table.to_pylist())) == sorted(map(repr, expected.table.to_pylist())), sql
            alike += 1
        assert alike >= LEAST[whole.dialect]
