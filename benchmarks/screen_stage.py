"""What the measurements of the screen share: a real server, a real browser, and the floor beside every figure.

The floor is a page of Streamlit alone, under the same configuration, in the same run: what no app on Streamlit gets
below. On a busy machine both grow, so the ratio says more than the seconds.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT: Final = Path(__file__).resolve().parent.parent
FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_OFF: Final = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TABULAFLOW_LOCAL_MODEL", "TABULAFLOW_DATABASE_URL")
_PATIENCE: Final = 120_000  # ms

#: Notes when each of some selectors was first on the screen: two frames after it was in the document.
_WATCH: Final = """
(() => {
  const seen = (window.__seen = {}), wanted = %s;
  const look = () => {
    for (const [name, selector] of Object.entries(wanted)) {
      if (name in seen || !document.querySelector(selector)) continue;
      seen[name] = null;
      requestAnimationFrame(() => requestAnimationFrame(() => (seen[name] = performance.now())));
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
})();
"""


@dataclass(frozen=True, slots=True)
class Server:
    """A running Streamlit server.

    Attributes:
        started: Seconds from the command to the first answer of its health check.
        pid: Of the process.
    """

    url: str
    pid: int
    started: float

    @property
    def megabytes(self) -> float:
        """Resident memory now."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(script: Path, home: Path, variables: Mapping[str, str] | None = None) -> Iterator[Server]:
    """`streamlit run script` with the configuration that ships, over data of its own."""
    home.mkdir(parents=True, exist_ok=True)
    env = {name: value for name, value in os.environ.items() if name not in _OFF} | dict(variables or {})
    env |= {f"TABULAFLOW_{name.upper()}_DIR": str(home / name) for name in ("data", "cache")}
    env["XDG_CONFIG_HOME"] = str(home / "config")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless", "true"]
    with (home / "server.log").open("ab") as log:
        began = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--server.port", str(port)], cwd=ROOT, env=env, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1).close()
                    break
                except OSError:
                    if process.poll() is not None or time.perf_counter() - began > 90:
                        raise RuntimeError((home / "server.log").read_text(errors="replace")) from None
                    time.sleep(0.01)
            yield Server(f"http://127.0.0.1:{port}", process.pid, time.perf_counter() - began)
        finally:
            process.kill()
            process.wait(10)


@contextmanager
def folder() -> Iterator[Path]:
    """A place for a run's data."""
    with tempfile.TemporaryDirectory(prefix="tabulaflow-bench-", ignore_cleanup_errors=True) as name:
        yield Path(name)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Headless, launched and warm: its own start is not what is measured."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with ExitStack() as stack:
        driver = stack.enter_context(sync_playwright())
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        stack.callback(browser.close)
        browser.new_page().close()
        yield browser


def fresh_page(browser: Browser, watch: Mapping[str, str]) -> Page:
    """A window with nothing cached that notes when the selectors of `watch` are first on the screen."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(_PATIENCE)
    page.add_init_script(_WATCH % json.dumps(dict(watch)))
    return page


def seen(page: Page, name: str) -> float:
    """Milliseconds from the beginning of the navigation until the selector called `name` was on the screen."""
    until = time.monotonic() + _PATIENCE / 1000
    while time.monotonic() < until:
        if (at := page.evaluate(f"window.__seen?.[{name!r}]")) is not None:
            return float(at)
        page.wait_for_timeout(50)
    raise RuntimeError(f"{name} did not come: {page.evaluate('document.body.innerText')[:500]}")


@dataclass(frozen=True, slots=True)
class Row:
    """One measured thing.

    Attributes:
        aim: At most so much; None for what is only told.
        floor: The same of Streamlit alone, empty where there is no such thing.
    """

    name: str
    values: Sequence[float]
    unit: str
    aim: float | None = None
    floor: Sequence[float] = ()

    def __str__(self) -> str:
        middle = statistics.median(self.values)
        text = f"  {self.name:34} {middle:8.1f} {self.unit:4} ({min(self.values):.1f} to {max(self.values):.1f})"
        if self.aim is not None:
            text += f"  aim {self.aim:g} {'met' if middle <= self.aim else 'MISSED'}"
        if self.floor:
            bare = statistics.median(self.floor)
            text += f"  floor {bare:.1f}, ratio {middle / bare:.2f}" if bare else f"  floor {bare:.1f}"
        return text


def show(title: str, rows: Sequence[Row]) -> None:
    """Print what was measured, and how busy the machine was."""
    print(f"{title}   [load {' '.join(f'{each:.1f}' for each in os.getloadavg())} on {os.cpu_count()} cores]")
    for row in rows:
        print(row, flush=True)
