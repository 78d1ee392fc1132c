"""Many rows by synchronous drivers: each way of writing, awkward names, every value read back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pytest

from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.data.engines.base import EngineFault, IfExists
from tabulaflow_core.data.engines.generic.adapter import GenericAdapter
from tabulaflow_core.data.urls import parse_source_url
from tests.data.contract import boxes

pytestmark = pytest.mark.server

ROWS = 12_000  # more than two batches
NAME = 'a "t" `100%` table'


@pytest.fixture(params=["postgresql+psycopg", "mysql+pymysql"])
def place(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    pytest.importorskip(request.param.partition("+")[2])
    with (boxes.postgres_database if "psycopg" in request.param else boxes.mariadb_database)() as url:
        yield url, request.param


def _rows() -> pa.Table:
    texts = ["", None, "tab\tnew\nline\\N \\. 'q' \"d\" 100%s", "é 東京 🙂", "NULL"]
    table = pa.table(
        {
            "n": pa.array(range(ROWS), pa.int64()),
            "per cent %": [None if n % 7 == 0 else n * 0.5 for n in range(ROWS)],
            'te"xt': [texts[n % 5] for n in range(ROWS)],
            "truth": [None if n % 5 == 0 else n % 2 == 0 for n in range(ROWS)],
            "price": pa.array([Decimal(n).scaleb(-2) for n in range(ROWS)], pa.decimal128(20, 2)),
            "at": [dt.datetime(2026, 3, 29, 2, 30, 0, n) for n in range(ROWS)],
            "day": [dt.date(2024, 2, 29) + dt.timedelta(n) for n in range(ROWS)],
            "raw": [bytes([n % 256, 0, 92]) for n in range(ROWS)],
        }
    )
    return table


async def _read(url: str) -> pa.Table:
    quoted = f"`{NAME.replace('`', '``')}`" if not url.startswith("postgres") else '"' + NAME.replace('"', '""') + '"'
    async with await SQLConnector.from_url_async(url) as connector:
        outcome = await connector.run_query_async(f"SELECT * FROM {quoted} ORDER BY n")
    assert isinstance(outcome, QueryResult), outcome
    return outcome.table


async def test_many_rows_by_a_synchronous_driver(place: tuple[str, str]) -> None:
    url, driver = place
    rows = _rows()
    adapter = GenericAdapter(replace(parse_source_url(url), driver=driver))
    ways: tuple[tuple[IfExists, int], ...] = (("fail", 1), ("append", 2), ("replace", 1))
    for way, copies in ways:
        await adapter.write_async(NAME, rows, if_exists=way)
        found = await _read(url)
        assert found.column_names == rows.column_names
        for name in rows.column_names:
            told = found[name].to_pylist()
            if name == "truth":
                told = [None if value is None else bool(value) for value in told]  # MariaDB has numbers for it
            assert told == [value for value in rows[name].to_pylist() for _ in range(copies)], (way, name)
    with pytest.raises(EngineFault):
        await adapter.write_async(NAME, rows, if_exists="fail")
    await adapter.close_async()


async def test_what_the_table_does_not_take_leaves_it_as_it_was(place: tuple[str, str]) -> None:
    url, driver = place
    adapter = GenericAdapter(replace(parse_source_url(url), driver=driver))
    good = pa.table({"n": pa.array(range(6_000), pa.int64())})
    await adapter.write_async(NAME, good, if_exists="fail")
    with pytest.raises(EngineFault):
        await adapter.write_async(NAME, pa.table({"n": [*map(str, range(6_000)), "no number"]}), if_exists="append")
    assert (await _read(url)).num_rows == 6_000
    await adapter.close_async()
