"""What its owner sets for a dashboard: its name, when it is refreshed, and who may see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, get_args

import streamlit as st

from pages.ui import dashboard_filter_form, dialogs, moments, pin, safe, state
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output.dashboards import RefreshPolicy, Sharing
from tabulaflow_core.runtime import DashboardView, get_runtime

_SAVED: Final = "tf_dashboard_saved"
_AGES: Final = {None: "Never", 60: "A minute", 900: "15 minutes", 3600: "An hour", 86_400: "A day"}
_EVERY: Final = {900: "15 minutes", 3600: "Hour", 21_600: "6 hours", 86_400: "24 hours"}
_KINDS: Final = ("By hand", "Every", "Each day at")
_WHO: Final = {"private": "Only you", "team": "Everybody here", "chosen": "People and groups"}
_SOURCES: Final = {"owner": "Your sources", "viewer": "Their own sources of the same names"}
_RUNS: Final = {
    "owner": "They see what your sources give, never their addresses or passwords.",
    "viewer": "Nobody sees your rows. Who has no source of the name is told so.",
}


def draw(view: DashboardView) -> None:
    """The buttons of the forms, and the form that was opened."""
    for name, label, icon in (
        ("filters", "Filters", "filter_alt"),
        ("refreshing", "Schedule", "schedule"),
        ("sharing", "Share", "share"),
        ("naming", "Settings", "settings"),
    ):
        st.button(label, icon=f":material/{icon}:", key=f"open-{name}", on_click=_open, args=(name,))
    forms = {"filters": dashboard_filter_form.show, "refreshing": _refreshing, "sharing": _sharing, "naming": _naming}
    for name, form in forms.items():
        if dialogs.is_open(name):
            form(view)


def _open(name: str) -> None:
    st.session_state.pop(_SAVED, None)
    dialogs.show(name)


def _tried(call: Callable[[], object], said: str) -> bool:
    """Do it, and have the open form say what came of it; whether it went well."""
    try:
        call()
    except TabulaflowError as error:
        st.session_state[_SAVED] = ("error", error.user_message)
        return False
    st.session_state[_SAVED] = ("success", said)
    return True


def _draw_saved() -> None:
    kind, said = st.session_state.pop(_SAVED, ("", ""))
    if kind == "error":
        st.error(safe.markdown(said), icon=":material/error:")
    elif kind:
        st.success(safe.markdown(said), icon=":material/check:")


@st.dialog("When it is refreshed", on_dismiss=dialogs.close)
def _refreshing(view: DashboardView) -> None:
    now = view.refreshing
    kind = st.radio("Refresh", _KINDS, index=2 if now.at else 1 if now.every_seconds else 0, horizontal=True)
    every: int | None = None
    at: str | None = None
    zone = now.time_zone if now.at else st.context.timezone or "UTC"
    if kind == "Every":
        choices = sorted({*_EVERY, *([now.every_seconds] if now.every_seconds else [])})
        every = st.selectbox(
            "Interval",
            choices,
            index=choices.index(now.every_seconds or 3600),
            format_func=lambda seconds: _EVERY.get(seconds, f"{seconds // 60} minutes"),
        )
    elif kind == "Each day at":
        at = st.text_input("Time of day", value=now.at or "07:00", max_chars=5, help="HH:MM")
        zone = st.text_input("Time zone", value=zone, max_chars=64, help="Such as Europe/Zurich or UTC")
    ages = sorted({*_AGES, now.max_age_seconds}, key=lambda seconds: seconds or 0)
    age = st.selectbox(
        "Also when it is opened and older than",
        ages,
        index=ages.index(now.max_age_seconds),
        format_func=lambda seconds: _AGES.get(seconds, f"{(seconds or 0) // 60} minutes"),
    )
    policy = RefreshPolicy(max_age_seconds=age, every_seconds=every, at=at, time_zone=zone)
    if st.button("Save", type="primary", key="save-refreshing"):
        runtime, who = get_runtime(), state.principal()
        _tried(lambda: runtime.set_refreshing(who, view.info.id, policy), "Saved.")
        kept = runtime.dashboard(who, view.info.id)
        if kept.next_refresh_at is not None:
            st.caption(f"Next: {moments.clock(kept.next_refresh_at, kept.refreshing.time_zone)}")
    _draw_saved()
    st.caption("Schedules are kept while this server runs, or by the command `tabulaflow worker`. No model is called.")


@st.dialog("Who may see it", on_dismiss=dialogs.close)
def _sharing(view: DashboardView) -> None:
    now = view.sharing or Sharing()
    choices = list(get_args(Sharing.model_fields["visibility"].annotation))
    visibility = st.radio(
        "Shared with", choices, index=choices.index(now.visibility), format_func=_WHO.__getitem__, key="share-with"
    )
    people, groups = now.people, now.groups
    if visibility == "chosen":
        people = tuple(st.multiselect("People", list(people), default=list(people), accept_new_options=True))
        groups = tuple(st.multiselect("Groups", list(groups), default=list(groups), accept_new_options=True))
    show_sql, runs_with = now.show_sql, now.runs_with
    if visibility != "private":
        show_sql = st.checkbox("They see the queries too", value=show_sql)
        runs_with = st.radio(
            "It runs with", list(_SOURCES), index=list(_SOURCES).index(runs_with), format_func=_SOURCES.__getitem__
        )
        st.caption(_RUNS[runs_with])
    sharing = Sharing(visibility=visibility, people=people, groups=groups, show_sql=show_sql, runs_with=runs_with)
    if st.button("Save", type="primary", key="save-sharing"):
        runtime, who = get_runtime(), state.principal()
        _tried(lambda: runtime.share_dashboard(who, view.info.id, sharing), "Saved.")
    _draw_saved()
    st.caption("Its link, for whoever may see it:")
    st.code(_link(view.info.id), language=None, wrap_lines=True)


def _link(dashboard_id: str) -> str:
    return f"{(st.context.url or '').partition('?')[0]}?{pin.URL_KEY}={dashboard_id}"


@st.dialog("Name and removal", on_dismiss=dialogs.close)
def _naming(view: DashboardView) -> None:
    title = st.text_input("Name", value=view.info.title, max_chars=120, key="rename-to")
    runtime, who = get_runtime(), state.principal()
    pressed = st.button("Rename", type="primary", key="rename")
    if pressed and _tried(lambda: runtime.rename_dashboard(who, view.info.id, title), "Renamed."):
        dialogs.close()
        st.rerun()
    st.divider()
    st.caption("The answers that its tiles came from stay in their conversations.")
    sure = st.checkbox("Delete this dashboard for everybody", key="delete-sure")
    pressed = st.button("Delete", icon=":material/delete:", disabled=not sure, key="delete-dashboard")
    if pressed and _tried(lambda: runtime.delete_dashboard(who, view.info.id), "Deleted."):
        dialogs.close()
        st.query_params.pop(pin.URL_KEY, None)
        st.rerun()
    _draw_saved()
