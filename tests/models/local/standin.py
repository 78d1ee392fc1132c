"""A stand-in for xllamacpp in the child process: it leads requests to the tests' model server, or fails as told."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabulaflow_core.models.scripted import Step, text
from tests.modelserver.server import ModelServer

_MODULE = """
import ctypes, json, os, time
from pathlib import Path
from types import SimpleNamespace

here = Path(__file__).parent
plan = json.loads((here / "plan.json").read_text())
if plan["missing"]:
    raise ModuleNotFoundError("No module named 'xllamacpp'")


def CommonParams():
    return SimpleNamespace(**{n: SimpleNamespace() for n in ("model", "sampling", "cpuparams", "cpuparams_batch")})


class Server:
    def __init__(self, params):
        with (here / "loads.jsonl").open("a") as log:
            log.write(json.dumps({"pid": os.getpid(), "params": params}, default=vars) + "\\n")
        os.write(1, b"llama.cpp may print what it likes\\n")
        os.write(2, b"and complain\\n")
        end = time.monotonic() + plan["seconds"]
        while time.monotonic() < end:
            # As in llama.cpp: the interpreter's lock is held.
            ctypes.PyDLL(None).usleep(int(min(900_000, 1e6 * plan["seconds"])))
        if plan["abort"]:
            os.abort()
        if plan["fault"]:
            raise RuntimeError(plan["fault"])
        self.listening_address = plan["address"]
"""


@dataclass
class Llama:
    """What the stand-in does next, and what it was told.

    Attributes:
        steps: What every request is answered with.
        http: The server that children lead to.
    """

    folder: Path
    http: ModelServer = field(init=False)
    steps: list[Step] = field(default_factory=lambda: [text("Hello from here")])

    def __post_init__(self) -> None:
        self.http = ModelServer(rule=lambda _: self.steps)
        self.folder.mkdir()
        (self.folder / "xllamacpp.py").write_text(_MODULE, encoding="utf-8")

    def plan(self, *, missing: bool = False, seconds: float = 0.0, abort: bool = False, fault: str = "") -> None:
        address = self.http.url.removesuffix("/v1")
        plan = {"missing": missing, "seconds": seconds, "abort": abort, "fault": fault, "address": address}
        (self.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")

    @property
    def loads(self) -> list[dict[str, Any]]:
        """One entry a child that began to load: its `pid`, and `params`."""
        try:
            lines = (self.folder / "loads.jsonl").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]


def alive(pid: int) -> bool:
    """Whether the process runs; one that only waits for its parent to look does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False
    return True


def gone_within(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while alive(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
