"""Dashboards in a real browser: pinned from an answer, arranged, refreshed, and opened by a second person."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Locator, Page, expect

from tests.browser import screen
from tests.browser.conftest import App

pytestmark = pytest.mark.browser

QUESTION = "Which products are below their reorder point?"


def _pin(page: Page, nth: int, *, new: str = "", title: str = "") -> None:
    """Press a Pin of the answer, choose or name a dashboard, and pin."""
    page.get_by_role("button", name="Pin", exact=True).nth(nth).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Title of the tile", exact=True)).to_be_visible()
    if new:
        _fill(dialog, "Name of the new dashboard", new)
    if title:
        _fill(dialog, "Title of the tile", title)
    dialog.get_by_role("button", name="Pin it").click()
    expect(dialog.get_by_text("Pinned to")).to_be_visible()


def _fill(dialog: Locator, label: str, value: str) -> None:
    field = dialog.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Tab")


def _titles(page: Page) -> list[str]:
    return [tile.locator("strong").first.inner_text() for tile in page.locator("[class*=st-key-tile-]").all()]


def test_from_an_answer_to_a_shared_link(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, QUESTION)
    screen.finished(page)
    expect(page.get_by_role("button", name="Pin", exact=True)).to_have_count(2)
    _pin(page, 0, new="Clinic", title="Below")
    screen.shot(page, "dashboard-pinned")
    page.get_by_role("dialog").get_by_role("link", name="Open the dashboard").click()
    expect(page.get_by_role("heading", name="Clinic")).to_be_visible()
    expect(page).to_have_url(re.compile(r"d=d_\w+"))
    expect(page.locator("[class*=st-key-tile-]")).to_have_count(1)
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    expect(page.get_by_text("Refreshed just now").first).to_be_visible()
    address = page.url
    # The second tile, chosen from the dashboards there are.
    page.get_by_role("link", name="Chat").click()
    expect(page.get_by_role("button", name="Pin", exact=True)).to_have_count(2)
    _pin(page, 1, title="Rows")
    # A second browser has the same.
    other = page.context.browser.new_context(viewport={"width": 1440, "height": 1000})  # type: ignore[union-attr]
    try:
        second = other.new_page()
        second.goto(address)
        expect(second.locator("[class*=st-key-tile-]")).to_have_count(2)
        assert _titles(second) == ["Below", "Rows"]
        screen.shot(second, "dashboard-two-tiles")
        # Taken away as a file, which shows the same and fetches nothing.
        with second.expect_download(timeout=90_000) as download:
            second.get_by_role("button", name="Export").click()
        saved = tmp_path / download.value.suggested_filename
        download.value.save_as(saved)
        reader = other.new_page()
        fetched: list[str] = []
        reader.on("request", lambda request: fetched.append(request.url))
        reader.goto(saved.as_uri())
        expect(reader.get_by_role("heading", name="Clinic")).to_be_visible()
        expect(reader.locator("svg rect").first).to_be_visible()
        assert reader.locator("h2").all_inner_texts() == ["Below", "Rows"]
        assert reader.locator("td").all_inner_texts() == ["HDMI cable", "12", "20", "USB-C dock", "5", "12"]
        assert [url for url in fetched if not url.startswith("file:")] == []
        screen.shot(reader, "dashboard-export")
        reader.close()
        # Renamed, and the first tile removed, in the first one.
        page.goto(address)
        expect(page.locator("[class*=st-key-tile-]")).to_have_count(2)
        page.get_by_role("button", name="Settings", exact=True).click()
        dialog = page.get_by_role("dialog")
        _fill(dialog, "Name", "Ward")
        dialog.get_by_role("button", name="Rename").click()
        expect(page.get_by_role("heading", name="Ward")).to_be_visible()
        page.get_by_text("Arrange", exact=True).click()
        expect(page.get_by_role("button", name="Add text")).to_be_visible()
        screen.shot(page, "dashboard-arranging")
        page.locator("[class*=st-key-later-] button:visible").first.click()
        expect(page.locator("[class*=st-key-tile-] strong").first).to_have_text("Rows")
        page.locator("[class*=st-key-remove-] button:visible").last.click()
        expect(page.locator("[class*=st-key-tile-]")).to_have_count(1)
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        second.reload()
        expect(second.get_by_role("heading", name="Ward")).to_be_visible()
        expect(second.locator("[class*=st-key-tile-]")).to_have_count(1)
        assert _titles(second) == ["Rows"]
    finally:
        other.close()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("[class*=st-key-tile-]")).to_have_count(2)
    page.get_by_role("button", name=re.compile("Which products are")).first.click()
    expect(page.get_by_text("HDMI cable").first).to_be_attached()  # the conversation still has its answer


def test_a_refresh_a_schedule_and_a_link(page: Page, start_app: Callable[..., App]) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, QUESTION)
    screen.finished(page)
    _pin(page, 1, new="Stock", title="Below")
    page.get_by_role("dialog").get_by_role("link", name="Open the dashboard").click()
    page.get_by_role("button", name="Refresh", exact=True).click()
    expect(page.get_by_text("No change.")).to_be_visible()
    page.get_by_role("button", name="Schedule", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Each day at").click()
    expect(dialog.get_by_label("Time of day", exact=True)).to_be_visible()
    _fill(dialog, "Time zone", "Mars/Olympus")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("is no time zone")).to_be_visible()
    _fill(dialog, "Time zone", "Europe/Zurich")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("Saved.")).to_be_visible()
    expect(dialog.get_by_text("Europe/Zurich").last).to_be_visible()
    screen.shot(page, "dashboard-schedule")
    page.keyboard.press("Escape")
    page.reload()
    expect(page.get_by_text("07:00, Europe/Zurich")).to_be_visible()
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.get_by_role("dialog").get_by_text("?d=d_")).to_be_visible()
    screen.shot(page, "dashboard-share")
