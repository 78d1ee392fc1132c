"""From a question to what is taken away: by keyboard alone, every table opened and compared, the chart's pixels."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from PIL import Image
from playwright.sync_api import Page, expect
from python_calamine import CalamineWorkbook

from tabulaflow_core.samples import SAMPLE_FILES
from tests.browser import screen
from tests.browser.conftest import App

pytestmark = pytest.mark.browser

QUESTION = "Which products are below their reorder point?"
_FIRST_COLOUR = (0x0F, 0x76, 0x6E)  # of `theme.chartCategoricalColors`


def _expected() -> list[tuple[str, int, int]]:
    """What the question's answer is, from the sample file itself."""
    with SAMPLE_FILES["inventory"].open(newline="", encoding="utf-8") as file:
        rows = [(row["product"], int(row["on_hand"]), int(row["reorder_point"])) for row in csv.DictReader(file)]
    return sorted(row for row in rows if row[1] < row[2])


def _tab_to(page: Page, key: str, *, name: str = "", test_id: str = "") -> None:
    """Press `key` until what has the focus is called `name`."""
    reached = (
        "([name, id]) => { const at = document.activeElement; "
        "return id ? at.dataset.testid === id : at.innerText.trim().split('\\n').pop() === name }"
    )
    for _ in range(150):
        if page.evaluate(reached, [name, test_id]):
            return
        page.keyboard.press(key)
    raise AssertionError(f"the keyboard does not reach {name or test_id}")


def _painted(picture: bytes) -> int:
    """Pixels in the first colour of the theme's charts."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    counts = image.getcolors(image.width * image.height) or []
    return sum(n for n, colour in counts if all(abs(a - b) < 12 for a, b in zip(colour, _FIRST_COLOUR, strict=True)))


def test_from_question_to_export_by_keyboard_alone(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_enabled()
    expect(page.locator("[class*=st-key-suggestion-]").last).to_be_visible()  # the page has come to its end
    screen.settled(page)
    _tab_to(page, "Tab", test_id="stChatInputTextArea")
    page.keyboard.type(QUESTION)
    expect(box).to_have_value(QUESTION)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="CSV", exact=True)).to_be_visible()
    screen.finished(page)
    _tab_to(page, "Shift+Tab", name="CSV")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.suffix == ".csv"
    assert _expected()[0][0] in path.read_text(encoding="utf-8-sig")


def test_the_tables_taken_away_are_the_answer(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, QUESTION)
    screen.finished(page)
    saved = {}
    for button in ("CSV", "Excel"):
        with page.expect_download() as download:
            page.get_by_role("button", name=button, exact=True).first.click()
        saved[button] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[button])
    header, *rows = csv.reader(io.StringIO(saved["CSV"].read_text(encoding="utf-8-sig")))
    assert header == ["product", "on_hand", "reorder_point"]
    assert [(name, int(have), int(wanted)) for name, have, wanted in rows] == _expected()
    header, *cells = CalamineWorkbook.from_path(str(saved["Excel"])).get_sheet_by_index(0).to_python()
    assert header == ["product", "on_hand", "reorder_point"]
    assert [(name, have, wanted) for name, have, wanted in cells] == _expected()  # numbers, not their texts


def test_the_chart_is_painted(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, QUESTION)
    screen.finished(page)
    chart = page.get_by_test_id("stPlotlyChart").first
    expect(chart.locator("svg.main-svg").first).to_be_visible()
    expect(page.get_by_role("button", name="PNG", exact=True)).to_be_visible()
    for _ in range(50):  # it grows into its place
        if _painted(chart.screenshot()) > 2_000:
            break
        page.wait_for_timeout(200)
    assert _painted(chart.screenshot()) > 2_000
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG", exact=True).first.click()
    path = tmp_path / "chart.png"
    download.value.save_as(path)
    assert _painted(path.read_bytes()) > 2_000


def test_a_cold_deep_link_to_a_conversation_finds_its_chart(page: Page, start_app: Callable[..., App]) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, QUESTION)
    expect(page).to_have_url(re.compile(r"c=\w+"))
    screen.finished(page)
    expect(page.get_by_role("button", name="Save question")).to_be_visible()  # below an answer that has ended
    address = page.url
    app.kill()
    app.restart()
    stranger = page.context.browser.new_context().new_page()  # nothing cached, no session
    stranger.set_default_timeout(90_000)
    stranger.goto(address)
    expect(stranger.get_by_test_id("stPlotlyChart").first.locator("svg.main-svg").first).to_be_visible()
    expect(stranger.get_by_role("button", name="New conversation")).to_be_visible()
    expect(stranger.get_by_test_id("stChatMessage")).to_have_count(2)
    stranger.context.close()
