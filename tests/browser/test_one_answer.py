"""A click inside one answer draws that answer again and nothing else, and still reaches whatever it is for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page, WebSocket, expect

from tests.browser import screen
from tests.browser.conftest import App

pytestmark = pytest.mark.browser


def test_a_click_in_an_answer_leaves_the_others_alone(page: Page, start_app: Callable[..., App]) -> None:
    frames: list[int] = []

    def watch(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(len(frame)))

    page.on("websocket", watch)
    page.goto(start_app(TABULAFLOW_MODEL="scripted").url)
    for number in (1, 2, 3):
        screen.ask(page, "Which products are below their reorder point?")
        expect(screen.answers(page)).to_have_count(number)
        screen.finished(page)

    def received(press: Callable[[], None]) -> int:
        page.wait_for_timeout(1000)
        frames.clear()
        press()
        page.wait_for_timeout(1500)
        screen.settled(page)
        return len(frames)

    whole = received(page.locator(".st-key-open-menu button").first.click)
    page.keyboard.press("Escape")
    one = received(page.get_by_test_id("stFeedbackButton").first.click)
    expect(page.get_by_role("button", name="Say why")).to_be_visible()
    assert 5 < one < whole / 2, (one, whole)

    page.get_by_role("button", name="Say why").click()
    page.get_by_label("What was good?").fill("It forgot one")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("“It forgot one”")).to_be_visible()
    # The whole page has to run for what comes next.
    page.get_by_role("button", name="Ask again").first.click()
    expect(screen.answers(page)).to_have_count(4)
    screen.finished(page)
    page.get_by_role("button", name="Edit", exact=True).first.click()
    page.get_by_label("Your question").fill("How many products are there?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(screen.answers(page)).to_have_count(5)
    screen.finished(page)
    expect(page.get_by_text("How many products are there?").first).to_be_visible()
    expect(page.get_by_text("“It forgot one”")).to_be_visible()
    screen.shot(page, "one-answer")
