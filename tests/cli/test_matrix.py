"""`tabulaflow matrix`: the counts, each statement as JSON, and an exit code that tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabulaflow_core.data import matrix
from tabulaflow_core.data.matrix import Alone, Case, Verdict

from .conftest import Run


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[Case]:
    cases = [
        Case("", "writes", Verdict.HOSTILE, "DELETE FROM sale", Alone.LOCK),
        Case("", "counts", Verdict.HARMLESS, "SELECT count(*) AS n FROM sale"),
    ]
    monkeypatch.setattr(
        matrix, "load_cases", lambda d: tuple(Case(d, c.technique, c.verdict, c.sql, c.alone) for c in cases)
    )
    return cases


def test_for_people(run: Run, few: list[Case]) -> None:
    ran = run("matrix")
    assert ran.code == 0
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["writes", "1/1", "(1)", "1/1", "(1)"] in lines
    assert ["counts", "1/1", "1/1"] in lines
    assert "4 statements, 0 wrong." in ran.err


def test_for_programs(run: Run, few: list[Case]) -> None:
    ran = run("matrix", "--json")
    cases = [line for line in ran.lines if line["kind"] == "case"]
    counts = [line for line in ran.lines if line["kind"] == "counts"]
    assert [(c["dialect"], c["outcome"], c["lock_alone"]) for c in cases] == [
        ("sqlite", "refused", True),
        ("sqlite", "equal", False),
        ("duckdb", "refused", True),
        ("duckdb", "equal", False),
    ]
    assert [c["hostile"]["refused"] for c in counts] == [1, 1]


def test_what_is_wrong_fails(run: Run, few: list[Case]) -> None:
    few[1] = Case("", "counts", Verdict.HOSTILE, "SELECT nothing FROM nowhere", Alone.GUARD)
    few.append(Case("", "refused", Verdict.HARMLESS, "SELECT 1 AS a; "))
    assert run("matrix").code == 0
    few.append(Case("", "refused", Verdict.HARMLESS, "EXPLAIN SELECT 1"))
    few.append(Case("", "refused", Verdict.HARMLESS, "PRAGMA database_list"))
    ran = run("matrix")
    assert ran.code == 1
    assert "PRAGMA database_list" in ran.err


def test_other_sources_are_a_wrong_use(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    assert run("matrix", "-s", "x=sqlite:///a.db").code == 2


def test_markdown(run: Run, few: list[Case]) -> None:
    assert "| writes | 1/1 (1) | 1/1 (1) |" in run("matrix", "--markdown").out
