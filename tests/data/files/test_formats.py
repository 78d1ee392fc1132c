"""JSON and Parquet."""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.data.files.conftest import Reader


def test_an_array_of_records(read: Reader) -> None:
    seen = read('[{"id": 1, "n": "a", "d": "2026-01-31"}, {"id": 2, "x": [1, 2.5], "d": null}]', "t.json")
    assert seen.names == ["id", "n", "d", "x"]
    assert seen.rows == [(1, "a", dt.date(2026, 1, 31), None), (2, None, None, "[1, 2.5]")]
    assert seen.told("nested", "x")


def test_records_one_a_line(read: Reader) -> None:
    seen = read('{"id": 9007199254740993, "p": 1.10}\n\n{"id": 2, "p": 2.25}\n', "t.ndjson")
    assert seen.rows == [(9007199254740993, Decimal("1.10")), (2, Decimal("2.25"))]


def test_records_in_a_wrapper(read: Reader) -> None:
    seen = read('\ufeff{"count": 2, "users": [{"id": 1, "ok": true}, {"id": 2, "ok": false}]}', "t.json")
    assert seen.rows == [(1, True), (2, False)]
    assert seen.choice("path") == "users"


def test_strings_of_digits_are_codes(read: Reader) -> None:
    assert read('[{"zip": "10115"}, {"zip": "80331"}]', "t.json").types == ["text"]


def test_parquet_types_are_kept(read: Reader) -> None:
    table = pa.table(
        {
            "i": pa.array([1, None], pa.int32()),
            "d": pa.array([Decimal("1.10"), None], pa.decimal128(10, 2)),
            "t": pa.array([dt.datetime(2026, 1, 1, 12), None], pa.timestamp("us")),
            "l": pa.array([[1, 2], None], pa.list_(pa.int64())),
            "s": pa.array(["x", None]),
        }
    )
    buffer = io.BytesIO()
    parquet.write_table(table.rename_columns(["i", "I", "t", " l ", "s"]), buffer)
    seen = read(buffer.getvalue(), "t.parquet")
    assert seen.names == ["i", "I_2", "t", "l", "s"]
    assert seen.types == ["integer", "number", "datetime", "other", "text"]
    assert seen.rows[0] == (1, Decimal("1.10"), dt.datetime(2026, 1, 1, 12), [1, 2], "x")
    assert seen.told("2 column name")


@pytest.mark.parametrize("rows", [0, 1])
def test_small_parquet(read: Reader, rows: int) -> None:
    buffer = io.BytesIO()
    parquet.write_table(pa.table({"a": pa.array([1] * rows, pa.int64())}), buffer)
    assert len(read(buffer.getvalue(), "t.parquet").rows) == rows
