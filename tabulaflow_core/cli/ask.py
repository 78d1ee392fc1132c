"""`tabulaflow ask`: one question, answered in the terminal."""

from __future__ import annotations

import argparse
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.exits import FAILED, OK, UsageError
from tabulaflow_core.cli.numbers import count
from tabulaflow_core.cli.sources import Prepared, SourceSpec, add_source_option, open_sources, parse_sources, prepare

if TYPE_CHECKING:
    from tabulaflow_core.agents import ChatSession
    from tabulaflow_core.cli.answer import AnswerView
    from tabulaflow_core.cli.session_file import SessionFile
    from tabulaflow_core.models.contracts import ChatModel

_DESCRIPTION = (
    "Ask one question. The answer goes to standard output, the progress to standard error. With --json every event is "
    "a line, and the last one holds the answer with its SQL, columns, rows, charts and usage."
)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("ask", help="ask a question", description=_DESCRIPTION)
    parser.add_argument("question", metavar="QUESTION", help="in any language")
    add_source_option(parser)
    parser.add_argument("-m", "--model", metavar="MODEL", help="provider:model, such as openai:gpt-5.6-sol or local")
    parser.add_argument(
        "--reasoning", choices=["none", "low", "medium", "high"], help="how much the model should think"
    )
    parser.add_argument(
        "--session", type=Path, metavar="FILE", help="go on with the conversation in this file; it is made when missing"
    )
    parser.add_argument(
        "--hide-column",
        action="append",
        default=[],
        metavar="PATTERN",
        help="a column that the model must not see: column, table.column or ALIAS.table.column, with * and ?; "
        "repeatable, and kept in the session file",
    )
    parser.add_argument("--rows", type=count, metavar="N", help="rows of a table at most (for people 20, else all)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    from tabulaflow_core.cli.session_file import SessionFile

    if not args.question.strip():
        raise UsageError("the question is empty")
    given = parse_sources(args.source)
    if args.session is None:
        return _run(args, console, given, None)
    with SessionFile.held(args.session.expanduser()) as kept:
        return _run(args, console, given, kept)


def _run(args: argparse.Namespace, console: Console, given: tuple[SourceSpec, ...], kept: SessionFile | None) -> int:
    import asyncio

    from tabulaflow_core.config import Settings
    from tabulaflow_core.models import resolve_model

    specs = kept.merged(given) if kept else given
    if not specs:
        raise UsageError("name a source with -s ALIAS=PATH_OR_URL")
    settings = Settings.from_env()
    hidden = tuple(dict.fromkeys((*(kept.hidden_columns if kept else ()), *args.hide_column)))
    model = resolve_model(args.model, settings=settings)  # before the files are read: without a model nothing helps
    try:
        with prepare(specs, settings, console) as prepared:
            return asyncio.run(_ask_async(args, console, prepared, model, kept, hidden))
    except KeyboardInterrupt:
        if console.as_json and not console.ended:  # stopped before the turn began
            nothing: dict[str, object] = {
                "text": "",
                "outcome": "interrupted",
                "tables": [],
                "charts": [],
                "assumptions": [],
                "usage": None,
            }
            console.end({"kind": "turn_interrupted", "result": nothing, "reason": "Ctrl-C"})
        raise


async def _ask_async(
    args: argparse.Namespace,
    console: Console,
    prepared: Prepared,
    model: ChatModel,
    kept: SessionFile | None,
    hidden: tuple[str, ...],
) -> int:
    from tabulaflow_core.agents import ChatSession
    from tabulaflow_core.cli.answer import AnswerView
    from tabulaflow_core.cli.session_results import FolderResultStore

    async with AsyncExitStack() as stack:
        stack.push_async_callback(model.close_async)
        registry = await stack.enter_async_context(
            open_sources(prepared, console, functions=args.function, hidden_columns=hidden)
        )
        session = ChatSession(
            registry=registry,
            model=model,
            reasoning=args.reasoning,
            settings=prepared.settings,
            history=kept.messages if kept else (),
            results=FolderResultStore(kept.results_folder) if kept else None,
        )
        await stack.enter_async_context(session)
        view = AnswerView(console, session, rows=args.rows)
        try:
            return await _watch_async(session, args.question, view)
        finally:
            if kept is not None:
                kept.save(session.history, prepared.specs, hidden_columns=hidden)


async def _watch_async(session: ChatSession, question: str, view: AnswerView) -> int:
    import asyncio

    from tabulaflow_core.errors import TabulaflowError

    try:
        async with aclosing(session.run_stream(question)) as stream:
            async for event in stream:
                await view.show_async(event)
    except asyncio.CancelledError:
        await view.interrupted_async()
        raise
    except TabulaflowError as error:
        view.failed(error)
        return FAILED
    return OK
