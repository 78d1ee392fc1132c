"""Filters of a dashboard in a real browser: made in a form, chosen by hand and by the URL, and shared."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Locator, Page, expect

from tabulaflow_core.config import Settings
from tabulaflow_core.output.dashboards import ChartChoice, QueryTile, Sharing
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import Runtime
from tests.browser import screen
from tests.browser.conftest import App
from tests.browser.test_dashboards import _SECOND

pytestmark = pytest.mark.browser

_REGIONS = ("north", "south", "Ländle 'west'")
_KINDS = {"A choice of values": "choice", "A range of days": "date_range", "A range of numbers": "number"}
_NO_DAY = "2024-01-01' OR '1'='1"
_NO_REGION = "'; DROP TABLE sales; --"


def _sales(path: Path) -> str:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE sales (id INTEGER PRIMARY KEY, region TEXT, day DATE, amount REAL)")
    rows = [(None, _REGIONS[n % 3], f"2024-{1 + n % 12:02}-15", 10.0 * (n + 1)) for n in range(36)]
    connection.executemany("INSERT INTO sales VALUES (?, ?, ?, ?)", rows)
    connection.execute("CREATE TABLE staff (name TEXT)")
    connection.execute("INSERT INTO staff VALUES ('Ann'), ('Ben')")
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


def _dashboard(folder: Path) -> str:
    """A dashboard with four tiles and no filter; its id."""
    with closing(Runtime(Settings.from_env())) as runtime:
        runtime.add_database(LOCAL_USER, "shop", _sales(folder / "sales.db"))
        board = runtime.create_dashboard(LOCAL_USER, "Sales")
        by_month = "SELECT substr(day, 1, 7) AS month, sum(amount) AS total FROM sales GROUP BY 1 ORDER BY 1"
        by_region = "SELECT region, count(*) AS sales, sum(amount) AS total FROM sales GROUP BY region ORDER BY region"
        for title, show, sql, more in (
            ("Total", "metric", "SELECT sum(amount) AS total FROM sales", {"label": "total"}),
            ("By month", "chart", by_month, {"chart": ChartChoice(type="bar", x="month", y=("total",))}),
            ("By region", "table", by_region, {}),
            ("Staff", "table", "SELECT name FROM staff", {}),
        ):
            tile = QueryTile(show=show, source="shop", dialect="sqlite", sql=sql, **more)  # type: ignore[arg-type]
            runtime.pin(LOCAL_USER, board.id, tile, title=title)
        assert runtime.refresh_dashboard(LOCAL_USER, board.id).wait(60)
        runtime.share_dashboard(LOCAL_USER, board.id, Sharing(visibility="team"))
        return board.id


def _total(page: Page) -> Locator:
    return page.get_by_test_id("stMetricValue")


def _add(page: Page, kind: str, column: str) -> None:
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="Kind").click()
    page.get_by_role("option", name=kind, exact=True).click()
    # Another kind has a field of its own for the columns, which takes the place of the one before.
    columns = dialog.locator(f".st-key-new-filter-columns-{_KINDS[kind]}").get_by_role("combobox")
    expect(columns).to_be_visible()
    screen.settled(page)
    columns.click()
    page.get_by_role("option", name=re.compile(re.escape(column))).click()
    columns.press("Tab")
    dialog.get_by_role("button", name="Add filter").click()


def test_filters_from_the_form_to_a_second_person(
    page: Page, start_app: Callable[..., App], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULAFLOW_FILE_ROOTS", str(tmp_path))
    board = _dashboard(tmp_path)
    app = start_app(TABULAFLOW_MODEL="scripted")
    address = f"{app.url}/dashboards?d={board}"
    page.goto(address)
    expect(_total(page)).to_have_text("6,660")
    page.get_by_role("button", name="Filters", exact=True).click()
    dialog = page.get_by_role("dialog")
    _add(page, "A choice of values", "sales.region")
    expect(dialog.get_by_text("a choice of values")).to_be_visible()
    _add(page, "A range of days", "sales.day")
    expect(dialog.get_by_text("a range of days")).to_be_visible()
    _add(page, "A range of numbers", "sales.amount")
    expect(dialog.get_by_text("a range of numbers")).to_be_visible()
    screen.shot(page, "dashboard-filter-form")
    page.keyboard.press("Escape")
    # Chosen in a field: it stands in the URL, and the tiles show it.
    region = page.get_by_role("combobox", name=re.compile("^Region"))
    region.click()
    page.get_by_role("option", name=_REGIONS[2]).click()
    region.press("Escape")
    expect(_total(page)).to_have_text("2,340")
    expect(page).to_have_url(re.compile(r"f-region="))
    expect(page.get_by_text("Region does not apply here.")).to_have_count(1)
    expect(page.get_by_text("Filtered, read just now")).to_have_count(3)
    field = page.get_by_label("Amount from", exact=True)
    field.fill("300")
    field.press("Enter")
    expect(_total(page)).to_have_text("990")
    screen.shot(page, "dashboard-filtered")
    # Taken away as it is shown.
    with page.expect_download(timeout=90_000) as download:
        page.get_by_role("button", name="Export").click()
    saved = tmp_path / "sales.html"
    download.value.save_as(saved)
    written = saved.read_text()
    assert "Filtered by Region: Ländle &#x27;west&#x27;; Amount: from 300." in written
    assert "990" in written
    chosen = page.url
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(_total(page)).to_have_text("6,660")
    expect(page).not_to_have_url(re.compile("f-"))
    # Nonsense in the URL is a sentence, and all rows.
    page.goto(f"{address}&{urlencode({'f-day': _NO_DAY, 'f-region': _NO_REGION})}")
    expect(page.get_by_text("Day was not used.")).to_be_visible()
    expect(page.get_by_text("There are no rows").or_(page.get_by_text("0 rows")).first).to_be_visible()
    screen.shot(page, "dashboard-filter-nonsense")
    # A colleague opens the link and sees the same, without the queries.
    bobs = start_app(TABULAFLOW_MODEL="scripted", PYTHONPATH=os.pathsep.join(map(str, _SECOND)))
    context = page.context.browser.new_context(viewport={"width": 390, "height": 844})  # type: ignore[union-attr]
    try:
        bob = context.new_page()
        bob.goto(f"{bobs.url}/dashboards?{chosen.partition('?')[2]}")
        expect(_total(bob)).to_have_text("990")
        expect(bob.get_by_label("Amount from", exact=True)).to_have_value("300")
        expect(bob.get_by_role("button", name="Filters", exact=True)).to_have_count(0)
        expect(bob.get_by_text("SELECT")).to_have_count(0)
        screen.shot(bob, "dashboard-filtered-second-person")
    finally:
        context.close()
