"""A person's words for “no value”: obeyed to the letter in every column of every format, and counted."""

from __future__ import annotations

import json
from datetime import date

import pytest

from tests.data.files.conftest import Reader, Seen

WORDS = (
    "id,n,w,d\n1,-999,none,2026-01-01\n2,-,n/a,9999-12-31\n3,5,x,2026-01-02\n4,6,None ,2026-02-02\n5,7,y,2026-03-01\n"
)


def counted(seen: Seen) -> dict[str, dict[str, int]]:
    return {c.name: dict(c.missing) for c in seen.report.columns if c.missing}


def test_words_with_digits_and_words_of_text_are_emptied_and_counted(read: Reader) -> None:
    seen = read(WORDS, missing=(" -999", "9999-12-31", "NONE", "-"))
    assert seen.types == ["integer", "integer", "text", "date"]
    assert seen.column("n") == [None, None, 5, 6, 7]
    assert seen.column("w") == [None, "n/a", "x", None, "y"]
    assert seen.column("d")[:3] == [date(2026, 1, 1), None, date(2026, 1, 2)]
    assert counted(seen) == {"n": {"-": 1, "-999": 1}, "w": {"None": 1, "none": 1}, "d": {"9999-12-31": 1}}
    assert seen.told("“w”", "no value", "“none” (1)")


def test_a_word_may_be_a_number_of_every_column(read: Reader) -> None:
    seen = read("a,b\n1,x\n2,1\n3,y\n", missing=("1",))
    assert seen.rows == [(None, "x"), (2, None), (3, "y")]


def test_no_words_means_that_every_cell_is_a_value(read: Reader) -> None:
    seen = read(WORDS, missing=())
    assert seen.column("w")[:2] == ["none", "n/a"]
    assert [(m.column, m.value) for m in seen.report.misfits] == [("n", "-")]
    assert counted(seen) == {}
    marker = read("a,b\n1,\\N\n2,x\n", missing=())
    assert marker.column("b") == ["\\N", "x"]


def test_no_words_hold_for_a_currency_before_a_dash_too(read: Reader) -> None:
    text = "a\n" + "".join(f"$ {n}\n" for n in range(2, 30)) + "$ -\n"
    assert read(text).report.misfit_count == 0
    assert read(text, missing=()).report.misfit_count == 1


def test_the_reader_goes_on_as_before_where_nothing_was_said(read: Reader) -> None:
    seen = read(WORDS)
    assert seen.column("n") == [-999, None, 5, 6, 7]
    assert seen.column("w")[0] == "none"
    assert counted(seen) == {"n": {"-": 1}}


def test_a_column_of_nothing_else_holds_no_values(read: Reader) -> None:
    seen = read("a,b\n1,x\n2,x\n", missing=("x",))
    assert (seen.column("b"), seen.type_of("b")) == ([None, None], "text")
    assert seen.told("“b”", "holds no values")


@pytest.mark.parametrize("name", ["long.csv", "long.ndjson"])
def test_long_files_obey_as_short_ones_do(read: Reader, name: str) -> None:
    rows = [(n, -999 if n % 7 == 0 else n, "n/a" if n % 5 == 0 else f"word {n}") for n in range(110_000)]
    lines = [f"{a},{b},{c}" for a, b, c in rows] if name.endswith("csv") else []
    text = (
        "a,b,c\n" + "\n".join(lines) if lines else "\n".join(json.dumps({"a": a, "b": b, "c": c}) for a, b, c in rows)
    )
    seen = read(text, name, missing=("-999", "N/A"))
    assert seen.types == ["integer", "integer", "text"]
    assert seen.rows == [(a, None if b == -999 else b, None if c == "n/a" else c) for a, b, c in rows]
    assert counted(seen) == {"b": {"-999": 15_715}, "c": {"n/a": 22_000}}


def test_json_obeys_too(read: Reader) -> None:
    text = json.dumps([{"n": -999, "w": "none"}, {"n": 4, "w": "x"}, {"n": 5, "w": "7"}, {"n": "-", "w": "y"}])
    seen = read(text, "a.json", missing=("-999", "None", "-"))
    assert (seen.column("n"), seen.column("w")) == ([None, 4, 5, None], [None, "x", "7", "y"])
    assert counted(seen) == {"n": {"-": 1, "-999": 1}, "w": {"none": 1}}
    assert read(text, "a.json", missing=()).column("n") == ["-999", "4", "5", "-"]


def test_codes_of_json_keep_the_sentence_on_their_words(read: Reader) -> None:
    seen = read(json.dumps([{"c": "007"}, {"c": "-1"}, {"c": "12"}]), "a.json", missing=("-1",))
    assert seen.column("c") == ["007", None, "12"]
    assert seen.told("“c”", "no value", "“-1” (1)")
