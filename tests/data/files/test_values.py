"""Numbers, dates, booleans, codes and missing values, decided over the whole column."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from tests.data.files.conftest import Reader


def test_decimal_comma_and_thousands(read: Reader) -> None:
    seen = read("regio;bedrag\nNoord;1.234,50\nZuid;95,00\n")
    assert seen.column("bedrag") == [Decimal("1234.50"), Decimal("95.00")]
    assert seen.choice("decimal_mark") == ","
    assert sum(read("t;v\na;12,5\nb;3,25\n").column("v")) == 15.75  # type: ignore[arg-type]


def test_decimal_comma_beyond_the_sample(read: Reader) -> None:
    seen = read("k;v\n" + "x;1,5\n" * 7000)
    assert sum(seen.column("v")) == 10500  # type: ignore[arg-type]


def test_numbers_and_dates_of_one_region(read: Reader) -> None:
    seen = read("n;d\n1.234,5;03.04.2026\n2.000,5;05.04.2026\n")
    assert [float(str(v)) for v in seen.column("n")] == [1234.5, 2000.5]
    assert seen.column("d") == [dt.date(2026, 4, 3), dt.date(2026, 4, 5)]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1,200", "950", "12,000"], [1200, 950, 12000]),
        (["1 200", "950", "12 000"], [1200, 950, 12000]),
        (["1'200", "950", "12'000"], [1200, 950, 12000]),
        (["1\u00a0200,5", "950,5"], [1200.5, 950.5]),
        (["12,34,567", "1,00,000"], [1234567, 100000]),
        (["(120.50)", "80.25"], [-120.5, 80.25]),
        (["120.50-", "80.25"], [-120.5, 80.25]),
        (["€1.20", "€2.40"], [1.2, 2.4]),
        (["-$1,200.50", "$3.00"], [-1200.5, 3]),
        (["$-1,200.50", "$3.00"], [-1200.5, 3]),
        (["12.5%", "7%"], [12.5, 7]),
        (["12,5 %", "7,25 %"], [12.5, 7.25]),
        (["1.5e3", "2E-2"], [1500, 0.02]),
        (["\u22125", "7"], [-5, 7]),
        (["+5", "-7"], [5, -7]),
        ([".5", "1.25"], [0.5, 1.25]),
        (["1234.50 EUR", "0.50 EUR"], [1234.5, 0.5]),
        (["1\u2009200", "12\u2009000"], [1200, 12000]),
        (["1,23,456.00", "12,34,567.50"], [123456, 1234567.5]),
        (["$ (1,234.50)", "$ 99.00"], [-1234.5, 99]),
        (["($1,234.50)", "$99.00"], [-1234.5, 99]),
        (["100.00 CR", "50.00 DR"], [100, -50]),
        (["Rs. 1,234.50", "Rs. 99.00"], [1234.5, 99]),
        (["1 234,50 kr", "99,00 kr"], [1234.5, 99]),
        (["EUR 1.234,50", "EUR 99,00"], [1234.5, 99]),
        (["12,50 zł", "1 299,00 zł"], [12.5, 1299]),
        (["12-", "13"], [-12, 13]),
        (["\u20135", "7"], [-5, 7]),
    ],
)
def test_number_forms(read: Reader, cells: list[str], values: list[float]) -> None:
    seen = read("k\tv\n" + "".join(f"a\t{c}\n" for c in cells))
    assert [float(str(v)) for v in seen.column("v")] == values
    assert seen.type_of("v") in ("integer", "number")


def test_ambiguous_marks_are_said(read: Reader) -> None:
    seen = read("k;v\na;1.234\nb;5.678\n")
    assert seen.told("thousands", "“v”")
    assert seen.column("v") == [1234, 5678]
    point = read("k,v\na,1.234\nb,5.678\n")
    assert [float(str(v)) for v in point.column("v")] == [1.234, 5.678]
    assert [float(str(v)) for v in read("k;v\na;1.234\nb;5.678\n", decimal=".").column("v")] == [1.234, 5.678]


def test_mixed_units_stay_text(read: Reader) -> None:
    seen = read("v\n€5\n$6\n")
    assert seen.types == ["text"]
    assert seen.told("different units")


def test_dirty_number_is_not_silently_one(read: Reader) -> None:
    seen = read('v\n"1 ,"\n"2,000"\n')
    assert seen.rows[0][0] != 1
    assert seen.rows[0][0] == "1 ,"


def test_leading_zeros_are_codes(read: Reader) -> None:
    seen = read("zip,n\n00123,1\n01200,2\n")
    assert seen.column("zip") == ["00123", "01200"]
    assert seen.told("zip", "zero")
    assert read("v\n0.5\n0\n10\n").types == ["number"]


@pytest.mark.parametrize("value", ["9007199254740993", "123456789012345678", "1234567890123456789012345"])
def test_long_integers_are_exact(read: Reader, value: str) -> None:
    seen = read(f"id,x\n{value},a\n5,b\n")
    assert str(seen.column("id")[0]) == value
    assert seen.type_of("id") == "integer"


@pytest.mark.parametrize("value", ["0.1234567890123456789", "12345678901234.567891", "3.14159"])
def test_decimals_are_exact(read: Reader, value: str) -> None:
    seen = read(f"v,x\n{value},a\n5.5,b\n")
    assert Decimal(str(seen.column("v")[0])) == Decimal(value)


def test_telephone_numbers_stay_text(read: Reader) -> None:
    assert read("phone\n+318855443322\n+552244331122\n").types == ["text"]


def test_part_numbers_are_no_dates(read: Reader) -> None:
    assert read("part\n41_10_1\n42_11_2\n").types == ["text"]
    assert read("ip\n10.0.0.1\n10.0.0.2\n").types == ["text"]
    assert read("v\n1.2.3\n1.10.0\n").types == ["text"]


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["2026-04-03", "2026-4-5"], [(4, 3), (4, 5)]),
        (["2026/04/03", "2026/4/5"], [(4, 3), (4, 5)]),
        (["03.04.2026", "05.04.2026"], [(4, 3), (4, 5)]),
        (["03/04/2026", "25/04/2026"], [(4, 3), (4, 25)]),
        (["03/04/2026", "03/25/2026"], [(3, 4), (3, 25)]),
        (["3/30/26", "4/2/26"], [(3, 30), (4, 2)]),
        (["03-04-2026", "13-04-2026"], [(4, 3), (4, 13)]),
        (["3-Apr-26", "25-Dec-26"], [(4, 3), (12, 25)]),
        (["31-OCT-2026", "01-NOV-2026"], [(10, 31), (11, 1)]),
        (["3. April 2026", "5. März 2026", "1. Juni 2026"], [(4, 3), (3, 5), (6, 1)]),
        (["3 avril 2026", "5 août 2026", "1er mai 2026"], [(4, 3), (8, 5), (5, 1)]),
        (["3 de abril de 2026", "6 de mayo de 2026", "7 de enero de 2026"], [(4, 3), (5, 6), (1, 7)]),
        (["3 de março de 2026", "6 de maio de 2026", "7 de dezembro de 2026"], [(3, 3), (5, 6), (12, 7)]),
        (["3 maart 2026", "6 mei 2026", "7 augustus 2026"], [(3, 3), (5, 6), (8, 7)]),
        (["3 marzo 2026", "6 maggio 2026", "7 dicembre 2026"], [(3, 3), (5, 6), (12, 7)]),
        (["3 marca 2026", "6 maja 2026", "7 października 2026"], [(3, 3), (5, 6), (10, 7)]),
        (["Friday, 3 April 2026", "Monday, 6 April 2026", "Tue, 7 Apr 2026"], [(4, 3), (4, 6), (4, 7)]),
        (["3rd April 2026", "1st May 2026", "22nd June 2026"], [(4, 3), (5, 1), (6, 22)]),
        (["2026-Apr-03", "2026-May-06"], [(4, 3), (5, 6)]),
        (["April 3, 2026", "Dec 25, 2026", "May 1st, 2026"], [(4, 3), (12, 25), (5, 1)]),
    ],
)
def test_date_forms(read: Reader, cells: list[str], days: list[tuple[int, int]]) -> None:
    seen = read("k\tv\n" + "".join(f"a\t{c}\n" for c in cells))
    assert seen.column("v") == [dt.date(2026, m, d) for m, d in days]
    assert seen.type_of("v") == "date"


def test_the_order_is_proved_anywhere_in_the_column(read: Reader) -> None:
    rows = "".join(f"a,{i % 12 + 1:02}/{i % 9 + 1:02}/2026\n" for i in range(8000))
    seen = read("k,v\n" + rows + "a,31/01/2026\n")
    assert seen.column("v")[1] == dt.date(2026, 2, 2)
    assert seen.column("v")[3] == dt.date(2026, 4, 4)
    assert seen.choice("date_order") == "dmy"
    assert seen.rows[0][1] == dt.date(2026, 1, 1)


def test_one_column_proves_the_order_for_another(read: Reader) -> None:
    seen = read("a,b\n03/04/2026,25/04/2026\n05/06/2026,26/04/2026\n")
    assert seen.column("a") == [dt.date(2026, 4, 3), dt.date(2026, 6, 5)]


def test_ambiguous_dates_are_said(read: Reader) -> None:
    seen = read("k,v\na,03/04/2026\nb,05/06/2026\n")
    assert seen.told("day or month", "“v”")
    assert read("k,v\na,03/04/2026\nb,05/06/2026\n", date_order="dmy").column("v")[0] == dt.date(2026, 4, 3)
    assert read("k,v\na,03/04/2026\nb,05/06/2026\n", date_order="mdy").column("v")[0] == dt.date(2026, 3, 4)


def test_contradicting_dates_stay_text(read: Reader) -> None:
    seen = read("v\n25/04/2026\n04/25/2026\n03/04/2026\n")
    assert seen.types == ["text"]
    assert seen.told("day first")


def test_impossible_dates_are_listed(read: Reader) -> None:
    seen = read("k,d\n" + "".join(f"{i},2026-01-{i:02}\n" for i in range(1, 29)) + "29,2026-02-31\n")
    assert seen.type_of("d") == "date"
    assert [(m.line, m.column, m.value) for m in seen.report.misfits] == [(30, "d", "2026-02-31")]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("2026-03-01 00:30", dt.datetime(2026, 3, 1, 0, 30)),
        ("2026-03-01T00:30:05.250", dt.datetime(2026, 3, 1, 0, 30, 5, 250000)),
        ("13.03.2026 14:05", dt.datetime(2026, 3, 13, 14, 5)),
        ("3/13/2026 2:05 PM", dt.datetime(2026, 3, 13, 14, 5)),
        ("3/13/2026 12:05:09 AM", dt.datetime(2026, 3, 13, 0, 5, 9)),
        ("13-Mar-2026 14:05:06", dt.datetime(2026, 3, 13, 14, 5, 6)),
    ],
)
def test_timestamps(read: Reader, cell: str, value: dt.datetime) -> None:
    seen = read(f"k,t\na,{cell}\nb,{cell}\n")
    assert seen.column("t") == [value, value]
    assert seen.type_of("t") == "datetime"


def test_zones_are_kept(read: Reader) -> None:
    seen = read("k,t\na,2026-03-01T12:00:00+02:00\nb,2026-03-01T12:00:00Z\n")
    instants = [v.astimezone(dt.UTC).hour for v in seen.column("t")]  # type: ignore[attr-defined]
    assert instants == [10, 12]
    assert seen.type_of("t") == "datetime"
    mixed = read("k,t\na,2026-03-01T12:00:00+02:00\nb,2026-03-01T12:00:00\n")
    assert mixed.type_of("t") == "text"
    assert mixed.told("zone")


def test_dates_and_timestamps_in_one_column(read: Reader) -> None:
    seen = read("k,t\na,2026-03-01\nb,2026-03-01 12:00\n")
    assert seen.column("t") == [dt.datetime(2026, 3, 1), dt.datetime(2026, 3, 1, 12)]


def test_namibia_stays(read: Reader) -> None:
    assert read("cc,n\nNA,4\nNO,5\n").column("cc") == ["NA", "NO"]


@pytest.mark.parametrize("word", ["", "NA", "n/a", "NULL", "-", "**", ".", "\\N", "#N/A", "#DIV/0!", "nan"])
def test_missing_words_in_numbers(read: Reader, word: str) -> None:
    seen = read("k,v\n" + "".join(f"a,{i}\n" for i in range(30)) + f"a,{word}\n")
    assert seen.type_of("v") == "integer"
    assert seen.column("v")[-1] is None
    if word:
        assert seen.report.columns[1].missing == {word: 1}
        assert seen.told("no value", word)


def test_a_missing_word_after_thirty_thousand_rows(read: Reader) -> None:
    seen = read("v\n" + "7\n" * 30_000 + "n/a\n")
    assert seen.types == ["integer"]
    assert len(seen.rows) == 30_001


def test_numbers_change_late(read: Reader) -> None:
    seen = read(
        "x,y\n" + "".join(f"{i},NA\n" for i in range(1000)) + "".join(f"{i}.25,2015-01-16\n" for i in range(1000))
    )
    assert seen.types == ["number", "date"]
    assert float(str(seen.column("x")[-1])) == 999.25


def test_a_remark_among_numbers_is_listed(read: Reader) -> None:
    seen = read("k,v\n" + "".join(f"a,{i}\n" for i in range(50)) + "a,pending\n")
    assert seen.type_of("v") == "integer"
    assert [(m.line, m.column, m.value) for m in seen.report.misfits] == [(52, "v", "pending")]
    assert seen.told("pending", "line 52")
    assert (
        read("k,v\n" + "".join(f"a,{i}\n" for i in range(50)) + "a,pending\n", types={"v": "text"}).type_of("v")
        == "text"
    )


def test_codes_among_numbers_make_text(read: Reader) -> None:
    seen = read("k,v\n" + "".join(f"a,{i}\n" for i in range(50)) + "a,A17\n")
    assert seen.type_of("v") == "text"
    assert seen.column("v")[-1] == "A17"
    assert seen.told("kept as text", "“v”")


def test_mixed_values_stay_text(read: Reader) -> None:
    assert read('v\n1\n"two"\n3.0\nnull\n').column("v") == ["1", "two", "3.0", "null"]


def test_booleans(read: Reader) -> None:
    assert read("k,b\na,TRUE\nb,false\nc,\n").column("b") == [True, False, None]
    assert read("k,b\na,Yes\nb,No\n").column("b") == ["Yes", "No"]


def test_empty_quoted_cells_are_no_value(read: Reader) -> None:
    assert read('a,b\n1,""\n2,3\n').column("b") == [None, 3]


def test_a_neighbour_does_not_change_the_type(read: Reader) -> None:
    one = read("ref,day\n1-1-1A,31-OCT-2025\nx,01-NOV-2025\n")
    two = read("ref,day\n1-1-A,31-OCT-2025\nx,01-NOV-2025\n")
    assert one.type_of("day") == two.type_of("day") == "date"


def test_a_number_beyond_all_types_is_listed(read: Reader) -> None:
    seen = read("k,v\n" + "".join(f"a,{i}.5e3\n" for i in range(30)) + "a,1e400\n")
    assert seen.column("v")[-1] is None
    assert [m.value for m in seen.report.misfits] == ["1e400"]


def test_a_type_that_cannot_be_given_is_said(read: Reader) -> None:
    seen = read("who,n\nAna,1\nBo,2\n", types={"who": "integer", "nope": "date", "n": "number"})
    assert seen.told("“who”", "cannot be read as integer")
    assert seen.told("no column “nope”", "“who”, “n”")
    assert len(seen.report.notices) == 2


@pytest.mark.parametrize(
    ("cells", "times"),
    [
        (["2026-03-01T12:00:00Z", "2026-03-01T13:30:00.250Z"], ["12:00:00", "13:30:00.250000"]),
        (["2026-03-01 12:00:00+0200", "2026-03-01 13:00:00-05:00"], ["10:00:00", "18:00:00"]),
        (["2026-03-01T12:00:00+02", "2026-03-01T13:00:00-05"], ["10:00:00", "18:00:00"]),
        (["2026-03-01 12:00:00 UTC", "2026-03-01 13:00:00 GMT"], ["12:00:00", "13:00:00"]),
        (["3/14/2026 2:05 PM", "3/15/2026 12:00 AM"], ["14:05:00", "00:00:00"]),
        (["14.03.2026 14:05:01,250", "15.03.2026 9:10"], ["14:05:01.250000", "09:10:00"]),
        (["03/14/2026, 14:05:09", "03/15/2026, 15:06:07"], ["14:05:09", "15:06:07"]),
        (["03-Apr-2026 10:15:00", "06-May-2026 11:00:01"], ["10:15:00", "11:00:01"]),
        (["2026-03-01T12:00:00.1230000", "2026-03-01T12:00:01.0000000"], ["12:00:00.123000", "12:00:01"]),
    ],
)
def test_datetime_forms(read: Reader, cells: list[str], times: list[str]) -> None:
    seen = read("k\tv\n" + "".join(f"a\t{c}\n" for c in cells))
    assert seen.type_of("v") == "datetime"
    assert [v.time().isoformat() for v in seen.column("v") if isinstance(v, dt.datetime)] == times


@pytest.mark.parametrize(
    "cells",
    [
        ["2026-03-01T12:00:00.1234567", "2026-03-01T12:00:00.0000001"],
        ["14:30", "2:30"],
        ["14h30", "9h05"],
        ["1:02:03", "25:00:00"],
        ["PT5M", "P1DT2H"],
        ["2026-W03", "2026-W04"],
        ["2026Q1", "2026Q2"],
        ["2026-03", "2026-04"],
        ["Apr-26", "May-26"],
        ["1/2", "3/4"],
        ["1.2K", "3.4M"],
        ["<5", "12"],
        ["0x1F", "0xFF"],
        ["030 123 456", "040 987 654"],
        ["+49 301 234 567", "+49 301 234 568"],
        ["555-1234", "555-9876"],
        ["1234567890123456789012345678901234567890123", "5"],
        ["12%", "0.5"],
        ["&amp; a", "&lt;b&gt;"],
        ["24 October 2011", "24 October 2012"],
        ["T", "F"],
    ],
)
def test_what_stays_as_it_is_written(read: Reader, cells: list[str]) -> None:
    seen = read("k\tv\n" + "".join(f"a\t{c}\n" for c in cells))
    assert seen.type_of("v") == "text"
    assert seen.column("v") == cells


@pytest.mark.parametrize(
    ("cells", "kind"), [(["1760000000", "1760000001"], "integer"), (["45292", "45293"], "integer")]
)
def test_numbers_that_stand_for_days_stay_numbers(read: Reader, cells: list[str], kind: str) -> None:
    assert read("k\tv\n" + "".join(f"a\t{c}\n" for c in cells)).type_of("v") == kind


def test_texts_of_spreadsheets(read: Reader) -> None:
    assert read('id,n\n="00123",1\n="456",2\n').column("id") == ["00123", "456"]
    assert read('id,n\n"=""00123""",1\n"=""456""",2\n').column("id") == ["00123", "456"]


def test_dates_in_words_can_be_told(read: Reader) -> None:
    seen = read("k\tv\na\t24 October 2011\nb\t25 October 2012\n", types={"v": "date"})
    assert seen.column("v") == [dt.date(2011, 10, 24), dt.date(2012, 10, 25)]


def test_the_span_of_short_years_is_said(read: Reader) -> None:
    seen = read("k\tv\na\t27/04/68\nb\t28/04/69\n")
    assert seen.column("v") == [dt.date(2068, 4, 27), dt.date(1969, 4, 28)]
    assert seen.choice("two_digit_years") == "1969-2068"


def test_a_dash_behind_a_currency_is_no_value(read: Reader) -> None:
    assert read("k\tv\na\t$ 5.00\nb\t$ -\nc\t$ 6.50\n").column("v")[1] is None


def test_a_date_that_does_not_exist_keeps_a_short_column_as_text(read: Reader) -> None:
    assert read("k\tv\na\t2026-02-30\nb\t2026-02-28\n").column("v") == ["2026-02-30", "2026-02-28"]


@pytest.mark.parametrize("pair", ["WAHR/FALSCH", "verdadero/falso", "waar/onwaar", "prawda/fałsz", "истина/ложь"])
def test_booleans_of_languages(read: Reader, pair: str) -> None:
    yes, no = pair.split("/")
    assert read(f"k,b\na,{yes}\nb,{no}\n").column("b") == [True, False]
    assert read(f"k,b\na,{yes}\nb,{no}\nc,other\n").types[1] == "text"


def test_the_order_of_rows_does_not_matter(read: Reader) -> None:
    rows = ["1,5", "x", *(f"{i},25" for i in range(60))]
    ahead = read("v;k\n" + "".join(f"{r};a\n" for r in rows))
    behind = read("v;k\n" + "".join(f"{r};a\n" for r in reversed(rows)))
    assert ahead.types == behind.types == ["number", "text"]
    assert ahead.report.misfit_count == behind.report.misfit_count == 1


def test_a_decimal_comma_holds_to_the_end_of_a_long_file(read: Reader) -> None:
    seen = read("t;v\n" + "x;1,5\n" * 5_000)
    assert (len(seen.rows), sum(seen.column("v"))) == (5_000, 7_500)  # type: ignore[arg-type]
    late = read("t;v\n" + "x;7\n" * 30_000 + "x;1.234,5\n")
    assert sum(late.column("v")) == 211_234.5  # type: ignore[arg-type]
