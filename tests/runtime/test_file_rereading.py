"""Files that are read again with the choices of a person: what holds, what changed, and what is refused."""

from __future__ import annotations

import io
from typing import Any

import pytest

from tabulaflow_core.data.files import ReadOptions
from tabulaflow_core.errors import NotFound, SourceError
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import FileOutcome, Runtime
from tabulaflow_core.runtime.read_choices import parse, tidy
from tests.runtime.conftest import MakeRuntime

INVOICES = "shipment,paid,amount\n00511,06/12/2026,1289.60\n00512,03/04/2026,10.25\n00513,01/05/2026,7.00\n"


def add(rt: Runtime, name: str, body: str) -> FileOutcome:
    (outcome,) = rt.add_files(LOCAL_USER, [(name, io.BytesIO(body.encode()))])
    return outcome


def column(rt: Runtime, sql: str) -> list[Any]:
    result = rt.run_sql(LOCAL_USER, "files", sql)
    assert isinstance(result, StoredResult), result
    return result.table.column(0).to_pylist()


def test_the_date_order_can_be_switched_back_and_forth(rt: Runtime) -> None:
    add(rt, "invoices.csv", INVOICES)
    earlier = rt.run_sql(LOCAL_USER, "files", "SELECT month(paid) FROM invoices")
    assert isinstance(earlier, StoredResult)
    query = "SELECT month(paid) FROM invoices"
    day_first = rt.reread_file(LOCAL_USER, "invoices.csv", {"date_order": "dmy"})
    assert column(rt, query) == [12, 4, 5]
    assert day_first.changes == ("“paid” goes from 2026-04-03 to 2026-12-06; before, from 2026-01-05 to 2026-06-12.",)
    assert (day_first.version, day_first.options) == (2, {"date_order": "dmy"})
    month_first = rt.reread_file(LOCAL_USER, "invoices.csv", {"date_order": "mdy"})
    assert column(rt, query) == [6, 3, 1]
    assert month_first.version == 3
    assert rt.result(LOCAL_USER, earlier.id).table.column(0).to_pylist() == [6, 3, 1], "the first answer still stands"
    assert column(rt, "SELECT shipment FROM invoices")[0] == "00511"


def test_the_choices_are_kept_and_can_be_reset(rt: Runtime, make_runtime: MakeRuntime) -> None:
    add(rt, "invoices.csv", INVOICES)
    assert rt.read_options(LOCAL_USER, "invoices.csv") == {}
    chosen: dict[str, Any] = {"types": {"amount": "text"}, "date_order": "dmy", "delimiter": None, "keep_totals": False}
    rt.reread_file(LOCAL_USER, "invoices.csv", chosen)
    later = make_runtime()
    assert later.read_options(LOCAL_USER, "invoices.csv") == {"types": {"amount": "text"}, "date_order": "dmy"}
    again = later.reread_file(LOCAL_USER, "invoices.csv", {})
    assert again.options == {}
    assert "“amount” was text and is number now." in again.changes
    assert later.read_options(LOCAL_USER, "invoices.csv") == {}


def test_values_that_fit_or_not_are_said(rt: Runtime) -> None:
    rows = "".join(f"{n},{n}.5\n" for n in range(40))
    add(rt, "mixed.csv", f"nr,value\n{rows}41,lots\n")
    as_text = rt.reread_file(LOCAL_USER, "mixed.csv", {"types": {"value": "text"}})
    assert "All values of “value” fit now; 1 did not before." in as_text.changes
    as_number = rt.reread_file(LOCAL_USER, "mixed.csv", {"types": {"value": "number"}})
    assert "One value of “value” does not fit now and is empty; all did before." in as_number.changes


def test_rows_and_columns_that_change_are_said(rt: Runtime) -> None:
    add(rt, "codes.csv", "code,n\nx,1\ny,2\n")
    outcome = rt.reread_file(LOCAL_USER, "codes.csv", {"header": False})
    said = " ".join(outcome.changes)
    assert "2 rows before, 3 now." in said
    assert "missing compared with before" in said or "seems to be called" in said
    nothing = rt.reread_file(LOCAL_USER, "codes.csv", {"header": False})
    assert nothing.changes == ("Nothing changed: the rows, columns and types are the same as before.",)


def test_a_reading_that_fails_leaves_the_earlier_one(rt: Runtime) -> None:
    add(rt, "codes.csv", "code,n\nx,1\ny,2\n")
    failed = rt.reread_file(LOCAL_USER, "codes.csv", {"skip_lines": 100})
    assert (failed.status, failed.options) == ("message", {})
    assert "The earlier reading stays." in failed.message
    assert column(rt, "SELECT n FROM codes") == [1, 2]
    assert rt.files(LOCAL_USER)[0].version == 1


def test_a_file_that_could_not_be_read_can_be_helped(rt: Runtime) -> None:
    bad = b"a;b\n1;\xff\xfe\n"
    (outcome,) = rt.add_files(LOCAL_USER, [("odd.csv", io.BytesIO(bad))])
    again = rt.reread_file(LOCAL_USER, "odd.csv", {"encoding": "latin-1", "delimiter": ";"})
    assert again.status == "loaded"
    assert outcome.name == again.name
    assert column(rt, "SELECT b FROM odd") == ["ÿþ"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"nonsense": 1}, "no reading choice called 'nonsense'"),
        ({"encoding": "klingon"}, "name of an encoding"),
        ({"encoding": "hex"}, "name of an encoding"),
        ({"encoding": 8}, "name of an encoding"),
        ({"delimiter": ""}, "the characters between the columns"),
        ({"delimiter": ";" * 21}, "the characters between the columns"),
        ({"delimiter": "\n"}, "the characters between the columns"),
        ({"delimiter": 9}, "the characters between the columns"),
        ({"quote": "ab"}, "one character, or none"),
        ({"escape": "\n"}, "one character, or none"),
        ({"header": "yes"}, "true or false"),
        ({"skip_lines": -1}, "whole number from 0"),
        ({"skip_lines": True}, "whole number from 0"),
        ({"skip_end": 1.5}, "whole number from 0"),
        ({"decimal": ";"}, "one of ., ,"),
        ({"date_order": "ydm"}, "one of dmy, mdy, ymd"),
        ({"types": ["text"]}, "types by the names of columns"),
        ({"types": {"a": "money"}}, "'a' cannot be read as 'money'"),
        ({"missing": "NA"}, "a list of words"),
        ({"missing": [1]}, "a list of words"),
        ({"comment": "a\nb"}, "comment lines"),
        ({"parts": []}, "at least one part"),
        ({"by_part": {"Prices": 3}}, "choices by their names"),
        ({"by_part": {"Prices": {"parts": ["x"]}}}, "no reading choice called 'parts'"),
        ({"by_part": {"Prices": {"decimal": "x"}}}, "one of ., ,"),
    ],
)
def test_wrong_choices_are_refused_in_a_sentence(rt: Runtime, options: dict[str, Any], said: str) -> None:
    add(rt, "codes.csv", "a,b\n1,2\n")
    with pytest.raises(SourceError, match=said.replace(".", r"\.")):
        rt.reread_file(LOCAL_USER, "codes.csv", options)
    assert rt.read_options(LOCAL_USER, "codes.csv") == {}


@pytest.mark.parametrize(
    ("delimiter", "text", "columns"),
    [
        ("semicolon", "a;b,c\n1;2,3\n", ["a", "b,c"]),
        ("tab", "a\tb,c\n1\t2,3\n", ["a", "b,c"]),
        ("\\t", "a\tb,c\n1\t2,3\n", ["a", "b,c"]),
        ("||", "a||b,c\n1||2,3\n", ["a", "b,c"]),
        ("space", "a b,c\n1 2,3\n", ["a", "b,c"]),
        ("blanks", "a x  b,c\n1 y  2,3\n", ["a x", "b,c"]),
        ("fixed", "name  age,x\nann   31,1\nbobby 42,2\ncy    53,3\n", ["name", "age,x"]),
        ("none", "a,b\nx,y\n", ["a,b"]),
    ],
)
def test_a_delimiter_may_be_said_in_the_words_of_the_library(
    rt: Runtime, delimiter: str, text: str, columns: list[str]
) -> None:
    add(rt, "said.csv", text)
    outcome = rt.reread_file(LOCAL_USER, "said.csv", {"delimiter": delimiter, "header_rows": 1})
    assert [column.name for column in outcome.tables[0].columns] == columns
    assert rt.read_options(LOCAL_USER, "said.csv")["delimiter"] == delimiter


def test_no_quotes_and_no_escape_may_be_said_in_a_word(rt: Runtime) -> None:
    add(rt, "quotes.csv", 'a,b\n"x",1\n"y",2\n')
    outcome = rt.reread_file(LOCAL_USER, "quotes.csv", {"quote": "none", "escape": "none", "delimiter": ","})
    assert outcome.tables[0].row_count == 2
    assert column(rt, "SELECT a FROM quotes") == ['"x"', '"y"']


def test_every_choice_of_the_library_can_be_made() -> None:
    given: dict[str, Any] = {
        "encoding": "windows-1252",
        "delimiter": "\t",
        "quote": "",
        "header": True,
        "skip_lines": 3,
        "decimal": ",",
        "date_order": "dmy",
        "types": {"zip": "text"},
        "missing": ["n/a", "-"],
        "keep_totals": True,
        "skip_end": 1,
        "header_rows": 2,
        "comment": "#",
        "escape": "\\",
        "parts": ["Prices"],
        "by_part": {"Prices": {"header_rows": 1, "types": {"a": "date"}}},
    }
    options = parse(given)
    assert options.missing == ("n/a", "-")
    assert options.for_part("Prices").header_rows == 1
    assert options.for_part("Terms").header_rows == 2
    assert all(getattr(options, name) != getattr(ReadOptions(), name) for name in given)
    assert tidy(given) == given
    assert tidy({"by_part": {"a": {"header": None}}, "types": {}, "comment": None, "keep_totals": False}) == {}


def test_a_table_of_several_files_is_read_again_from_all_of_them(rt: Runtime) -> None:
    files = [("p_jan.csv", io.BytesIO(b"k,v\na,1.5\nb,2.5\n")), ("p_feb.csv", io.BytesIO(b"k,v\nc,3.5\nd,4.5\n"))]
    rt.add_files(LOCAL_USER, files, choice="combine")
    assert column(rt, "SELECT v FROM p ORDER BY 1") == [1.5, 2.5, 3.5, 4.5]
    outcome = rt.reread_file(LOCAL_USER, "p.csv", {"by_part": {"p_feb.csv": {"skip_end": 1}}})
    assert outcome.tables[0].row_count == 3
    assert outcome.files == ("p_jan.csv", "p_feb.csv")
    assert "4 rows before, 3 now." in outcome.changes
    texts = rt.reread_file(LOCAL_USER, "p.csv", {"types": {"v": "text"}})
    assert column(rt, "SELECT v FROM p ORDER BY 1") == ["1.5", "2.5", "3.5", "4.5"]
    assert "“v” was number and is text now." in texts.changes


def test_what_is_not_here_is_not_found(rt: Runtime) -> None:
    for name in ("a.csv", "", "../a.csv"):
        with pytest.raises(NotFound):
            rt.reread_file(LOCAL_USER, name, {})
        with pytest.raises(NotFound):
            rt.read_options(LOCAL_USER, name)
