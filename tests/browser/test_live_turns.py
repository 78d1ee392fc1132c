"""What a person does while an answer streams, and what may happen to them: the answer goes on, and is whole at the end.

The model is a scripted one over real HTTP, which counts what was asked, finished and given up.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page, expect

from tabulaflow_core.models.contracts import ModelRequest
from tabulaflow_core.models.scripted import Step, delay, text
from tests.browser import screen
from tests.browser.conftest import App
from tests.browser.wire import Wire
from tests.modelserver.server import ModelServer

pytestmark = pytest.mark.browser

_WHOLE = re.compile(r"word0 word1 .*finis\.")


def _words(request: ModelRequest) -> Sequence[Step]:
    """As many words as the question says, a tenth of a second between them."""
    asked = next(message.text for message in reversed(request.messages) if message.kind == "user")
    number = int(re.findall(r"\d+", asked)[-1])
    steps: list[Step] = []
    for at in range(number):
        steps += [text(f"word{at} "), delay(0.1)]
    return [*steps, text("finis.")]


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """Says words, slowly."""
    with ModelServer(rule=_words) as server:
        yield server


@pytest.fixture
def app(model: ModelServer, start_app: Callable[..., App]) -> App:
    """The app on that model."""
    return start_app(
        TABULAFLOW_BASE_URL=model.url, TABULAFLOW_API_KEY="none", TABULAFLOW_MODEL="compatible:scripted-model"
    )


def _begin(page: Page, url: str, *, words: int) -> str:
    """Open the app, ask, and wait for the answer's first words; the address of the conversation comes back."""
    page.goto(url)
    return _ask(page, words=words)


def _ask(page: Page, *, words: int) -> str:
    screen.ask(page, f"Say {words} words")
    expect(page.locator(".st-key-stop")).to_be_visible()
    expect(_last(page)).to_contain_text("word2")
    return page.url


def _last(page: Page):  # type: ignore[no-untyped-def] # a locator
    return page.get_by_test_id("stChatMessage").last


def _whole(page: Page, model: ModelServer, *, asked: int = 1) -> None:
    """The answer is complete, once, and the model was asked once for it."""
    screen.finished(page, seconds=120)
    expect(_last(page)).to_contain_text(_WHOLE)
    assert page.locator("body").inner_text().count("word0 word1") == asked
    assert (model.opened, model.done, model.aborted) == (asked, asked, 0)


def test_stop_ends_the_model_and_keeps_what_was_said(page: Page, app: App, model: ModelServer) -> None:
    _begin(page, app.url, words=1200)
    screen.stop(page)
    began = time.monotonic()
    while model.open and time.monotonic() - began < 60:
        time.sleep(0.01)
    assert (model.open, model.aborted) == (0, 1)
    screen.finished(page)
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    expect(_last(page)).to_contain_text("word0 word1 word2")
    expect(_last(page)).not_to_contain_text("finis.")
    screen.ask(page, "Say 3 words")
    expect(_last(page)).to_contain_text("finis.")


def test_a_click_in_the_middle_of_an_answer_is_taken_and_the_answer_goes_on(
    page: Page, app: App, model: ModelServer
) -> None:
    _begin(page, app.url, words=4)
    screen.finished(page)
    _ask(page, words=60)
    page.get_by_test_id("stFeedbackButton").first.click()
    expect(page.get_by_role("button", name="Say why")).to_be_visible()
    expect(page.locator(".st-key-stop")).to_be_visible()
    _whole(page, model, asked=2)
    page.reload()
    expect(page.get_by_role("button", name="Say why")).to_be_visible()


def test_another_page_and_back(page: Page, app: App, model: ModelServer) -> None:
    _begin(page, app.url, words=80)
    page.get_by_role("link", name="Usage").first.click()
    expect(page.get_by_role("heading", name="Usage")).to_be_visible()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)
    page.get_by_role("link", name="Chat").first.click()
    expect(_last(page)).to_contain_text("word2")
    _whole(page, model)


def test_a_network_that_is_gone_for_a_second(page: Page, app: App, model: ModelServer) -> None:
    with Wire(app.port) as wire:
        _begin(page, wire.url, words=100)
        before = page.evaluate("performance.timeOrigin")
        wire.cut(seconds=1)
        assert wire.cuts
        _whole(page, model)
        assert page.evaluate("performance.timeOrigin") == before  # nobody had to reload


def test_a_second_tab_watches_and_can_stop(page: Page, app: App, model: ModelServer) -> None:
    address = _begin(page, app.url, words=1200)
    other = page.context.new_page()
    other.goto(address)
    expect(_last(other)).to_contain_text("word2")
    screen.stop(other)
    for each in (other, page):
        each.bring_to_front()  # a tab behind another one does not draw
        screen.finished(each)
        expect(each.get_by_text("You stopped this answer.")).to_be_visible()
    assert model.aborted == 1


def test_a_server_killed_in_the_middle_says_so_on_return(page: Page, app: App, model: ModelServer) -> None:
    address = _begin(page, app.url, words=1200)
    expect(_last(page)).to_contain_text("word12")
    app.kill()
    app.restart()
    page.goto(address)
    expect(page.get_by_text("The server stopped while this was being answered.")).to_be_visible()
    expect(_last(page)).to_contain_text("word0 word1")  # what was said more than half a second before is kept
    screen.ask(page, "Say 3 words")
    expect(_last(page)).to_contain_text("finis.")
