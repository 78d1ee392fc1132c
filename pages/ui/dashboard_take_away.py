"""A dashboard taken away as one HTML file that also prints; made when it is asked for."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from pages.ui import moments, state
from tabulaflow_core.output.dashboard_document import DocumentTile, dashboard_html
from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.runtime import DashboardView, TileData, TileView, get_runtime


def draw(view: DashboardView) -> None:
    """The button."""
    name = "".join(c if c.isalnum() else "-" for c in view.info.title[:40]).strip("-") or "dashboard"
    st.download_button(
        "Export",
        data=lambda: html_of(view).encode("utf-8", "replace"),
        file_name=f"{name}.html",
        mime="text/html",
        icon=":material/download:",
        help="One file that opens anywhere, fetches nothing and prints well",
        on_click="ignore",
        key="export-dashboard",
    )


def html_of(view: DashboardView) -> str:
    """The dashboard as this person sees it now."""
    runtime, who = get_runtime(), state.principal()
    view = runtime.dashboard(who, view.info.id)  # shared no more, or changed since the page was drawn
    found = runtime.tile_data(who, view.info.id, [tile.id for tile in view.tiles])
    shown = {data.tile_id: data for data in found}
    tiles = [_tile(view, tile, shown.get(tile.id)) for tile in view.tiles]
    made = f"As of {moments.written(datetime.now(UTC))}."
    return dashboard_html(view.info.title, tiles, made=f"{made} {view.notice}".strip())


def _tile(view: DashboardView, tile: TileView, data: TileData | None) -> DocumentTile:
    if data is None or not isinstance(tile.content, QueryTile):
        return DocumentTile(tile.title, tile.width, tile.text)
    notes = []
    if data.refreshed_at is not None:
        notes.append(f"Refreshed {moments.written(data.refreshed_at)}.")
    if tile.changes is not None:
        notes.append(tile.changes.sentence)
    fault = data.fault
    if fault and data.result is not None:
        fault = f"Not refreshed: {fault} These are the last good rows."
    return DocumentTile(
        tile.title,
        tile.width,
        tile.text,
        data.result,
        data.spec,
        fault,
        notes,
        tile.content.sql if view.show_sql else "",
    )
