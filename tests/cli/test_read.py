"""`tabulaflow read`."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
import zipfile
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


def zipped(tmp_path: Path) -> Path:
    path = tmp_path / "both.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "n;x\n1;2,5\n")
        archive.writestr("b.csv", "title\nn;x\n1;2,5\nsum;2\n")
        archive.writestr("photo.png", b"\x89PNG\r\n\x1a\nxx")
    return path


def test_a_file_of_several_tables(run: Run, tmp_path: Path) -> None:
    (line,) = run("read", zipped(tmp_path), "--json").lines
    assert [(t["name"], t["part"]) for t in line["tables"]] == [("both_a", "a.csv"), ("both_b", "b.csv")]
    assert line["tables"][0]["report"]["decisions"]
    assert [(p["name"], p["state"]) for p in line["report"]["parts"]][2] == ("photo.png", "unreadable")
    assert "photo.png" in line["message"]
    ran = run("read", zipped(tmp_path))
    for part in ("Parts", "photo.png", "both_a: 1 row, 2 columns (from a.csv)", "decimal comma"):
        assert part in ran.out


def test_parts_and_their_options(run: Run, tmp_path: Path) -> None:
    path = zipped(tmp_path)
    own = (
        "--part-option",
        "b.csv:skip-lines=1",
        "--part-option",
        "b.csv:skip-end=1",
        "--part-option",
        "b.csv:type=x=text",
    )
    (table,) = run("read", path, "--json", "--part", "b.csv", *own).lines[0]["tables"]
    assert (table["names"], table["rows"]) == (["n", "x"], [[1, "2,5"]])
    assert "no part “c.csv”" in run("read", path, "--json", "--part-option", "c.csv:header=no").lines[0]["message"]
    assert "holds no “c.csv”" in run("read", path, "--part", "c.csv").err


def test_a_part_leaves_to_the_reader_what_the_file_was_told(run: Run, tmp_path: Path) -> None:
    path = zipped(tmp_path)
    told = run("read", path, "--json", "--part", "b.csv", "--no-header").lines[0]["tables"][0]["names"]
    own = ("--part-option", "b.csv:header=automatic")
    back = run("read", path, "--json", "--part", "b.csv", "--no-header", *own).lines[0]["tables"][0]["names"]
    assert told != back == run("read", path, "--json", "--part", "b.csv").lines[0]["tables"][0]["names"]


@pytest.mark.parametrize(
    "option",
    [
        "b.csv:nonsense=1",
        "header=no",
        "b.csv:header=perhaps",
        "b.csv:skip-lines=-1",
        "b.csv:decimal=;",
        "b.csv:quote=ab",
    ],
)
def test_part_options_that_make_no_sense(run: Run, tmp_path: Path, option: str) -> None:
    assert run("read", german(tmp_path), "--part-option", option).code == 2


def test_bounds(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 100_000))
    assert "more than 100 KB" in run("read", path, "--max-unpacked", "100KB").err
    assert run("read", path, "--max-unpacked", "1M", "--max-memory", "1.5 GB", "--json").code == 0
    assert run("read", path, "--max-memory", "much").code == 2


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "long.ndjson"
    path.write_text('{"a": 1, "b": "x"}\n' * 2_000_000)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-m", "tabulaflow_core.cli", "read", str(path)]
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(scratch)}, stderr=subprocess.PIPE) as process:
        while not list(scratch.glob("*/.*/table.duckdb")):  # it reads
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert list(scratch.iterdir()) == []
