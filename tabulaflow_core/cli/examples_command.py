"""`tabulaflow examples`: the documented examples, listed and run."""

from __future__ import annotations

import argparse

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.examples import EXAMPLES
from tabulaflow_core.cli.exits import OK, UsageError


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its two parts."""
    parser = commands.add_parser("examples", help="list and run the documented examples")
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)
    listing = parts.add_parser("list", help="which examples there are")
    running = parts.add_parser("run", help="run an example")
    running.add_argument("name", metavar="NAME", help=", ".join(EXAMPLES))
    running.add_argument("-m", "--model", metavar="MODEL", help="provider:model; `scripted` needs nothing at all")
    for part, run in ((listing, run_list), (running, run_example)):
        part.add_argument("--json", action="store_true", help="one JSON object a line")
        part.set_defaults(run=run)


def run_list(args: argparse.Namespace, console: Console) -> int:
    """`examples list`."""
    for example in EXAMPLES.values():
        if console.as_json:
            console.json({"name": example.name, "what": example.what, "module": example.module})
        else:
            console.out(f"{example.name:<16}{example.what}")
    return OK


def run_example(args: argparse.Namespace, console: Console) -> int:
    """`examples run`."""
    import asyncio
    from importlib import import_module

    example = EXAMPLES.get(args.name)
    if example is None:
        raise UsageError(f"there is no example {args.name!r}; there are: {', '.join(EXAMPLES)}")
    module = import_module(example.module)
    asyncio.run(module.run_async(console, model=args.model))
    return OK
