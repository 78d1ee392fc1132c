"""Columns that are new, gone, renamed or of another type."""

from __future__ import annotations

import pytest

from tabulaflow_core.data.files.drift import ColumnShape, Drift, compare


def shape(*columns: str) -> list[ColumnShape]:
    """`name:type` and, behind another colon, values with commas."""
    out = []
    for column in columns:
        name, kind, values = ([*column.split(":"), "", ""])[:3]
        out.append(ColumnShape(name, kind, frozenset(values.split(",")) - {""}))
    return out


def test_equal_columns_are_no_drift() -> None:
    drift = compare(shape("id:integer", "day:date"), shape("ID:integer", "day:date"))
    assert not drift
    assert drift.sentences() == ()


def test_the_order_of_columns_is_no_drift() -> None:
    assert not compare(shape("a:integer", "b:text"), shape("b:text", "a:integer"))


def test_new_gone_and_retyped() -> None:
    drift = compare(
        shape("id:integer", "price:number", "remark:text:old,broken"),
        shape("id:integer", "price:text", "colour:boolean"),
    )
    assert drift == Drift(new=("colour",), gone=("remark",), retyped=(("price", "number", "text"),))
    said = " ".join(drift.sentences())
    for part in ("missing compared with before: “remark”", "“price” was number and is text now", "new: “colour”"):
        assert part in said


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["id:integer", "qty:integer"], ["id:integer", "quantity_qty:integer"]),  # a similar name
        (["id:integer", "amount_eur:number"], ["id:integer", "Amount (EUR):number"]),
        (["id:integer", "land:text:DE,FR,IT"], ["id:integer", "country:text:DE,FR,ES"]),  # the same values
        (["a:integer", "land:text:DE,FR"], ["new:date", "a:integer", "country:text:DE,FR"]),  # between the same
    ],
)
def test_a_renamed_column_is_known_again(before: list[str], after: list[str]) -> None:
    drift = compare(shape(*before), shape(*after))
    assert [old for old, _ in drift.renamed] == [before[-1].split(":")[0]]
    assert drift.gone == ()
    assert "seems to be called" in drift.sentences()[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["id:integer", "land:text:DE,FR"], ["id:integer", "colour:text:red,blue"]),  # neither name nor values
        (["id:integer", "qty:integer"], ["id:integer", "quantity_qty:text"]),  # another type
        (["qty:integer", "a:text", "b:text"], ["c:text", "d:text", "qty_2:integer"]),  # another place
    ],
)
def test_other_columns_are_not_taken_for_renamed(before: list[str], after: list[str]) -> None:
    assert compare(shape(*before), shape(*after)).renamed == ()


def test_one_new_column_stands_for_one_old_one_only() -> None:
    drift = compare(shape("amount_a:number", "x:text"), shape("amount:number", "x:text"))
    assert drift.renamed == (("amount_a", "amount"),)
    both = compare(shape("amount_a:number", "amount_b:number"), shape("amount:number"))
    assert (len(both.renamed), len(both.gone)) == (1, 1)


def test_a_column_without_values_has_no_type_to_differ() -> None:
    assert not compare(shape("a:integer", "b:"), shape("a:integer", "b:number"))


def test_many_changes_are_counted() -> None:
    drift = Drift(gone=tuple(f"c{i}" for i in range(20)), retyped=tuple((f"d{i}", "date", "text") for i in range(20)))
    said = drift.sentences()
    assert "20 columns are missing" in said[0]
    assert "and 12 more" in said[0]
    assert said[-1] == "12 more columns are of another type."
