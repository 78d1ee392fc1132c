"""`QueryResult.to_pandas`: the values of the database, none changed."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pandas as pd
import pyarrow as pa

from tabulaflow_core.data import QueryResult, SQLConnector


def _frame(*columns: pa.Array, names: list[str]) -> pd.DataFrame:
    return QueryResult(table=pa.Table.from_arrays(list(columns), names=names), sql="").to_pandas()


def test_integers_with_nulls_keep_their_digits() -> None:
    frame = _frame(
        pa.array([9_007_199_254_740_993, None]),
        pa.array([2**64 - 1, None], pa.uint64()),
        pa.array([9_223_372_036_854_775_807, 1]),
        pa.array([True, None]),
        names=["a", "b", "c", "d"],
    )
    assert [str(kind) for kind in frame.dtypes] == ["Int64", "UInt64", "int64", "boolean"]
    assert frame["a"].iloc[0] == 9_007_199_254_740_993
    assert frame["b"].iloc[0] == 2**64 - 1
    assert frame["a"].isna().tolist() == [False, True]


def test_objects_and_instants_stay_what_they_are() -> None:
    frame = _frame(
        pa.array([Decimal("12345678901234567890.10"), None]),
        pa.array([dt.date(1, 1, 1), None]),
        pa.array([1_711_848_600_123_456, None], pa.timestamp("us", tz="Europe/Zurich")),
        pa.array([b"\x00\xff", None]),
        pa.array(["", None]),
        names=["amount", "day", "at", "raw", "text"],
    )
    assert frame["amount"].iloc[0] == Decimal("12345678901234567890.10")
    assert frame["day"].iloc[0] == dt.date(1, 1, 1)
    assert frame["at"].iloc[0] == pd.Timestamp("2024-03-31 03:30:00.123456+02:00")
    assert frame["raw"].iloc[0] == b"\x00\xff"
    assert frame["text"].iloc[0] == ""
    assert frame.iloc[1].isna().all()


def test_names_may_repeat_and_there_may_be_no_rows_or_columns() -> None:
    frame = _frame(pa.array([1]), pa.array([2]), pa.array(["x"]), names=["id", "id", ""])
    assert list(frame.columns) == ["id", "id", ""]
    assert frame.values.tolist() == [[1, 2, "x"]]
    assert _frame(pa.array([], pa.int64()), names=["id"]).shape == (0, 1)
    assert _frame(names=[]).shape == (0, 0)


async def test_a_query_gives_a_frame() -> None:
    async with await SQLConnector.from_url_async("sqlite://") as source:
        outcome = await source.run_query_async("SELECT 1 AS id, 9007199254740993 AS n UNION ALL SELECT 2, NULL")
        assert isinstance(outcome, QueryResult)
        assert outcome.to_pandas()["n"].tolist() == [9007199254740993, pd.NA]
