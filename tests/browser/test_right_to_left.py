"""Data from right to left in a real browser: table, chart and answer are in order, and no number changes its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Locator, Page, expect

from tabulaflow_core.models.contracts import ModelRequest, ToolMessage
from tabulaflow_core.models.scripted import Step, call, text
from tests.browser import screen
from tests.browser.conftest import App, weights
from tests.browser.test_reading import card, drop
from tests.modelserver.server import ModelServer

pytestmark = pytest.mark.browser

CITIES = """شهر,فروش,سود,یادداشت
یزد,12,۱٬۲۳۴٫۵,خوب
تهران,340,۲۳٫۷۵,مدل ABC-12 (نو)
شیراز,57,-۴۵٫۲۵,Model X3 ویژه
مشهد (Mashhad),75,۱۲٬۰۰۰٫۰۰,«تخفیف ۲۰٪»
"""
ANSWER = "بیشترین فروش در **تهران** است: 340 واحد.\n\n- شیراز: 57، سود -45.25\n\nThe first is تهران (340)."
#: Where a piece of an element's text is drawn: the left edge, in pixels.
_LEFT = """(element, words) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf(words);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + words.length);
    return range.getBoundingClientRect().left;
  }
  throw new Error("not there: " + words + " in " + element.textContent);
}"""


def _bars(request: ModelRequest) -> Sequence[Step]:
    if any(isinstance(message, ToolMessage) for message in request.messages):
        return [text(ANSWER)]
    return [
        call("run_query", {"sql": 'SELECT "شهر", "فروش", "سود" FROM cities', "chart": {"type": "bar", "y": ["فروش"]}})
    ]


def _ended(page: Page, *, seconds: float = 60) -> None:
    """The question was taken, and its turn has ended."""
    expect(page).to_have_url(re.compile(r"c=\w+"))
    expect(page.get_by_role("button", name="Ask again").last).to_be_visible(timeout=seconds * 1000)
    screen.settled(page)


def _from_left(of: Locator, *pieces: str) -> None:
    """The pieces stand in this order, seen from the left."""
    places = [of.evaluate(_LEFT, piece) for piece in pieces]
    assert places == sorted(places), dict(zip(pieces, places, strict=True))


def test_table_chart_and_answer(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    file = tmp_path / "cities.csv"
    file.write_text(CITIES, encoding="utf-8")
    with ModelServer(rule=_bars) as server:
        app = start_app(TABULAFLOW_MODEL="compatible:x", TABULAFLOW_BASE_URL=server.url)
        drop(page, app, file)
        read = card(page, "cities.csv")
        expect(read.get_by_test_id("glide-cell-1-0")).to_have_text("12")
        cells = {
            at: read.get_by_test_id(f"glide-cell-{at}").first.text_content() for at in ("0-1", "2-0", "2-2", "3-1")
        }
        assert cells == {"0-1": "تهران", "2-0": "1234.5", "2-2": "-45.25", "3-1": "مدل ABC-12 (نو)"}
        screen.shot(page, "rtl-table")
        page.goto(app.url)
        screen.ask(page, "فروش هر شهر را نشان بده؟")
        _ended(page)
        chart = page.locator(".js-plotly-plot")
        expect(chart.locator(".ytick text").first).to_be_visible()
        ticks = chart.locator(".ytick text").evaluate_all(
            "all => all.map(e => [e.getBoundingClientRect().top, e.textContent])"
        )
        bars = [label.strip() for _, label in sorted(ticks)]
        assert bars == ["تهران", "مشهد (Mashhad)", "شیراز", "یزد"]
        assert chart.locator(".xtitle").text_content() == "فروش"
        assert chart.locator(".ytitle").text_content() == "شهر"
        summary = page.get_by_text(re.compile("^Bar chart: "))
        _from_left(summary, "Bar chart", "فروش", "by", "شهر", "4 bars", "تهران", "340", "یزد", "12")
        question = page.get_by_test_id("stText").first
        _from_left(question, "؟", "بده", "فروش")
        answer = page.locator("[class*=st-key-rtl-]").last
        _from_left(answer.locator("p").first, ".", "340", "تهران", "بیشترین")
        _from_left(answer.locator("li").first, "-45.25", "سود", "57", "شیراز")
        _from_left(answer.locator("p").last, "The first is", "تهران", "(340)")
        assert answer.evaluate("e => getComputedStyle(e.querySelector('p')).direction") == "rtl"
        screen.shot(page, "rtl-answer")
        page.get_by_text(re.compile("^SQL$")).last.click()
        query = page.get_by_test_id("stCode").last
        _from_left(query, "SELECT", '"شهر"', '"فروش"', '"سود"', "FROM")
        page.get_by_test_id("stExpander").filter(has_text="SQL").last.scroll_into_view_if_needed()
        screen.shot(page, "rtl-query")


def test_what_was_copied_from_the_page_is_asked_without_its_marks(page: Page, start_app: Callable[..., App]) -> None:
    with ModelServer(rule=lambda _: [text("خوب")]) as server:
        app = start_app(TABULAFLOW_MODEL="compatible:x", TABULAFLOW_BASE_URL=server.url)
        page.goto(app.url)
        screen.ask(page, "How much did \u2068تهران\u2069 sell?")
        _ended(page)
        assert "How much did تهران sell?" in str(server.requests[0].body)


def test_the_embedded_model_answers(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    model = weights()
    if model is None:
        pytest.skip("needs the embedded model's weights: `tabulaflow model pull`")
    file = tmp_path / "cities.csv"
    file.write_text(CITIES, encoding="utf-8")
    app = start_app(TABULAFLOW_LOCAL_MODEL=str(model))
    drop(page, app, file)
    card(page, "cities.csv")
    page.goto(app.url)
    screen.ask(page, "Show the total فروش by شهر as a bar chart.")
    _ended(page, seconds=400)
    answer = page.get_by_test_id("stChatMessage").last
    expect(answer.locator(".js-plotly-plot .ytick text").filter(has_text="تهران")).to_be_visible()
    for city in ("تهران", "یزد"):
        expect(answer.get_by_text(city).first).to_be_attached()
    expect(answer.get_by_text("340").first).to_be_attached()
    screen.shot(page, "rtl-embedded")
