"""`python -m tabulaflow_core.cli.docs > docs/cli.md`: the page on the command line, made from the parsers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tabulaflow_core.cli.main import build_parser


def cli_markdown() -> str:
    """The page."""
    parts = [Path(__file__).with_name("docs_intro.md").read_text(encoding="utf-8")]
    for parser in _leaves(build_parser()):
        parts.append(f"## `{parser.prog}`\n")
        if parser.description:
            parts.append(f"{' '.join(parser.description.split())}\n")
        parts.append(f"```\n{_usage(parser)}\n```\n")
        rows = [_row(action) for action in parser._actions if action.help is not argparse.SUPPRESS]
        parts.append("| argument | meaning |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not nested:
        yield parser
    for action in nested:
        for child in action.choices.values():
            yield from _leaves(child)


def _usage(parser: argparse.ArgumentParser) -> str:
    """One line, whatever the width of the terminal."""
    parts = [parser.prog]
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        name = _name(action, short=True)
        if action.nargs == "+":
            name += " …"
        parts.append(name if action.required else f"[{name}]")
    return " ".join(parts)


def _name(action: argparse.Action, *, short: bool = False) -> str:
    value = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    if not action.option_strings:
        return str(value)
    options = action.option_strings[:1] if short else action.option_strings
    takes = action.nargs != 0
    return ", ".join(f"{option} {value}" if takes else option for option in options)


def _row(action: argparse.Action) -> str:
    text = " ".join((action.help or "").split()).replace("|", "\\|")
    return f"| `{_name(action).replace('|', chr(92) + '|')}` | {text} |"


if __name__ == "__main__":
    sys.stdout.write(cli_markdown())
