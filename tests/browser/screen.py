"""Words for what a person does on the page."""

from __future__ import annotations

import os
import time
from pathlib import Path

from playwright.sync_api import Locator, Page, expect


def settled(page: Page) -> None:
    """Wait until the script has run."""
    expect(page.locator("[data-testid=stApp]")).to_have_attribute("data-test-script-state", "notRunning")


def ask(page: Page, question: str) -> None:
    """Type a question and send it."""
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_enabled(timeout=60_000)  # a server that has just begun imports what it needs
    box.fill(question)
    box.press("Enter")


def answers(page: Page) -> Locator:
    """The assistant's messages."""
    return page.locator("[data-testid=stChatMessage]").filter(has=page.locator("[data-testid=stCaptionContainer]"))


def watch_growth(page: Page, *, seconds: float) -> list[str]:
    """The distinct texts of the last message while a turn runs, from its first sign to its end."""
    seen: list[str] = []
    until = time.monotonic() + seconds
    started = False
    while time.monotonic() < until:
        running = page.locator(".st-key-stop").count() > 0
        started = started or running
        if started:
            messages = page.locator("[data-testid=stChatMessage]")
            text = messages.last.inner_text() if messages.count() else ""
            if not seen or text != seen[-1]:
                seen.append(text)
            if not running:
                return seen
        time.sleep(0.03)
    raise AssertionError(f"no end after {seconds} s; seen {seen[-3:]}")


def finished(page: Page, *, seconds: float = 60) -> None:
    """Wait until no turn runs, also when the one that was asked for has not begun yet."""
    for _ in range(2):
        page.wait_for_timeout(500)
        settled(page)
        expect(page.locator(".st-key-stop")).to_have_count(0, timeout=seconds * 1000)
    settled(page)


def stop(page: Page) -> None:
    """Press the turn's Stop: Streamlit has one of its own, hidden, which would end the watching only."""
    page.locator(".st-key-stop button").click()


def fill(dialog: Locator, label: str, value: str) -> None:
    """Type into a field and leave it, so that the server hears of it."""
    field = dialog.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Tab")


def pin(page: Page, nth: int, *, new: str = "", title: str = "") -> Locator:
    """Press a Pin of the answer, choose or name a dashboard, and pin; the dialog comes back."""
    page.get_by_role("button", name="Pin", exact=True).nth(nth).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Title of the tile", exact=True)).to_be_visible()
    if new:
        fill(dialog, "Name of the new dashboard", new)
    if title:
        fill(dialog, "Title of the tile", title)
    dialog.get_by_role("button", name="Pin it").click()
    expect(dialog.get_by_text("Pinned to")).to_be_visible()
    return dialog


def shot(page: Page, name: str) -> None:
    """Keep a picture where `TABULAFLOW_SHOTS` says, to look at."""
    folder = os.environ.get("TABULAFLOW_SHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"))
