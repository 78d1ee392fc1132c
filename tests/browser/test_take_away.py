"""Charts and conversations taken away in a real browser, under the server's security headers; the files are opened."""

from __future__ import annotations

import ast
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page, expect

from tests.browser import screen
from tests.browser.conftest import App

pytestmark = pytest.mark.browser


def _saved(page: Page, button: str, folder: Path) -> bytes:
    with page.expect_download(timeout=90_000) as download:
        page.get_by_role("button", name=button, exact=True).first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path.read_bytes()


def test_every_format_of_an_answer(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.goto(app.url)
    screen.ask(page, "Which products are below their reorder point?")
    screen.finished(page)
    expect(page.get_by_role("button", name="SVG", exact=True)).to_be_visible()
    assert _saved(page, "PNG", tmp_path).startswith(b"\x89PNG\r\n\x1a\n")
    drawn = ET.fromstring(_saved(page, "SVG", tmp_path))
    assert "HDMI cable" in "".join(drawn.itertext())
    page.get_by_role("button", name="Take away").click()
    document = _saved(page, "Web page", tmp_path).decode()
    assert "HDMI cable" in document
    ast.parse(_saved(page, "Python script", tmp_path))
    assert json.loads(_saved(page, "Notebook", tmp_path))["nbformat"] == 4
    assert not [url for url in asked if not url.startswith((app.url, "data:", "blob:"))]
    reader = page.context.new_page()
    fetched: list[str] = []
    reader.on("request", lambda request: fetched.append(request.url))
    saved = next(tmp_path.glob("*.html"))
    reader.goto(saved.as_uri())
    expect(reader.locator("svg rect").first).to_be_visible()
    assert [url for url in fetched if not url.startswith("file:")] == []


def test_a_verdict_outlives_the_server(page: Page, start_app: Callable[..., App]) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(app.url)
    screen.ask(page, "Which products are below their reorder point?")
    screen.finished(page)
    page.get_by_test_id("stFeedbackButton").first.click()
    expect(page.get_by_role("button", name="Say why")).to_be_visible()
    address = page.url
    app.kill()
    app.restart()
    page.goto(address)
    expect(page.get_by_role("button", name="Say why")).to_be_visible()
