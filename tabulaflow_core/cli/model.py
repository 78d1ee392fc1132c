"""`tabulaflow model`: which models there are, and fetching the embedded one; `doctor.py` probes an endpoint."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tabulaflow_core.cli import doctor
from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.exits import INTERRUPTED, OK, UsageError

if TYPE_CHECKING:
    from tabulaflow_core.config import Settings
    from tabulaflow_core.models.local import LocalWeights, Progress


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its three parts."""
    parser = commands.add_parser("model", help="list, fetch and probe language models")
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)
    listing = parts.add_parser("list", help="which models there are, and what each still needs")
    pull = parts.add_parser("pull", help="fetch the embedded model", description="Fetch the embedded model, verified.")
    pull.add_argument("--if-needed", action="store_true", help="do nothing when a model can be used already")
    pull.add_argument("--yes", action="store_true", help="do not ask before the download")
    pull.add_argument("--from", dest="from_file", type=Path, metavar="FILE", help="take this GGUF file instead")
    pull.add_argument("--small", action="store_true", help="the smaller model: less exact, for little memory")
    probe = parts.add_parser("doctor", help="probe an endpoint and say what it can do")
    doctor.add_options(probe)
    for part, run in ((listing, run_list), (pull, run_pull), (probe, doctor.run)):
        part.add_argument("--json", action="store_true", help="one JSON object a line")
        part.set_defaults(run=run)


def run_list(args: argparse.Namespace, console: Console) -> int:
    """`model list`."""
    from tabulaflow_core.config import Settings
    from tabulaflow_core.models.resolve import default_model_name
    from tabulaflow_core.runtime.models import statuses

    settings = Settings.from_env()
    default = default_model_name(settings)
    found = statuses(settings)
    if console.as_json:
        for s in found:
            console.json(
                {
                    "name": s.name,
                    "label": s.label,
                    "ready": s.ready,
                    "reason": s.reason,
                    "local": s.local,
                    "size_bytes": s.size_bytes,
                    "default": s.name == default,
                }
            )
        return OK
    console.table(
        ["", "model", "what", "state"],
        [("*" if s.name == default else "", s.name, s.label, "ready" if s.ready else "not ready") for s in found],
    )
    for status in found:
        if not status.ready:
            console.out(f"{status.name}: {status.reason}")
    if default is None:
        console.note("No model can be used yet.", style="yellow")
    return OK


def run_pull(args: argparse.Namespace, console: Console) -> int:
    """`model pull`."""
    from tabulaflow_core.config import Settings
    from tabulaflow_core.models.local import DEFAULT_WEIGHTS, SMALL_WEIGHTS, local_model_status, pull
    from tabulaflow_core.models.local.progress import PullCancelled
    from tabulaflow_core.models.resolve import default_model_name

    settings = Settings.from_env()
    weights = SMALL_WEIGHTS if args.small else DEFAULT_WEIGHTS
    if args.if_needed and (name := default_model_name(settings)):
        _done(console, f"Nothing to fetch: {name} can be used.", path=None)
        return OK
    if args.from_file is None and not args.yes and not _is_there(settings, weights):
        _confirm(weights, console)
    with _stoppable() as stopped:
        try:
            path = pull(
                settings,
                weights=weights,
                from_file=args.from_file,
                progress=lambda progress: _show_progress(console, progress),
                cancelled=stopped,
            )
        except PullCancelled as error:
            console.error(error.user_message)
            return INTERRUPTED
    status = local_model_status(settings)
    _done(console, f"The embedded model is at {path}.", path=path)
    if not status.runtime_installed:
        console.note(status.reason, style="yellow")
    return OK


def _is_there(settings: Settings, weights: LocalWeights) -> bool:
    from tabulaflow_core.models.local.weights import is_verified, weights_path

    return is_verified(weights_path(settings, weights), weights)


def _confirm(weights: LocalWeights, console: Console) -> None:
    question = f"Fetch {weights.label}, {weights.size_bytes / 1e9:.1f} GB, {weights.license}?"
    if not sys.stdin.isatty() or console.as_json:
        raise UsageError(f"{question} Add --yes to say so")
    console.note(f"{question} [Y/n]", style="bold")
    if sys.stdin.readline().strip().casefold() not in ("", "y", "yes"):
        raise UsageError("nothing was fetched")


@contextmanager
def _stoppable() -> Iterator[_Stop]:
    """The first Ctrl-C asks the download to stop where it can go on later; the second ends it at once."""
    stop = _Stop()
    try:
        before = signal.signal(signal.SIGINT, stop.ask)
    except ValueError:  # not the main thread
        yield stop
        return
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


class _Stop:
    def __init__(self) -> None:
        self._asked = False

    def ask(self, *_: object) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True

    def __call__(self) -> bool:
        return self._asked


def _show_progress(console: Console, progress: Progress) -> None:
    if console.as_json:
        console.json(
            {
                "kind": "progress",
                "bytes_done": progress.bytes_done,
                "bytes_total": progress.bytes_total,
                "bytes_per_second": round(progress.bytes_per_second),
                "seconds_left": progress.seconds_left and round(progress.seconds_left),
                "message": progress.message,
            }
        )
        return
    share = progress.bytes_done / progress.bytes_total if progress.bytes_total else 1.0
    left = f", {progress.seconds_left:.0f} s left" if progress.seconds_left else ""
    speed = f", {progress.bytes_per_second / 1e6:.1f} MB/s" if progress.bytes_per_second else ""
    console.status(f"{progress.message}: {share:.0%} of {progress.bytes_total / 1e9:.2f} GB{speed}{left}")


def _done(console: Console, message: str, *, path: Path | None) -> None:
    if console.as_json:
        console.json({"kind": "done", "message": message, "path": None if path is None else str(path)})
    else:
        console.out(message)
