"""What is written where, and how tables line up."""

from __future__ import annotations

import io
import json

from tabulaflow_core.cli.console import Console, Number, printable, width


class Terminal(io.StringIO):
    """A stream that claims to be watched."""

    def isatty(self) -> bool:
        return True


def test_colours_only_on_a_terminal() -> None:
    plain, watched = io.StringIO(), Terminal()
    Console(out=plain, err=io.StringIO()).out("x", style="bold")
    Console(out=watched, err=io.StringIO()).out("x", style="bold")
    assert plain.getvalue() == "x\n"
    assert watched.getvalue() == "\x1b[1mx\x1b[0m\n"


def test_data_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b]0;title\x07b\x9b31mc\u202ed\n\te") == "a]0;titleb31mcd\n\te"


def test_a_status_is_replaced_and_only_shown_to_a_person() -> None:
    plain, watched = io.StringIO(), Terminal()
    Console(out=io.StringIO(), err=plain).status("working")
    console = Console(out=io.StringIO(), err=watched)
    console.status("working")
    console.note("done")
    assert plain.getvalue() == ""
    assert watched.getvalue().startswith("\r\x1b[K")
    assert watched.getvalue().endswith("\r\x1b[K\x1b[2mdone\x1b[0m\n")


def test_tables_line_up_whatever_the_script() -> None:
    out = io.StringIO()
    rows = [("東京", Number("5")), ("é", Number("1,000")), (None, None), ("x" * 60, Number("7"))]
    Console(out=out, err=io.StringIO()).table(["city\n", "n"], rows)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("city ")
    assert all(width(line) == 48 + 2 + 5 for line in (lines[1], lines[2], lines[3], lines[5]))
    assert lines[5].startswith("x" * 47 + "…")


def test_a_terminal_of_an_old_code_page_gets_what_it_can_show() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    Console(out=out, err=io.StringIO()).out("naïve →")
    assert raw.getvalue() == b"na?ve ?\n"


def test_json_loses_no_character_of_an_old_code_page() -> None:
    raw = io.BytesIO()
    console = Console(as_json=True, out=io.TextIOWrapper(raw, encoding="ascii"))
    console.json({"name": "été \ud800"})
    assert json.loads(raw.getvalue()) == {"name": "été \ud800"}
