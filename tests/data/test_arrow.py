"""Driver values to Arrow without loss, and the caps."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from tabulaflow_core.data.arrow import TableBuilder, decimals, infer_array, text_of
from tabulaflow_core.data.engines.base import Caps
from tabulaflow_core.output.cells import json_column

WIDE = Caps(rows=10**6, bytes=10**9, seconds=1)


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, None, -3], pa.int64(), None),
        ([1, 2.5], pa.float64(), [1.0, 2.5]),
        ([2**53 + 1, 0.5], pa.string(), ["9007199254740993", "0.5"]),
        ([2**63], pa.decimal128(38, 0), [Decimal(2**63)]),
        ([10**50], pa.decimal256(76, 0), [Decimal(10**50)]),
        ([10**80], pa.string(), [str(10**80)]),
        (["a", 1, 1.5, None, b"\x00"], pa.string(), ["a", "1", "1.5", None, "\\x00"]),
        (["a", b"b"], pa.string(), ["a", "\\x62"]),
        ([True, 1], pa.string(), ["true", "1"]),
        ([None, None], pa.null(), None),
        ([b"\xff", None], pa.binary(), None),
        ([Decimal("1.10"), Decimal("22.3")], pa.decimal128(38, 2), [Decimal("1.10"), Decimal("22.30")]),
        ([Decimal("1.5"), 2], pa.decimal128(38, 1), [Decimal("1.5"), Decimal("2.0")]),
        ([dt.date(2024, 1, 2)], pa.date32(), None),
        ([[1, 2], None], pa.list_(pa.int64()), None),
        ([{"a": 1}, [1]], pa.string(), ['{"a": 1}', "[1]"]),
    ],
)
def test_inference(values: list[object], kind: pa.DataType, expected: list[object] | None) -> None:
    array = infer_array(values)
    assert array.type == kind
    assert array.to_pylist() == (values if expected is None else expected)


@pytest.mark.parametrize("text", ["0.1", "-123456789012345678901234567890.12345678", "1E+5", "0E-10", "9" * 70])
def test_decimals_are_exact(text: str) -> None:
    value = Decimal(text)
    array = decimals([value, None])
    assert array.to_pylist() == [value, None]
    assert pa.types.is_decimal(array.type)


def test_decimals_beyond_arrow_become_text() -> None:
    assert decimals([Decimal("1e80")]).to_pylist() == [str(Decimal("1e80"))]
    long = "1234567890.123456789"  # a double would not give it back
    assert decimals([Decimal(long), Decimal("NaN")]).to_pylist() == [long, "NaN"]


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_leaves_a_column_of_numbers(odd: str) -> None:
    for batches in (
        [[(Decimal("12.34"),), (None,), (Decimal(odd),)]],
        [[(Decimal("12.34"),)], [(None,), (Decimal(odd),)]],
    ):
        column = _built(batches).column(0)
        assert column.type == pa.float64()
        assert column.to_pylist()[:2] == [12.34, None]
        assert json_column(column) == [12.34, None, None]


def _built(batches: list[list[tuple[object, ...]]], caps: Caps = WIDE) -> pa.Table:
    builder = TableBuilder(["x"], [None], caps)
    for batch in batches:
        if not builder.add(batch):
            break
    return builder.finish().table


@pytest.mark.parametrize(
    ("batches", "kind", "expected"),
    [
        ([[(None,)], [(1,)]], pa.int64(), [None, 1]),
        ([[(1,)], [(2.5,)]], pa.float64(), [1.0, 2.5]),
        ([[(2**53 + 1,)], [(2.5,)]], pa.string(), ["9007199254740993", "2.5"]),
        ([[(1,)], [("a",)], [(None,)]], pa.string(), ["1", "a", None]),
        ([[(Decimal("1.5"),)], [(Decimal("0.001"),)]], pa.decimal128(38, 3), [Decimal("1.500"), Decimal("0.001")]),
        ([[(10**18,)], [(2**64,)]], pa.decimal128(38, 0), [Decimal(10**18), Decimal(2**64)]),
        ([[("a",)], [(b"b",)]], pa.string(), ["a", "\\x62"]),
    ],
)
def test_batches_of_different_types(
    batches: list[list[tuple[object, ...]]], kind: pa.DataType, expected: list[object]
) -> None:
    table = _built(batches)
    assert table.schema.field(0).type == kind
    assert table.column(0).to_pylist() == expected


def test_row_cap_is_told_only_when_rows_are_missing() -> None:
    for count, cut in ((3, None), (4, "rows")):
        builder = TableBuilder(["x"], [None], Caps(rows=3, bytes=10**9, seconds=1))
        builder.add([(n,) for n in range(count)])
        fetched = builder.finish()
        assert (fetched.table.num_rows, fetched.cut_by) == (3, cut)


def test_no_rows_wanted() -> None:
    builder = TableBuilder(["x"], [None], Caps(rows=0, bytes=10**9, seconds=1))
    assert not builder.add([(1,)])
    assert (builder.finish().table.num_rows, builder.finish().cut_by) == (0, "rows")


@pytest.mark.parametrize("cap", [0, 7, 8, 100, 1_000, 7_999])
def test_byte_cap_is_kept(cap: int) -> None:
    builder = TableBuilder(["x"], [None], Caps(rows=10**6, bytes=cap, seconds=1))
    assert not builder.add([(n,) for n in range(1_000)])
    fetched = builder.finish()
    assert fetched.cut_by == "bytes"
    assert fetched.table.nbytes <= cap
    assert fetched.table.num_rows >= (cap - 16) // 9


def test_wide_rows_are_fetched_in_small_batches() -> None:
    builder = TableBuilder(["x"], [None], WIDE)
    builder.add([("x" * 1_000_000,)])
    assert builder.batch_size <= 5


def test_text_of() -> None:
    assert text_of(dt.datetime(2024, 1, 2, 3, 4, 5, 6)) == "2024-01-02 03:04:05.000006"
    assert text_of(0.1) == "0.1"
    assert text_of({"a": [Decimal("1.0")]}) == '{"a": ["1.0"]}'
