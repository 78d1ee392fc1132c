"""Dashboards in a real browser: pinned from an answer, arranged, refreshed, and opened by a second person."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page, expect

from tests.browser import screen
from tests.browser.conftest import App

pytestmark = pytest.mark.browser

#: Where Python finds what makes the second person, and the project itself.
_SECOND = (Path(__file__).with_name("second_person"), Path(__file__).parents[2])
QUESTION = "Which products are below their reorder point?"


def _titles(page: Page) -> list[str]:
    return [tile.locator("strong").first.inner_text() for tile in page.locator("[class*=st-key-tile-]").all()]


def test_from_an_answer_to_a_shared_link(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, QUESTION)
    screen.finished(page)
    expect(page.get_by_role("button", name="Pin", exact=True)).to_have_count(2)
    screen.pin(page, 0, new="Clinic", title="Below")
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
    screen.pin(page, 1, title="Rows")
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
        screen.fill(dialog, "Name", "Ward")
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
    screen.pin(page, 1, new="Stock", title="Below")
    page.get_by_role("dialog").get_by_role("link", name="Open the dashboard").click()
    page.get_by_role("button", name="Refresh", exact=True).click()
    expect(page.get_by_text("No change.")).to_be_visible()
    page.get_by_role("button", name="Schedule", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Each day at").click()
    expect(dialog.get_by_label("Time of day", exact=True)).to_be_visible()
    screen.fill(dialog, "Time zone", "Mars/Olympus")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("is no time zone")).to_be_visible()
    screen.fill(dialog, "Time zone", "Europe/Zurich")
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


def _change_store(folder: Path, sql: str, *values: object) -> None:
    """What time and the database of the tile would do, done at once."""
    (path,) = folder.rglob("tabulaflow.db")
    with sqlite3.connect(path, timeout=60) as connection:
        assert connection.execute(sql, values).rowcount == 1
    connection.close()


def _reloaded_until(page: Page, text: str) -> None:
    """Reload until the server has done what shows as `text`."""
    for _ in range(30):
        page.reload()
        screen.settled(page)
        if page.get_by_text(text).count():
            return
        page.wait_for_timeout(2_000)
    expect(page.get_by_text(text).first).to_be_visible()


def test_a_schedule_fires_a_tile_fails_and_a_second_person_looks(
    page: Page, start_app: Callable[..., App], own_surroundings: Path
) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, QUESTION)
    screen.finished(page)
    screen.pin(page, 1, new="Stock", title="Below")
    page.get_by_role("dialog").get_by_role("link", name="Open the dashboard").click()
    expect(page.get_by_role("heading", name="Stock")).to_be_visible()
    expect(page).to_have_url(re.compile(r"d=d_\w+"))
    # Nobody presses anything: the server's own schedule refreshes it.
    policy = '{"every_seconds": 3600, "time_zone": "UTC"}'
    _change_store(own_surroundings, "UPDATE dashboards SET next_run_at = 1, refreshing = ?", policy)
    _reloaded_until(page, "No change.")
    expect(page.get_by_text("Next", exact=False).first).to_be_visible()
    # Its table is gone: the last good rows stay, and it says why.
    _change_store(own_surroundings, "UPDATE tiles SET content = replace(content, 'FROM inventory', 'FROM gone')")
    page.reload()
    page.get_by_role("button", name="Refresh", exact=True).click()
    expect(page.get_by_text("These are the last good rows.")).to_be_visible()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    screen.shot(page, "dashboard-fault")
    # Bob has a server of his own over the same store.
    query = page.url.partition("?")[2]
    bobs = start_app(TABULAFLOW_MODEL="scripted", PYTHONPATH=os.pathsep.join(map(str, _SECOND)))
    context = page.context.browser.new_context(viewport={"width": 390, "height": 844})  # type: ignore[union-attr]
    try:
        bob = context.new_page()
        bob.goto(f"{bobs.url}/dashboards?{query}")
        expect(bob.get_by_text("not shared with you")).to_be_visible()
        expect(bob.get_by_test_id("stDataFrame")).to_have_count(0)
        page.get_by_role("button", name="Share", exact=True).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_text("People and groups").click()
        people = dialog.get_by_role("combobox", name=re.compile("^People"))
        people.fill("bob")
        people.press("Enter")
        screen.shot(page, "dashboard-people")
        expect(dialog.get_by_text("bob", exact=True).first).to_be_visible()
        people.press("Tab")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_text("Saved.")).to_be_visible()
        bob.reload()
        expect(bob.get_by_text("It runs with the data of You")).to_be_visible()
        expect(bob.get_by_test_id("stDataFrame")).to_be_visible()
        expect(bob.get_by_text("These are the last good rows.")).to_be_visible()
        for name in ("Share", "Schedule", "Settings"):
            expect(bob.get_by_role("button", name=name, exact=True)).to_have_count(0)
        expect(bob.get_by_text("SELECT")).to_have_count(0)
        screen.shot(bob, "dashboard-second-person")
        bob.goto(f"{bobs.url}/dashboards")
        expect(bob.get_by_text("shared by You")).to_be_visible()
    finally:
        context.close()
