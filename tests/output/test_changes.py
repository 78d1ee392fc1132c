"""What changed between two results of one query."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from tabulaflow_core.output.changes import LISTED, RowChange, compare
from tabulaflow_core.output.results import StoredResult


def result(truncated: bool = False, **columns: list[object]) -> StoredResult:
    return StoredResult(source="s", dialect="sqlite", sql="SELECT", table=pa.table(columns), truncated=truncated)


def test_one_number() -> None:
    found = compare(result(n=[1200]), result(n=[1500]))
    assert found.sentence == "n up: 1,200 → 1,500."
    assert found.rows == (RowChange("", "up", "n", "1,200", "1,500"),)
    assert compare(result(n=[3]), result(n=[3])).sentence == "No change."
    assert compare(result(n=[3]), result(n=[None])).sentence == "n changed: 3 → NULL."


def test_rows_by_their_labels() -> None:
    before = result(city=["Bern", "Basel", "Genf", "Chur"], visits=[10, 20, 30, 40])
    after = result(city=["Basel", "Bern", "Genf", "Zug"], visits=[25, 10, 1, 7])
    found = compare(before, after)
    assert found.sentence == "1 value up, 1 value down, 1 row new, 1 row gone."
    assert found.counts == {"up": 1, "down": 1, "new": 1, "gone": 1}
    assert RowChange("Basel", "up", "visits", "20", "25") in found.rows
    assert RowChange("Genf", "down", "visits", "30", "1") in found.rows
    assert RowChange("Zug", "new", "", "", "7") in found.rows
    assert RowChange("Chur", "gone", "", "40", "") in found.rows


def test_the_order_of_rows_is_no_change() -> None:
    assert compare(result(a=["x", "y"], n=[1, 2]), result(a=["y", "x"], n=[2, 1])).sentence == "No change."


def test_labels_that_repeat_are_compared_in_order() -> None:
    found = compare(result(a=["x", "x"], n=[1, 2]), result(a=["x", "x", "x"], n=[1, 3, 4]))
    assert found.counts == {"up": 1, "new": 1}


def test_decimals_are_exact() -> None:
    before, after = ([Decimal("12345678901234567890.01")], [Decimal("12345678901234567890.02")])
    found = compare(result(a=["x"], n=before), result(a=["x"], n=after))
    assert found.sentence == "x up: 12,345,678,901,234,567,890.01 → 12,345,678,901,234,567,890.02."
    assert compare(result(a=["x"], n=[1]), result(a=["x"], n=[Decimal("1.00")])).sentence == "No change."


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), None])
def test_what_is_no_number_is_told(odd: float | None) -> None:
    assert compare(result(a=["x", "y"], n=[1.5, odd]), result(a=["x", "y"], n=[odd, odd])).counts == {"changed": 1}


def test_without_labels_the_rows_themselves_are_compared() -> None:
    found = compare(result(a=[1.5, 2.5], b=[3.5, 4.5]), result(a=[1.5, 9.5], b=[3.5, 4.5]))
    assert found.counts == {"new": 1, "gone": 1}


def test_other_columns() -> None:
    assert compare(result(a=[1]), result(b=[1])).sentence == "Other columns than before (new: b; gone: a)."
    assert "another order" in compare(result(a=[1], b=[1]), result(b=[1], a=[1])).sentence


def test_cut_results_say_so() -> None:
    found = compare(result(a=["x"], n=[1]), result(True, a=["x"], n=[2]))
    assert found.sentence.startswith("x up: 1 → 2.")
    assert "the result was cut" in found.sentence


def test_the_largest_are_listed_and_all_are_counted() -> None:
    labels = [f"r{n}" for n in range(100)]
    found = compare(result(a=labels, n=[0] * 100), result(a=labels, n=list(range(100))))
    assert found.counts == {"up": 99}
    assert len(found.rows) == LISTED
    assert found.rows[0].after == "99"


def test_very_many_rows_are_only_counted() -> None:
    many = result(n=list(range(10_001)))
    assert compare(many, result(n=[1])).sentence.startswith("10,001 rows before, 1 now.")


def test_empty_results() -> None:
    empty = StoredResult(source="s", dialect="sqlite", sql="", table=pa.table({"a": pa.array([], pa.string())}))
    assert compare(empty, empty).sentence == "No change."
    assert compare(empty, result(a=["x"])).counts == {"new": 1}
