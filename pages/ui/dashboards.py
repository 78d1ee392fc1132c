"""The page of dashboards: all of them, or the one in the URL."""

from __future__ import annotations

import time
from typing import Final

import streamlit as st

from pages.ui import (
    dashboard_filters,
    dashboard_settings,
    dashboard_take_away,
    dashboard_tiles,
    moments,
    pin,
    safe,
    saved,
    state,
    wording,
)
from tabulaflow_core.errors import NotFound, TabulaflowError
from tabulaflow_core.runtime import DashboardInfo, DashboardRun, DashboardView, get_runtime

_NAME: Final = "tf_new_dashboard"
_FAULT: Final = "tf_dashboard_fault"
_OPENED: Final = "tf_dashboard_opened"
_DRAWN: Final = "tf_dashboard_drawn"
_BEGUN: Final = "tf_dashboard_begun"
_LOOK_SECONDS: Final = 0.5
_REDRAW_SECONDS: Final = 3.0
_FIRST_SECONDS: Final = 1.0
#: Between two looks at what other windows and servers did, and whether the rows are too old by now.
_FOLLOW_SECONDS: Final = 20.0
#: Dashboards from which on one is looked for by its name.
_MANY: Final = 10
_FIND: Final = "tf_dashboard_find"


def draw() -> None:
    """Draw the page."""
    dashboard_id = state.id_in_url(pin.URL_KEY)
    if not dashboard_id:
        _draw_all()
        return
    try:
        # The refresh first: one that ends between the two looks is drawn again, and never shown half.
        run = _run_of(dashboard_id)
        view = get_runtime().dashboard(state.principal(), dashboard_id)
    except NotFound as error:
        st.warning(safe.markdown(error.user_message), icon=":material/lock:")
        st.page_link(pin.PAGE, label="All dashboards", icon=":material/dashboard:", width="content")
        return
    _draw_one(view, run)


def _draw_all() -> None:
    st.title("Dashboards")
    boards = get_runtime().dashboards(state.principal())
    if not boards:
        st.markdown("Pin a table, a chart or a number of an answer, and it stays here: refreshed without a model.")
    with (
        st.form("new-dashboard", border=False, clear_on_submit=True),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input("New dashboard", key=_NAME, placeholder="Its name", max_chars=120, width=320)
        st.form_submit_button("Create", icon=":material/add:", on_click=_create)
    _draw_fault()
    if len(boards) > _MANY:
        word = st.text_input("Find a dashboard", key=_FIND, placeholder="Part of its name").casefold()
        boards = tuple(board for board in boards if word in board.title.casefold())
        if not boards:
            st.caption("None has that in its name.")
    for board in boards:
        _draw_entry(board)
    saved.draw_list()


def _draw_entry(board: DashboardInfo) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.page_link(
            pin.PAGE,
            label=f"**{safe.label(board.title)}**",
            icon=":material/dashboard:",
            query_params={pin.URL_KEY: board.id},
            width="content",
        )
        whose = f"shared by {safe.label(board.owner_name)} · " if board.owner_name else ""
        refreshed = f"refreshed {moments.ago(board.refreshed_at)}" if board.refreshed_at else "not refreshed yet"
        st.caption(f"{whose}{wording.count(board.tile_count, 'tile')} · {refreshed}", width="content")


def _create() -> None:
    try:
        board = get_runtime().create_dashboard(state.principal(), str(st.session_state.get(_NAME, "")))
    except TabulaflowError as error:
        st.session_state[_FAULT] = error.user_message
        return
    st.query_params[pin.URL_KEY] = board.id


def _draw_fault() -> None:
    if fault := st.session_state.pop(_FAULT, ""):
        st.error(safe.markdown(fault), icon=":material/error:")


def _draw_one(view: DashboardView, run: DashboardRun | None) -> None:
    own = view.info.role == "owner"
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.title(safe.label(view.info.title), anchor=False, width="stretch")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            if run is not None and own:  # others would stop it for the owner, and a schedule's too
                st.button("Stop", icon=":material/stop_circle:", key="stop-refresh", on_click=run.cancel)
            elif run is None and view.tiles:
                st.button("Refresh", icon=":material/refresh:", key="refresh", on_click=_refresh, args=(view.info.id,))
            arranging = own and st.toggle("Arrange", key="arrange", help="Move, resize, rename and remove tiles")
            if view.tiles:
                dashboard_take_away.draw(view, dashboard_filters.chosen(view))
            if own:
                dashboard_settings.draw(view)
    _draw_state(view, run)
    _draw_fault()
    chosen = dashboard_filters.draw(view)
    if not view.tiles:
        st.info("There is nothing on it yet. Ask something, and press **Pin** below the answer.")
    if run is not None and not run.done and st.session_state.get(_BEGUN) != id(run):
        st.session_state[_BEGUN] = id(run)
        run.wait_first(_FIRST_SECONDS)  # the buttons stand there by now; so the first tiles are new in this run
        view = get_runtime().dashboard(state.principal(), view.info.id)
    dashboard_tiles.draw(view, run, chosen=chosen, arranging=bool(arranging))
    if run is not None:
        _watch(run)
    else:
        _follow(view.info.id, _state_of(view))


def _draw_state(view: DashboardView, run: DashboardRun | None) -> None:
    parts = []
    if run is not None:
        parts.append(f"refreshing, {run.done} of {run.total} done")
    elif view.info.refreshed_at is not None:
        parts.append(f"refreshed {moments.ago(view.info.refreshed_at)}")
    if view.next_refresh_at is not None:
        parts.append(f"next {moments.clock(view.next_refresh_at, view.refreshing.time_zone)}")
    if view.notice:
        parts.append(view.notice)
    if parts:
        line = " · ".join(parts)
        st.caption(safe.markdown(line[:1].upper() + line[1:]))


def _run_of(dashboard_id: str) -> DashboardRun | None:
    """The refresh that runs; opening the page begins one where the rows are older than the dashboard allows."""
    runtime, who = get_runtime(), state.principal()
    if st.session_state.get(_OPENED) != dashboard_id:
        run = runtime.open_dashboard(who, dashboard_id)
        st.session_state[_OPENED] = dashboard_id
        return run if run.running and run.total else None
    return runtime.running_refresh(who, dashboard_id)


@st.fragment(run_every=_LOOK_SECONDS)
def _watch(run: DashboardRun) -> None:
    """Draw the page again when the first tile has been refreshed, then every few seconds, and at the end.

    Each time draws all tiles: done more often it would take the time that the queries need.
    """
    begun, done, at = st.session_state.get(_DRAWN, (None, 0, 0.0))
    if begun != id(run):
        begun, done, at = id(run), 0, 0.0
    now = time.monotonic()
    due = run.done > done and (not done or now - at > _REDRAW_SECONDS)
    if due or not run.running:
        begun, done, at = id(run), run.done, now
    st.session_state[_DRAWN] = (begun, done, at)
    if due or not run.running:
        st.rerun()


def _state_of(view: DashboardView) -> tuple[object, ...]:
    return (view.info.updated_at, tuple((tile.id, tile.result_id, tile.fault) for tile in view.tiles))


@st.fragment(run_every=_FOLLOW_SECONDS)
def _follow(dashboard_id: str, drawn: tuple[object, ...]) -> None:
    """Draw the page again when another window, server or schedule changed it; refresh what is too old by now."""
    runtime, who = get_runtime(), state.principal()
    try:
        begun = runtime.open_dashboard(who, dashboard_id)
        changed = _state_of(runtime.dashboard(who, dashboard_id)) != drawn
    except NotFound:  # deleted, or shared no more
        changed = True
    else:
        changed = changed or (begun.running and begun.total > 0)
    if changed:
        st.rerun()


def _refresh(dashboard_id: str) -> None:
    try:
        get_runtime().refresh_dashboard(state.principal(), dashboard_id)
    except TabulaflowError as error:
        st.session_state[_FAULT] = error.user_message
