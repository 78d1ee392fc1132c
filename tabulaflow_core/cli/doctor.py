"""`tabulaflow model doctor`: what an endpoint can do, found out by trying."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.exits import FAILED, OK, UsageError

if TYPE_CHECKING:
    from tabulaflow_core.models.doctor import DoctorReport

_MARKS = {True: "ok", False: "FAULT", None: "-"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("-m", "--model", metavar="MODEL", help="provider:model, or a name that the endpoint lists")
    parser.add_argument("--base-url", metavar="U", help="an endpoint that speaks Chat Completions; usually ends in /v1")
    parser.add_argument(
        "--key-env", metavar="NAME", default="TABULAFLOW_API_KEY", help="the variable that holds the key for --base-url"
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """`model doctor`."""
    import asyncio

    name = _name(args)
    if args.base_url is None and (said := _without_endpoint(name)) is not None:
        ready, message = said
        if console.as_json:
            console.json({"base_url": "", "model": name, "ok": ready, "findings": [], "advice": message})
        else:
            console.out(message)
        return OK if ready else FAILED
    report = asyncio.run(_probe_async(args, name))
    kept = _keep(report)
    if console.as_json:
        console.json({**report.to_json(), "kept": kept})
    else:
        _show(console, report)
        if kept:
            console.out(f"What it takes is kept in {kept}, and used from now on.", style="dim")
    return OK if report.ok else FAILED


def _name(args: argparse.Namespace) -> str:
    from tabulaflow_core.config import Settings
    from tabulaflow_core.models.resolve import default_model_name

    name: str | None = args.model
    if name is None and args.base_url is None:
        name = default_model_name(Settings.from_env())
        if name is None:
            raise UsageError("there is no default model to probe; name an endpoint with --base-url, or a model with -m")
    return name or ""


def _without_endpoint(name: str) -> tuple[bool, str] | None:
    """What to say of a model that runs in this process; None for one behind an endpoint."""
    from tabulaflow_core.config import Settings
    from tabulaflow_core.models.local import local_model_status
    from tabulaflow_core.models.resolve import parse_name

    provider, full_name = parse_name(name)
    if provider.name == "scripted":
        return True, f"{full_name} plays a script in this process; there is nothing to probe."
    if provider.name == "local":
        status = local_model_status(Settings.from_env())
        return status.ready, f"{status.label}: {status.reason or 'ready, runs on this machine.'}"
    return None


async def _probe_async(args: argparse.Namespace, name: str) -> DoctorReport:
    from tabulaflow_core.errors import NoModelAvailable
    from tabulaflow_core.models.catalog import endpoint_for
    from tabulaflow_core.models.doctor import probe_endpoint
    from tabulaflow_core.models.resolve import parse_name, why_not_ready

    if args.base_url is not None:
        return await probe_endpoint(args.base_url, model=name or None, api_key=os.environ.get(args.key_env))
    if missing := why_not_ready(name):
        raise NoModelAvailable(missing)
    provider, full_name = parse_name(name)
    endpoint = endpoint_for(provider, os.environ)
    return await probe_endpoint(endpoint.url, model=full_name.partition(":")[2], api_key=endpoint.api_key)


def _keep(report: DoctorReport) -> str:
    """Keep what was found; return where, empty when there is nothing to keep or no place for it."""
    from tabulaflow_core.config import Settings
    from tabulaflow_core.models.profiles import keep_profile

    if report.profile is None:
        return ""
    path = keep_profile(Settings.from_env(), report.base_url, report.model, report.profile)
    return "" if path is None else str(path)


def _show(console: Console, report: DoctorReport) -> None:
    console.out(f"{report.base_url}  {report.model}", style="bold")
    if report.models:
        more = f" and {len(report.models) - 8} more" if len(report.models) > 8 else ""
        console.out(f"It lists: {', '.join(report.models[:8])}{more}")
    for finding in report.findings:
        style = "" if finding.ok else "dim" if finding.ok is None else "red"
        console.out(f"{_MARKS[finding.ok]:<7}{finding.name}: {finding.message}", style=style)
    if report.advice:
        console.out(report.advice)
