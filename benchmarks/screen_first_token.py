"""How long the first word of an answer takes from the model's wire to the screen.

    python -m benchmarks.screen_first_token [--times 15]

A scripted model over real HTTP notes when it sends its first word; Chromium notes when that word is painted. Beside it
the floor: a script of Streamlit alone that writes one word and notes when. The aim is 150 milliseconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.screen_stage import ROOT, Row, chromium, folder, fresh_page, serving, show

if TYPE_CHECKING:
    from asyncio import StreamWriter

    from playwright.sync_api import Page

    from tabulaflow_core.models.contracts import ModelRequest
    from tests.modelserver.speakers import Speaker
    from tests.modelserver.steps import WireStep

_AIM: Final = 150.0  # ms
_BARE: Final = """
import time
from pathlib import Path
import streamlit as st

question = st.chat_input("Ask")
box = st.empty()
if question:
    time.sleep(1)
    Path(NOTE).write_text(f"{time.time()}")
    box.markdown(f"painted{question.split()[-1]}")
"""
#: Milliseconds since the epoch at which a word was painted.
_PAINTED: Final = """
(word) => new Promise((done) => {
  const look = () => {
    if (!document.querySelector("[data-testid=stApp]").innerText.includes(word)) return false;
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.timeOrigin + performance.now())));
    return true;
  };
  const watch = new MutationObserver(() => { if (look()) watch.disconnect(); });
  watch.observe(document.body, { childList: true, subtree: true, characterData: true });
  if (look()) watch.disconnect();
})
"""


def _ask(page: Page, at: int) -> float:
    """Ask, and wait for the word; when it was painted, in seconds since the epoch."""
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill(f"Say the word number {at}")
    page.wait_for_timeout(200)
    box.press("Enter")
    return float(page.evaluate(_PAINTED, f"painted{at}")) / 1000


def _floor(home: Path, *, times: int) -> list[float]:
    script, note = home / "bare.py", home / "note"
    script.write_text(_BARE.replace("NOTE", repr(str(note))))
    found = []
    with serving(script, home / "floor") as server, chromium() as browser:
        page = fresh_page(browser, {})
        page.goto(server.url)
        for at in range(times + 1):
            painted = _ask(page, at)
            found.append(1000 * (painted - float(note.read_text())))
            page.wait_for_timeout(500)
    return found[1:]


def _app(home: Path, *, times: int) -> list[float]:
    from tabulaflow_core.models.scripted import TextStep, delay, text
    from tests.modelserver.server import ModelServer

    sent: list[float] = []

    class Noting(ModelServer):
        async def _perform(self, step: WireStep, speaker: Speaker, writer: StreamWriter) -> bool:
            if isinstance(step, TextStep) and step.text.startswith("painted"):
                sent.append(time.time())
            return await super()._perform(step, speaker, writer)

    def rule(request: ModelRequest) -> Sequence[WireStep]:
        word = request.messages[-1].text.split()[-1]
        return [delay(1.0), text(f"painted{word}"), delay(0.5), text(" is the word.")]

    found = []
    with Noting(rule=rule) as model:
        variables = {"TABULAFLOW_BASE_URL": model.url, "TABULAFLOW_API_KEY": "none"}
        variables["TABULAFLOW_MODEL"] = "compatible:scripted-model"
        with serving(ROOT / "app.py", home / "app", variables) as server, chromium() as browser:
            page = fresh_page(browser, {})
            page.goto(server.url)
            for at in range(times + 1):
                painted = _ask(page, at)
                found.append(1000 * (painted - sent[-1]))
                page.locator(".st-key-stop").wait_for(state="detached")
                page.wait_for_timeout(500)
    return found[1:]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=15)
    options = parser.parse_args()
    with folder() as home:
        floor = _floor(home, times=options.times)
        found = _app(home, times=options.times)
    show("first word", [Row("from the model's wire to the screen", found, "ms", _AIM, floor)])


if __name__ == "__main__":
    main()
