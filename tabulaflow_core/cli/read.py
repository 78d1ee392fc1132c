"""`tabulaflow read`: how files are read, each choice with its reason, and the rows."""

from __future__ import annotations

import argparse
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.exits import FAILED, OK
from tabulaflow_core.cli.numbers import count
from tabulaflow_core.cli.read_options import add_arguments, bounds_of, options_of
from tabulaflow_core.counting import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from tabulaflow_core.data.files import (
        FileReading,
        ReadBounds,
        ReadingReport,
        ReadOptions,
        ReadProgress,
        ReadTable,
        Watch,
    )

#: Seconds between two changes of the line that says how far it is.
_TELL_SECONDS: Final = 0.1


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "read",
        help="show how files are read",
        description="Read files and say how: tables, columns, types, rows, and every decision with its reason. "
        "Each choice can be replaced by an option.",
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a file to read: text, a workbook, JSON, Parquet, Arrow, a database file",
    )
    parser.add_argument("--rows", type=count, metavar="N", help="rows to give at most (for people 10, else all)")
    add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    options, bounds = options_of(args), bounds_of(args)
    code = OK
    with tempfile.TemporaryDirectory(prefix="tabulaflow-", ignore_cleanup_errors=True) as folder:
        for name in args.files:
            if not _read_one(name, Path(folder), options, bounds, args.rows, console):
                code = FAILED
    return code


def _read_one(
    name: str, folder: Path, options: ReadOptions, bounds: ReadBounds, rows: int | None, console: Console
) -> bool:
    import asyncio

    from tabulaflow_core.data.files import Watch, read_file
    from tabulaflow_core.errors import FileReadingStopped, SourceError

    path = Path(name).expanduser()
    console.status(f"Reading {path.name} …")
    watch = Watch(_Teller(console, path.name), bounds)
    try:
        with _stopping(watch):
            reading = read_file(path, storage=folder, options=options, watch=watch)
        tables = asyncio.run(_rows_async(reading, rows if console.as_json else min(10 if rows is None else rows, 1000)))
    except FileReadingStopped:
        raise KeyboardInterrupt from None
    except SourceError as error:
        console.clear_status()
        if console.as_json:
            message = {"file": name, "status": "message", "message": error.user_message, "tables": [], "report": {}}
            console.json(message)
        else:
            console.error(error.user_message)
        return False
    console.clear_status()
    if console.as_json:
        console.json(_reading_json(name, reading, tables))
    else:
        _show(console, reading, tables)
    return True


class _Teller:
    """Says on the terminal how far a reading is."""

    def __init__(self, console: Console, name: str) -> None:
        self._console = console
        self._name = name
        self._last = time.monotonic()

    def __call__(self, progress: ReadProgress) -> None:
        """Take one word of it."""
        now = time.monotonic()
        if now - self._last < _TELL_SECONDS:
            return
        self._last = now
        far = f" {progress.done:,}" if progress.done else ""
        if progress.total:
            far = f" {min(progress.done / progress.total, 1):.0%}"
        self._console.status(f"{self._name}: {progress.stage}{far} …")


@contextmanager
def _stopping(watch: Watch) -> Iterator[None]:
    """Ctrl-C ends the statement that runs and removes what was written, instead of breaking off anywhere."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: watch.stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


async def _rows_async(reading: FileReading, rows: int | None) -> list[tuple[ReadTable, pa.Table]]:
    """The rows of each table as a query gives them."""
    from tabulaflow_core.data import QueryFailure
    from tabulaflow_core.data.files import FilesConnector
    from tabulaflow_core.errors import FileUnreadable

    found = []
    async with await FilesConnector.open_async([reading]) as connector:
        for table in reading.tables:
            name = table.name.replace('"', '""')
            outcome = await connector.run_query_async(f'SELECT * FROM "{name}"', limit=rows)
            if isinstance(outcome, QueryFailure):
                raise FileUnreadable(f"{reading.file}: {outcome.message}")
            found.append((table, outcome.table))
    return found


def _reading_json(name: str, reading: FileReading, tables: list[tuple[ReadTable, pa.Table]]) -> dict[str, Any]:
    from tabulaflow_core.data.files.told import told
    from tabulaflow_core.output.tables import rows_json

    shown = []
    for table, rows in tables:
        entry: dict[str, Any] = {
            "name": table.name,
            "names": list(table.columns),
            "types": list(table.types),
            "rows": rows_json(rows),
            "row_count": table.row_count,
        }
        if table.part:
            entry["part"] = table.part
        if table.report:
            entry["report"] = table.report.to_json()
        shown.append(entry)
    return {
        "file": name,
        "status": "loaded",
        "message": " ".join(told(reading)),
        "tables": shown,
        "report": reading.report.to_json(),
    }


def _show(console: Console, reading: FileReading, tables: list[tuple[ReadTable, pa.Table]]) -> None:
    from tabulaflow_core.cli.tables import print_table

    report = reading.report
    console.out(f"{reading.file} ({report.format})", style="bold")
    _show_report(console, report)
    if report.parts:
        console.out("\n  Parts")
        shown = [(p.name, p.kind, p.state, ", ".join(p.tables) or p.message) for p in report.parts]
        console.table(["part", "kind", "state", "tables, or why not"], shown, indent="  ")
    for table, rows in tables:
        console.out(
            f"\n  {table.name}: {counted(table.row_count, 'row')}, {counted(len(table.columns), 'column')}"
            + (f" (from {table.part})" if table.part else ""),
            style="bold",
        )
        if table.report:
            _show_report(console, table.report)
            console.out()
        print_table(console, rows, rows=rows.num_rows, indent="  ")
        if table.row_count > rows.num_rows:
            console.note(f"  … {counted(table.row_count - rows.num_rows, 'more row')}")
    console.out()


def _show_report(console: Console, report: ReadingReport) -> None:
    for notice in report.notices:
        console.out(f"  ! {notice}", style="yellow")
    if report.decisions:
        console.out("\n  How it was read")
        console.table(
            ["what", "choice", "how sure", "why"],
            [(d.name, d.value, d.certainty, d.reason) for d in report.decisions],
            indent="  ",
        )
    for line in report.skipped[:10]:
        console.out(f"  line {line.line} left out ({line.why}): {line.text[:80]}")
    if report.skipped_count > 10:
        console.out(f"  … {report.skipped_count - 10:,} more lines left out")
    if report.columns:
        console.out("\n  Columns")
        console.table(["column", "type", "note"], [(c.name, c.type, c.note) for c in report.columns], indent="  ")
