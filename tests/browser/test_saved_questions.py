"""A question saved from an answer, and a replaced file under it and under a tile, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page, expect

from tabulaflow_core.config import Settings
from tabulaflow_core.output.dashboards import ChartChoice, QueryTile
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import Runtime
from tests.browser import screen
from tests.browser.conftest import App
from tests.browser.test_reading import drop

pytestmark = pytest.mark.browser

QUESTION = "Which products are below their reorder point?"
OLD = "region,amount,day\nnorth,10,2024-01-05\nsouth,20,2024-01-06\nsouth,5,2024-02-01\n"
NEW = "region,total amount,day\nnorth,10,2024-01-05\nsouth,20,2024-01-06\nsouth,5,2024-02-01\nwest,7,2024-03-01\n"


def test_a_saved_question(page: Page, start_app: Callable[..., App]) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, QUESTION)
    screen.finished(page)
    page.get_by_role("button", name="Save question").click()
    expect(page.get_by_text("Saved, on the page of dashboards")).to_be_visible()
    screen.shot(page, "question-saved")
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_text("Bring files and databases")).to_be_visible()
    screen.shot(page, "question-suggested")
    page.locator("[class*=st-key-ask-saved-] button").first.click()
    expect(page.get_by_text("The saved query, run again without a model.")).to_be_visible()
    expect(page.get_by_text("HDMI cable").first).to_be_attached()
    page.get_by_role("link", name="Dashboards").click()
    expect(page.get_by_role("heading", name="Saved questions")).to_be_visible()
    expect(page.get_by_text(QUESTION).last).to_be_visible()
    screen.shot(page, "questions")


def test_a_replaced_file_keeps_the_questions(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text(OLD)
    with closing(Runtime(Settings.from_env())) as runtime:
        runtime.add_files(LOCAL_USER, [(path.name, path)])
        board = runtime.create_dashboard(LOCAL_USER, "Sales")
        for title, sql, more in (
            (
                "By region",
                "SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY region",
                {"show": "chart", "chart": ChartChoice(type="bar", x="region", y=("total",))},
            ),
            ("Rows", "SELECT count(*) AS n FROM sales", {"show": "table"}),
        ):
            result = runtime.run_sql(LOCAL_USER, "files", sql)
            assert isinstance(result, StoredResult)
            tile = QueryTile(source="files", dialect="duckdb", sql=sql, **more)  # type: ignore[arg-type]
            runtime.pin(LOCAL_USER, board.id, tile, title=title, result_id=result.id)
    app = start_app(TABULAFLOW_MODEL="scripted")
    path.write_text(NEW)
    drop(page, app, path)
    page.get_by_role("button", name="Replace sales").click()
    expect(page.get_by_text("Used by 2 tiles and saved questions: 1 broken, 1 changed")).to_be_visible()
    expect(page.get_by_text("Proposed, and tried:")).to_be_visible()
    screen.settled(page)
    page.get_by_text("Used by 2 tiles").scroll_into_view_if_needed()
    screen.shot(page, "replaced-uses")
    page.get_by_role("button", name="Use this query").click()
    expect(page.get_by_text("The mended query is in use.")).to_be_visible()
    page.goto(f"{app.url}/dashboards?d={board.id}")
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    expect(page.get_by_text("These are the last good rows.")).to_have_count(0)
    expect(page.get_by_text("west").first).to_be_attached()
    screen.shot(page, "replaced-mended")
