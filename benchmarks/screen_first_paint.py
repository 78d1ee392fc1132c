"""How long a person looks at nothing: from the address to the page's own words, and to a box one can type in.

    python -m benchmarks.screen_first_paint [--times 5]

A server just started and its first visitor with an empty cache, then the next visitor. Beside each the floor: a page of
Streamlit alone with a title and a box. The aim is 1.5 seconds to the first words.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.screen_stage import ROOT, Row, chromium, folder, fresh_page, seen, serving, show

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_BARE: Final = 'import streamlit as st\n\nst.title("Bare")\nst.chat_input("Ask")\n'
_WATCH: Final = {
    "words": "h1",
    "box": "[data-testid=stChatInputTextArea]:not([disabled])",
}
_AIM: Final = 1500.0  # ms


def _visit(browser: Browser, url: str) -> dict[str, float]:
    page = fresh_page(browser, _WATCH)
    page.goto(url, wait_until="commit")
    figures = {name: seen(page, name) for name in _WATCH}
    paints = "performance.getEntriesByName('first-contentful-paint').map((paint) => paint.startTime)"
    figures["anything"] = page.evaluate(paints)[0]
    page.context.close()
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    with folder() as home, chromium() as browser:
        bare = home / "bare.py"
        bare.write_text(_BARE)
        scripts: dict[str, Path] = {"floor": bare, "app": ROOT / "app.py"}
        for at in range(options.times):
            for which, script in scripts.items():
                with serving(script, home / f"{which}-{at}", {"TABULAFLOW_MODEL": "scripted"}) as server:
                    found[which, "start"].append(1000 * server.started)
                    for visitor in ("first", "next"):
                        for name, value in _visit(browser, server.url).items():
                            found[which, f"{visitor} {name}"].append(value)
                    found[which, "memory"].append(server.megabytes)

    def row(key: str, label: str, unit: str = "ms", aim: float | None = None) -> Row:
        return Row(label, found["app", key], unit, aim, found["floor", key])

    show(
        f"first paint, {options.times} servers",
        [
            row("start", "command to first answer"),
            row("first anything", "first visitor: anything"),
            row("first words", "first visitor: the page's words", aim=_AIM),
            row("first box", "first visitor: a box to type in"),
            row("next anything", "next visitor: anything"),
            row("next words", "next visitor: the page's words", aim=_AIM),
            row("next box", "next visitor: a box to type in"),
            row("memory", "memory after both", "MB"),
        ],
    )


if __name__ == "__main__":
    main()
