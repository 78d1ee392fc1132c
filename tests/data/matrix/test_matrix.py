"""Every shipped case on the real engines, and the table in the documentation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tabulaflow_core.data.matrix import (
    EngineReport,
    Outcome,
    Stage,
    Verdict,
    dialects,
    load_cases,
    open_duckdb_async,
    open_mysql_async,
    open_postgres_async,
    open_sqlite_async,
    run_matrix_async,
    summary,
)
from tabulaflow_core.errors import SourceUnavailable
from tests.data.contract.boxes import MARIA, PG

PAGE = Path(__file__).parents[3] / "docs" / "sql-guard.md"


def report_of(opening: Callable[[], Awaitable[Stage]], dialect: str) -> EngineReport:
    async def play() -> EngineReport:
        stage = await opening()
        report = EngineReport(dialect, stage.engine)
        try:
            async for result in run_matrix_async(stage, load_cases(dialect)):
                report.results.append(result)
        finally:
            await stage.close_async()
        return report

    return asyncio.run(play())


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> EngineReport:
    folder = tmp_path_factory.mktemp("sqlite")
    return report_of(lambda: open_sqlite_async(folder), "sqlite")


@pytest.fixture(scope="module")
def duckdb(tmp_path_factory: pytest.TempPathFactory) -> EngineReport:
    folder = tmp_path_factory.mktemp("duckdb")
    return report_of(lambda: open_duckdb_async(folder), "duckdb")


def check(report: EngineReport) -> None:
    assert [(r.outcome, r.case.sql, r.detail) for r in report.wrong] == []
    assert len(report.results) == len(load_cases(report.dialect))


def test_sqlite(sqlite: EngineReport) -> None:
    check(sqlite)


def test_duckdb(duckdb: EngineReport) -> None:
    check(duckdb)


@pytest.mark.server
def test_postgres(tmp_path: Path) -> None:
    try:
        check(report_of(lambda: open_postgres_async(tmp_path, PG), "postgres"))
    except (OSError, SourceUnavailable):
        pytest.skip("no PostgreSQL server answers")


@pytest.mark.server
def test_mysql(tmp_path: Path) -> None:
    try:
        check(report_of(lambda: open_mysql_async(tmp_path, MARIA), "mysql"))
    except (OSError, SourceUnavailable):
        pytest.skip("no MariaDB server answers")


def _rows(heading: str) -> dict[str, list[str]]:
    """A table of the page by its first column; the cells of SQLite and DuckDB."""
    table = PAGE.read_text(encoding="utf-8").partition(f"| {heading} |")[2].split("\n\n")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {row[0]: row[1:3] for row in cells if len(row) > 2}


def test_the_page_is_in_step(sqlite: EngineReport, duckdb: EngineReport) -> None:
    shown = _rows("technique")
    here = {row[0]: row[1:] for row in summary([sqlite, duckdb], Verdict.HOSTILE)}
    assert {name: shown[name] for name in here} == here, "put the output of `tabulaflow matrix --markdown` there"
    # Another version of an engine may not take a few of them, so here the page may say more.
    shown = _rows("what analysts write")
    for name, cells in ((row[0], row[1:]) for row in summary([sqlite, duckdb], Verdict.HARMLESS)):
        for said, found in zip(shown[name], cells, strict=True):
            assert bool(said) == bool(found), name
            if said:
                assert len(set(said.split("/"))) == len(set(found.split("/"))) == 1, name


@pytest.mark.parametrize("dialect", dialects())
def test_there_are_enough_cases_of_both_kinds(dialect: str) -> None:
    cases = load_cases(dialect)
    assert sum(case.verdict is Verdict.HOSTILE for case in cases) >= 80
    assert sum(case.verdict is Verdict.HARMLESS for case in cases) >= 80
    assert len({case.sql for case in cases}) == len(cases)
    assert all((case.alone is None) == (case.verdict is Verdict.HARMLESS) for case in cases)
    assert not Outcome.EQUAL.wrong
