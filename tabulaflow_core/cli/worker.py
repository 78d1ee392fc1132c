"""`tabulaflow worker`: keeps the schedules of dashboards without a server of pages."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Final

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.exits import OK
from tabulaflow_core.counting import counted

if TYPE_CHECKING:
    from tabulaflow_core.runtime import Runtime

_DESCRIPTION = (
    "Refresh dashboards by their schedules, without a model, until the command is stopped. A server that was started "
    "with `streamlit run app.py` or `deploy/asgi.py` does the same by itself; several of them and several workers over "
    "one store refresh each dashboard once. What is kept where is set by the same environment variables."
)
_LOOK_SECONDS: Final = 5.0


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("worker", help="refresh dashboards by their schedules", description=_DESCRIPTION)
    parser.add_argument("--once", action="store_true", help="refresh what is due now, and end")
    parser.add_argument("--json", action="store_true", help="one JSON object a line: what was refreshed")
    parser.set_defaults(run=run)


def _refreshed(runtime: Runtime, console: Console, *, once: bool) -> tuple[str, ...]:
    """What was due; a worker that stays waits for a store that is away."""
    from tabulaflow_core.errors import StoreUnavailable

    try:
        return runtime.run_due()
    except StoreUnavailable as error:
        if once:
            raise
        console.error(error.user_message)
        return ()


def run(args: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    from tabulaflow_core.runtime import get_runtime
    from tabulaflow_core.runtime.singleton import close_runtime

    runtime = get_runtime()
    try:
        while True:
            ids = _refreshed(runtime, console, once=args.once)
            if args.json and (ids or args.once):
                console.json({"refreshed": list(ids)})
            elif ids or args.once:
                console.note(f"{counted(len(ids), 'dashboard')} refreshed.")
            if args.once:
                return OK
            time.sleep(_LOOK_SECONDS)
    finally:
        close_runtime()
