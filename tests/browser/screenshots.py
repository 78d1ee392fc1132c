"""Pictures of every page and state, light and dark, wide and narrow: `python -m tests.browser.screenshots FOLDER`.

The real app in a temporary home, with the scripted model and invented data, in headless Chromium. No test: somebody
looks at the pictures. Those in docs/pictures are made by it, with the page that lists them.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import screen
from tests.browser.conftest import CHROMIUM, FLAGS, App, spawn

QUESTION: Final = "Which products are below their reorder point?"
_PATIENCE: Final = 90_000  # ms; a busy machine brings a page up slowly
_TALLEST: Final = 4_000  # pixels of a picture that shows all of a page
#: What scrolls is another element where there is a box to ask in.
_HEIGHT: Final = """
Math.max(...[...document.querySelectorAll("[data-testid=stApp] main, [data-testid=stApp] section")]
  .filter((part) => ["auto", "scroll"].includes(getComputedStyle(part).overflowY) && part.clientHeight > 400)
  .map((part) => innerHeight + part.scrollHeight - part.clientHeight), innerHeight)
"""
_OFF: Final = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TABULAFLOW_LOCAL_MODEL", "TABULAFLOW_DATABASE_URL")
Theme = Literal["light", "dark"]
_SIZES: Final = {"wide": (1440, 900), "narrow": (390, 844)}
_THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
#: Colours of a picture: text and charts look the same, and all pictures together stay fit for a repository.
_COLOURS: Final = 128
_ORDERS: Final = "\n".join(
    [
        "Open orders of the north;;;;",
        "Order;Due;Customer;Region;Amount",
        "00017;03.04.2026;Birch & Co;North;1.250,50",
        "00018;05.04.2026;Aster Ltd;North;820,00",
        "00019;11.04.2026;Birch & Co;West;96,90",
        "00020;12.05.2026;Cedar AG;West;2.410,00",
        "Total;;;;4.577,40",
    ]
)


@dataclass(frozen=True, slots=True)
class State:
    """One thing to look at.

    Attributes:
        path: Where it is, below the app's address.
        reach: What a person does there before the picture is taken.
        whole: All of the page, not only what fits on the screen.
    """

    name: str
    path: str
    reach: Callable[[Page], None] = lambda page: None
    whole: bool = False


@contextmanager
def running(home: Path, **variables: str) -> Iterator[App]:
    """The app over data of its own."""
    home.mkdir()
    env = {name: value for name, value in os.environ.items() if name not in _OFF} | variables
    env |= {f"TABULAFLOW_{name.upper()}_DIR": str(home / name) for name in ("data", "cache")}
    env["XDG_CONFIG_HOME"] = str(home / "config")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    app = App(f"http://127.0.0.1:{port}", port, env, spawn(env, port, home / "app.log"), home / "app.log")
    try:
        yield app
    finally:
        app.kill()


def still(page: Page) -> None:
    """Wait until nothing moves."""
    expect(page.locator("[data-testid=stApp]")).to_have_attribute("data-test-connection-state", "CONNECTED")
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    screen.settled(page)
    page.wait_for_timeout(400)
    screen.settled(page)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)  # what was opened brings its widgets a moment later


def first_app(page: Page, app: App, files: Path) -> list[State]:
    """Ask, upload and connect, and name what there is to look at."""
    states = [State("chat-first-visit", "")]
    page.goto(app.url)
    screen.ask(page, QUESTION)
    screen.finished(page)
    second = "How many units of each should I order to reach those levels?"
    screen.ask(page, second)
    expect(page.get_by_test_id("stChatMessage").get_by_text(second)).to_be_visible()
    screen.finished(page)
    chat = page.url.removeprefix(app.url + "/")
    screen.pin(page, 0, new="Stock")
    page.keyboard.press("Escape")
    screen.pin(page, 1, title="To order")
    page.get_by_role("dialog").get_by_role("link", name="Open the dashboard").click()
    expect(page).to_have_url(re.compile(r"d=d_\w+"))
    expect(page.get_by_role("heading", name="Stock")).to_be_visible()
    board = page.url.removeprefix(app.url + "/")
    page.get_by_role("button", name="Refresh", exact=True).click()
    expect(page.get_by_text("No change.").first).to_be_visible()
    page.goto(f"{app.url}/data")
    page.locator("input[type=file]").first.set_input_files([str(files / "orders.csv")])
    expect(page.get_by_text(re.compile("orders.csv.*is here"))).to_be_visible()
    _connect(page, "returns", f"sqlite:///{files / 'returns.sqlite'}")
    expect(page.get_by_text("returns is connected")).to_be_visible()
    return [
        *states,
        State("chat-answer", chat),
        State("chat-answer-whole", chat, _open_all, whole=True),
        State("chat-chart-form", chat, lambda page: _press(page, "Change")),
        State("chat-take-away", chat, lambda page: _press(page, "Take away")),
        State("chat-edit-question", chat, lambda page: _press(page, "Edit")),
        State("chat-pin", chat, lambda page: _press(page, "Pin")),
        State("dashboards", "dashboards"),
        State("dashboard", board),
        State("dashboard-arrange", board, _arrange, whole=True),
        State("dashboard-schedule", board, lambda page: _press(page, "Schedule")),
        State("dashboard-share", board, lambda page: _press(page, "Share")),
        State("data", "data"),
        State("data-card", "data", _open_card, whole=True),
        State("data-database", "data", _database_tab),
        State("data-failed-connection", "data", _fail_to_connect, whole=True),
        State("usage", "usage", whole=True),
        State("settings", "settings", whole=True),
        State("sidebar", chat, _open_sidebar),  # last: the browser remembers that it is open
    ]


def _arrange(page: Page) -> None:
    page.get_by_text("Arrange", exact=True).click()
    expect(page.get_by_role("button", name="Add text")).to_be_visible()


def second_app(page: Page, app: App, files: Path) -> list[State]:
    """Everything taken away: what the empty pages say; then a turn that was stopped."""
    page.goto(f"{app.url}/data")
    for name in ("inventory", "sales"):
        card = page.get_by_text(re.compile(rf"^{name}\.csv · "))
        card.click()
        page.get_by_role("button", name="Remove").click()
        page.get_by_role("button", name="Remove it").click()
        expect(card).to_have_count(0)
    return [
        State("empty-chat", ""),
        State("empty-data", "data"),
        State("empty-usage", "usage"),
    ]


def stopped(page: Page, app: App, files: Path) -> list[State]:
    """A turn whose statement never ends, stopped."""
    page.goto(f"{app.url}/data")
    _connect(page, "slow", f"sqlite:///{files / 'slow.sqlite'}")
    expect(page.get_by_text("slow is connected")).to_be_visible()
    page.goto(app.url)
    screen.ask(page, QUESTION)
    expect(page.get_by_text("FROM inventory").first).to_be_visible()
    screen.stop(page)
    screen.finished(page)
    return [State("chat-stopped", page.url.removeprefix(app.url + "/"))]


def no_model(page: Page, app: App, files: Path) -> list[State]:
    """Nothing that could answer."""
    return [State("no-model", "")]


def _connect(page: Page, name: str, url: str) -> None:
    _database_tab(page)
    page.get_by_role("textbox", name="Name", exact=True).fill(name)
    page.get_by_label("Connection URL", exact=True).fill(url)
    page.get_by_role("button", name="Connect", exact=True).click()


def _database_tab(page: Page) -> None:
    page.get_by_role("tab", name="Database").click()
    expect(page.get_by_label("Connection URL", exact=True)).to_be_visible()
    screen.settled(page)


def _fail_to_connect(page: Page) -> None:
    _connect(page, "shop", "postgresql://reader:secret@127.0.0.1:9/shop")
    expect(page.get_by_test_id("stAlert").last).to_be_visible()


def _open_card(page: Page) -> None:
    page.get_by_text(re.compile(r"^orders\.csv · ")).click()
    still(page)


def _open_all(page: Page) -> None:
    for words in (re.compile("^How I got this"), re.compile("^SQL$")):
        page.get_by_text(words).last.click()
    still(page)
    button = page.get_by_role("button", name="Edit and run").last
    if button.count():
        button.click()


def _press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).last.click()


def _open_sidebar(page: Page) -> None:
    closed = page.get_by_test_id("stExpandSidebarButton")
    if closed.count():
        closed.click()
    menu = page.locator(".st-key-open-menu button:visible")  # a narrow page holds another one, hidden
    if page.locator(".st-key-open-menu").count():
        menu.first.click()


def picture(page: Page, app: App, state: State, path: Path, size: tuple[int, int]) -> None:
    """Go there and take it."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{app.url}/{state.path}")
    still(page)
    state.reach(page)
    still(page)
    if state.whole:
        height = page.evaluate(_HEIGHT)
        page.set_viewport_size({"width": size[0], "height": max(size[1], min(int(height), _TALLEST))})
        page.wait_for_timeout(500)
    page.screenshot(path=str(path), animations="disabled")
    shrink(path)


def shrink(path: Path) -> None:
    """Write a picture again with few colours."""
    with Image.open(path) as taken:
        small = taken.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def index(folder: Path) -> str:
    """A page in Markdown that lists the pictures in `folder`, a line a state."""
    kinds = [f"{size}-{theme}" for size in _SIZES for theme in _THEMES]
    taken = [path.stem for path in folder.glob("*.png")]
    states = sorted({name.removesuffix(f"-{kind}") for name in taken for kind in kinds if name.endswith(f"-{kind}")})
    lines = ["# Pictures", "", "Made by `make screenshots PICTURES=docs/pictures`, with invented data.", ""]
    lines += [f"| State | {' | '.join(kind.replace('-', ', ') for kind in kinds)} |", "|---" * (len(kinds) + 1) + "|"]
    for state in states:
        cells = [f"![]({state}-{kind}.png)" if (folder / f"{state}-{kind}.png").is_file() else "" for kind in kinds]
        lines.append(f"| {state.replace('-', ' ')} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _files(folder: Path) -> Path:
    folder.mkdir()
    (folder / "orders.csv").write_text(_ORDERS)
    with closing(sqlite3.connect(folder / "returns.sqlite")) as database:
        database.execute("CREATE TABLE returns (id INTEGER PRIMARY KEY, product TEXT, returned_on DATE, reason TEXT)")
        database.execute("INSERT INTO returns VALUES (1, 'HDMI cable', '2026-04-02', 'too short')")
        database.commit()
    with closing(sqlite3.connect(folder / "slow.sqlite")) as database:
        database.execute(
            "CREATE VIEW inventory AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT 'p' AS product, 1 AS on_hand, count(*) AS reorder_point FROM n"
        )
    return folder


def take(browser: Browser, app: App, states: list[State], folder: Path, only: str) -> None:
    """Every state in every theme and size."""
    for size_name, size in _SIZES.items():
        for theme in _THEMES:
            context = browser.new_context(color_scheme=theme, viewport={"width": size[0], "height": size[1]})
            page = context.new_page()
            page.set_default_timeout(_PATIENCE)
            for state in states:
                name = f"{state.name}-{size_name}-{theme}"
                if not re.search(only, name):
                    continue
                try:
                    picture(page, app, state, folder / f"{name}.png", size)
                except Exception as error:  # one state that is not reached leaves the others worth a look
                    sys.stderr.write(f"{name}: {str(error).splitlines()[0]}\n")
            context.close()


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="a regular expression that the name of a picture holds")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=_PATIENCE)
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tabulaflow-pictures-")))
        files = _files(root / "files")
        driver = stack.enter_context(sync_playwright())
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        stack.callback(browser.close)
        for at, stages in enumerate(((first_app,), (second_app, stopped), (no_model,))):
            scripted = {} if no_model in stages else {"TABULAFLOW_MODEL": "scripted"}
            with running(root / f"home-{at}", TABULAFLOW_FILE_ROOTS=str(files), **scripted) as app:
                for stage in stages:
                    page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
                    page.set_default_timeout(_PATIENCE)
                    states = stage(page, app, files)
                    page.context.close()
                    take(browser, app, states, options.folder, options.only)
    (options.folder / "README.md").write_text(index(options.folder), encoding="utf-8")


if __name__ == "__main__":
    main()
