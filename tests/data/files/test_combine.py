"""Rows of several stored tables as one: widened exactly, missing columns empty, the file told, nothing left behind."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import ReadOptions, read_file
from tabulaflow_core.data.files.combine import Member, combine, plan, to_be_text
from tabulaflow_core.data.files.profile import opened, profile, same_shape
from tabulaflow_core.data.files.report import ReadTable
from tabulaflow_core.data.files.series import alike, common_name, series_of
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileReadingStopped


def members(folder: Path, *texts: str) -> list[Member]:
    out = []
    for at, text in enumerate(texts):
        path = folder / f"part_{at}.csv"
        path.write_text(text, encoding="utf-8")
        out.append(Member(path.name, read_file(path, storage=folder / "parts").tables[0]))
    return out


def rows(table: ReadTable) -> list[tuple[object, ...]]:
    with opened({"stored": table.database}) as connection:
        return connection.execute(f'SELECT * FROM stored.main."{table.table}"').fetchall()


def together(folder: Path, *texts: str, file_column: bool = False) -> ReadTable:
    return combine(members(folder, *texts), storage=folder / "all", name="all_of_them", file_column=file_column)


def test_rows_stand_in_the_order_of_the_files_with_their_names(tmp_path: Path) -> None:
    table = together(tmp_path, "id,qty\n1,10\n2,20\n", "id,qty\n3,30\n", file_column=True)
    assert (table.columns, table.types, table.row_count) == (("file", "id", "qty"), ("text", "integer", "integer"), 3)
    assert rows(table) == [("part_0.csv", 1, 10), ("part_0.csv", 2, 20), ("part_1.csv", 3, 30)]


def test_a_column_called_file_stays_itself(tmp_path: Path) -> None:
    table = together(tmp_path, "file,n\nx,1\n", "file,n\ny,2\n", file_column=True)
    assert table.columns == ("file_2", "file", "n")
    assert rows(table)[1] == ("part_1.csv", "y", 2)


def test_a_missing_column_is_empty_and_columns_go_by_name(tmp_path: Path) -> None:
    table = together(tmp_path, "id,qty,note\n1,10,a\n", "Qty,id\n20,2\n", "id,qty,colour\n3,30,red\n")
    assert table.columns == ("id", "qty", "note", "colour")
    assert rows(table) == [(1, 10, "a", None), (2, 20, None, None), (3, 30, None, "red")]


@pytest.mark.parametrize(
    ("one", "other", "kind", "values"),
    [
        ("1\n2", "2.5\n0.25", "number", [1, 2, Decimal("2.5"), Decimal("0.25")]),
        ("1.50\n2.25", "1.125\n9.875", "number", [Decimal(v) for v in ("1.50", "2.25", "1.125", "9.875")]),
        ("1\n2", "12345678901234567890123\n1", "integer", [1, 2, 12345678901234567890123, 1]),
        ("2026-01-05\n2026-01-06", "2026-01-07 10:30:00\n2026-01-08 11:00:00", "datetime", None),
    ],
)
def test_types_are_widened_exactly(
    tmp_path: Path, one: str, other: str, kind: str, values: Sequence[object] | None
) -> None:
    texts = ["k,v\n" + "\n".join(f"x,{v}" for v in each.split("\n")) + "\n" for each in (one, other)]
    table = together(tmp_path, *texts)
    assert table.types[1] == kind
    found = [value for _, value in rows(table)]
    if values is None:
        assert [str(value) for value in found][::3] == ["2026-01-05 00:00:00", "2026-01-08 11:00:00"]
    else:
        assert [Decimal(str(value)) for value in found] == values


def test_a_whole_number_that_no_double_holds_is_kept(tmp_path: Path) -> None:
    table = together(tmp_path, "k,v\na,9007199254740993\nb,1\n", "k,v\na,0.1234567\nb,1.5\n")
    assert next(str(value) for _, value in rows(table)).split(".")[0] == "9007199254740993"


def test_what_differs_otherwise_becomes_text_and_is_said(tmp_path: Path) -> None:
    parts = members(tmp_path, "k,v\na,1\nb,2\n", "k,v\na,many\nb,few\n")
    columns = plan(parts)
    assert columns[1].kind == "text"
    assert columns[1].said == "“v” is integer in part_0.csv, text in part_1.csv; it was kept as text."
    assert to_be_text(columns, 0, parts[0].table) == ("v",)
    assert to_be_text(columns, 1, parts[1].table) == ()
    assert rows(combine(parts, storage=tmp_path / "all", name="t"))[0] == ("a", "1")


def test_an_empty_column_has_no_say_in_the_type(tmp_path: Path) -> None:
    parts = members(tmp_path, "k,v\na,\nb,\n", "k,v\na,1\nb,2\n")
    columns = plan(parts)
    assert (columns[1].kind, columns[1].said) == ("integer", "")
    assert to_be_text(columns, 0, parts[0].table) == ()
    assert [value for _, value in rows(combine(parts, storage=tmp_path / "all", name="t"))] == [None, None, 1, 2]


def test_texts_and_zeros_are_untouched(tmp_path: Path) -> None:
    table = together(tmp_path, "zip,n\n01067,1\n00501,2\n", "zip,n\n04109,3\n00042,4\n")
    assert [value for value, _ in rows(table)] == ["01067", "00501", "04109", "00042"]


def test_a_stopped_combination_leaves_nothing(tmp_path: Path) -> None:
    parts, watch = members(tmp_path, "a,b\n1,2\n", "a,b\n3,4\n"), Watch()
    watch.stop()
    with pytest.raises(FileReadingStopped):
        combine(parts, storage=tmp_path / "all", name="t", watch=watch)
    assert list((tmp_path / "all").rglob("*")) == []


def test_a_part_that_is_gone_is_a_fault_and_leaves_nothing(tmp_path: Path) -> None:
    parts = members(tmp_path, "a,b\n1,2\n", "a,b\n3,4\n")
    parts[1].table.database.unlink()
    with pytest.raises(OSError, match="is not there or is damaged"):
        combine(parts, storage=tmp_path / "all", name="t")


def test_profiles_know_dates_and_empty_columns(tmp_path: Path) -> None:
    (part,) = members(tmp_path, "day,note,n\n2026-03-01,,1\n2026-01-31,,\n")
    day, note, n = profile(part.table)
    assert (day.kind, day.low, day.high, day.filled) == ("date", "2026-01-31", "2026-03-01", 2)
    assert (note.filled, note.shape.type, n.filled, n.shape.type) == (0, "", 1, "integer")
    assert n.values == frozenset({"1"})


def test_shapes_are_the_same_in_any_order_and_case(tmp_path: Path) -> None:
    one, two, three, four = (
        profile(part.table) for part in members(tmp_path, "a,b\n1,x\n", "B,A\ny,2\n", "a,b\n1.5,x\n", "a,b,c\n1,x,z\n")
    )
    assert same_shape(one, two)
    assert not same_shape(one, three)
    assert not same_shape(one, four)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("sales_jan.csv", "sales_feb.csv", True),
        ("Sales 2026-01.csv", "sales_2026-02 (1).csv.gz", True),
        ("umsatz_q1.csv", "umsatz_q2.csv", True),
        ("sales.csv", "sales_march.csv", True),
        ("2026-01.csv", "2026-02.csv", True),
        ("sales_jan.csv", "stock_feb.csv", False),
        ("customers.csv", "orders.csv", False),
        ("a.csv", "b.csv", False),
    ],
)
def test_names_of_a_series(one: str, other: str, expected: bool) -> None:
    assert alike(one, other) is expected


@pytest.mark.parametrize(
    ("names", "common"),
    [
        (["sales_jan.csv", "sales_feb.csv"], "sales"),
        (["2026-01.csv", "2026-02.csv"], "2026-01"),
        (["shop_berlin.csv", "shop_paris.csv"], "shop"),
        (["berlin.csv", "paris.csv"], "berlin"),
    ],
)
def test_the_table_of_several_files_has_their_common_name(names: list[str], common: str) -> None:
    assert common_name(names) == common
    assert series_of("Sales 2026-02 (1).csv") == "sales"


def test_reading_a_column_as_text_again_keeps_it_as_written(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("k,v\na,1.50\nb,2.00\n")
    table = read_file(path, storage=tmp_path / "s", options=ReadOptions(types={"v": "text"})).tables[0]
    assert [value for _, value in rows(table)] == ["1.50", "2.00"]


def test_a_table_of_many_columns_is_looked_at(tmp_path: Path) -> None:
    names = tuple(f"c{n}" for n in range(1_000))
    database = tmp_path / "wide.duckdb"
    connection = duckdb.connect(str(database))
    connection.execute(f"CREATE TABLE wide AS SELECT {', '.join(f'1 AS {name}' for name in names)} FROM range(2)")
    connection.close()
    columns = profile(ReadTable("wide", names, ("integer",) * len(names), 2, database, "wide"))
    assert len(columns) == len(names)
    assert {(c.kind, c.filled, c.values) for c in columns} == {("integer", 2, frozenset({"1"}))}
