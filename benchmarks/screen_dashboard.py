"""What a large dashboard takes in a browser: opened, filtered and refreshed, with tiles over a large table.

    python -m benchmarks.screen_dashboard [--rows 10000000] [--tiles 50]

The table and the tiles are those of `benchmarks.dashboard`. Seconds are counted in the browser's own clock, from the
address or the press to what stands on the screen. The floor is the same number of tables and charts on a page of
Streamlit alone, in the same run. The aim is a first tile within two seconds.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.dashboard import TARGET, make_table, queries
from benchmarks.screen_stage import ROOT, chromium, folder, fresh_page, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

_BARE: Final = """import streamlit as st

ROWS = {"part": [f"product {n}" for n in range(10)], "value": [n / 7 for n in range(10)]}
FIGURE = {"data": [{"type": "bar", "x": ROWS["part"], "y": ROWS["value"]}], "layout": {"height": 320}}
for at in range(0, TILES, 2):
    columns = st.columns(2)
    for beside, column in enumerate(columns):
        with column, st.container(border=True, key=f"tile-{at + beside}"):
            st.plotly_chart(FIGURE, key=f"c{at}-{beside}") if beside else st.dataframe(ROWS, key=f"d{at}")
            st.caption("Refreshed just now")
"""
_TILES: Final = "[class*='st-key-tile-']"
_IDLE: Final = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"


def seeded(home: Path, rows: int, tiles: int) -> str:
    """A dashboard with a filter; its id."""
    from tabulaflow_core.config import Settings
    from tabulaflow_core.output.dashboards import ChartChoice, DashboardFilter, FilterColumn, QueryTile
    from tabulaflow_core.principal import LOCAL_USER
    from tabulaflow_core.runtime import Runtime

    home.mkdir(parents=True, exist_ok=True)
    path = home / "sales.duckdb"
    make_table(path, rows)
    os.environ |= {"XDG_CONFIG_HOME": str(home / "config"), "TABULAFLOW_FILE_ROOTS": str(home)}
    os.environ |= {f"TABULAFLOW_{name.upper()}_DIR": str(home / name) for name in ("data", "cache")}
    runtime = Runtime(Settings.from_env())  # as the server will have it, whose key is kept apart from its data
    try:
        runtime.add_database(LOCAL_USER, "sales", f"duckdb:///{path}")
        board = runtime.create_dashboard(LOCAL_USER, "Sales")
        for at, sql in enumerate(queries(tiles)):
            chart = ChartChoice(type="bar", x="part", y=("value",)) if at % 2 else None
            show = "chart" if chart else "table"
            content = QueryTile(show=show, source="sales", dialect="duckdb", sql=sql, chart=chart)
            runtime.pin(LOCAL_USER, board.id, content, title=f"Tile {at}")
        runtime.refresh_dashboard(LOCAL_USER, board.id).wait(600)
        city = FilterColumn(source="sales", table="sales", column="city")
        runtime.set_filters(
            LOCAL_USER, board.id, [DashboardFilter(id="city", label="City", kind="choice", columns=(city,))]
        )
        return board.id
    finally:
        runtime.close()


def opened(page: Page, url: str, tiles: int, *, text: str = "Refreshed") -> tuple[float, float]:
    """Seconds until the first tile, and until all with their rows, from the address."""
    begun = time.perf_counter()
    page.goto(url)
    page.locator(_TILES).filter(has_text=text).first.wait_for()
    first = time.perf_counter() - begun
    page.wait_for_function(
        f'document.querySelectorAll("{_TILES}").length === {tiles} && {_IDLE} && '
        f"[...document.querySelectorAll(\"{_TILES}\")].every((tile) => tile.innerText.includes('{text}'))"
    )
    return first, time.perf_counter() - begun


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--tiles", type=int, default=50)
    options = parser.parse_args()
    figures: list[tuple[str, float]] = []
    with folder() as home, chromium() as browser:
        bare = home / "bare.py"
        bare.write_text(_BARE.replace("TILES", str(options.tiles)))
        with serving(bare, home / "floor") as server:
            page = fresh_page(browser, {})
            opened(page, server.url, options.tiles)  # the first one imports
            first, whole = opened(page, server.url, options.tiles)
            figures += [("floor_first_tile_s", first), ("floor_all_tiles_s", whole)]
        board = seeded(home / "app", options.rows, options.tiles)
        variables = {"TABULAFLOW_FILE_ROOTS": str(home / "app"), "TABULAFLOW_MODEL": "scripted"}
        with serving(ROOT / "app.py", home / "app", variables) as server:
            page = fresh_page(browser, {})
            address = f"{server.url}/dashboards?d={board}"
            opened(page, address, options.tiles)
            before = server.megabytes
            first, whole = opened(page, address, options.tiles)
            figures += [("opened_first_tile_s", first), ("opened_all_tiles_s", whole)]
            first, whole = opened(page, f"{address}&f-city=city 7", options.tiles, text="Filtered")
            figures += [("filtered_first_tile_s", first), ("filtered_all_tiles_s", whole)]
            first, whole = opened(page, f"{address}&f-city=city 7", options.tiles, text="Filtered")
            figures += [("filtered_again_first_tile_s", first), ("filtered_again_all_tiles_s", whole)]
            opened(page, address, options.tiles)
            begun = time.perf_counter()
            page.get_by_role("button", name="Refresh", exact=True).click()
            page.get_by_role("button", name="Stop", exact=True).wait_for()
            figures.append(("refresh_seen_s", time.perf_counter() - begun))
            page.locator(_TILES).filter(has_text="No change.").first.wait_for()
            figures.append(("refresh_first_tile_s", time.perf_counter() - begun))
            page.get_by_role("button", name="Refresh", exact=True).wait_for()
            figures.append(("refresh_all_tiles_s", time.perf_counter() - begun))
            figures += [("server_mb_before", before), ("server_mb", server.megabytes), ("aim_first_tile_s", TARGET)]
    for name, value in figures:
        print(f"{name:28} {value:,.2f}")


if __name__ == "__main__":
    main()
