"""`tabulaflow sql`: one query, and many from standard input."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from .conftest import Run

KEYS = {"refused", "error", "columns", "rows", "row_count", "truncated", "seconds"}


def test_rows_for_programs(run: Run, shop: Path) -> None:
    ran = run("sql", "-s", f"shop={shop}", "SELECT id, amount, raw, id FROM orders ORDER BY id", "--json")
    (answer,) = ran.lines
    assert ran.code == 0
    assert set(answer) == KEYS
    assert answer["columns"] == ["id", "amount", "raw", "id"]
    assert answer["rows"] == [[1, 10.5, "0x0102", 1], [2, None, None, 2], [2**53 + 1, 3.0, "0x", 2**53 + 1]]
    assert (answer["refused"], answer["error"], answer["row_count"], answer["truncated"]) == (False, None, 3, False)


def test_rows_for_people_hold_no_escape_codes(run: Run, shop: Path) -> None:
    ran = run("sql", "-s", f"shop={shop}", "SELECT amount, note FROM orders ORDER BY id")
    assert [line.rstrip() for line in ran.out.splitlines()] == [
        "amount  note",
        "──────  ────────",
        "  10.5  a[31mred",
        "        b",
        "     3  c",
    ]
    assert "\x1b" not in ran.out
    assert "3 rows in" in ran.err


def test_a_refusal_says_why(run: Run, shop: Path) -> None:
    ran = run("sql", "-s", f"shop={shop}", "DELETE FROM orders", "--json")
    assert ran.code == 1
    assert ran.lines[0]["refused"] is True
    assert "DELETE" in ran.lines[0]["error"]
    assert ran.lines[0]["rows"] is None
    told = run("sql", "-s", f"shop={shop}", "DELETE FROM orders")
    assert told.code == 1
    assert told.err.startswith("Refused: ")
    assert run("sql", "-s", f"shop={shop}", "SELECT count(*) FROM orders", "--json").lines[0]["rows"] == [[3]]


def test_a_fault_of_the_query_is_no_refusal(run: Run, shop: Path) -> None:
    ran = run("sql", "-s", f"shop={shop}", "SELECT nothing FROM orders", "--json")
    assert ran.code == 1
    assert ran.lines[0]["refused"] is False
    assert "nothing" in ran.lines[0]["error"]


def test_a_limit_is_said(run: Run, shop: Path) -> None:
    ran = run("sql", "-s", f"shop={shop}", "SELECT id FROM orders", "--rows", 2, "--json")
    assert (ran.lines[0]["row_count"], ran.lines[0]["truncated"]) == (2, True)


def test_lines_from_standard_input(run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = [
        '{"id": "a", "sql": "SELECT count(*) AS n FROM orders"}',
        "",
        '{"id": 2, "sql": "DROP TABLE orders"}',
        "not json",
        '{"id": 3}',
        '{"id": 4, "sql": "SELECT 1/0 AS x, zz FROM orders"}',
        '{"id": 5, "sql": "SELECT 5"}',
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(requests)))
    ran = run("sql", "-s", f"shop={shop}", "-")
    assert ran.code == 0
    assert [line["id"] for line in ran.lines] == ["a", 2, None, 3, 4, 5]
    assert [line["refused"] for line in ran.lines] == [False, True, False, False, False, False]
    assert [line["error"] is None for line in ran.lines] == [True, False, False, False, False, True]
    assert all(set(line) == KEYS | {"id"} for line in ran.lines)
    assert ran.lines[0]["rows"] == [[3]]


def test_one_file_is_a_table_and_several_can_be_joined(run: Run, inventory: Path, tmp_path: Path) -> None:
    one = run("sql", "-s", f"stock={inventory}", "SELECT sum(on_hand) AS n FROM stock", "--json")
    assert one.lines[0]["rows"] == [[51]]
    prices = tmp_path / "p.csv"
    prices.write_text("product,price\nHDMI cable,2.50\nUSB-C dock,90.00\n")
    joined = "SELECT s.product, p.price FROM stock s JOIN prices p USING (product) ORDER BY 1"
    both = run("sql", "-s", f"stock={inventory}", "-s", f"prices={prices}", joined, "--json")
    assert [row[0] for row in both.lines[0]["rows"]] == ["HDMI cable", "USB-C dock"]


def test_several_sources_need_a_choice(run: Run, inventory: Path, shop: Path) -> None:
    sources = ["-s", f"stock={inventory}", "-s", f"shop={shop}"]
    ran = run("sql", *sources, "SELECT 1")
    assert ran.code == 1
    assert "names no table" in ran.err
    assert "Say which source it is for: shop, stock." in ran.err
    found = run("sql", *sources, "SELECT count(*) FROM orders", "--json")
    assert found.lines[0]["rows"] == [[3]]
    chosen = run("sql", *sources, "--on", "shop", "SELECT count(*) FROM orders", "--json")
    assert chosen.lines[0]["rows"] == [[3]]
    wrong = run("sql", *sources, "--on", "nowhere", "SELECT 1")
    assert wrong.code == 2
    assert "there is no source 'nowhere'; say --on with one of: shop, stock" in wrong.err


def test_urls_and_odd_paths(run: Run, shop: Path, tmp_path: Path) -> None:
    odd = tmp_path / "a b%20#?.sqlite"
    odd.write_bytes(shop.read_bytes())
    for place in (odd, f"sqlite:///{shop}"):
        assert run("sql", "-s", f"x={place}", "SELECT count(*) FROM orders", "--json").lines[0]["rows"] == [[3]]
    bad = run("sql", "-s", "x=oracle://me:hush@127.0.0.1/y", "SELECT 1")
    assert bad.code == 1
    assert "oracle" in bad.err
    assert "hush" not in bad.err


def test_a_duckdb_file_is_told_by_its_bytes(run: Run, tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "duck.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 42 AS n")
    assert run("sql", "-s", f"d={path}", "SELECT n FROM t", "--json").lines[0]["rows"] == [[42]]


@pytest.mark.parametrize("query", ["SELECT 1", "-"])
def test_a_source_that_cannot_be_opened_answers_in_the_form_of_a_query(
    run: Run, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    ran = run("sql", "-s", "x=postgresql://me:hush@127.0.0.1:9/y", query, "--json")
    (answer,) = ran.lines
    assert ran.code == 1
    assert set(answer) == KEYS
    assert answer["error"].startswith("Nobody listens at 127.0.0.1:9.")
    assert "hush" not in ran.out + ran.err


def test_the_source_at_fault_is_named_among_several(run: Run, shop: Path) -> None:
    sources = ["-s", f"shop={shop}", "-s", "far=postgresql://me:hush@127.0.0.1:9/y"]
    ran = run("sql", *sources, "--on", "shop", "SELECT 1")
    assert ran.err.startswith("far: Nobody listens")


def test_a_file_given_with_others_can_be_chosen_by_its_own_alias(run: Run, inventory: Path) -> None:
    ran = run("sql", "-s", f"a={inventory}", "-s", f"b={inventory}", "--on", "b", "SELECT count(*) FROM b", "--json")
    assert ran.lines[0]["rows"] == [[3]]


def test_a_file_named_duckdb_is_judged_as_one(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.duckdb"
    bad.write_text("no database at all")
    ran = run("sql", "-s", f"d={bad}", "SELECT 1")
    assert ran.code == 1
    assert "not a DuckDB database" in ran.err


@pytest.mark.parametrize("option", [("--rows", -1), ("--rows", "x"), ("--timeout", 0), ("--timeout", "nan")])
def test_numbers_that_make_no_sense_are_refused(run: Run, shop: Path, option: tuple[str, object]) -> None:
    ran = run("sql", "-s", f"shop={shop}", "SELECT 1", *option)
    assert ran.code == 2
    assert f"argument {option[0]}: '{option[1]}' is not" in ran.err


def test_a_fault_and_its_hint_are_two_sentences(run: Run, shop: Path) -> None:
    (answer,) = run("sql", "-s", f"shop={shop}", "SELECT id FROM nowhere", "--json").lines
    assert answer["error"] == "no such table: nowhere. The tables are: orders."


def test_two_sources_are_joined(run: Run, inventory: Path, shop: Path) -> None:
    sources = ["-s", f"stock={inventory}", "-s", f"shop={shop}"]
    both = "SELECT count(*) FROM shop.orders o CROSS JOIN stock.stock s"
    ran = run("sql", *sources, both, "--json")
    (line,) = ran.lines
    rows = {c["source"]: c["rows"] for c in line["copied"]}
    assert line["rows"] == [[rows["shop"] * rows["stock"]]]
    told = run("sql", *sources, both)
    assert "Brought together for this query: 3 rows of shop.orders and" in told.err
    refused = run("sql", *sources, "DELETE FROM shop.orders", "--json")
    assert refused.lines[0]["refused"]
