"""What stands in a URL or a field, read into a test or a sentence."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tabulaflow_core.data.restricting import Contains, DateRange, NumberRange, OneOf, RowTest
from tabulaflow_core.output.dashboards import DashboardFilter, FilterColumn, FilterKind
from tabulaflow_core.output.filter_values import read_value, said


def asked(kind: FilterKind) -> DashboardFilter:
    columns = (FilterColumn(source="shop", table="orders", column="c"),)
    return DashboardFilter(id="f", label="Field", kind=kind, columns=columns)


@pytest.mark.parametrize(
    ("kind", "texts", "test", "words"),
    [
        (
            "date_range",
            ["2024-01-01..2024-02-29"],
            DateRange(date(2024, 1, 1), date(2024, 2, 29)),
            "2024-01-01 to 2024-02-29",
        ),
        ("date_range", ["2024-01-01.."], DateRange(date(2024, 1, 1)), "from 2024-01-01"),
        ("date_range", ["..2024-01-01"], DateRange(None, date(2024, 1, 1)), "to 2024-01-01"),
        ("date_range", ["2024-01-01"], DateRange(date(2024, 1, 1), date(2024, 1, 1)), "2024-01-01"),
        ("number", ["10..20.5"], NumberRange(Decimal(10), Decimal("20.5")), "10 to 20.5"),
        ("number", ["-3"], NumberRange(Decimal(-3), Decimal(-3)), "-3"),
        ("number", ["..0"], NumberRange(None, Decimal(0)), "to 0"),
        ("choice", ["a", "b", "a"], OneOf(("a", "b")), "a, b, a"),
        ("choice", [" "], OneOf((" ",)), " "),
        ("text", ["100% 'sure'"], Contains("100% 'sure'"), "holds “100% 'sure'”"),
    ],
)
def test_a_value(kind: FilterKind, texts: list[str], test: RowTest, words: str) -> None:
    value = read_value(asked(kind), texts)
    assert (value.test, value.fault) == (test, "")
    assert said(asked(kind), value) == f"Field: {words}"


@pytest.mark.parametrize("kind", ["date_range", "number", "choice", "text"])
@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_nothing_chosen(kind: FilterKind, texts: list[str]) -> None:
    value = read_value(asked(kind), texts)
    assert (value.test, value.fault) == (None, "")
    assert said(asked(kind), value) == ""


@pytest.mark.parametrize("text", ["..", " .. "])
@pytest.mark.parametrize("kind", ["date_range", "number"])
def test_open_at_both_ends(kind: FilterKind, text: str) -> None:
    assert read_value(asked(kind), [text]).test is None


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("date_range", ["yesterday"]),
        ("date_range", ["2024-02-30"]),
        ("date_range", ["2024-W01-1"]),
        ("date_range", ["20240101"]),
        ("date_range", ["2024-01-01T00:00"]),
        ("date_range", ["2024-02-01..2024-01-01"]),
        ("date_range", ["2024-01-01..2024-01-02..2024-01-03"]),
        ("date_range", ["2024-01-01' OR '1'='1"]),
        ("date_range", ["٢٠٢٤-٠١-٠١"]),
        ("date_range", ["2024-01-01", "2024-01-02"]),
        ("number", ["ten"]),
        ("number", ["1_000"]),
        ("number", ["1e999999999"]),
        ("number", ["1e61"]),
        ("number", ["NaN"]),
        ("number", ["-Infinity.."]),
        ("number", ["5..1"]),
        ("number", ["0x10"]),
        ("number", ["٣"]),
        ("number", ["1; DROP TABLE orders"]),
        ("number", ["9" * 61]),
        ("choice", ["a"] * 201),
        ("choice", ["x" * 1001]),
        ("choice", ["a\0"]),
        ("text", ["\ud800"]),
        ("text", ["a", "b"]),
    ],
)
def test_what_cannot_be_used_is_a_sentence(kind: FilterKind, texts: list[str]) -> None:
    value = read_value(asked(kind), texts)
    assert value.test is None
    assert value.fault.startswith("Field was not used. ")
    assert value.fault.endswith(".")
