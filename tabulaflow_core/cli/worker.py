"""`tabulaflow worker`: keeps the schedules of dashboards without a server of pages."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Final

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.exits import OK
from tabulaflow_core.counting import counted

_DESCRIPTION = (
    "Refresh dashboards by their schedules, without a model, until the command is stopped. A server that was started "
    "with `streamlit run app.py` or `deploy/asgi.py` does the same by itself; several of them and several workers over "
    "one store refresh each dashboard once. What is kept where is set by the same environment variables."
)
_SLEEP_SECONDS: Final = 3600


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("worker", help="refresh dashboards by their schedules", description=_DESCRIPTION)
    parser.add_argument("--once", action="store_true", help="refresh what is due now, and end")
    parser.add_argument("--json", action="store_true", help="one JSON object a line: what was refreshed")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    from tabulaflow_core.runtime import get_runtime
    from tabulaflow_core.runtime.singleton import close_runtime

    def tell(ids: Sequence[str]) -> None:
        if args.json:
            console.json({"refreshed": list(ids)})
        else:
            console.note(f"{counted(len(ids), 'dashboard')} refreshed.")

    runtime = get_runtime()
    try:
        if args.once:
            tell(runtime.run_due())
            return OK
        runtime.start_schedules(lambda dashboard_id: tell([dashboard_id]))
        while True:
            time.sleep(_SLEEP_SECONDS)  # until a signal ends it
    finally:
        close_runtime()
