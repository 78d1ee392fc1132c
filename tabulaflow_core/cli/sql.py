"""`tabulaflow sql`: queries by hand through the same guard as the model's."""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.exits import FAILED, OK, UsageError
from tabulaflow_core.cli.numbers import count, seconds
from tabulaflow_core.cli.sources import Prepared, add_source_option, open_sources, parse_sources, prepare
from tabulaflow_core.counting import counted

if TYPE_CHECKING:
    from tabulaflow_core.data import DataConnector, DataConnectorRegistry, QueryOutcome

_log = logging.getLogger(__name__)

_DESCRIPTION = (
    'Run one read-only query, or with - many: JSON lines {"id","sql"} from standard input, one answer line each. '
    "Every query passes the guard; a refusal says why. Over several sources, tables are called ALIAS.TABLE and the "
    "query is DuckDB's SQL: the tables it needs are brought together and joined."
)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("sql", help="run one read-only query, or a stream of them", description=_DESCRIPTION)
    parser.add_argument("query", metavar="QUERY", help="the statement, or - for JSON lines from standard input")
    add_source_option(parser)
    parser.add_argument(
        "--on", metavar="ALIAS", help="the source to ask; without it, that whose tables the query names"
    )
    parser.add_argument("--rows", type=count, metavar="N", help="rows at most (for people 50, else all)")
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help="seconds at most for one query")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    import asyncio

    from tabulaflow_core.config import Settings
    from tabulaflow_core.errors import SourceError

    specs = parse_sources(args.source)
    if not specs:
        raise UsageError("name a source with -s ALIAS=PATH_OR_URL")
    try:
        with prepare(specs, Settings.from_env(), console) as prepared:
            return asyncio.run(_run_async(args, console, prepared))
    except SourceError as error:  # a source that cannot be opened answers in the form of a query
        if console.as_json or args.query == "-":
            console.json(_fault(error.user_message))
        console.error(error.user_message)
        return FAILED


async def _run_async(args: argparse.Namespace, console: Console, prepared: Prepared) -> int:
    async with open_sources(prepared, console, functions=args.function) as registry:
        asked = _asked(args.on, registry.aliases, prepared)
        connector = _together(registry, prepared) if asked is None else registry.get(asked)
        if args.query != "-":
            outcome = await connector.run_query_async(args.query, limit=args.rows, timeout=args.timeout)
            return _show(console, outcome, rows=args.rows)
        async for request_id, sql, fault in _requests():
            if fault:
                console.json({"id": request_id, **_fault(fault)})
                continue
            answer = await _answer(connector, sql, args)
            console.json({"id": request_id, **answer})
    return OK


def _together(registry: DataConnectorRegistry, prepared: Prepared) -> DataConnector:
    from tabulaflow_core.data.workspace import AcrossConnector

    return AcrossConnector({alias: registry.get(alias) for alias in registry.aliases}, limits=prepared.settings.limits)


def _asked(on: str | None, aliases: Sequence[str], prepared: Prepared) -> str | None:
    """The alias of the source to ask, None for all; a file's own alias stands for the source that the files form."""
    if on in [alias for alias, _ in prepared.readings] and prepared.files_alias is not None:
        return prepared.files_alias
    if on is not None:
        if on in aliases:
            return on
        raise UsageError(f"there is no source {on!r}; say --on with one of: {', '.join(aliases)}")
    return aliases[0] if len(aliases) == 1 else None


async def _requests() -> AsyncIterator[tuple[Any, str, str]]:
    """`(id, sql, fault)` of each line."""
    from tabulaflow_core.cli.lines import stdin_lines

    number = 0
    async for line in stdin_lines():
        number += 1
        if not line.strip():
            continue
        try:
            request = json.loads(line)
        except ValueError:
            request = None
        if not isinstance(request, dict) or not isinstance(request.get("sql"), str):
            known = request.get("id") if isinstance(request, dict) else None
            yield known, "", f'line {number} is not a JSON object like {{"id": 1, "sql": "SELECT 1"}}'
        else:
            yield request.get("id"), request["sql"], ""


async def _answer(connector: DataConnector, sql: str, args: argparse.Namespace) -> dict[str, Any]:
    from tabulaflow_core.errors import SourceError

    try:
        outcome = await connector.run_query_async(sql, limit=args.rows, timeout=args.timeout)
    except SourceError as error:  # the statement broke its connection: the next one gets a new one
        return _fault(error.user_message)
    except Exception as error:  # a fault of this program must not end the whole stream
        _log.exception("a statement met a fault of the program")
        return _fault(f"This is a fault of TabulaFlow itself ({type(error).__name__}).")
    return outcome_json(outcome)


def outcome_json(outcome: QueryOutcome) -> dict[str, Any]:
    """The answer to one query for programs."""
    from tabulaflow_core.data import FailureKind, QueryFailure
    from tabulaflow_core.data.workspace import AcrossResult
    from tabulaflow_core.output.tables import rows_json

    if isinstance(outcome, QueryFailure):
        error = f"{outcome.message.rstrip('.')}. {outcome.hint}" if outcome.hint else outcome.message
        refused = outcome.kind is FailureKind.REFUSED
        return {**_fault(error), "refused": refused, "seconds": round(outcome.seconds, 6)}
    table = outcome.table
    copied = [asdict(c) for c in outcome.copied] if isinstance(outcome, AcrossResult) else None
    return {
        "refused": False,
        "error": None,
        "columns": list(table.column_names),
        "rows": rows_json(table),
        "row_count": table.num_rows,
        "truncated": outcome.truncated,
        "seconds": round(outcome.seconds, 6),
        **({"copied": copied} if copied else {}),
        **({"notices": list(outcome.notices)} if outcome.notices else {}),
    }


def _fault(error: str) -> dict[str, Any]:
    return {
        "refused": False,
        "error": error,
        "columns": [],
        "rows": None,
        "row_count": 0,
        "truncated": False,
        "seconds": 0.0,
    }


def _show(console: Console, outcome: QueryOutcome, *, rows: int | None) -> int:
    from tabulaflow_core.cli.tables import print_table
    from tabulaflow_core.data import FailureKind, QueryFailure
    from tabulaflow_core.data.workspace import AcrossResult

    failed = isinstance(outcome, QueryFailure)
    if console.as_json:
        console.json(outcome_json(outcome))
        return FAILED if failed else OK
    if isinstance(outcome, QueryFailure):
        word = "Refused" if outcome.kind is FailureKind.REFUSED else "Failed"
        console.error(f"{word}: {outcome.message}")
        if outcome.hint:
            console.note(outcome.hint)
        return FAILED
    print_table(console, outcome.table, rows=50 if rows is None else rows)
    cut = f", cut at the limit on {outcome.cut_by}" if outcome.truncated else ""
    console.note(f"{counted(outcome.table.num_rows, 'row')} in {outcome.seconds:.3f} s{cut}")
    for notice in outcome.notices:
        console.note(notice, style="yellow")
    if isinstance(outcome, AcrossResult):
        console.note(outcome.sentence)
    return OK
