"""On a phone everything of a page is within the screen's width, the menu at its upper right too."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page

from tests.browser import screen
from tests.browser.conftest import App

pytestmark = pytest.mark.browser

_BEYOND = """[...document.querySelectorAll("[data-testid=stHeader] *, [data-testid=stMain] > *")]
  .map((part) => part.getBoundingClientRect()).filter((box) => box.width > 0 && box.right > innerWidth + 1).length"""


@pytest.mark.parametrize("width", [390, 360])
def test_nothing_stands_beyond_the_edge(start_app: Callable[..., App], page: Page, width: int) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.set_viewport_size({"width": width, "height": 844})
    for path in ("", "data"):
        page.goto(f"{app.url}/{path}")
        screen.settled(page)
        page.get_by_test_id("stMainMenuButton").wait_for()
        page.wait_for_function(f"({_BEYOND}) === 0", timeout=60_000)
