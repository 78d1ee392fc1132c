"""A dashboard taken away as one HTML file that also prints; made when it is asked for."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import streamlit as st

from pages.ui import moments, state
from pages.ui.dashboard_filters import Chosen, words_of
from tabulaflow_core.output.dashboard_document import DocumentTile, dashboard_html
from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.runtime import DashboardView, TileData, TileView, get_runtime

#: Seconds that a file waits for the rows of a choice.
_WAIT_SECONDS: Final = 30.0


def draw(view: DashboardView, chosen: Chosen) -> None:
    """The button; what is taken away is what the choice shows."""
    name = "".join(c if c.isalnum() else "-" for c in view.info.title[:40]).strip("-") or "dashboard"
    st.download_button(
        "Export",
        data=lambda: html_of(view, chosen).encode("utf-8", "replace"),
        file_name=f"{name}.html",
        mime="text/html",
        icon=":material/download:",
        help="One file that opens anywhere, fetches nothing and prints well",
        on_click="ignore",
        key="export-dashboard",
    )


def html_of(view: DashboardView, chosen: Chosen) -> str:
    """The dashboard as this person sees it now."""
    runtime, who = get_runtime(), state.principal()
    view = runtime.dashboard(who, view.info.id)  # shared no more, or changed since the page was drawn
    found = runtime.tile_data(who, view.info.id, [tile.id for tile in view.tiles], chosen=chosen, seconds=_WAIT_SECONDS)
    shown = {data.tile_id: data for data in found}
    tiles = [_tile(view, tile, shown.get(tile.id)) for tile in view.tiles]
    made = f"As of {moments.written(datetime.now(UTC))}."
    filters = "; ".join(words_of(view, chosen))
    parts = [made, view.notice, f"Filtered by {filters}." if filters else ""]
    return dashboard_html(view.info.title, tiles, made=" ".join(part for part in parts if part))


def _tile(view: DashboardView, tile: TileView, data: TileData | None) -> DocumentTile:
    if data is None or not isinstance(tile.content, QueryTile):
        return DocumentTile(tile.title, tile.width, tile.text)
    notes = []
    if data.refreshed_at is not None:
        notes.append(f"{'Filtered, read' if data.filtered else 'Refreshed'} {moments.written(data.refreshed_at)}.")
    notes += [*data.unapplied, *([data.undrawn] if data.undrawn else [])]
    if tile.changes is not None and not data.filtered:
        notes.append(tile.changes.sentence)
    fault = "Its rows were still being read." if data.waiting else data.fault_text
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
