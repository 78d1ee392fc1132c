"""The open conversation's menu stands on the line of its title, however wide the title's letters are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page

from tests.browser import screen
from tests.browser.conftest import App

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    "question",
    [
        "Which products are below their reorder point?",
        "SUMME ALLER WARENWERTE IM LAGER",
        "各地区的总收入是多少请按月份分别列出来",
    ],
)
def test_the_menu_stands_beside_the_title(start_app: Callable[..., App], page: Page, question: str) -> None:
    page.goto(start_app(TABULAFLOW_MODEL="scripted").url)
    screen.ask(page, question)
    screen.finished(page)
    menu = page.locator(".st-key-open-menu button").first
    menu.wait_for()
    box, title = menu.bounding_box(), page.locator("[class*=st-key-conversation-] button").first.bounding_box()
    assert box is not None
    assert title is not None
    assert abs((box["y"] + box["height"] / 2) - (title["y"] + title["height"] / 2)) < 6
    assert box["x"] >= title["x"] + title["width"] - 1
