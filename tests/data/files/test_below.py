"""Rows between the header and the values: labels of codes, units, field formats; and headers of years and words."""

from __future__ import annotations

import pytest

from tests.data.files.conftest import Reader

_CENSUS = [
    ["GEO_ID", "NAME", "B01001_001E", "B01001_001M"],
    ["id", "Geographic Area Name", "Estimate!!Total:", "Margin of Error!!Total:"],
    ["0400000US01", "Alabama", "5024279", "*****"],
    ["0400000US02", "Alaska", "733391", "12"],
    ["0400000US04", "Arizona", "7151502", "15"],
]


def _csv(rows: list[list[str]]) -> str:
    return "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)


def test_labels_below_codes(read: Reader) -> None:
    seen = read(_csv(_CENSUS))
    assert seen.names == _CENSUS[0]
    assert seen.types == ["text", "text", "integer", "integer"]
    assert seen.column("B01001_001E") == [5024279, 733391, 7151502]
    assert seen.told("line 2", "what the columns mean", "Geographic Area Name")
    assert [(s.line, s.why) for s in seen.report.skipped] == [(2, "labels of the columns")]
    assert seen.report.columns[2].note.endswith("label: Estimate!!Total:")
    assert (seen.report.rows_in_file, seen.report.rows_in_table) == (5, 3)


def test_labels_and_facts_of_a_survey(read: Reader) -> None:
    facts = '"{""ImportId"":""a""}","{""ImportId"":""b""}","{""ImportId"":""c""}"\n'
    seen = read(
        "StartDate,Q1,Q2_1\nStart Date,How was it?,Your age\n" + facts + "2024-01-03,Fine,34\n2024-01-04,Bad,51\n"
    )
    assert seen.types == ["date", "text", "integer"]
    assert seen.column("Q2_1") == [34, 51]
    assert seen.report.skipped_count == 2


def test_codes_below_labels(read: Reader) -> None:
    seen = read("Area name,Population total,Households\nNAME,B01_001,B02_001\nA,5,2\nB,7,3\nC,9,4\n")
    assert seen.names == ["Area name", "Population total", "Households"]
    assert seen.rows == [("A", 5, 2), ("B", 7, 3), ("C", 9, 4)]


@pytest.mark.parametrize(
    "content",
    [
        "Name,Age\nAnn,unbekannt\nBob,5\nCy,6\n",  # one number is not known
        "name,age,pay\nAnn,not asked,not asked\nBob,5,10\nCy,6,11\n",  # two are not, for the same reason
        "name,age,pay\nAnn,unknown,n/a\nBob,5,10\nCy,6,11\n",
        "name,city\nFirst name,Place of living\nAnn,Rome\nBob,Oslo\n",  # nothing tells it from a row
    ],
)
def test_rows_with_words_in_place_of_numbers_stay(read: Reader, content: str) -> None:
    assert len(read(content).rows) == 3
    assert read(content).rows[0][0] in ("Ann", "First name")


def test_a_person_may_keep_the_labels(read: Reader) -> None:
    assert len(read(_csv(_CENSUS), header_rows=1).rows) == 4
    assert read(_csv(_CENSUS), header_rows=2).names[1] == "NAME / Geographic Area Name"


def test_years_name_columns_whose_values_carry_flags(read: Reader) -> None:
    seen = read("geo\t2019 \t2020 \t2021 \nDE\t3.1 \t3.9 e\t: \nFR\t8.4 b\t8.0 \t7.9 p\nAT\t4.5 \t: c\t6.2 \n")
    assert seen.names == ["geo", "2019", "2020", "2021"]
    assert len(seen.rows) == 3
    assert read("2019,2020,2021\n5,6,7\n8,9,10\n").names == ["2019", "2020", "2021"]
    assert read("geo,2019,2020\nDE,a,b\nFR,c,d\n").names == ["geo", "2019", "2020"]


def test_words_for_true_and_false_name_columns_of_numbers(read: Reader) -> None:
    assert read("Yes,No,Total\n10,5,15\n7,3,10\n").names == ["Yes", "No", "Total"]
    assert read("True,False\n10,5\n7,3\n").names == ["True", "False"]
    assert read("True,False\nTrue,True\nFalse,True\n").rows == [(True, False), (True, True), (False, True)]
