"""`tabulaflow read`."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run


def german(tmp_path: Path) -> Path:
    path = tmp_path / "umsatz.csv"
    path.write_text("region;betrag;tag;plz\nNord;1.234,50;13.02.2026;01067\nSüd;99,10;14.02.2026;80331\n", "cp1252")
    return path


def test_the_json_of_a_file(run: Run, tmp_path: Path) -> None:
    ran = run("read", german(tmp_path), "--json")
    (line,) = ran.lines
    assert ran.code == 0
    assert set(line) == {"file", "status", "message", "tables", "report"}
    assert line["status"] == "loaded"
    (table,) = line["tables"]
    assert set(table) == {"name", "names", "types", "rows", "row_count"}
    assert table["names"] == ["region", "betrag", "tag", "plz"]
    assert table["types"] == ["text", "number", "date", "text"]
    assert table["rows"][0] == ["Nord", "1234.50", "2026-02-13", "01067"]
    assert table["row_count"] == 2
    assert line["report"]["decisions"]


def test_rows_bounds_what_is_given(run: Run, tmp_path: Path) -> None:
    table = run("read", german(tmp_path), "--json", "--rows", 1).lines[0]["tables"][0]
    assert (len(table["rows"]), table["row_count"]) == (1, 2)


def test_a_choice_can_be_replaced(run: Run, tmp_path: Path) -> None:
    line = run("read", german(tmp_path), "--json", "--type", "betrag=text", "--date-order", "dmy").lines[0]
    assert line["tables"][0]["types"][1] == "text"
    assert line["tables"][0]["rows"][0][1] == "1.234,50"
    assert run("read", german(tmp_path), "--type", "betrag=money").code == 2


def test_what_cannot_be_read_is_a_message_and_the_others_go_on(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    ran = run("read", empty, german(tmp_path), "--json")
    assert ran.code == 1
    assert [line["status"] for line in ran.lines] == ["message", "loaded"]
    assert ran.lines[0]["tables"] == []
    assert "empty" in ran.lines[0]["message"]
    assert run("read", empty).err.strip() == ran.lines[0]["message"]


def test_people_see_the_decisions_and_the_rows(run: Run, tmp_path: Path) -> None:
    ran = run("read", german(tmp_path))
    assert ran.code == 0
    for part in ("How it was read", "semicolon", "decimal comma", "umsatz: 2 rows, 4 columns", "1,234.50", "01067"):
        assert part in ran.out


@pytest.mark.parametrize("option", [("--skip-lines", -1), ("--rows", -1), ("--quote", "ab")])
def test_options_that_make_no_sense_are_refused(run: Run, tmp_path: Path, option: tuple[str, object]) -> None:
    assert run("read", german(tmp_path), *option).code == 2


def test_no_rows_can_be_asked_for(run: Run, tmp_path: Path) -> None:
    ran = run("read", german(tmp_path), "--rows", 0)
    assert "2 more rows" in ran.err
