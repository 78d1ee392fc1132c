"""Twenty questions in a row over PostgreSQL, MariaDB and a file: right sums, caps that are said, and no memory kept."""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.data import DataConnectorRegistry, FilesConnector, SQLConnector
from tabulaflow_core.data.files import read_file
from tabulaflow_core.models.scripted import ScriptedModel, call, text
from tests.data.contract import boxes

pytestmark = pytest.mark.server

#: Of the table that each question copies, and one more than may be copied.
ROWS, TOO_MANY = 60_000, 200_001
#: What ten questions may leave behind, in bytes; each of them copies some 10 MB.
_KEPT = 60 * 1024 * 1024


@pytest.fixture(scope="module")
def urls() -> Iterator[tuple[str, str]]:
    with boxes.postgres_database() as pg, boxes.mariadb_database() as my:
        boxes.outside_postgres(
            pg,
            "CREATE TABLE sold AS SELECT n AS id, n % 100 AS customer_id, (n % 7)::numeric(10,2) AS amount, "
            f"'note number ' || n AS note FROM generate_series(1, {ROWS}) n",
            f"CREATE TABLE clicks AS SELECT n % 100 AS customer_id FROM generate_series(1, {TOO_MANY}) n",
        )
        boxes.outside_mariadb(
            my,
            "CREATE TABLE clients (id INT PRIMARY KEY, region VARCHAR(20))",
            "INSERT INTO clients SELECT seq - 1, ELT(1 + seq % 2, 'east', 'west') FROM seq_1_to_100",
        )
        yield pg, my


@pytest.fixture
async def registry(urls: tuple[str, str], tmp_path: Path) -> AsyncIterator[DataConnectorRegistry]:
    (tmp_path / "targets.csv").write_text("region,target\neast,300000\nwest,200000\n")
    async with DataConnectorRegistry() as made:
        made.register("crm", await SQLConnector.from_url_async(urls[1]))
        made.register("shop", await SQLConnector.from_url_async(urls[0]))
        reading = read_file(tmp_path / "targets.csv", storage=tmp_path)
        made.register("plans", await FilesConnector.open_async([reading]))
        yield made


#: By plain arithmetic, as the tables were made.
EAST = sum(Decimal(n % 7) for n in range(1, ROWS + 1) if (n % 100) % 2 == 1)
WEST = sum(Decimal(n % 7) for n in range(1, ROWS + 1) if (n % 100) % 2 == 0)
TWO_DATABASES = (
    "SELECT c.region, sum(s.amount) AS sold, count(DISTINCT s.note) AS notes FROM shop.sold s "
    "JOIN crm.clients c ON c.id = s.customer_id GROUP BY c.region ORDER BY c.region"
)
ALL_THREE = (
    "SELECT t.region, any_value(t.target) AS target, sum(s.amount) AS sold FROM plans.targets t "
    "JOIN crm.clients c USING (region) JOIN shop.sold s ON s.customer_id = c.id GROUP BY t.region ORDER BY t.region"
)
CLICKS = "SELECT c.region, count(*) FROM shop.clicks k JOIN crm.clients c ON c.id = k.customer_id GROUP BY 1"


def _resident() -> int:
    """Bytes of this process, without those that its allocators hold for later."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's
    if trim is not None:
        trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def test_twenty_questions_in_a_row(registry: DataConnectorRegistry) -> None:
    model = ScriptedModel()
    session = ChatSession(registry=registry, model=model)
    # MariaDB: seq - 1 is the id, so an odd id is `east`: ELT(1 + seq % 2) of an even seq.
    regions = {"east": EAST, "west": WEST}
    half_way = 0
    for turn in range(20):
        sql = TWO_DATABASES if turn % 2 == 0 else ALL_THREE
        model.enqueue(call("run_query", sql=sql)).enqueue(text("There you are."))
        result = await session.run(f"How do the regions do, question {turn}?")
        assert result.outcome == "answered"
        spec = result.artifacts[0]
        assert spec.kind == "table"
        asked = {"crm", "shop"} | ({"plans"} if turn % 2 else set())
        assert set(spec.source.split(" + ")) == asked
        assert f"{ROWS:,} rows of shop.sold" in spec.notes[-1]
        assert "100 rows of crm.clients" in spec.notes[-1]
        told = session.history[-2].text
        for region, sold in regions.items():
            assert region in told
            assert str(sold) in told
        if turn == 9:  # what the allocators need they have by now
            half_way = _resident()
    kept = _resident() - half_way
    assert kept < _KEPT, kept


async def test_a_table_beyond_the_cap_is_refused_with_the_cap_and_the_session_goes_on(
    registry: DataConnectorRegistry,
) -> None:
    model = ScriptedModel()
    session = ChatSession(registry=registry, model=model)
    filtered = CLICKS.replace("GROUP BY", "WHERE k.customer_id = 7 GROUP BY")
    model.enqueue(call("run_query", sql=CLICKS)).enqueue(call("run_query", sql=filtered)).enqueue(text("So many."))
    result = await session.run("Clicks by region?")
    refusal = session.history[-4].text
    assert "shop.clicks is too large" in refusal
    assert "200,000 rows" in refusal
    spec = result.artifacts[0]
    assert spec.kind == "table"
    assert "2,000 rows of shop.clicks" in spec.notes[-1]
    model.enqueue(call("run_query", sql=TWO_DATABASES)).enqueue(text("And so."))
    assert (await session.run("And sales?")).outcome == "answered"
