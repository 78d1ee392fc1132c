"""Values as a person sees them: exact in the grid, right in the chart, in a zone of the world that is far from ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Browser, Page, expect

from pages.ui.history import TURNS_SHOWN
from tabulaflow_core.models.contracts import ModelRequest, ToolMessage, UserMessage
from tabulaflow_core.models.scripted import Step, call, text
from tests.browser import screen
from tests.browser.conftest import App
from tests.modelserver.server import ModelServer

pytestmark = pytest.mark.browser

ODD = "net.sales [€] $a$ : {x}"
QUERIES = {
    "exact values": (
        "SELECT 9007199254740993 AS id, 9007199254740993::HUGEINT AS wide, 12.50::DECIMAL(10,2) AS price, "
        "0.000012345::DOUBLE AS tiny, 1234.123456789::DOUBLE AS long, 0.1::FLOAT AS narrow, "
        "TIMESTAMP '2026-03-01 00:30:00' AS wall, TIMESTAMPTZ '2026-03-01 00:30:00+00' AS instant, "
        "DATE '2026-03-01' AS day, TIME '00:30:00.25' AS clock, 1 AS a, 2 AS a, 1e300::DOUBLE AS huge, -5 AS n"
    ),
    "mixed values": "SELECT * FROM (VALUES ('1'), ('two'), ('3.0'), (NULL)) t(v)",
    "months": (
        "SELECT strftime(DATE '2025-01-15' + to_months(i::INT), '%Y-%m') AS month, i * i AS v FROM range(12) t(i)"
    ),
    "one number": "SELECT sum(x::HUGEINT) AS total FROM (VALUES (9007199254740992), (1)) t(x)",
    "groups": "SELECT g, sum(x::HUGEINT) AS total FROM (VALUES ('a', 1), ('a', 2), ('b', 5)) t(g, x) GROUP BY g",
    "money": "SELECT g, sum(x) AS amount FROM (VALUES ('a', 1.10), ('a', 2.20), ('b', 5.05)) t(g, x) GROUP BY g",
    "many groups": "SELECT 'city ' || i AS city, i AS sales FROM range(40) t(i) ORDER BY hash(i)",
    "odd names": f"""SELECT 'a.b [c]' AS "{ODD}", 3 AS "v.1[€]" UNION ALL SELECT '$d$', 5 UNION ALL SELECT 'ü:x', 4""",
}


def _rule(request: ModelRequest) -> Sequence[Step]:
    asked = next(m.text for m in reversed(request.messages) if isinstance(m, UserMessage) and not m.host)
    if isinstance(request.messages[-1], ToolMessage):
        return [text("Here it is.")]
    return [call("run_query", {"sql": QUERIES[asked]})]


@pytest.fixture
def far_page(browser: Browser) -> Iterator[Page]:
    """A window of somebody in Los Angeles, whose clock is eight hours behind."""
    context = browser.new_context(viewport={"width": 2400, "height": 1000}, timezone_id="America/Los_Angeles")
    page = context.new_page()
    page.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    yield page
    expect.set_options(timeout=5_000)
    context.close()


def _cells(page: Page) -> list[str]:
    """The first row of the last grid, as it is read out and copied."""
    return page.evaluate("""() => {
      const tables = document.querySelectorAll("[data-testid=stDataFrame] canvas table");
      return [...[...tables].at(-1).querySelectorAll("tbody tr")[0].querySelectorAll("td")].map((c) => c.textContent);
    }""")


def _bars(page: Page) -> list[str]:
    """The labels along the axis of the last chart."""
    chart = page.locator(".js-plotly-plot").last
    return chart.locator(".xtick text, .ytick text").all_text_contents()


def test_values_and_charts(far_page: Page, start_app: Callable[..., App]) -> None:
    page = far_page
    with ModelServer(rule=_rule) as server:
        app = start_app(TABULAFLOW_MODEL="compatible:x", TABULAFLOW_BASE_URL=server.url)
        page.goto(app.url)

        asked: list[str] = []
        charts = page.locator(".js-plotly-plot")

        drawn_by: list[int] = []

        def ask(question: str, *, drawn: int) -> None:
            """Ask, and wait until the page holds the newest answers; `drawn` charts came in all."""
            asked.append(question)
            drawn_by.append(drawn - sum(drawn_by))
            screen.ask(page, question)
            answers = min(len(asked), TURNS_SHOWN)
            expect(page.get_by_text(question, exact=True).first).to_be_visible()
            expect(page.get_by_text("Here it is.", exact=True)).to_have_count(answers)
            expect(page.get_by_role("button", name="Ask again")).to_have_count(answers)
            screen.finished(page)
            expect(charts).to_have_count(sum(drawn_by[-TURNS_SHOWN:]))
            if drawn:
                expect(charts.last.locator(".xtick text").first).to_be_attached()
            expect(page.locator("[data-testid=stDataFrame] canvas table").last).to_be_attached()
            page.wait_for_timeout(500)
            screen.shot(page, f"values-{question.replace(' ', '-')}")

        ask("exact values", drawn=0)
        assert _cells(page) == [
            *("9007199254740993", "9007199254740993", "12.5", "0.000012345", "1234.123456789", "0.1"),
            *("2026-03-01 00:30:00", "2026-03-01 00:30:00+00:00", "2026-03-01", "00:30:00.250"),
            *("1", "2", "1e+300", "-5"),
        ]
        ask("mixed values", drawn=0)
        assert _cells(page) == ["1"]
        ask("one number", drawn=0)
        expect(page.get_by_test_id("stMetricValue").last).to_have_text("9,007,199,254,740,993")
        ask("months", drawn=1)
        along = " ".join(_bars(page))
        assert "2025" in along
        assert re.search(r"Jan|Mar|Apr|Jul", along)
        assert "1970" not in along
        line = page.locator(".js-plotly-plot").last.locator(".scatterlayer path.js-line")
        box = line.bounding_box()
        assert box is not None
        assert box["width"] > 500, "twelve months stand side by side"
        for drawn, question in enumerate(("groups", "money"), 2):
            ask(question, drawn=drawn)
            assert set(_bars(page)) >= {"a", "b"}
            expect(page.locator(".js-plotly-plot").last.locator(".bars .point")).to_have_count(2)
        ask("many groups", drawn=4)
        expect(page.locator(".js-plotly-plot").last.locator(".bars .point")).to_have_count(20)
        expect(page.get_by_text("the 20 largest of 40 shown")).to_be_visible()
        ask("odd names", drawn=5)
        chart = page.locator(".js-plotly-plot").last
        assert {"a.b [c]", "$d$", "ü:x"} <= set(_bars(page))
        assert ODD in "".join(chart.locator(".xtitle, .ytitle").all_text_contents())
        expect(chart.locator(".bars .point")).to_have_count(3)
        address = page.url
        page.goto(f"{app.url}/usage")
        screen.settled(page)
        page.goto(address)
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_attached()
        expect(charts).to_have_count(5)
        assert ODD in page.locator(".js-plotly-plot").last.locator(".infolayer").text_content()


def test_enter_pressed_twice_asks_once(far_page: Page, start_app: Callable[..., App]) -> None:
    page = far_page
    with ModelServer(rule=_rule) as server:
        app = start_app(TABULAFLOW_MODEL="compatible:x", TABULAFLOW_BASE_URL=server.url)
        page.goto(app.url)
        screen.ask(page, "groups")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Ask again")).to_have_count(1)
        screen.finished(page)
        page.wait_for_timeout(500)
        expect(page.locator("[data-testid=stChatMessage]")).to_have_count(2)
        assert server.opened == 2, "the query and the answer of one question"
