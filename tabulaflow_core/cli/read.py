"""`tabulaflow read`: how files are read, each choice with its reason, and the rows."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabulaflow_core.cli.console import Console, counted
from tabulaflow_core.cli.exits import FAILED, OK, UsageError
from tabulaflow_core.cli.numbers import count

if TYPE_CHECKING:
    import pyarrow as pa

    from tabulaflow_core.data.files import FileReading, ReadOptions, ReadTable

_TYPES = ("integer", "number", "text", "boolean", "date", "datetime")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "read",
        help="show how files are read",
        description="Read files and say how: tables, columns, types, rows, and every decision with its reason. "
        "Each choice can be replaced by an option.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file to read, such as CSV, TSV or JSON")
    parser.add_argument("--rows", type=count, metavar="N", help="rows to give at most (for people 10, else all)")
    parser.add_argument("--encoding", metavar="NAME", help="such as utf-8 or cp1252")
    parser.add_argument("--delimiter", metavar="CHAR", help=r"the separator; \t for a tab")
    parser.add_argument("--quote", metavar="CHAR", help="the quote character; empty for none")
    parser.add_argument(
        "--header", action=argparse.BooleanOptionalAction, help="whether the first row names the columns"
    )
    parser.add_argument("--skip-lines", type=count, metavar="N", help="lines to leave out at the start")
    parser.add_argument("--decimal", choices=[".", ","], help="the decimal mark")
    parser.add_argument("--date-order", choices=["dmy", "mdy", "ymd"], help="how 03/04/2026 is meant")
    parser.add_argument(
        "--type", action="append", default=[], metavar="COLUMN=TYPE", help=f"the type of a column: {', '.join(_TYPES)}"
    )
    parser.add_argument("--missing", action="append", metavar="WORD", help="a word that means no value; repeatable")
    parser.add_argument("--keep-totals", action="store_true", help="keep rows of totals and notes as data")
    parser.add_argument("--json", action="store_true", help="one JSON object a file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    options = _options(args)
    code = OK
    with tempfile.TemporaryDirectory(prefix="tabulaflow-", ignore_cleanup_errors=True) as folder:
        for name in args.files:
            if not _read_one(name, Path(folder), options, args.rows, console):
                code = FAILED
    return code


def _options(args: argparse.Namespace) -> ReadOptions:
    from tabulaflow_core.data.files import ReadOptions

    if args.quote is not None and len(args.quote) > 1:
        raise UsageError(f"--quote takes one character or none, not {args.quote!r}")
    types: dict[str, Any] = {}
    for text in args.type:
        column, _, kind = text.rpartition("=")
        if not column or kind not in _TYPES:
            raise UsageError(f"{text!r} is not COLUMN=TYPE with a type of {', '.join(_TYPES)}")
        types[column] = kind
    return ReadOptions(
        encoding=args.encoding,
        delimiter="\t" if args.delimiter == "\\t" else args.delimiter,
        quote=args.quote,
        header=args.header,
        skip_lines=args.skip_lines,
        decimal=args.decimal,
        date_order=args.date_order,
        types=types,
        missing=None if args.missing is None else tuple(args.missing),
        keep_totals=args.keep_totals,
    )


def _read_one(name: str, folder: Path, options: ReadOptions, rows: int | None, console: Console) -> bool:
    import asyncio

    from tabulaflow_core.data.files import read_file
    from tabulaflow_core.errors import SourceError

    path = Path(name).expanduser()
    console.status(f"Reading {path.name} …")
    try:
        reading = read_file(path, storage=folder, options=options)
        tables = asyncio.run(_rows_async(reading, rows if console.as_json else min(10 if rows is None else rows, 1000)))
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
    from tabulaflow_core.output.tables import rows_json

    return {
        "file": name,
        "status": "loaded",
        "message": " ".join(reading.report.notices),
        "tables": [
            {
                "name": table.name,
                "names": list(table.columns),
                "types": list(table.types),
                "rows": rows_json(rows),
                "row_count": table.row_count,
            }
            for table, rows in tables
        ],
        "report": reading.report.to_json(),
    }


def _show(console: Console, reading: FileReading, tables: list[tuple[ReadTable, pa.Table]]) -> None:
    from tabulaflow_core.cli.tables import print_table

    report = reading.report
    console.out(f"{reading.file} ({report.format})", style="bold")
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
    for table, rows in tables:
        console.out(
            f"\n  {table.name}: {counted(table.row_count, 'row')}, {counted(len(table.columns), 'column')}",
            style="bold",
        )
        print_table(console, rows, rows=rows.num_rows, indent="  ")
        if table.row_count > rows.num_rows:
            console.note(f"  … {counted(table.row_count - rows.num_rows, 'more row')}")
    console.out()
