"""PostgreSQL beside MariaDB: tables of one name, exact types, and Stop while a table is copied."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import pytest

from tabulaflow_core.data import DataConnectorRegistry, SQLConnector
from tabulaflow_core.data.workspace import AcrossResult
from tests.data.contract import boxes

pytestmark = pytest.mark.server

ID = "8d0fb8b4-6f3b-4d0a-9a55-0a8e9e3c1f10"
#: Minutes of work in the server before the first row.
SLOW = (
    "CREATE VIEW slow AS WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 1000) "
    "SELECT count(*) AS n FROM d a CROSS JOIN d b CROSS JOIN d c CROSS JOIN d e WHERE a.n + b.n * c.n - e.n <> 7"
)
RUNNING = {
    "pg": "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tabulaflow' AND state = 'active' "
    "AND datname = current_database()",
    "my": "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND command = 'Query' "
    "AND id <> connection_id()",
}


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    """Both databases, each with the seeded tables and a few more."""
    with boxes.postgres_database() as pg, boxes.mariadb_database() as my:
        boxes.outside_postgres(
            pg,
            'CREATE TABLE "größe" (id uuid, at timestamptz, price numeric(30,10), "Straße" text)',
            f"INSERT INTO \"größe\" VALUES ('{ID}', '2026-03-29 03:30:00+02', 12345678901234567890.0123456789, 'Ä')",
            SLOW,
        )
        boxes.outside_mariadb(
            my,
            "CREATE TABLE `größe` (id CHAR(36), price DECIMAL(30,10), `Straße` VARCHAR(9)) CHARACTER SET utf8mb4",
            f"INSERT INTO `größe` VALUES ('{ID}', 12345678901234567890.0123456789, 'ß')",
            SLOW,
        )
        yield {"pg": pg, "my": my}


async def _both_async(urls: dict[str, str]) -> DataConnectorRegistry:
    registry = DataConnectorRegistry()
    for alias, url in urls.items():
        registry.register(alias, await SQLConnector.from_url_async(url))
    return registry


async def test_tables_of_one_name_and_exact_types(urls: dict[str, str]) -> None:
    async with await _both_async(urls) as registry:
        outcome = await registry.query_across_async(
            'SELECT p.id, p.at, p.price AS pg, m.price AS my, p."Straße" || m."Straße" AS both '
            'FROM pg."größe" p JOIN my."größe" m ON CAST(m.id AS VARCHAR) = CAST(p.id AS VARCHAR)'
        )
        assert isinstance(outcome, AcrossResult), outcome
        (row,) = outcome.table.to_pylist()
        assert UUID(str(row["id"])) == UUID(ID)
        assert row["at"] == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
        assert row["pg"] == row["my"] == Decimal("12345678901234567890.0123456789")
        assert row["both"] == "Äß"
        assert outcome.sources == ("pg", "my")
        same = await registry.query_across_async(
            "SELECT count(*) AS n FROM pg.customers p JOIN my.customers m ON m.id = p.id AND m.name = p.name"
        )
        assert isinstance(same, AcrossResult), same
        assert same.table.column(0).to_pylist() == [3]


@pytest.mark.parametrize("alias", ["pg", "my"])
async def test_stop_while_a_table_is_copied(urls: dict[str, str], alias: str) -> None:
    other = {"pg": "my", "my": "pg"}[alias]
    outside = {"pg": boxes.outside_postgres, "my": boxes.outside_mariadb}[alias]

    def running() -> int:
        return int(str(outside(urls[alias], RUNNING[alias])[0][0]))

    async with await _both_async(urls) as registry:
        task = asyncio.create_task(
            registry.query_across_async(f"SELECT s.n, c.name FROM {alias}.slow s, {other}.customers c")
        )
        for _ in range(200):
            if await asyncio.to_thread(running):
                break
            await asyncio.sleep(0.02)
        assert not task.done()
        task.cancel()
        await asyncio.wait([task], timeout=30)
        assert task.cancelled()
        for _ in range(50):
            if not await asyncio.to_thread(running):
                break
            await asyncio.sleep(0.02)
        assert await asyncio.to_thread(running) == 0
        after = await registry.query_across_async("SELECT count(*) AS n FROM pg.customers p, my.customers m")
        assert isinstance(after, AcrossResult), after
        assert after.table.column(0).to_pylist() == [9]
