"""Downloads of statistics offices, loggers and servers: facts over the values, packed cells, flags, escapes."""

from __future__ import annotations

import pytest

from tests.data.files.conftest import Reader


def test_facts_about_series_stand_over_their_values(read: Reader) -> None:
    seen = read(
        '"Title","Prices, all items","Output"\n"CDID","L522","ABMI"\n"PreUnit","",""\n"Unit","Index","£ million"\n'
        '"Release Date","18-02-2026","12-02-2026"\n"Important Notes",,\n'
        '"1988","48.4","301000"\n"1989","51.0","310000"\n"1989 Q1","50.1","77000"\n'
    )
    assert seen.types == ["text", "number", "integer"]
    assert (seen.rows[2][0], float(str(seen.rows[2][1])), seen.rows[2][2]) == ("1989 Q1", 50.1, 77000)
    assert seen.report.skipped_count == 5
    assert seen.told("Lines 2 to 6", "CDID", "Unit")
    assert "Unit: £ million" in seen.report.columns[2].note


def test_units_and_ways_over_the_values_of_a_logger(read: Reader) -> None:
    seen = read(
        '"TOA5","Site","CR1000","1234","Std","Prog","5432","T1"\n"TIMESTAMP","RECORD","Air","RH"\n'
        '"TS","RN","Deg C","%"\n"","","Avg","Smp"\n"2026-01-05 00:00:00",0,3.21,88.1\n'
        '"2026-01-05 00:10:00",1,3.11,"NAN"\n"2026-01-05 00:20:00",2,3.01,88.9\n'
    )
    assert seen.names == ["TIMESTAMP", "RECORD", "Air", "RH"]
    assert seen.types == ["datetime", "integer", "number", "number"]
    assert len(seen.rows) == 3


@pytest.mark.parametrize(
    "text",
    [
        "Group,Value\nall,unknown\nnone,unsure\n1,5\n2,6\nthree,7\n",  # a later row begins with a word
        "Year,Value\ntotal,12\nmean,6\n1988,5\n1989,7\n1990,8\n",  # they hold numbers
    ],
)
def test_first_rows_with_values_are_no_facts(read: Reader, text: str) -> None:
    assert not read(text).told("describe the columns")


def test_the_first_cell_of_eurostat_holds_several(read: Reader) -> None:
    seen = read(
        "freq,unit,geo\\TIME_PERIOD\t2021 \t2022 \t2023 \nA,PC,AT\t3.1 \t4.2 b\t: \nA,PC,BE\t5.0 p\t: \t6.1 e\n"
        "A,PC,DE\t1.5 \t2.5 \t: c\n",
        "une_rt_a.tsv",
    )
    assert seen.names == ["freq", "unit", "geo", "2021", "2022", "2023"]
    assert seen.types == ["text", "text", "text", "number", "number", "number"]
    assert [tuple(None if v is None else str(v) for v in row) for row in seen.rows] == [
        ("A", "PC", "AT", "3.1", "4.2", None),
        ("A", "PC", "BE", "5.0", None, "6.1"),
        ("A", "PC", "DE", "1.5", "2.5", None),
    ]
    assert seen.told("flags", "b (1)", "c (1)")


def test_a_told_delimiter_leaves_the_first_cell_of_eurostat_whole(read: Reader) -> None:
    seen = read("unit,geo\\time\t2022Q1\nPC,AT\t1\nPC,BE\t2\n", delimiter="\t")
    assert seen.names == ["unit,geo\\time", "2022Q1"]
    assert seen.column("unit,geo\\time") == ["PC,AT", "PC,BE"]


def test_a_backslash_before_the_end_of_a_line_goes_on(read: Reader) -> None:
    seen = read(
        "1\tAna\\\nBo\t2026-01-05\t\\N\n2\tTab\\\there\t2026-01-06\t3.5\n3\tBack\\\\slash\t2026-01-07\t4\n", "t.txt"
    )
    assert seen.types == ["integer", "text", "date", "number"]
    assert seen.column("column_2") == ["Ana\nBo", "Tab\there", "Back\\slash"]
    assert seen.column("column_4") == [None, 3.5, 4.0]


def test_a_folder_at_the_end_of_a_line_ends_it(read: Reader) -> None:
    seen = read("id\tfolder\n1\tC:\\a\\\n2\tC:\\b\\\n3\tC:\\c\n")
    assert seen.column("folder") == ["C:\\a\\", "C:\\b\\", "C:\\c"]
    quoted = read('id;t;folder\n1;"x \\"y\\"";C:\\a\\\n2;z;C:\\b\\\n', "b.csv")
    assert quoted.column("folder") == ["C:\\a\\", "C:\\b\\"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [(['"\\1,200"', '"\\12,500"', "\\800"], [1200, 12500, 800]), (["\\120", "-\\50", "\\80"], [120, -50, 80])],
)
def test_the_yen_of_japanese_code_pages(read: Reader, cells: list[str], expected: list[int]) -> None:
    text = "店,売上\n" + "".join(f"東京,{cell}\n" for cell in cells)
    seen = read(text.encode("cp932"))
    assert seen.types == ["text", "integer"]
    assert seen.column("売上") == expected


def test_a_backslash_and_a_digit_is_a_pattern(read: Reader) -> None:
    assert read("id,part\na,\\1\nb,\\2\nc,\\1\n").column("part") == ["\\1", "\\2", "\\1"]


def test_a_few_words_of_thai(read: Reader) -> None:
    seen = read("จังหวัด,ยอด\nเชียงใหม่,120\nภูเก็ต,95\n".encode("cp874"))
    assert (seen.names, seen.rows) == (["จังหวัด", "ยอด"], [("เชียงใหม่", 120), ("ภูเก็ต", 95)])


@pytest.mark.parametrize("label", ["Total: Account", "Total – all campaigns", "Total: Search campaigns"])
def test_a_total_with_a_colon(read: Reader, label: str) -> None:
    seen = read(f"Campaign,Clicks,Cost\nBrand,10,4.5\nGeneric,20,5.5\nOther,7,1.0\n{label},37,11.0\n")
    assert seen.column("Clicks") == [10, 20, 7]
    assert [s.why for s in seen.report.skipped] == ["totals row"]


def test_the_fields_of_a_log_of_a_server(read: Reader) -> None:
    rows = "".join(f"2026-01-05 00:00:0{n} 10.0.0.{n} GET /p{n} 200 1{n}\n" for n in range(6))
    seen = read("#Software: S 10.0\n#Version: 1.0\n#Fields: date time s-ip cs-method cs-uri-stem sc-status ms\n" + rows)
    assert seen.names == ["date", "time", "s-ip", "cs-method", "cs-uri-stem", "sc-status", "ms"]
    assert seen.types[0] == "date"
    assert len(seen.rows) == 6


@pytest.mark.parametrize("rows", [3, 12])
def test_settings_of_a_device_above_its_table(read: Reader, rows: int) -> None:
    body = "".join(f"A{n},Sample {n},0.{n}41,{n}\n" for n in range(1, rows + 1))
    seen = read(
        "Software Version,3.11\n\nExperiment:,x.xpt\nPlate Number,Plate 1\nDate,1/15/2026\nTime,3:41:07 PM\n"
        "Reader Type:,H1\n\nWell,Name,OD600,Conc\n" + body
    )
    assert seen.names == ["Well", "Name", "OD600", "Conc"]
    assert (len(seen.rows), seen.report.skipped_count) == (rows, 6)


def test_short_rows_at_the_top_are_no_settings(read: Reader) -> None:
    seen = read("id,name\n1,Ann\n2,Bo,x\n3,Cy,y\n4,Di,z\n")
    assert len(seen.rows) == 4
