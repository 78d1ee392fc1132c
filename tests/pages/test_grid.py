"""The grid shows the value that is there."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa

from pages.ui import grid


def test_duplicate_and_empty_names_are_told_apart() -> None:
    table = pa.table([[1], [2], [3], [4]], names=["a", "a", "", ""])
    assert grid.displayable(table).column_names == ["a", "a (2)", "(no name)", "(no name) (2)"]


def test_whole_numbers_beyond_a_double_travel_as_text() -> None:
    shown = grid.displayable(pa.table({"id": pa.array([9007199254740993, None], pa.int64()), "n": [1, 2]}))
    assert shown.column(0).to_pylist() == ["9007199254740993", None]
    assert shown.column(1).to_pylist() == [1, 2]


def test_decimals_keep_their_digits() -> None:
    short = pa.array([Decimal("12.50")], pa.decimal128(10, 2))
    long = pa.array([Decimal("1234567890123456.789")], pa.decimal128(30, 3))
    shown = grid.displayable(pa.table({"short": short, "long": long}))
    assert shown.column(0).to_pylist() == [12.5]
    assert shown.column(1).to_pylist() == ["1234567890123456.789"]


def test_bytes_and_lists_are_readable() -> None:
    shown = grid.displayable(pa.table({"b": [b"\x01\xff", None], "l": [[1, 2], None]}))
    assert shown.column(0).to_pylist() == ["0x01ff", None]
    assert shown.column(1).to_pylist() == ["[1,2]", None]


def test_wide_decimals_of_small_values_are_numbers() -> None:
    column = pa.array([Decimal("657.00"), None], pa.decimal128(18, 2))
    assert grid.displayable(pa.table({"revenue": column})).column(0).to_pylist() == [657.0, None]
