"""Connecting a database in a real browser: by a pasted URL, by keyboard, on a phone; and what it says of itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page, expect

from tests.browser import screen
from tests.browser.conftest import App

pytestmark = pytest.mark.browser

SECRET = "geheim-9f3"


@pytest.fixture
def app(start_app: Callable[..., App], tmp_path: Path) -> App:
    return start_app(TABULAFLOW_MODEL="scripted", TABULAFLOW_FILE_ROOTS=str(tmp_path))


def open_form(page: Page, app: App) -> None:
    page.goto(f"{app.url}/data")
    page.get_by_role("tab", name="Database").click()
    expect(page.get_by_label("Connection URL", exact=True)).to_be_visible()
    screen.settled(page)


def shop(folder: Path) -> Path:
    with closing(sqlite3.connect(folder / "shop.sqlite")) as database:
        database.execute("CREATE TABLE orders AS SELECT 1 AS id, 2.5 AS amount")
        database.commit()
    return folder / "shop.sqlite"


def fits(page: Page) -> bool:
    """Nothing reaches beyond the right edge."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def test_a_pasted_url_its_fault_and_its_password(page: Page, app: App) -> None:
    open_form(page, app)
    url = page.get_by_label("Connection URL", exact=True)
    url.fill(f"postgresql://reader:{SECRET}@127.0.0.1:9/shop?sslmode=require")
    url.press("Enter")
    expect(url).to_have_value("postgresql://reader:***@127.0.0.1:9/shop?sslmode=require")
    expect(page.get_by_label("Host", exact=True)).to_have_value("127.0.0.1")
    expect(page.get_by_label("Database", exact=True)).to_have_value("shop")
    expect(page.get_by_label("Name", exact=True)).to_have_attribute("placeholder", "shop")
    screen.settled(page)
    screen.shot(page, "connect-filled")
    page.get_by_role("button", name="Test").click()
    fault = page.get_by_test_id("stAlert").filter(has_text="Nobody listens at 127.0.0.1:9")
    expect(fault).to_be_visible()
    below = fault.bounding_box()
    port = page.get_by_label("Port", exact=True).bounding_box()
    assert below
    assert port
    assert 0 <= below["y"] - port["y"] < 120
    screen.shot(page, "connect-fault")
    assert SECRET not in page.locator("body").inner_text()
    assert SECRET not in page.url
    page.get_by_role("button", name="How safe is this?").click()
    expect(page.get_by_text("TabulaFlow only reads")).to_be_visible()
    screen.shot(page, "connect-safety")


def test_a_file_by_keyboard_then_changed_on_a_phone(page: Page, app: App, tmp_path: Path) -> None:
    path = shop(tmp_path)
    open_form(page, app)
    url = page.get_by_label("Connection URL", exact=True)
    url.fill(f"sqlite:///{path}")
    url.press("Enter")
    name = page.get_by_label("Name", exact=True)
    expect(name).to_have_attribute("placeholder", "shop")
    screen.settled(page)
    name.focus()
    page.keyboard.press("Tab")
    for _ in range(3):  # past the sign of the help
        if page.evaluate("document.activeElement.innerText").strip().endswith("Connect"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("shop is connected: 1 table")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("")
    screen.shot(page, "connect-done")
    page.set_viewport_size({"width": 390, "height": 844})
    screen.settled(page)
    assert fits(page)
    screen.shot(page, "connect-phone")
    page.get_by_role("button", name="Change").first.click()
    expect(page.get_by_role("button", name="Save")).to_be_visible()
    screen.shot(page, "connect-change-phone")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved. The next question uses it.")).to_have_count(1)
    assert fits(page)
