"""The whole thread in a real browser: bring a file, ask, watch, open the query, reset, see what it cost.

The data is gapminder as plotly ships it (CC BY 4.0, Gapminder Foundation).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page, expect

from tests.browser import screen
from tests.browser.conftest import App, weights

pytestmark = pytest.mark.browser


@pytest.fixture
def gapminder(tmp_path: Path) -> Path:
    """A CSV of real data: 142 countries in 2007."""
    import plotly.data

    frame = plotly.data.gapminder()
    path = tmp_path / "countries.csv"
    frame[frame["year"] == 2007].to_csv(path, index=False)
    return path


def upload(page: Page, app: App, *paths: Path) -> None:
    page.goto(f"{app.url}/data")
    page.locator("input[type=file]").first.set_input_files([str(path) for path in paths])
    for path in paths:
        expect(page.get_by_text(re.compile(f"{re.escape(path.name)}.*is here"))).to_be_visible(timeout=60_000)
    screen.settled(page)


def test_no_key_and_the_embedded_model(page: Page, start_app: Callable[..., App], gapminder: Path) -> None:
    model = weights()
    if model is None:
        pytest.skip("needs the embedded model's weights: `tabulaflow model pull`")
    app = start_app(TABULAFLOW_LOCAL_MODEL=str(model))
    upload(page, app, gapminder)
    screen.shot(page, "data")
    page.goto(app.url)
    screen.ask(page, "What is the average life expectancy per continent in the countries table?")
    growth = screen.watch_growth(page, seconds=180)
    assert len(growth) >= 5, growth
    screen.finished(page)
    screen.shot(page, "answer")
    expect(page.get_by_text("Oceania").first).to_be_attached()
    query = page.get_by_test_id("stExpander").filter(has_text="SQL").first
    expect(query.get_by_text(re.compile("AVG", re.IGNORECASE)).first).to_be_visible()  # open for a small model
    screen.shot(page, "sql")
    page.locator(".st-key-reset button").first.click()
    expect(page.get_by_text("Ask your data")).to_be_visible()
    assert "c=" not in page.url
    page.goto(f"{app.url}/usage")
    expect(page.get_by_test_id("stMetric").filter(has_text="Questions")).to_contain_text("1")
    expect(page.get_by_text("free, runs here").first).to_be_visible()
    screen.shot(page, "usage")


def test_a_turn_survives_leaving_reloading_and_a_second_tab(page: Page, start_app: Callable[..., App]) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, "Which products are below their reorder point?")
    expect(page).to_have_url(re.compile(r"c=\w+"))
    address = page.url
    page.get_by_role("link", name="Usage").first.click()
    expect(page.get_by_role("heading", name="Usage")).to_be_visible()
    page.goto(address)
    screen.finished(page)
    expect(page.get_by_text("HDMI cable").first).to_be_attached()
    expect(page.locator("[data-testid=stChatMessage]")).to_have_count(2)
    other = page.context.new_page()
    other.goto(address)
    expect(other.get_by_text("HDMI cable").first).to_be_attached(timeout=60_000)
    expect(other.locator("[data-testid=stChatMessage]")).to_have_count(2)


def test_a_killed_server_finds_the_conversation_again(page: Page, start_app: Callable[..., App]) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, "Which products are below their reorder point?")
    expect(page).to_have_url(re.compile(r"c=\w+"))
    screen.finished(page)
    address = page.url
    app.kill()
    app.restart()
    page.goto(address)
    expect(page.get_by_text("HDMI cable").first).to_be_attached(timeout=60_000)


def test_a_cold_deep_link_goes_through_the_shell(page: Page, start_app: Callable[..., App]) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(f"{app.url}/usage")
    expect(page.get_by_role("heading", name="Usage")).to_be_visible()
    expect(page.get_by_role("button", name="New conversation")).to_be_visible()


def test_a_picture_called_csv_and_a_wrong_url_get_sentences(
    page: Page, start_app: Callable[..., App], tmp_path: Path
) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    picture = tmp_path / "picture.csv"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    page.goto(f"{app.url}/data")
    page.locator("input[type=file]").first.set_input_files(str(picture))
    expect(page.get_by_test_id("stAlert").filter(has_text="picture.csv")).to_be_visible(timeout=60_000)
    screen.shot(page, "picture")
    page.get_by_role("tab", name="Database").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("shop")
    page.get_by_label("Connection URL", exact=True).fill("postgresql://reader:geheim@127.0.0.1:1/shop")
    page.get_by_role("button", name="Connect", exact=True).click()
    alert = page.get_by_test_id("stAlert").last
    expect(alert).to_be_visible(timeout=60_000)
    assert "geheim" not in page.locator("body").inner_text()
    screen.shot(page, "wrong-url")


def test_nothing_is_fetched_from_elsewhere(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    image = "![x](http://127.0.0.1:9/x.png)"
    file = tmp_path / "names.csv"
    file.write_text(f"{image},<img src=http://127.0.0.1:9/y.png>,**bold**\n{image},2,3\n{image},4,5\n")
    upload(page, app, file)
    screen.shot(page, "hostile-names")
    for path in ("", "usage"):
        page.goto(f"{app.url}/{path}")
        screen.settled(page)
    page.goto(app.url)
    screen.ask(page, f"What is {image}?")
    screen.finished(page)
    expect(page.get_by_text(f"What is {image}?").first).to_be_visible()
    elsewhere = [url for url in asked if not url.startswith((app.url, "data:", "blob:"))]
    assert asked
    assert elsewhere == []


def test_a_long_statement_is_watched_and_stopped(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    path = tmp_path / "slow.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "CREATE VIEW inventory AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT 'p' AS product, 1 AS on_hand, count(*) AS reorder_point FROM n"
        )
    app = start_app(TABULAFLOW_MODEL="scripted", TABULAFLOW_FILE_ROOTS=str(tmp_path))
    page.goto(f"{app.url}/data")
    for name in ("inventory", "sales"):
        card = page.get_by_text(re.compile(rf"^{name}\.csv · "))
        card.click()
        page.get_by_role("button", name="Remove").click()
        page.get_by_role("button", name="Remove it").click()
        expect(card).to_have_count(0)
    page.get_by_role("tab", name="Database").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("slow")
    page.get_by_label("Connection URL", exact=True).fill(f"sqlite:///{path}")
    page.get_by_role("button", name="Connect", exact=True).click()
    expect(page.get_by_text("slow is connected")).to_be_visible()
    expect(page.get_by_label("Connection URL", exact=True)).to_have_value("")
    page.goto(app.url)
    screen.ask(page, "Which products are below their reorder point?")
    expect(page.get_by_text(re.compile(r"Querying slow · \d+ s"))).to_be_visible()
    expect(page.get_by_text("FROM inventory").first).to_be_visible()
    expect(page.locator("[class*=st-key-suggestion-]")).to_have_count(0)
    screen.shot(page, "long-statement")
    screen.stop(page)
    screen.finished(page, seconds=10)
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
