"""The real app in a real browser: `streamlit run app.py` in a process of its own, driven through headless Chromium."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tabulaflow_core.config import Settings

ROOT = Path(__file__).parent.parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: Milliseconds that a step or a sign on the page may take.
_PATIENCE = 90_000
#: The weights of whoever runs the tests; every test has folders of its own otherwise.
_REAL = Settings.from_env()


@dataclass
class App:
    """A running app.

    Attributes:
        url: Where it listens, on loopback.
        env: What it was started with, to start it again.
    """

    url: str
    port: int
    env: dict[str, str]
    process: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def restart(self) -> None:
        """Start it again on the same port, over the same data."""
        self.process = spawn(self.env, self.port, self.log)


def spawn(env: dict[str, str], port: int, log: Path) -> subprocess.Popen[bytes]:
    """Start the app and wait until it answers."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    with log.open("ab") as out:
        process = subprocess.Popen(
            [*command, "--server.port", str(port)], cwd=ROOT, env=env, stdout=out, stderr=subprocess.STDOUT
        )
    for _ in range(300):
        if process.poll() is not None:
            raise RuntimeError(log.read_text(errors="replace"))
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return process
    process.kill()
    raise RuntimeError("the app did not come up\n" + log.read_text(errors="replace"))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def weights() -> Path | None:
    """The embedded model's verified weights, where this machine has them."""
    from tabulaflow_core.models.local import find_weights

    return find_weights(_REAL)


@pytest.fixture
def start_app(own_surroundings: Path) -> Iterator[Callable[..., App]]:
    """Start the app with the given variables; ended after the test."""
    apps: list[App] = []

    def start(**variables: str) -> App:
        env = {**os.environ, **variables, "PYTHONWARNINGS": "default"}
        port, log = _free_port(), own_surroundings / "app.log"
        app = App(f"http://127.0.0.1:{port}", port, env, spawn(env, port, log), log)
        apps.append(app)
        return app

    yield start
    for app in apps:
        if app.process.poll() is None:
            app.process.terminate()
            try:
                app.process.wait(15)
            except subprocess.TimeoutExpired:
                app.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Headless Chromium, or a skip that says what is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra (playwright)")
    if CHROMIUM is None:
        pytest.skip("needs an installed Chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: object) -> Iterator[object]:
    """A fresh window at 1440 pixels."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, accept_downloads=True)  # type: ignore[attr-defined]
    page = context.new_page()
    page.set_default_timeout(_PATIENCE)
    yield page
    context.close()


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """What is expected may take its time on a machine that is busy with other tests."""
    if not importlib.util.find_spec("playwright"):
        yield
        return
    from playwright.sync_api import expect

    expect.set_options(timeout=_PATIENCE)
    yield
    expect.set_options(timeout=5_000)
