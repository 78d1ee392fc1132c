"""The command `tabulaflow`: reads the command line, runs one command, and returns its exit code."""

from __future__ import annotations

# Little is imported up here: Ctrl-C is answered only once `main` runs.
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tabulaflow_core.cli.console import Console

_DESCRIPTION = "Ask your own data in plain language, and see the query behind every number."
_EPILOG = "Exit codes: 0 done, 1 failed (the message says why), 2 wrong use, 130 interrupted."


def build_parser() -> argparse.ArgumentParser:
    """The whole command line; imports nothing heavy."""
    import argparse

    from tabulaflow_core.cli import ask, evaluate, examples_command, matrix, model, read, sql, worker

    parser = argparse.ArgumentParser(prog="tabulaflow", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (ask, read, sql, evaluate, matrix, worker, model, examples_command):
        module.add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: The arguments after the program's name; by default those of the process.

    Returns:
        0 done, 1 failed, 2 wrong use, 130 interrupted.

    Raises:
        SystemExit: From argparse, with 2 for a wrong use and 0 for `--help`.
    """
    if argv is None:
        # A stop by the system ends a turn, its statement and its child processes as Ctrl-C does. A shell script starts
        # what it puts into the background with Ctrl-C ignored, which would make both go unheard.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        return _run(argv)
    except KeyboardInterrupt:
        return 130  # `exits.INTERRUPTED`, which may not be imported yet


def _run(argv: Sequence[str] | None) -> int:
    from tabulaflow_core.cli.console import Console, OutputClosed
    from tabulaflow_core.cli.exits import FAILED, UsageError
    from tabulaflow_core.errors import TabulaflowError

    parser = build_parser()
    args = parser.parse_args(argv)
    console = Console(as_json=getattr(args, "json", False))
    try:
        code: int = args.run(args, console)
        return code
    except UsageError as error:
        parser.exit(2, f"{parser.prog} {args.command}: {error}\n")
    except TabulaflowError as error:
        return _failed(console, type(error).__name__, error.user_message)
    except KeyboardInterrupt:
        console.clear_status()
        raise
    except OutputClosed as error:
        console.give_up(str(error))
        return FAILED
    except Exception as error:  # a fault of this program: said in a line, told in full for a report
        import traceback

        console.note(traceback.format_exc(), style="")
        return _failed(console, "InternalError", f"This is a fault of TabulaFlow itself ({type(error).__name__}).")


def _failed(console: Console, kind: str, message: str) -> int:
    from tabulaflow_core.cli.exits import FAILED

    if console.as_json and not console.ended:
        console.end({"kind": "turn_failed", "error": {"type": kind, "user_message": message}})
    console.error(message)
    return FAILED


def _version() -> str:
    from tabulaflow_core import __version__

    return __version__
