"""`write_dataframe_async` on every engine: exact, all or nothing."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.errors import SourceError, WriteNotAllowed
from tests.data.contract import boxes


@pytest.fixture(scope="module", params=["sqlite", "memory", "duckdb", "postgres", "mariadb", "psycopg"])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("write")
    match request.param:
        case "sqlite":
            yield f"sqlite:///{folder}/a.db"
        case "memory":
            yield "sqlite+aiosqlite:///:memory:"
        case "duckdb":
            pytest.importorskip("tabulaflow_core.data.engines.duckdb", exc_type=ImportError)
            yield f"duckdb:///{folder}/a.duckdb"
        case "postgres":
            with boxes.postgres_database() as address:
                yield address
        case "psycopg":
            pytest.importorskip("psycopg")
            with boxes.postgres_database() as address:
                yield address.replace("postgresql://", "postgresql+psycopg://", 1)
        case _:
            with boxes.mariadb_database() as address:
                yield address


@pytest.fixture
async def connector(url: str) -> AsyncIterator[SQLConnector]:
    connector = await SQLConnector.from_url_async(url, read_only=False)
    yield connector
    await connector.close_async()


async def _rows(connector: SQLConnector, sql: str) -> list[list[object]]:
    outcome = await connector.run_query_async(sql)
    assert isinstance(outcome, QueryResult), outcome
    return [list(row) for row in zip(*(column.to_pylist() for column in outcome.table.columns), strict=True)]


async def test_values_are_exact(connector: SQLConnector) -> None:
    frame = pd.DataFrame(
        {
            "i": [9223372036854775807, -1],
            "f": [0.1, float("nan")],
            "s": ["Bögli & Söhne 東京 🙂 it's 100% :x", None],
            "n": pd.array([1, None], dtype="Int64"),
            "b": [b"\x00\xff", None],
            "c": pd.Categorical(["x", "y"]),
        }
    )
    await connector.write_dataframe_async(frame, "t", if_exists="replace")
    assert await _rows(connector, "SELECT i, f, s, n, b, c FROM t ORDER BY i DESC") == [
        [9223372036854775807, 0.1, "Bögli & Söhne 東京 🙂 it's 100% :x", 1, b"\x00\xff", "x"],
        [-1, None, None, None, None, "y"],
    ]


async def test_times_decimals_and_booleans(connector: SQLConnector) -> None:
    instant = pd.Timestamp("2024-03-31 03:30:00.123456", tz="Europe/Zurich")
    frame = pd.DataFrame(
        {
            "k": [1, 2],
            "day": [dt.date(2024, 2, 29), None],
            "seen": pd.to_datetime(["2024-02-29 23:59:59.123456", None]),
            "z": pd.Series([instant, None], dtype="datetime64[us, Europe/Zurich]"),
            "d": [Decimal("12345678901.25"), None],
            "big": [Decimal("12345678901234567890.123456"), None],
            "yes": pd.array([True, None], dtype="boolean"),
            "u": np.array([2**64 - 1, 0], dtype="uint64"),
        }
    )
    await connector.write_dataframe_async(frame, "times", if_exists="replace")
    first, second = await _rows(connector, "SELECT day, seen, z, d, big, yes, u FROM times ORDER BY k")
    day, at, zone, amount, big, yes, unsigned = first
    assert str(day) == "2024-02-29"
    assert str(at) == "2024-02-29 23:59:59.123456"
    assert pd.Timestamp(zone).tz_localize(None) in (
        pd.Timestamp("2024-03-31 01:30:00.123456"),
        pd.Timestamp("2024-03-31 03:30:00.123456"),
    )
    assert Decimal(str(amount)) == Decimal("12345678901.25")
    assert Decimal(str(big)) == Decimal("12345678901234567890.123456")
    assert yes in (True, 1)
    assert int(unsigned) == 2**64 - 1
    assert second[:-1] == [None] * 6


async def test_what_to_do_with_a_table_that_is_there(connector: SQLConnector) -> None:
    one, two = pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]})
    await connector.write_dataframe_async(one, "there", if_exists="replace")
    with pytest.raises(SourceError, match="already"):
        await connector.write_dataframe_async(two, "there")
    await connector.write_dataframe_async(two, "there", if_exists="append")
    assert await _rows(connector, "SELECT a FROM there ORDER BY a") == [[1], [2]]
    await connector.write_dataframe_async(pd.DataFrame({"b": ["x"]}), "there", if_exists="replace")
    assert await _rows(connector, "SELECT b FROM there") == [["x"]]
    with pytest.raises(SourceError):
        await connector.write_dataframe_async(one, "there", if_exists="append")
    assert await _rows(connector, "SELECT b FROM there") == [["x"]]
    table = connector.schema.table("there")
    assert table is not None
    assert [column.name for column in table.columns] == ["b"]


async def test_awkward_names(connector: SQLConnector) -> None:
    names = ["Unit Price", "select", 'quo"te', "tick`", "100%", "größe", "a:b", "x?"]
    await connector.write_dataframe_async(pd.DataFrame([range(8)], columns=names), "Odd %s name", if_exists="replace")
    table = connector.schema.table("Odd %s name")
    assert table is not None
    assert [column.name for column in table.columns] == names


async def test_many_rows_and_columns(connector: SQLConnector) -> None:
    wide = pd.DataFrame({f"c{n}": range(300) for n in range(120)})
    await connector.write_dataframe_async(wide, "wide", if_exists="replace")
    assert await _rows(connector, "SELECT count(*), sum(c119) FROM wide") == [[300, 299 * 300 // 2]]
    long = pd.DataFrame({"a": range(50_000), "s": [f"v{n}" for n in range(50_000)]})
    await connector.write_dataframe_async(long, "long_one", if_exists="replace")
    assert await _rows(connector, "SELECT count(*), count(DISTINCT s), sum(a) FROM long_one") == [
        [50_000, 50_000, 49_999 * 25_000]
    ]


async def test_an_empty_frame_makes_an_empty_table(connector: SQLConnector) -> None:
    frame = pd.DataFrame({"a": pd.Series([], dtype="int64"), "s": pd.Series([], dtype="str")})
    await connector.write_dataframe_async(frame, "no_rows", if_exists="replace")
    assert await _rows(connector, "SELECT a, s FROM no_rows") == []


async def test_mixed_objects_become_text(connector: SQLConnector) -> None:
    frame = pd.DataFrame({"k": [1, 2, 3], "m": [1, "x", None]})
    await connector.write_dataframe_async(frame, "mixed", if_exists="replace")
    assert await _rows(connector, "SELECT m FROM mixed ORDER BY k") == [["1"], ["x"], [None]]


async def test_frames_that_make_no_table(connector: SQLConnector) -> None:
    with pytest.raises(SourceError, match="more than one column"):
        await connector.write_dataframe_async(pd.DataFrame([[1, 2]], columns=["a", "A"]), "twice")
    with pytest.raises(SourceError, match="no columns"):
        await connector.write_dataframe_async(pd.DataFrame(), "none")
    with pytest.raises(ValueError, match="if_exists"):
        await connector.write_dataframe_async(pd.DataFrame({"a": [1]}), "t", if_exists="delete")  # type: ignore[arg-type]
    assert connector.schema.table("twice") is None


async def test_a_read_only_source_is_not_written(tmp_path: Path) -> None:
    connector = await SQLConnector.from_url_async("sqlite://")
    with pytest.raises(WriteNotAllowed):
        await connector.write_dataframe_async(pd.DataFrame({"a": [1]}), "t")
    await connector.close_async()
