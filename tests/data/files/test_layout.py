"""Title lines, headers, notes, totals and ragged rows."""

from __future__ import annotations

import pytest

from tests.data.files.conftest import Reader


def test_title_lines_are_skipped_and_shown(read: Reader) -> None:
    seen = read("Sales report 2026\n\nregion,units\nEast,4\nWest,6\n")
    assert seen.names == ["region", "units"]
    assert seen.rows == [("East", 4), ("West", 6)]
    assert [(s.line, s.text, s.why) for s in seen.report.skipped] == [(1, "Sales report 2026", "above the table")]
    assert seen.told("1 line", "above", "Sales report")


def test_padded_title_lines(read: Reader) -> None:
    rows = "".join(f"{y},{y % 7},{y % 5},{y % 3}\n" for y in range(1990, 2020))
    seen = read(f"Anomalies,,,\nbase period: 1951-1980,,,\n,,,\nYear,Jan,Feb,Mar\n{rows}")
    assert seen.names == ["Year", "Jan", "Feb", "Mar"]
    assert len(seen.rows) == 30
    assert seen.report.skipped_count == 2


def test_a_preamble_of_other_width(read: Reader) -> None:
    seen = read("note\nhello\nx;y\n")
    lines = seen.report.rows_in_table + seen.report.skipped_count + (seen.choice("header") != "none")
    assert lines == 3  # nothing is lost in silence


def test_comments(read: Reader) -> None:
    seen = read("# made by x\n# on Monday\na;b\n# odd one\n1;3\n6;7\n# end\n")
    assert seen.names == ["a", "b"]
    assert seen.rows == [(1, 3), (6, 7)]
    assert {s.why for s in seen.report.skipped} == {"comment"}
    assert read("#id,name\n1,x\n").names == ["#id", "name"]


def test_no_header(read: Reader) -> None:
    seen = read("123.0,ab,2000-12-12\n345.0,cd,2000-12-13\n")
    assert seen.names == ["column_1", "column_2", "column_3"]
    assert len(seen.rows) == 2
    assert seen.told("no header")
    repeated = read("Anna,West\nBob,West\nCy,East\n")
    assert len(repeated.rows) == 3


def test_headers_of_numbers(read: Reader) -> None:
    assert read("id,100022,100025\na,TRUE,FALSE\nb,TRUE,TRUE\n").names == ["id", "100022", "100025"]
    assert read("region,2019,2020,2021\nEast,5,6,7\nWest,1,2,3\n").names == ["region", "2019", "2020", "2021"]


def test_header_of_text_columns(read: Reader) -> None:
    assert read("Person,Region\nAnna,West\nBo,East\n").names == ["Person", "Region"]


def test_names_are_cleaned_and_unique(read: Reader) -> None:
    seen = read("unit\u00a0price\u00a0,amount,amount,,Amount\n2,1,2,3,4\n")
    assert seen.names == ["unit price", "amount", "amount_2", "column_4", "Amount_3"]
    assert seen.told("no header", "column_4")
    assert seen.told("more than once", "amount_2")


def test_scripts_in_names(read: Reader) -> None:
    assert read("地区,销量\n东,3\n西,5\n").names == ["地区", "销量"]
    assert read("شهر,فروش\nیزد,12\n").rows == [("یزد", 12)]


def test_second_header_line(read: Reader) -> None:
    rows = "".join(f"{i},Yes,{i % 3},{i % 2}\n" for i in range(1, 30))
    seen = read(f"Id,Seen it?,Rank the films,\n,Response,First film,Second film\n{rows}")
    assert seen.names == ["Id", "Seen it?", "Rank the films", "Second film"]
    assert len(seen.rows) == 29
    assert seen.type_of("Rank the films") == "integer"


def test_short_rows_are_padded(read: Reader) -> None:
    seen = read("a,b,c\n1,2\n3,4,5\n6,7,8\n")
    assert seen.rows[0] == (1, 2, None)
    assert seen.told("1 row", "shorter", "line 2")


def test_long_rows_are_reported(read: Reader) -> None:
    seen = read("a,b\n" + "".join(f"{i},{i}\n" for i in range(20)) + "7,8,lost?\n")
    assert len(seen.rows) == 21
    assert [(m.line, m.value) for m in seen.report.misfits] == [(22, "lost?")]
    assert seen.told("outside", "line 22")


def test_many_long_rows_widen_the_table(read: Reader) -> None:
    seen = read("a,b\n" + "".join(f"{i},{i},x{i}\n" for i in range(700)))
    assert len(seen.names) == 3
    assert seen.rows[5] == (5, 5, "x5")


def test_width_changes_late(read: Reader) -> None:
    rows = "".join(f"{i},{i}\n" for i in range(6000)) + "".join(f"{i},{i},late{i}\n" for i in range(400))
    seen = read("a,b\n" + rows)
    assert len(seen.rows) == 6400
    assert seen.rows[-1][2] == "late399"


def test_blank_rows_and_trailing_delimiters(read: Reader) -> None:
    seen = read("a,b,\n1,x,\n,,\n\n2,y,\n")
    assert [r[:2] for r in seen.rows] == [(1, "x"), (2, "y")]
    assert seen.report.blank_lines == 2


def test_totals_row_is_left_out_when_it_adds_up(read: Reader) -> None:
    seen = read("region,units\nEast,4\nWest,6\nTotal,10\n")
    assert seen.rows == [("East", 4), ("West", 6)]
    assert seen.told("totals row", "line 4")
    assert [s.why for s in seen.report.skipped] == ["totals row"]
    assert len(read("region,units\nEast,4\nWest,6\nTotal,10\n", keep_totals=True).rows) == 3
    german = read("Region;Betrag\nNord;1.234,50\nSüd;95,00\nSumme;1.329,50\n")
    assert len(german.rows) == 2


def test_a_row_called_total_that_does_not_add_up_stays(read: Reader) -> None:
    seen = read("brand,units\nShell,4\nTotal,6\n")
    assert len(seen.rows) == 2
    assert seen.told("looks like a total")


def test_notes_below_the_table(read: Reader) -> None:
    rows = "".join(f"S{i},{i},{i * 2}\n" for i in range(20))
    seen = read(f'state,a,b\n{rows}"Note: students may be counted twice, see page 3",,\nSource: office,,\n')
    assert len(seen.rows) == 20
    assert [s.why for s in seen.report.skipped] == ["below the table"] * 2


def test_a_bank_footer(read: Reader) -> None:
    text = "Data;Kwota\n2026-01-05;-12,40\n2026-01-06;7,00\nSaldo końcowe;zł\n"
    seen = read(text.encode("cp1250"))
    assert [str(r[1]) for r in seen.rows] == ["-12.40", "7.00"]
    assert seen.types == ["date", "number"]
    assert seen.report.skipped[0].text == "Saldo końcowe | zł"


@pytest.mark.parametrize(
    ("table", "last"),
    [
        ("a,b,c\n1,2,3\n4,5,6\n7,8,9\n", "x,pending,late"),
        ("a,b,c\n1,2,3\n4,5,6\n7,8,9\n", "x,unknown,n/a"),
        ("id,price\n1,2.5\n2,3.5\n3,4\n4,5\n", "six,word"),
        ("day,price\n2024-01-01,2.5\n2024-01-02,3.5\n2024-01-03,4\n", "no day,not yet"),
    ],
)
def test_a_last_row_of_words_as_full_as_the_others_is_data(read: Reader, table: str, last: str) -> None:
    seen = read(f"{table}{last}\n")
    assert len(seen.rows) == table.count("\n")
    assert not seen.report.skipped
    assert last.split(",")[0] in (seen.rows[-1][0], *(m.value for m in seen.report.misfits))


@pytest.mark.parametrize(
    "last",
    ["Closing balance,EUR", "Source: office,page 3", "Printed 2024-02-01,by the office", "Total,see below", "End,"],
)
def test_last_rows_of_words_that_are_no_data(read: Reader, last: str) -> None:
    seen = read(f"day,price\n2024-01-01,2.5\n2024-01-02,3.5\n2024-01-03,4\n2024-01-04,4\n2024-01-05,4\n{last}\n")
    assert len(seen.rows) == 5
    assert [s.line for s in seen.report.skipped] == [7]


def test_one_word_in_a_long_column_of_numbers_is_told(read: Reader) -> None:
    rows = "".join(f"{i},{i}.5\n" for i in range(1, 40))
    seen = read(f"id,price\n{rows}last,unclear\n")
    assert seen.types == ["integer", "number"]
    assert [(m.line, m.value) for m in seen.report.misfits] == [(41, "last"), (41, "unclear")]


def test_header_without_rows(read: Reader) -> None:
    seen = read("a,b,c\n")
    assert seen.names == ["a", "b", "c"]
    assert seen.rows == []
    assert seen.told("no rows")


def test_every_record_is_accounted_for(read: Reader) -> None:
    text = "Report\n\na,b,c\n1,2,3\n4,5\n\n6,7,8\nTotal,14,11\nNote: x,,\n"
    report = read(text).report
    assert report.rows_in_file == 7
    assert report.rows_in_table + report.skipped_count + 1 == report.rows_in_file


def test_report_is_json(read: Reader) -> None:
    import json

    report = json.loads(json.dumps(read("a;b\n1;2,5\nx;3,5\n").report.to_json()))
    assert {d["name"] for d in report["decisions"]} >= {"encoding", "delimiter", "quote", "header", "line_end"}
    assert {d["certainty"] for d in report["decisions"]} <= {"certain", "likely", "guess", "told"}
    assert len(report["columns"]) == 2
