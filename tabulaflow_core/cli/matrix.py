"""`tabulaflow matrix`: the proof that sources are only read, run again on the engines that are here."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.exits import FAILED, OK, UsageError
from tabulaflow_core.cli.sources import parse_sources
from tabulaflow_core.counting import counted

if TYPE_CHECKING:
    from tabulaflow_core.data.matrix import EngineReport, Stage

_DESCRIPTION = (
    "Try statements that would do harm, and statements that analysts write, on SQLite and DuckDB, and on the servers "
    "given with -s. A harmful one must be refused, and where the engine can be locked, the lock alone must stop it "
    "too; a harmless one must be answered as the engine itself answers. On a server a database is made for it and "
    "dropped again; use one for trials. Exit code 1: something was wrong."
)
_LEGEND: Final = {
    "hostile": "stopped of all (of these also by the engine's lock alone, handed to it past the guard)",
    "harmless": "answered as the engine answers directly, of all",
}
#: Opens a stage in an empty folder.
_Opening = Callable[[Path], Awaitable["Stage"]]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "matrix", help="prove on real engines that queries only read", description=_DESCRIPTION
    )
    parser.add_argument(
        "-s",
        "--source",
        action="append",
        default=[],
        metavar="ALIAS=URL",
        help="a PostgreSQL, MariaDB or MySQL server whose user may make a database; repeatable",
    )
    parser.add_argument("--markdown", action="store_true", help="the counts as the tables of docs/sql-guard.md")
    parser.add_argument(
        "--record", action="store_true", help="keep the counts, with the date, where the data page shows them"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line: each case, then the counts")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    import asyncio

    from tabulaflow_core.data.matrix import open_duckdb_async, open_sqlite_async

    openings: list[_Opening] = [open_sqlite_async, open_duckdb_async]
    for spec in parse_sources(args.source):
        openings.append(_server(spec.alias, spec.url))
    return asyncio.run(_run_async(openings, console, as_markdown=args.markdown, record=args.record))


def _server(alias: str, url: str) -> _Opening:
    from tabulaflow_core.data.matrix import open_mysql_async, open_postgres_async
    from tabulaflow_core.data.urls import parse_source_url

    source = parse_source_url(url)
    if source.driver or source.dialect not in ("postgres", "mysql"):
        raise UsageError(f"{alias!r} is no PostgreSQL, MariaDB or MySQL server; SQLite and DuckDB are tried anyway")
    opening = open_postgres_async if source.dialect == "postgres" else open_mysql_async
    return lambda folder: opening(folder, url)


async def _run_async(openings: Sequence[_Opening], console: Console, *, as_markdown: bool, record: bool) -> int:
    from tabulaflow_core.data.matrix import EngineReport, load_cases, run_matrix_async
    from tabulaflow_core.data.matrix.record import write_record

    reports: list[EngineReport] = []
    for opening in openings:
        with tempfile.TemporaryDirectory(prefix="tabulaflow-") as name:
            stage = await opening(Path(name))
            report = EngineReport(stage.dialect, stage.engine)
            reports.append(report)
            cases = load_cases(stage.dialect)
            try:
                async for result in run_matrix_async(stage, cases):
                    report.results.append(result)
                    console.status(f"{stage.engine}: {len(report.results)} of {len(cases)}")
                    if console.as_json:
                        console.json(_line(report, len(report.results) - 1))
            finally:
                await stage.close_async()
        if record:
            write_record([report], today=date.today())
    _show(console, reports, as_markdown=as_markdown)
    return FAILED if any(report.wrong for report in reports) else OK


def _line(report: EngineReport, at: int) -> dict[str, object]:
    result = report.results[at]
    return {
        "kind": "case",
        "engine": report.engine,
        "dialect": report.dialect,
        "technique": result.case.technique,
        "verdict": result.case.verdict,
        "sql": result.case.sql,
        "outcome": result.outcome,
        "lock_alone": result.around,
        "wrong": result.outcome.wrong,
        "detail": result.detail,
    }


def _show(console: Console, reports: Sequence[EngineReport], *, as_markdown: bool) -> None:
    from tabulaflow_core.data.matrix import Verdict, markdown, summary

    if console.as_json:
        for report in reports:
            counts = {verdict.value: report.total(verdict).as_dict() for verdict in Verdict}
            console.json({"kind": "counts", "engine": report.engine, "dialect": report.dialect, **counts})
        return
    for verdict in Verdict:
        if as_markdown:
            console.out(markdown(reports, verdict) + "\n")
            continue
        console.out(f"{verdict.value}: {_LEGEND[verdict]}", style="bold")
        console.table(["", *(report.engine for report in reports)], summary(reports, verdict))
        console.out()
    wrong = [(report, result) for report in reports for result in report.wrong]
    for report, result in wrong:
        console.error(f"{report.engine}, {result.case.technique}, {result.outcome}: {result.case.sql}")
        console.note(f"  {result.detail}")
    missing = [r for report in reports for r in report.results if r.outcome.value == "not here"]
    if missing:
        console.note(f"{counted(len(missing), 'statement')} left out: the version of the engine does not take them.")
    console.note(f"{counted(sum(len(r.results) for r in reports), 'statement')}, {len(wrong)} wrong.")
