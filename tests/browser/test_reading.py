"""The data page in a real browser: how a file was read is seen, corrected with one click, and asked where in doubt."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Locator, Page, expect

from tests.browser import screen
from tests.browser.conftest import App
from tests.data.files.workbooks import Sheet, write_xlsx

pytestmark = pytest.mark.browser

DOUBTFUL = "id,paid,amount\n1,03/04/2026,5.5\n2,05/06/2026,6.5\n3,07/08/2026,7.5\n"


@pytest.fixture
def app(start_app: Callable[..., App]) -> App:
    return start_app(TABULAFLOW_MODEL="scripted")


def drop(page: Page, app: App, *paths: Path) -> None:
    """Open the data page where it is not open, and drop files."""
    if not page.url.startswith(f"{app.url}/data"):
        page.goto(f"{app.url}/data")
    page.locator("input[type=file]").first.set_input_files([str(path) for path in paths])


def card(page: Page, name: str) -> Locator:
    """The card of a file, once it is there."""
    found = page.get_by_test_id("stExpander").filter(has=page.locator("summary", has_text=f"{name} ·"))
    expect(found).to_be_visible(timeout=60_000)
    return found


def taken_away(page: Page, of: Locator, button: str) -> str:
    """The text of what a download button gives."""
    with page.expect_download() as download:
        of.get_by_role("button", name=button).click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_a_doubtful_date_is_settled_by_one_click(page: Page, app: App, tmp_path: Path) -> None:
    file = tmp_path / "paid.csv"
    file.write_text(DOUBTFUL)
    drop(page, app, file)
    opened = card(page, "paid.csv")
    expect(opened.get_by_text("03/04/2026 in paid: is that 3 April or 4 March?")).to_be_visible()
    expect(opened.locator("summary").first).to_contain_text("month before day (a guess)")
    screen.shot(page, "doubt")
    opened.get_by_role("button", name=re.compile("3 April")).click()
    expect(opened.locator("summary").first).to_contain_text("day before month (your choice)")
    expect(opened.get_by_text("is that 3 April or 4 March?")).to_have_count(0)
    expect(opened.get_by_text("changed by you")).to_be_visible()
    first = opened.get_by_test_id("glide-cell-1-0")  # what the grid, a canvas, tells to screen readers
    expect(first).to_have_text("2026-04-03")
    screen.shot(page, "settled")
    opened.get_by_role("radio", name="Month first").click()
    expect(first).to_have_text("2026-03-04")
    opened.get_by_role("button", name="Back to automatic").click()
    expect(opened.locator("summary").first).to_contain_text("(a guess)")
    assert taken_away(page, opened, "Original file") == DOUBTFUL
    assert '"date_order"' in taken_away(page, opened, "Report")


def test_raw_text_is_one_click_away(page: Page, app: App, tmp_path: Path) -> None:
    file = tmp_path / "branches.csv"
    file.write_text("Report of the branches\n\nbranch;staff\nKiel;12\nBonn;8\nEssen;9\n" + "Ulm;1\n" * 200)
    drop(page, app, file)
    opened = card(page, "branches.csv")
    opened.get_by_role("tab", name="Raw text").click()
    code = opened.get_by_test_id("stCode")
    expect(code).to_contain_text("Report of the branches")
    lines = code.inner_text().splitlines()
    assert lines[0].split() == ["1", "−", "Report", "of", "the", "branches"]
    assert lines[2].split() == ["3", "H", "branch;staff"]
    screen.shot(page, "raw")
    opened.get_by_role("button", name="Later").click()
    expect(code).to_contain_text("101")
    expect(code).not_to_contain_text("Report of the branches")


def test_a_hidden_sheet_is_switched_on(page: Page, app: App, tmp_path: Path) -> None:
    file = tmp_path / "stock.xlsx"
    shown = Sheet("Open", [["item", "place"], ["lamp", "hall"], ["desk", "attic"]])
    write_xlsx(file, [shown, Sheet("Secret", [["who", "what"], ["Ann", "x"], ["Bo", "y"]], state="hidden")])
    drop(page, app, file)
    opened = card(page, "stock.xlsx")
    expect(opened.locator("summary").first).to_contain_text("from 1 of 2 sheets (1 hidden and off)")
    opened.get_by_role("button", name="Secret").click()
    expect(opened.locator("summary").first).to_contain_text("2 tables from 2 sheets")
    expect(opened.get_by_text("The table stock_secret is new.")).to_be_visible()
    opened.get_by_role("radio", name="Secret").click()
    expect(opened.get_by_test_id("glide-cell-0-0")).to_have_text("Ann")
    screen.shot(page, "sheets")


def test_replacing_with_a_missing_column_is_asked_and_said(page: Page, app: App, tmp_path: Path) -> None:
    file = tmp_path / "levels.csv"
    file.write_text("sku,units,remark\nA,200,x\nB,300,y\n")
    drop(page, app, file)
    expect(card(page, "levels.csv").locator("summary").first).to_contain_text("2 rows, 3 columns")
    file.write_text("sku,units\nA,250\nB,300\n")
    drop(page, app, file)
    expect(page.get_by_text("missing compared with before: “remark”")).to_be_visible(timeout=60_000)
    page.reload()
    expect(page.get_by_text("missing compared with before: “remark”")).to_be_visible(timeout=60_000)
    expect(card(page, "levels.csv").locator("summary").first).to_contain_text("2 rows, 3 columns")
    screen.shot(page, "question")
    page.get_by_role("button", name="Replace levels").click()
    expect(card(page, "levels.csv").locator("summary").first).to_contain_text("2 rows, 2 columns")
    expect(page.get_by_role("button", name="Replace levels")).to_have_count(0)


def test_a_long_reading_is_stopped(page: Page, app: App, tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    with file.open("w") as out:
        for block in range(400):
            out.writelines(
                f'{block},{n},"word, {n}",{n % 7}.{n % 10},0{n % 9 + 1}/0{n % 8 + 1}/2026\n' for n in range(10_000)
            )
    drop(page, app, file)
    stop = page.get_by_role("button", name="Stop").first
    expect(stop).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stProgress")).to_be_visible()
    page.get_by_role("link", name="Usage").first.click()  # other pages go on meanwhile
    expect(page.get_by_role("heading", name="Usage")).to_be_visible()
    page.get_by_role("link", name="Data").first.click()
    stop.click()
    expect(page.get_by_text("You stopped the reading of long.csv")).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stExpander").filter(has_text="long.csv")).to_have_count(0)
