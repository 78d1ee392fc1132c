"""The tiles of a dashboard on a grid of four columns, and the controls that arrange them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import streamlit as st

from pages.ui import answer, dialogs, grid, moments, safe, sidebar, state, wording
from pages.ui.dashboard_filters import Chosen
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output.dashboards import GRID_COLUMNS, QueryTile, TextTile, TileHeight
from tabulaflow_core.output.specs import ChartSpec, MetricSpec
from tabulaflow_core.runtime import DashboardRun, DashboardView, TileData, TileView, get_runtime

#: Pixels of a chart, and rows of a table.
_HEIGHTS: Final[dict[TileHeight, int]] = {"small": 200, "medium": 320, "large": 520}
_ROWS: Final[dict[TileHeight, int]] = {"small": 4, "medium": 8, "large": 14}
#: Seconds that a run of the page waits for rows of a choice before it is drawn without them, and between two looks.
_WAIT_SECONDS: Final = 0.5
_WIDTHS: Final = {1: "A quarter", 2: "Half", 3: "Three quarters", 4: "Whole"}
_TEXT: Final = "tf_new_text"
_TITLE: Final = "tf_new_text_title"


def draw(view: DashboardView, run: DashboardRun | None, *, chosen: Chosen, arranging: bool) -> None:
    """Draw all tiles with their last good rows, or with those of a choice.

    Args:
        run: The refresh that goes on.
        chosen: The values of its filters.
        arranging: Show what moves, changes and removes them.
    """
    runtime, who = get_runtime(), state.principal()
    ids = [tile.id for tile in view.tiles]
    shown = {
        data.tile_id: data for data in runtime.tile_data(who, view.info.id, ids, chosen=chosen, seconds=_WAIT_SECONDS)
    }
    if arranging:
        _draw_removed(view)
    for row in rows_of(view.tiles):
        spare = GRID_COLUMNS - sum(tile.width for tile in row)
        columns = st.columns([*(tile.width for tile in row), *([spare] if spare else [])])
        for column, tile in zip(columns, row, strict=False):
            with column, st.container(border=True, key=f"tile-{tile.id}"):
                _draw_tile(view, tile, shown.get(tile.id), run, chosen)
                if arranging:
                    _draw_controls(view, tile)
    if arranging:
        _draw_new_text(view)
    for tile in view.tiles:
        if dialogs.is_open(tile.id):
            _edit(view, tile)
    if waiting := [tile_id for tile_id, data in shown.items() if data.waiting]:
        _watch(view.info.id, waiting, chosen)


@st.fragment(run_every=_WAIT_SECONDS)
def _watch(dashboard_id: str, tile_ids: list[str], chosen: Chosen) -> None:
    """Draw the page again when rows of a choice have come; asking also keeps their queries running."""
    found = get_runtime().tile_data(state.principal(), dashboard_id, tile_ids, chosen=chosen)
    if not found or any(not data.waiting for data in found):
        st.rerun()


def rows_of(tiles: Sequence[TileView]) -> Iterator[list[TileView]]:
    """The tiles as they stand on rows of `GRID_COLUMNS`, in their order."""
    row: list[TileView] = []
    for tile in tiles:
        if row and sum(other.width for other in row) + tile.width > GRID_COLUMNS:
            yield row
            row = []
        row.append(tile)
    if row:
        yield row


def _draw_tile(
    view: DashboardView, tile: TileView, data: TileData | None, run: DashboardRun | None, chosen: Chosen
) -> None:
    titled = data is not None and isinstance(data.spec, ChartSpec) and data.spec.title == tile.title
    if tile.title and not titled:  # the chart says it itself
        st.markdown(f"**{safe.label(tile.title)}**")
    if isinstance(tile.content, TextTile):
        answer.draw_text(tile.text, key=f"text-{tile.id}")
        return
    if data is None:
        st.caption("This tile was removed. Reload the page.")
        return
    if data.waiting:
        st.caption(":material/sync: reading its rows")
        return
    _draw_content(tile, data)
    if data.undrawn:
        st.caption(f":material/insert_chart: {safe.markdown(data.undrawn)}")
    for sentence in data.unapplied:
        st.caption(f":material/filter_alt_off: {safe.markdown(sentence)}")
    if tile.text:
        answer.draw_text(tile.text, key=f"text-{tile.id}")
    if data.fault and data.result is not None:
        st.warning(safe.markdown(data.fault_text), icon=":material/history:")
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        _draw_age(tile, data, run)
        if data.result is not None:
            st.button(
                "Ask about this",
                icon=":material/forum:",
                key=f"ask-{tile.id}",
                type="tertiary",
                on_click=_guarded,
                args=(lambda: _ask_about(view, tile, chosen),),
            )
    if not data.filtered:
        _draw_changes(tile)
    if view.show_sql:
        _draw_origin(tile)


def _draw_content(tile: TileView, data: TileData) -> None:
    if data.result is None:
        st.warning(safe.markdown(data.fault), icon=":material/history:")
        return
    match data.spec:
        case ChartSpec():
            answer.draw_figure(data.spec, key=f"figure-{tile.id}", height=_HEIGHTS[tile.height])
        case MetricSpec():
            st.metric(safe.label(data.spec.label), data.spec.value)
        case _:
            extent = grid.draw(
                data.result.table,
                key=f"grid-{tile.id}",
                limit=get_runtime().settings.limits.display_rows,
                truncated=data.result.truncated,
                elsewhere="",
                rows=_ROWS[tile.height],
            )
            st.caption(extent)


def _draw_age(tile: TileView, data: TileData, run: DashboardRun | None) -> None:
    if run is not None and run.is_waiting(tile.id):
        st.caption(":material/sync: refreshing", width="content")
    elif data.refreshed_at is not None and data.filtered:
        st.caption(f":material/filter_alt: Filtered, read {moments.ago(data.refreshed_at)}", width="content")
    elif data.refreshed_at is not None:
        st.caption(f"Refreshed {moments.ago(data.refreshed_at)}", width="content")


def _draw_changes(tile: TileView) -> None:
    changes = tile.changes
    if changes is None:
        return
    since = f"{changes.sentence} Before: {moments.ago(changes.since)}."
    if not changes.rows or len(changes.rows) == 1:
        st.caption(safe.markdown(since))
        return
    with st.expander(safe.label(since), key=f"changes-{tile.id}"):
        signs = {"up": "▲", "down": "▼", "new": "new", "gone": "gone", "changed": "changed"}
        for row in changes.rows:
            values = " → ".join(value for value in (row.before, row.after) if value)
            name = " · ".join(part for part in (row.key, row.column) if part)
            st.caption(safe.markdown(f"{signs[row.kind]} {name}: {values}" if values else f"{signs[row.kind]} {name}"))
        if (more := sum(changes.counts.values()) - len(changes.rows)) > 0:
            st.caption(f"and {wording.count(more, 'change')} more")


def _draw_origin(tile: TileView) -> None:
    if not isinstance(tile.content, QueryTile):
        return
    with st.expander("SQL", icon=":material/code:", key=f"sql-{tile.id}"):
        st.code(tile.content.sql, language="sql", wrap_lines=True)
        st.caption(f"Runs on **{safe.label(tile.content.source)}**, read-only and without a model.")
        origin = tile.content.origin
        if origin.question:
            st.caption("Asked as")
            st.text(origin.question)
        for note in origin.notes:
            st.caption(f":material/build: {safe.markdown(note)}")


def _draw_controls(view: DashboardView, tile: TileView) -> None:
    at = [other.id for other in view.tiles].index(tile.id)
    with st.container(horizontal=True, gap="small"):
        for name, icon, label, enabled, call in (
            ("earlier", "arrow_back", "Earlier", at > 0, lambda: _move(view, tile, at - 1)),
            ("later", "arrow_forward", "Later", at < len(view.tiles) - 1, lambda: _move(view, tile, at + 1)),
            ("edit", "edit", "Edit", True, lambda: dialogs.show(tile.id)),
            ("copy", "content_copy", "Duplicate", True, lambda: _duplicate(view, tile)),
            ("remove", "delete", "Remove", True, lambda: _remove(view, tile)),
        ):
            st.button(
                label,
                icon=f":material/{icon}:",
                key=f"{name}-{tile.id}",
                type="tertiary",
                disabled=not enabled,
                on_click=_guarded,
                args=(call,),
            )


def _ask_about(view: DashboardView, tile: TileView, chosen: Chosen) -> None:
    begun = get_runtime().ask_about_tile(state.principal(), view.info.id, tile.id, chosen=chosen)
    sidebar.open_in_chat(begun.id)


def _guarded(call: Callable[[], object]) -> None:
    try:
        call()
    except TabulaflowError as error:
        st.toast(safe.markdown(error.user_message), icon=":material/error:")


def _move(view: DashboardView, tile: TileView, position: int) -> None:
    get_runtime().move_tile(state.principal(), view.info.id, tile.id, position)


def _duplicate(view: DashboardView, tile: TileView) -> None:
    get_runtime().duplicate_tile(state.principal(), view.info.id, tile.id)


def _remove(view: DashboardView, tile: TileView) -> None:
    get_runtime().remove_tile(state.principal(), view.info.id, tile.id)


def _draw_removed(view: DashboardView) -> None:
    """A way back for the tile that was removed last."""
    if not view.removed:
        return
    tile = view.removed[0]
    name = safe.label(tile.title) if tile.title else "a tile"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f":material/delete: Removed **{name}**", width="content")
        st.button(
            "Undo",
            key=f"restore-{tile.id}",
            type="tertiary",
            on_click=_guarded,
            args=(lambda: get_runtime().restore_tile(state.principal(), view.info.id, tile.id),),
        )


@st.dialog("Edit the tile", on_dismiss=dialogs.close)
def _edit(view: DashboardView, tile: TileView) -> None:
    fields = {name: f"edit-{tile.id}-{name}" for name in ("title", "text", "width", "height")}
    st.text_input("Title", value=tile.title, key=fields["title"], max_chars=120)
    st.text_area("Text", value=tile.text, key=fields["text"], max_chars=20_000)
    st.segmented_control(
        "Width", list(_WIDTHS), default=tile.width, format_func=_WIDTHS.__getitem__, key=fields["width"], required=True
    )
    st.segmented_control(
        "Height", list(_HEIGHTS), default=tile.height, format_func=str.capitalize, key=fields["height"], required=True
    )
    if st.button("Save", type="primary", key=f"save-{tile.id}"):
        try:
            _save(view, tile, fields)
        except TabulaflowError as error:  # what was typed stays
            st.error(safe.markdown(error.user_message), icon=":material/error:")
            return
        dialogs.close()
        st.rerun()


def _save(view: DashboardView, tile: TileView, fields: dict[str, str]) -> None:
    values = {name: st.session_state.get(field) for name, field in fields.items()}
    get_runtime().change_tile(state.principal(), view.info.id, tile.id, **values)


def _draw_new_text(view: DashboardView) -> None:
    with st.form(f"text-{view.info.id}", clear_on_submit=True):
        st.text_input("Heading", key=_TITLE, max_chars=120)
        st.text_area("Text", key=_TEXT, placeholder="What these figures mean, for whoever reads them", max_chars=20_000)
        st.form_submit_button("Add text", icon=":material/notes:", on_click=_guarded, args=(lambda: _add_text(view),))


def _add_text(view: DashboardView) -> None:
    words, title = str(st.session_state.get(_TEXT, "")), str(st.session_state.get(_TITLE, ""))
    get_runtime().add_text_tile(state.principal(), view.info.id, words, title=title)
