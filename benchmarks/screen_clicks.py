"""What a click costs in a long conversation: from the mouse to a page that has run and stands still.

    python -m benchmarks.screen_clicks [--turns 100] [--times 20]

A conversation of many turns, each with a chart or a table and its query; a verdict is given and taken back on the
newest answer, which draws that answer again, and a menu beside the chat is opened and closed, which runs the whole
page. Two floors, both of Streamlit alone: a page with one button, and one with a button under as many tables and
charts as the chat page draws at once. The aim is 100 milliseconds.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.screen_stage import ROOT, Row, Server, chromium, folder, fresh_page, serving, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

    from tabulaflow_core.models.contracts import ModelRequest
    from tabulaflow_core.models.scripted import Step

_AIM: Final = 100.0  # ms
_SHOWN: Final = 5  # answers drawn at once, as `pages.ui.history` has it
_QUERIES: Final = (
    "SELECT order_date, sum(revenue) AS revenue FROM sales GROUP BY order_date ORDER BY order_date",
    "SELECT region, product, sum(units) AS units, sum(revenue) AS revenue FROM sales GROUP BY region, product "
    "ORDER BY revenue DESC LIMIT 20",
)
_COUNT: Final = """
st.session_state.runs = st.session_state.get("runs", 0) + 1
st.button("Press", key="press")
st.text(f"run {st.session_state.runs}")
"""
_ONE_BUTTON: Final = f'import streamlit as st\n\nst.title("Bare")\n{_COUNT}'
_ANSWERS: Final = (
    """import streamlit as st

ROWS = {"region": ["North", "South"] * 10, "units": list(range(20)), "revenue": [x / 7 for x in range(20)]}
DAYS = [f"2026-{1 + at // 28:02}-{1 + at % 28:02}" for at in range(200)]
FIGURE = {"data": [{"type": "scatter", "x": DAYS, "y": list(range(200))}], "layout": {"height": 320}}
st.title("Bare")
for at in range(SHOWN):
    with st.chat_message("assistant"):
        st.markdown("Here is what the data says.")
        st.dataframe(ROWS, key=f"table-{at}") if at % 2 else st.plotly_chart(FIGURE, key=f"chart-{at}")
"""
    + _COUNT
)
#: Milliseconds from the mouse going down to the moment after which the script has run and nothing changes.
_CLICK: Final = """
([selector, at]) => new Promise((done) => {
  const app = document.querySelector("[data-testid=stApp]"), button = document.querySelectorAll(selector)[at];
  let settled = 0, began = 0;
  // A short run is over before the page has said that it began, so what counts is the last change there was.
  const watch = new MutationObserver(() => { settled = performance.now(); });
  watch.observe(app, { attributes: true, childList: true, subtree: true, characterData: true });
  const poll = () => {
    const still = app.getAttribute("data-test-script-state") === "notRunning";
    if (settled && still && performance.now() - settled > 600) { watch.disconnect(); done(settled - began); }
    else if (performance.now() - began > 20000) { watch.disconnect(); done(-1); }
    else setTimeout(poll, 20);
  };
  began = performance.now();
  button.click();
  poll();
})
"""


def answer(request: ModelRequest) -> Sequence[Step]:
    """A query, then a sentence."""
    from tabulaflow_core.models.contracts import ToolMessage
    from tabulaflow_core.models.scripted import call, text

    if isinstance(request.messages[-1], ToolMessage):
        return [text("Here is what the data says, one row for each.")]
    asked = sum(message.kind == "user" for message in request.messages)
    return [call("run_query", source="files", sql=_QUERIES[asked % len(_QUERIES)])]


def seed(home: Path, *, turns: int) -> str:
    """A conversation in the data folder of `home`; returns its id."""
    from tabulaflow_core.config import Settings
    from tabulaflow_core.models.scripted import ScriptedModel
    from tabulaflow_core.principal import LOCAL_USER
    from tabulaflow_core.runtime import Runtime

    os.environ["XDG_CONFIG_HOME"] = str(home / "config")
    settings = Settings(data_dir=home / "data", cache_dir=home / "cache", model="scripted")
    runtime = Runtime(settings, model_factory=lambda name: ScriptedModel(rule=answer))
    try:
        runtime.first_visit(LOCAL_USER)
        runtime.add_samples(LOCAL_USER)
        conversation = runtime.new_conversation(LOCAL_USER)
        for at in range(turns):
            turn = runtime.start_turn(LOCAL_USER, conversation.id, f"How do sales go, part {at}?")
            kinds = [event.kind for batch in turn.attach() for event in batch]
            if kinds[-1] != "turn_finished" or "artifact" not in kinds:
                raise RuntimeError(f"turn {at} gave {kinds}")
            for _ in range(100):  # the log is complete a moment before the task is
                if runtime.running_turn(LOCAL_USER, conversation.id) is None:
                    break
                time.sleep(0.01)
    finally:
        runtime.close()
    return conversation.id


def clicks(page: Page, selector: str, *, times: int, at: int = 0) -> list[float]:
    """Milliseconds of each click, the first two left out."""
    found = []
    for _ in range(times + 2):
        value = float(page.evaluate(_CLICK, [selector, at]))
        if value < 0:
            raise RuntimeError("a click was not answered")
        found.append(value)
        page.wait_for_timeout(100)
    return found[2:]


def _opened(page: Page, address: str, selector: str) -> None:
    page.goto(address)
    page.locator(selector).first.wait_for()
    page.wait_for_function("document.querySelector('[data-test-script-state=notRunning]')", polling=100)
    page.wait_for_timeout(3000)


def _cpu_of(server: Server, page: Page, selector: str, *, times: int, at: int = 0) -> tuple[list[float], float]:
    began = server.cpu
    found = clicks(page, selector, times=times, at=at)
    return found, 1000 * (server.cpu - began) / (times + 2)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    press, thumb = ".st-key-press button", "[data-testid=stFeedbackButton], [data-testid=stFeedback] button"
    with folder() as home, chromium() as browser:
        floors: dict[str, list[float]] = {}
        for name, source in (("one button", _ONE_BUTTON), ("answers", _ANSWERS.replace("SHOWN", str(_SHOWN)))):
            script = home / "bare.py"
            script.write_text(source)
            with serving(script, home / name.replace(" ", "-")) as server:
                page = fresh_page(browser, {})
                _opened(page, server.url, press)
                floors[name], cpu = _cpu_of(server, page, press, times=options.times)
                print(f"  floor, {name}: {cpu:.0f} ms of processor a click", file=sys.stderr)
                page.context.close()
        conversation = seed(home / "app", turns=options.turns)
        with serving(ROOT / "app.py", home / "app", {"TABULAFLOW_MODEL": "scripted"}) as server:
            page = fresh_page(browser, {})
            began = time.perf_counter()
            _opened(page, f"{server.url}/?c={conversation}", thumb)
            opened = 1000 * (time.perf_counter() - began) - 3000
            last = page.locator(thumb).count() - 2
            found, cpu = _cpu_of(server, page, thumb, times=options.times, at=last)
            whole = clicks(page, ".st-key-open-menu button", times=options.times)
            megabytes = server.megabytes
            page.context.close()
    show(
        f"clicks in a conversation of {options.turns} turns",
        [
            Row("a click in an answer, to settled", found, "ms", _AIM, floors["one button"]),
            Row("a click that runs the page", whole, "ms", _AIM, floors["answers"]),
            Row("processor time of the server", [cpu], "ms"),
            Row("opening the conversation", [opened], "ms"),
            Row("memory", [megabytes], "MB"),
        ],
    )


if __name__ == "__main__":
    main()
