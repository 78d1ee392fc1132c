"""PostgreSQL or MariaDB beside SQLite: exact values and schemas across engines. Skipped where no server runs."""

from __future__ import annotations

import datetime
import os
import uuid
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest

from tabulaflow_core.data import DataConnectorRegistry, QueryFailure, QueryResult, SQLConnector
from tabulaflow_core.data.workspace import AcrossResult
from tests.data.workspace.conftest import sqlite_file

PG = os.environ.get("TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/test")
WIDE = Decimal("12345678901234567890123456789012345678901234.5")


@pytest.fixture
async def registry(tmp_path: Path) -> AsyncIterator[DataConnectorRegistry]:
    """`books` on PostgreSQL, with two tables of one name in two schemas, and `notes` in SQLite."""
    asyncpg = pytest.importorskip("asyncpg")
    try:
        db = await asyncpg.connect(PG, timeout=5)
    except OSError:
        pytest.skip("no PostgreSQL answers")
    one, two = (f"w{uuid.uuid4().hex[:10]}" for _ in range(2))
    notes = sqlite_file(
        tmp_path / "n.sqlite",
        {"notes": ("book INTEGER, word TEXT, price DECIMAL(8,2)", [(1, "good", 0.1), (2, "thin", 0.2)])},
    )
    try:
        await db.execute(f"CREATE SCHEMA {one}; CREATE SCHEMA {two}")
        await db.execute(
            f"CREATE TABLE {one}.book (id bigint, price numeric(12,2), big numeric, made date, at timestamptz, "
            f"ok boolean, tags text[], data jsonb, note text); "
            f"INSERT INTO {one}.book VALUES (1, 0.10, {WIDE}, '2026-01-31', '2026-03-29 01:30+00', true, "
            f"ARRAY['a','b'], '{{\"k\": 1}}', ''), "
            f"(9223372036854775807, 0.20, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
        )
        await db.execute(f"CREATE TABLE {two}.book (id bigint); INSERT INTO {two}.book VALUES (1), (2)")
        async with DataConnectorRegistry() as made:
            made.register("books", await SQLConnector.from_url_async(PG))
            made.register("notes", await SQLConnector.from_url_async(f"sqlite:///{notes}"))
            made.one, made.two = one, two  # type: ignore[attr-defined]
            yield made
    finally:
        await db.execute(f"DROP SCHEMA {one} CASCADE; DROP SCHEMA {two} CASCADE")
        await db.close()


async def test_values_stay_exact(registry: DataConnectorRegistry) -> None:
    outcome = await registry.query_across_async(
        f"SELECT b.*, n.word FROM books.{registry.one}.book b LEFT JOIN notes.notes n ON n.book = b.id ORDER BY b.id"  # type: ignore[attr-defined]
    )
    assert isinstance(outcome, AcrossResult), outcome
    first, last = outcome.table.to_pylist()
    assert first["price"] == Decimal("0.10")
    assert str(first["big"]) == str(WIDE)
    assert first["made"] == datetime.date(2026, 1, 31)
    assert first["at"] == datetime.datetime(2026, 3, 29, 1, 30, tzinfo=datetime.UTC)
    assert (first["ok"], first["tags"], first["note"], first["word"]) == (True, ["a", "b"], "", "good")
    assert last["id"] == 9223372036854775807
    assert last["note"] is None


async def test_sums_over_decimals_are_exact_and_numbers_filter_in_the_source(registry: DataConnectorRegistry) -> None:
    outcome = await registry.query_across_async(
        f"SELECT sum(b.price) FROM books.{registry.one}.book b, notes n WHERE n.word = 'good' AND b.price < 0.15"  # type: ignore[attr-defined]
    )
    assert isinstance(outcome, AcrossResult), outcome
    assert outcome.table.column(0).to_pylist() == [Decimal("0.10")]
    assert {c.source: c.rows for c in outcome.copied} == {"books": 1, "notes": 1}


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("b.made >= '2026-01-31'", 1),
        ("b.made BETWEEN DATE '2026-02-01' AND DATE '2026-12-31'", 0),
        ("b.at >= '2026-12-31'", 2),  # a zone: the same day begins at other moments
        ("b.made >= '31 Jan 2026'", 2),  # no ISO date
        ("b.id > -1 AND b.id < 5", 1),
    ],
)
async def test_days_go_along_where_dates_are_real(registry: DataConnectorRegistry, condition: str, rows: int) -> None:
    sql = f"SELECT count(b.id) FROM books.{registry.one}.book b CROSS JOIN notes n WHERE n.book = 1 AND {condition}"  # type: ignore[attr-defined]
    outcome = await registry.query_across_async(sql)
    if isinstance(outcome, AcrossResult):
        assert {c.source: c.rows for c in outcome.copied}["books"] == rows
    else:
        assert "31 Jan" in condition, outcome


async def test_one_name_in_two_schemas(registry: DataConnectorRegistry) -> None:
    one, two = registry.one, registry.two  # type: ignore[attr-defined]
    sql = (
        f"SELECT count(*) FROM books.{two}.book JOIN books.{one}.book x ON x.id = book.id "
        "JOIN notes ON notes.book = x.id"
    )
    outcome = await registry.query_across_async(sql)
    assert isinstance(outcome, QueryResult), outcome
    assert outcome.table.column(0).to_pylist() == [1]
    by_place = await registry.query_across_async(f"SELECT count(*) FROM books.{two}__book, notes.notes")
    assert isinstance(by_place, QueryResult), by_place
    assert by_place.table.column(0).to_pylist() == [4]
    alone = await registry.query_across_async(f"SELECT books.{two}.book.id FROM books.{two}.book ORDER BY 1")
    assert isinstance(alone, QueryResult), alone
    assert alone.table.column(0).to_pylist() == [1, 2]


async def test_a_fault_of_a_source_names_it(registry: DataConnectorRegistry) -> None:
    outcome = await registry.query_across_async("SELECT * FROM books.pg_authid, notes.notes")
    assert isinstance(outcome, QueryFailure)
