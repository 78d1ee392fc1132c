"""A query over two sources: what it gives, what it copies, what it refuses."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from pathlib import Path

import pytest

from tabulaflow_core.config import Limits
from tabulaflow_core.data import DataConnectorRegistry, FailureKind, QueryFailure, QueryResult, SQLConnector
from tabulaflow_core.data.workspace import AcrossConnector, AcrossResult, CopyLimits
from tests.data.workspace.conftest import sqlite_file

NEXT_TO_EACH_OTHER = """
    SELECT t.region, sum(o.amount) AS revenue, t.target
    FROM plans.targets t LEFT JOIN shop.orders o ON lower(o.region) = lower(t.region) AND o.status = 'paid'
    GROUP BY ALL ORDER BY t.target DESC
"""


async def rows_of(registry: DataConnectorRegistry, sql: str) -> list[tuple[object, ...]]:
    outcome = await registry.query_across_async(sql)
    assert isinstance(outcome, QueryResult), outcome
    return list(zip(*(column.to_pylist() for column in outcome.table.columns), strict=True))


async def fault_of(registry: DataConnectorRegistry, sql: str) -> QueryFailure:
    outcome = await registry.query_across_async(sql)
    assert isinstance(outcome, QueryFailure), outcome
    return outcome


def both(registry: DataConnectorRegistry, most: CopyLimits) -> AcrossConnector:
    return AcrossConnector({alias: registry.get(alias) for alias in registry.aliases}, most=most)


async def test_a_database_and_a_file(registry: DataConnectorRegistry) -> None:
    assert await rows_of(registry, NEXT_TO_EACH_OTHER) == [
        ("NORTH", 10.5, 12),
        ("South", 7.25, 9),
        ("East", None, 5),
    ]


async def test_names_that_only_one_source_has_need_no_alias(registry: DataConnectorRegistry) -> None:
    plain = NEXT_TO_EACH_OTHER.replace("plans.", "").replace("shop.", "")
    assert await rows_of(registry, plain) == await rows_of(registry, NEXT_TO_EACH_OTHER)


async def test_the_answer_says_what_was_brought_together(registry: DataConnectorRegistry) -> None:
    outcome = await registry.query_across_async(NEXT_TO_EACH_OTHER)
    assert isinstance(outcome, AcrossResult)
    assert outcome.sources == ("plans", "shop")
    assert [(c.source, c.table, c.rows, c.columns) for c in outcome.copied] == [
        ("plans", "targets", 3, 2),
        ("shop", "orders", 4, 3),
    ]
    assert outcome.sentence == (
        "Brought together for this query: 3 rows of plans.targets and 4 rows of shop.orders, "
        "which is all that it needs."
    )


async def test_one_source_is_asked_itself(registry: DataConnectorRegistry) -> None:
    outcome = await registry.query_across_async("SELECT shop.orders.id FROM shop.orders WHERE id > 3")
    assert isinstance(outcome, QueryResult)
    assert not isinstance(outcome, AcrossResult)
    assert outcome.table.to_pylist() == [{"id": 4}]
    # Its own dialect, with functions that DuckDB does not have.
    assert await rows_of(registry, "SELECT julianday('2026-01-02') - julianday('2026-01-01') FROM orders LIMIT 1") == [
        (1.0,)
    ]


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("o.status = 'paid'", 3),
        ("o.status IN ('paid', 'open') AND t.target > 5", 4),
        ("(o.status = 'open')", 1),
        ("o.status = 'paid' OR o.amount > 5", 4),  # not one condition
        ("lower(o.status) = 'paid'", 4),  # a function means different things
        ("o.amount > 5", 4),  # a column of SQLite may hold text
        ("o.ordered_on = '2026-01-05'", 4),  # a date has more than one spelling
        ("status = 'paid'", 3),  # nobody else has a column of this name
        ("region = 'north'", 4),  # both have it; the query itself is then at fault
    ],
)
async def test_only_safe_conditions_go_to_the_source(
    registry: DataConnectorRegistry, condition: str, rows: int
) -> None:
    sql = f"SELECT o.id FROM shop.orders o JOIN plans.targets t ON true WHERE {condition}"
    outcome = await registry.query_across_async(sql)
    if isinstance(outcome, AcrossResult):
        assert {c.source: c.rows for c in outcome.copied}["shop"] == rows
    else:
        assert "mbiguous" in outcome.message  # type: ignore[union-attr]


async def test_conditions_leave_out_nothing_that_counts(registry: DataConnectorRegistry) -> None:
    """Also where a table stands on the empty side of a join, or twice in the query."""
    kept = "SELECT count(*) FROM plans.targets t LEFT JOIN shop.orders o ON lower(o.region) = lower(t.region) WHERE "
    assert await rows_of(registry, kept + "o.status = 'paid' OR o.id IS NULL") == [(3,)]
    assert await rows_of(registry, kept + "o.status = 'paid'") == [(2,)]
    twice = (
        "SELECT (SELECT count(*) FROM shop.orders), count(*) FROM shop.orders o, plans.targets t "
        "WHERE o.status = 'open' AND t.target = 5"
    )
    assert await rows_of(registry, twice) == [(4, 1)]


async def test_a_star_a_row_and_a_natural_join_have_all_columns(registry: DataConnectorRegistry) -> None:
    outcome = await registry.query_across_async("SELECT o.* FROM orders o, targets t WHERE t.target = 5 AND o.id = 1")
    assert isinstance(outcome, QueryResult)
    assert outcome.table.column_names == ["id", "region", "ordered_on", "status", "amount"]
    assert await rows_of(registry, "SELECT o.id, t FROM orders o, targets t WHERE t.target = 5 AND o.id = 1") == [
        (1, {"region": "East", "target": 5})
    ]
    assert await rows_of(registry, "SELECT count(*) FROM orders NATURAL JOIN targets") == [(0,)]


async def test_text_dates_of_sqlite_are_dates_where_the_query_wants_them(registry: DataConnectorRegistry) -> None:
    by_month = (
        "SELECT date_trunc('month', o.ordered_on) AS month, count(*) FROM orders o, targets t "
        "WHERE t.target = 9 AND o.ordered_on >= '2026-01-01' GROUP BY 1 ORDER BY 1"
    )
    assert await rows_of(registry, by_month) == [(datetime(2026, 1, 1), 1), (datetime(2026, 2, 1), 2)]
    in_sqlite = by_month.replace("date_trunc('month', o.ordered_on)", "strftime('%Y-%m', o.ordered_on)")
    assert await rows_of(registry, in_sqlite) == [("2026-01", 1), ("2026-02", 2)]
    as_text = by_month.replace("date_trunc('month', o.ordered_on)", "substr(o.ordered_on, 1, 7)")
    assert await rows_of(registry, as_text) == [("2026-01", 1), ("2026-02", 2)]


async def test_names_in_two_sources_must_be_told_apart(registry: DataConnectorRegistry, tmp_path: Path) -> None:
    old = sqlite_file(tmp_path / "old.sqlite", {"Orders": ("id INTEGER, amount REAL", [(1, 2.0), (9, 3.0)])})
    registry.register("old-shop", await SQLConnector.from_url_async(f"sqlite:///{old}"))
    fault = await fault_of(registry, "SELECT count(*) FROM orders JOIN targets ON true")
    assert fault.kind is FailureKind.INVALID
    assert "in more than one source" in fault.message
    assert "shop.orders or old-shop.Orders" in fault.hint
    told = 'SELECT shop.orders.amount, o.amount FROM shop.orders JOIN "old-shop".orders o ON o.id = shop.orders.id'
    assert await rows_of(registry, told) == [(10.5, 2.0)]
    assert await rows_of(
        registry, "WITH orders AS (SELECT id FROM shop.orders) SELECT count(*) FROM orders, targets"
    ) == [(12,)]


async def test_unknown_tables_and_columns_are_named(registry: DataConnectorRegistry) -> None:
    table = await fault_of(registry, "SELECT 1 FROM shop.ordrs JOIN plans.targets ON true")
    assert "'shop.ordrs'" in table.message
    assert "shop.orders" in table.hint
    column = await fault_of(registry, "SELECT o.colour FROM shop.orders o JOIN plans.targets ON true")
    assert column.kind is FailureKind.INVALID
    assert "colour" in column.message
    assert "DuckDB" in column.hint
    assert "names no table" in (await fault_of(registry, "SELECT 1")).message


HOSTILE = [
    "DROP TABLE shop.orders",
    "DELETE FROM shop.orders",
    "INSERT INTO shop.orders SELECT * FROM plans.targets",
    "WITH gone AS (DELETE FROM shop.orders RETURNING *) SELECT * FROM gone, plans.targets",
    "SELECT 1 FROM shop.orders, plans.targets; DROP TABLE shop.orders",
    "SELECT * FROM shop.orders, plans.targets, read_csv('/etc/passwd')",
    "SELECT * FROM shop.orders, plans.targets, read_text('/etc/passwd')",
    "SELECT * FROM shop.orders, plans.targets, '/etc/passwd'",
    "COPY (SELECT * FROM shop.orders, plans.targets) TO '/tmp/out.csv'",
    "ATTACH '/tmp/x.db' AS x",
    "SELECT getenv('HOME') FROM shop.orders, plans.targets",
    "SELECT load_extension('x') FROM shop.orders",
    "SELECT * FROM shop.orders, plans.targets, sqlite_master, duckdb_settings()",
    "CREATE TABLE t AS SELECT * FROM shop.orders, plans.targets",
    "PRAGMA enable_external_access",
    "SELECT * FROM query('DROP TABLE shop.orders'), plans.targets",
    "SELECT " + "(" * 400 + "1" + ")" * 400 + " FROM shop.orders, plans.targets",
    "SELECT '" + "x" * 300_000 + "' FROM shop.orders, plans.targets",
    "",
]


@pytest.mark.parametrize("sql", HOSTILE)
async def test_what_is_hostile_is_refused(registry: DataConnectorRegistry, sql: str) -> None:
    fault = await fault_of(registry, sql)
    assert fault.kind is FailureKind.REFUSED or "No source has a table" in fault.message
    assert await rows_of(registry, "SELECT count(*) FROM shop.orders") == [(4,)]


async def test_the_workspace_is_locked_without_the_guard() -> None:
    import pyarrow as pa

    from tabulaflow_core.data.engines.base import Caps, EngineFault
    from tabulaflow_core.data.workspace.engine import Workspace

    tables = {("a", "t"): pa.table({"x": [1]})}
    for sql in (
        "SELECT * FROM read_text('/etc/passwd')",
        "COPY a.t TO '/tmp/j-out.csv'",
        "ATTACH '/tmp/j-out.db' AS o",
        "SET enable_external_access = true",
    ):
        with pytest.raises(EngineFault):
            Workspace().run(tables, sql, Caps(10, 10**6, 5), dates=False)


async def test_a_table_that_is_too_large_is_refused_not_cut(registry: DataConnectorRegistry) -> None:
    few = both(registry, CopyLimits(rows=3))
    fault = await few.run_query_async(NEXT_TO_EACH_OTHER)
    assert isinstance(fault, QueryFailure)
    assert fault.kind is FailureKind.REFUSED
    assert "shop.orders is too large" in fault.message
    assert "at most 3 rows" in fault.message
    fits = await few.run_query_async(NEXT_TO_EACH_OTHER.replace("GROUP BY", "WHERE o.status = 'paid' GROUP BY"))
    assert isinstance(fits, AcrossResult)
    small = await both(registry, CopyLimits(bytes=10)).run_query_async(NEXT_TO_EACH_OTHER)
    assert isinstance(small, QueryFailure)
    assert "too large" in small.message
    one = await both(registry, CopyLimits(tables=1)).run_query_async(NEXT_TO_EACH_OTHER)
    assert isinstance(one, QueryFailure)
    assert "needs 2 tables" in one.message


async def test_the_rows_of_the_answer_are_capped_and_say_so(registry: DataConnectorRegistry) -> None:
    outcome = await registry.query_across_async("SELECT o.id FROM orders o, targets", limit=5)
    assert isinstance(outcome, QueryResult)
    assert (outcome.table.num_rows, outcome.truncated, outcome.cut_by) == (5, True, "rows")


ENDLESS = (
    "SELECT count(*) FROM range(3000000) a(i), range(3000000) b(j), shop.orders o, plans.targets t "
    "WHERE a.i <> b.j + o.id"
)


async def test_a_long_query_is_stopped_at_its_limit(registry: DataConnectorRegistry) -> None:
    slow = AcrossConnector({alias: registry.get(alias) for alias in registry.aliases}, limits=Limits(query_seconds=1.5))
    fault = await slow.run_query_async(ENDLESS)
    assert isinstance(fault, QueryFailure), fault
    assert fault.kind is FailureKind.TIMEOUT
    assert "plans and shop" in fault.message.replace("shop and plans", "plans and shop")


async def test_stop_ends_it_at_once(registry: DataConnectorRegistry) -> None:
    task = asyncio.create_task(registry.query_across_async(ENDLESS))
    await asyncio.sleep(1.0)
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < 20
    assert len(await rows_of(registry, NEXT_TO_EACH_OTHER)) == 3
