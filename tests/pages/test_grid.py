"""The grid shows the value that is there."""

from __future__ import annotations

from datetime import datetime, time
from decimal import Decimal

import pyarrow as pa
from streamlit.testing.v1 import AppTest

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


def _shown(values: object, kind: pa.DataType | None = None) -> tuple[list[object], str | None]:
    """The cells as they travel, and how the grid writes numbers."""
    table = pa.table({"c": values if isinstance(values, pa.Array) else pa.array(values, kind)})
    sent = grid.displayable(table)
    how = grid._formats(table, sent.column_names, spelled_days=False).get("c")
    return sent.column(0).to_pylist(), None if how is None else how["type_config"]["format"]


def test_floats_are_written_whole_and_quotients_with_the_places_that_matter() -> None:
    assert _shown([0.000012345, 1234.123456789]) == ([0.000012345, 1234.123456789], "%.15g")
    assert _shown([0.1 + 0.2])[1] == "%.15g", "which writes 0.3"
    assert _shown([0.1], pa.float32()) == ([0.1], "%.15g")
    assert _shown([1 / 3, 200 / 3])[1] == "%.4f"
    assert _shown([1 / 3, 1e-5 / 3])[1] == "%.9f"
    assert _shown([None, float("nan")], pa.float64())[1] == "%.15g"


def test_floats_that_a_grid_cannot_draw_travel_as_text() -> None:
    assert _shown([1e300, 1.5, None]) == (["1e+300", "1.5", None], None)
    assert _shown([float("inf"), float("-inf"), float("nan"), 0.5])[0] == ["Infinity", "-Infinity", "NaN", "0.5"]


def test_parts_of_a_second_are_kept() -> None:
    assert _shown([time(0, 30, 0, 250_000)])[0] == ["00:30:00.250"]
    assert _shown([datetime(2026, 1, 1, 0, 0, 0, 5)])[0] == ["2026-01-01 00:00:00.000005"]
    nanoseconds = pa.array([1767225600123456789], pa.int64())
    assert _shown(nanoseconds.cast(pa.timestamp("ns")))[0] == ["2026-01-01T00:00:00.123456789"]
    whole = [datetime(2026, 3, 1, 0, 30)]
    assert _shown(whole)[0] == whole


def test_days_that_python_has_none_for_are_drawn() -> None:
    days = pa.array([-735_000, 2**31 - 1, 0], pa.int32()).cast(pa.date32())
    assert all(isinstance(cell, str) for cell in _shown(days)[0])
    assert _shown(days)[0] == ["-0043-08-22", "5881580-07-11", "1970-01-01"]


def test_decimals_of_whole_thousands() -> None:
    assert _shown([Decimal("1E+3")], pa.decimal128(5, -3))[0] == [1000.0]


def test_decimals_are_the_nearest_doubles() -> None:
    assert _shown([Decimal("33.333333")], pa.decimal128(20, 6)) == ([33.333333], "%.6f")


def test_an_empty_cell_is_empty() -> None:
    def script() -> None:
        import pyarrow as pa

        from pages.ui import grid

        grid.draw(pa.table({"a": pa.array([1, None])}), key="grid", limit=10)

    page = AppTest.from_function(script).run()
    assert page.dataframe[0].proto.HasField("placeholder")
    assert page.dataframe[0].proto.placeholder == ""
