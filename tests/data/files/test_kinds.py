"""Kinds of files that people have: aligned columns, several header rows, units, repeated headers, totals, balances."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import ReadOptions, read_file
from tests.data.files.conftest import Reader


def test_columns_at_fixed_places(read: Reader) -> None:
    seen = read("code  town        n\nA1    Old Mill    5\nB2                12\nC3    Far End     7\n", "t.txt")
    assert seen.choice("delimiter") == "fixed"
    assert seen.rows == [("A1", "Old Mill", 5), ("B2", None, 12), ("C3", "Far End", 7)]


def test_headers_that_are_wider_than_their_columns(read: Reader) -> None:
    seen = read("K1 K2  K3 Rank Team\n 1  2   3   10 Red Fox\n 4  5   6   11 Bear\n 7  8   9   12 Owl Two\n", "t.txt")
    assert seen.names == ["K1", "K2", "K3", "Rank", "Team"]
    assert seen.rows[0] == (1, 2, 3, 10, "Red Fox")


def test_two_blanks_or_more_part_columns(read: Reader) -> None:
    seen = read("name  weight\nOld Tom  5\nRed Ann    12\nBo  7\n", "t.txt")
    assert seen.choice("delimiter") == "blanks"
    assert seen.rows == [("Old Tom", 5), ("Red Ann", 12), ("Bo", 7)]


def test_one_blank_parts_columns_of_words_in_quotes(read: Reader) -> None:
    seen = read('"given" "town"\n"Ana Lu" "Bern"\n"Bo" "Old Mill"\n', "t.txt")
    assert seen.names == ["given", "town"]
    assert seen.rows == [("Ana Lu", "Bern"), ("Bo", "Old Mill")]


def test_row_names_without_a_header(read: Reader) -> None:
    seen = read('"speed" "dist"\n"first car" 4 2.5\n"second car" 7 4\n"third car" 8 16\n', "t.txt")
    assert seen.names == ["column_1", "speed", "dist"]
    assert seen.rows[1][:2] == ("second car", 7)
    assert seen.told("one name less")


def test_prose_is_no_table(read: Reader) -> None:
    assert read("remark\nIt rained all day\nWe left at noon\nNo one came\n").names == ["remark"]
    assert read("name\nAna Berg\nBo Holm\nCy Lund\n").names == ["name"]


@pytest.mark.parametrize("signs", ["||", "::", "|~|", "##", "~~"])
def test_delimiters_of_several_signs(read: Reader, signs: str) -> None:
    rows = (["id", "name", "at"], ["1", "Ana", "14:30"], ["2", "Bo|b", "09:05"], ["3", "Cy", "11:00"])
    seen = read("\n".join(signs.join(row) for row in rows) + "\n")
    assert seen.choice("delimiter") == signs
    assert seen.rows == [(1, "Ana", "14:30"), (2, "Bo|b", "09:05"), (3, "Cy", "11:00")]


def test_an_unusual_sign(read: Reader) -> None:
    assert read("a🦊b🦊c\n1🦊2🦊x\n3🦊4🦊y\n").rows == [(1, 2, "x"), (3, 4, "y")]


def test_hours_and_minutes_are_no_columns(read: Reader) -> None:
    assert read("at\n14:30:00\n09:05:10\n11:00:59\n").names == ["at"]


def test_delimiters_behind_an_escape(read: Reader) -> None:
    assert read("id,text\n1,a\\,b\n2,c\n3,d\\,e\n").column("text") == ["a,b", "c", "d,e"]


def test_tables_of_programs_for_terminals(read: Reader) -> None:
    psql = read(" id | name\n----+------\n  1 | Ana\n  2 | Bo\n(2 rows)\n", "t.txt")
    assert psql.rows == [(1, "Ana"), (2, "Bo")]
    framed = read("+----+------+\n| id | name |\n+----+------+\n|  1 | Ana  |\n|  2 | Bo   |\n+----+------+\n", "t.txt")
    assert framed.names == ["id", "name"]
    assert framed.rows == [(1, "Ana"), (2, "Bo")]
    assert framed.told("before the first and after the last")


@pytest.mark.parametrize(
    "head", [",2025,,2026,\nregion,Units,Sales,Units,Sales\n", "region,2025,,2026,\n,Units,Sales,Units,Sales\n"]
)
def test_groups_of_columns(read: Reader, head: str) -> None:
    seen = read(head + "East,1,2,3,4\nWest,5,6,7,8\nNorth,9,9,9,9\n")
    assert seen.names == ["region", "2025 / Units", "2025 / Sales", "2026 / Units", "2026 / Sales"]
    assert seen.choice("header_rows") == "2"
    assert seen.rows[1] == ("West", 5, 6, 7, 8)


def test_header_rows_as_told(read: Reader) -> None:
    text = "kind,kind,n\nbig,small,all\n1,2,3\n4,5,6\n"
    assert read(text, header_rows=2).names == ["kind / big", "kind / small", "n / all"]
    assert read(text, header_rows=1).names == ["kind", "kind_2", "n"]
    assert read(text, header_rows=0).names == ["column_1", "column_2", "column_3"]
    assert len(read(text, header_rows=0).rows) == 4


def test_units_below_the_header(read: Reader) -> None:
    seen = read("time,speed,who\ns,m/s,\n0,1.5,a\n1,1.75,b\n2,2.25,c\n")
    assert seen.types == ["integer", "number", "text"]
    assert seen.told("line 2", "units", "m/s")
    assert "unit: m/s" in seen.report.columns[1].note
    assert read("id,name\nint,string\n1,a\n2,b\n").rows == [(1, "a"), (2, "b")]


def test_files_put_one_after_the_other(read: Reader) -> None:
    seen = read("id,name\n1,a\n2,b\nid,name\n3,c\n")
    assert seen.rows == [(1, "a"), (2, "b"), (3, "c")]
    assert seen.told("1 line repeats the header")


def test_subtotals(read: Reader) -> None:
    seen = read("area,what,n\nEast,a,4\nEast,b,6\nSubtotal,,10\nWest,a,1\nWest,b,2\nSubtotal,,3\nTotal,,13\n")
    assert [r[2] for r in seen.rows] == [4, 6, 1, 2]
    assert {s.why for s in seen.report.skipped} == {"subtotals row", "totals row"}
    kept = read("area,n\nEast,4\nSubtotal,9\nWest,1\nNorth,2\n")
    assert [r[0] for r in kept.rows] == ["East", "Subtotal", "West", "North"]


def test_a_balance_below_bookings(read: Reader) -> None:
    seen = read("Tag;Text;Betrag\n02.01.2026;Miete;-850,00\n15.01.2026;Lohn;2.500,00\nSaldo;;1.700,00\n")
    assert seen.column("Tag") == [dt.date(2026, 1, 2), dt.date(2026, 1, 15)]
    assert seen.told("below the table", "Saldo")


def test_a_short_row_is_no_note(read: Reader) -> None:
    assert len(read("a,b,c\nx,1,2\ny,3,4\nz,5,6\nno values here,,\n").rows) == 4


def test_several_tables_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text(
        "Sales\narea,units\nEast,4\nWest,6\n\nCosts\nwhat,month,cost\nrent,May,100\nfood,May,50\nfuel,June,30\n"
    )
    reading = read_file(path, storage=tmp_path / "storage")
    assert [(t.name, t.part, t.columns) for t in reading.tables] == [
        ("two_1", "table 1", ("area", "units")),
        ("two_2", "table 2", ("what", "month", "cost")),
    ]
    assert [p.tables for p in reading.report.parts] == [("two_1",), ("two_2",)]
    second = reading.tables[1]
    assert second.report is not None
    assert second.report.decision("header_rows") is not None
    assert second.report.skipped[0].line == 6
    with duckdb.connect(str(second.database), read_only=True) as connection:
        assert connection.execute("SELECT sum(cost) FROM two_2").fetchone() == (180,)
    chosen = read_file(path, storage=tmp_path / "storage", options=ReadOptions(parts=("table 2",)))
    assert [t.part for t in chosen.tables] == ["table 2"]
    assert [p.state for p in chosen.report.parts] == ["off", "read"]


def test_blank_lines_alone_make_no_tables(read: Reader) -> None:
    assert len(read("a,b\n1,x\n2,y\n\n3,z\n4,w\n").rows) == 4
    assert len(read("a,b\n1,x\n2,y\n\na,b\n3,z\n4,w\n").rows) == 4


def test_comments_of_other_kinds(read: Reader) -> None:
    assert read("a;b\n#one\n1;3\n6;7\n").rows == [(1, 3), (6, 7)]
    assert read("// one\n// two\na,b\n1,3\n").rows == [(1, 3)]
    assert read("# made\na;b\n1;3\n6;7 # odd\n").rows == [(1, 3), (6, 7)]
    assert read("# made on Monday\n# id,name,n\n1,a,2\n2,b,3\n").names == ["id", "name", "n"]
    assert read("#1,x\n#2,y\n3,z\n", comment="none").report.skipped_count == 0


def test_lines_left_out_at_both_ends(read: Reader) -> None:
    text = "x,y\n1,2\n3,4\n5,6\n7,8\n"
    seen = read(text, skip_end=2)
    assert seen.rows == [(1, 2), (3, 4)]
    assert [s.line for s in seen.report.skipped] == [4, 5]
    assert seen.choice("skip_end") == "2"
    assert read(text, skip_lines=1, header_rows=0).rows == [(1, 2), (3, 4), (5, 6), (7, 8)]


def test_every_choice_can_be_told(read: Reader) -> None:
    """Each decision's value is one that its option takes, and gives the same table again."""
    text = "Report\n\nid;v;day\n1;2,5;03.04.2026\n2;1.000,5;25.04.2026\nSource: x\n"
    first = read(text)
    for decision in first.report.decisions:
        if not decision.option or decision.option in ("missing", "skip_end", "skip_lines"):
            continue
        value: object = decision.value
        if decision.option == "keep_totals":
            value = value == "true"
        elif decision.option == "header_rows":
            value = int(decision.value)
        again = read(text, **{decision.option: value})
        assert (again.names, again.rows) == (first.names, first.rows), decision
        assert not decision.choices or decision.value in decision.choices
    assert {d.name for d in first.report.decisions} >= {
        *("encoding", "delimiter", "quote", "escape", "comment", "header", "header_rows", "skip_lines", "skip_end"),
        *("decimal_mark", "thousands", "date_order", "keep_totals"),
    }


def test_an_ambiguous_date_order_names_its_columns(read: Reader) -> None:
    decision = read("day,n\n03/04/2026,1\n05/06/2026,2\n").report.decision("date_order")
    assert decision is not None
    assert (decision.certainty, decision.option) == ("guess", "date_order")
    assert "“day”" in decision.reason


def test_names_above_a_table_with_two_cells(read: Reader) -> None:
    seen = read(
        '"Source","All figures",\n\n"Land","Code","2024","2025",\n"A","ABW","1.5","2.5",\n"B","AGO","","3.5",\n'
    )
    assert seen.names[:4] == ["Land", "Code", "2024", "2025"]
    assert seen.types[:4] == ["text", "text", "number", "number"]


def test_a_header_whose_first_cell_is_blank(read: Reader) -> None:
    assert read(",name\n1,x\n2,y\n").names == ["column_1", "name"]


def test_names_over_aligned_numbers_reach_further_left_than_these(read: Reader) -> None:
    seen = read(
        "Name of all           Share of all  Number of all  Colour\n"
        "größer basket                0.62%   238357708215  planet\n"
        "valley Łódź                  0.10%   275907088216  red\n"
        "tunnel planet               -0.05%   826017472572  candle\n"
    )
    assert seen.names == ["Name of all", "Share of all", "Number of all", "Colour"]
    assert seen.rows[2][0] == "tunnel planet"


def test_a_name_may_fill_the_whole_gap_between_two_columns(read: Reader) -> None:
    seen = read("ab wxyzuvwst  count\nA one      12  3\nB two       7  4\nC six      15  9\n", "t.txt")
    assert len(seen.rows) == 3
