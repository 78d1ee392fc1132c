"""The filters of a dashboard: a field each, whose values stand in the URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

import streamlit as st

from pages.ui import safe, state
from tabulaflow_core.output.dashboards import DashboardFilter
from tabulaflow_core.output.filter_values import range_ends, range_text, read_value, said
from tabulaflow_core.runtime import DashboardView, get_runtime

#: Values by the filter's id, as in the URL; a filter that is not there has its default.
Chosen = Mapping[str, Sequence[str]]

_PREFIX: Final = "f-"
_WIDTH: Final = 220
_LOOK_SECONDS: Final = 0.5


def chosen(view: DashboardView) -> Chosen:
    """What the URL says."""
    given = {each.id: st.query_params.get_all(_PREFIX + each.id) for each in view.filters}
    return {name: texts for name, texts in given.items() if texts}


def words_of(view: DashboardView, given: Chosen) -> list[str]:
    """What restricts the tiles, in words."""
    words = [said(each, read_value(each, given.get(each.id, each.default))) for each in view.filters]
    return [text for text in words if text]


def draw(view: DashboardView) -> Chosen:
    """Draw a field for each filter; what is chosen comes back."""
    given = chosen(view)
    if not view.filters:
        return given
    waiting = False
    with st.container(horizontal=True, vertical_alignment="bottom", key="filters"):
        for each in view.filters:
            texts = tuple(given.get(each.id, each.default))
            _follow_url(view, each, texts)
            with st.container(width=_WIDTH if each.kind in ("choice", "text") else _WIDTH + 60):
                waiting |= _draw_field(view, each)
        if given:
            st.button("Clear", icon=":material/filter_alt_off:", key="clear-filters", on_click=_clear, args=(view,))
    for each in view.filters:
        if fault := read_value(each, given.get(each.id, each.default)).fault:
            st.warning(safe.markdown(fault), icon=":material/filter_alt_off:")
    if waiting:
        _watch(view)
    return given


def _field(view: DashboardView, each: DashboardFilter, end: str = "") -> str:
    return f"filter-{view.info.id}-{each.id}{end}"


def _follow_url(view: DashboardView, each: DashboardFilter, texts: tuple[str, ...]) -> None:
    """Have the field show what the URL says, when that is not what the field itself wrote there."""
    seen = _field(view, each, "-seen")
    if st.session_state.get(seen) == texts:
        return
    st.session_state[seen] = texts
    first = next((text for text in texts if text), "")
    match each.kind:
        case "choice":
            st.session_state[_field(view, each)] = [text for text in dict.fromkeys(texts) if text]
        case "text":
            st.session_state[_field(view, each)] = first
        case "number":
            for end, text in zip(("-low", "-high"), range_ends(first), strict=True):
                st.session_state[_field(view, each, end)] = text
        case "date_range":
            for end, text in zip(("-low", "-high"), range_ends(first), strict=True):
                st.session_state[_field(view, each, end)] = _day(text)


def _draw_field(view: DashboardView, each: DashboardFilter) -> bool:
    """Draw one; whether the values to choose from are still being read."""
    label, changed = safe.label(each.label), {"on_change": _changed, "args": (view, each)}
    match each.kind:
        case "text":
            st.text_input(label, key=_field(view, each), placeholder="Any text", max_chars=1_000, **changed)
        case "choice":
            offered = get_runtime().filter_choices(state.principal(), view.info.id, each.id)
            now = st.session_state.get(_field(view, each)) or []
            st.multiselect(
                label,
                list(dict.fromkeys([*offered.values, *now])),
                key=_field(view, each),
                placeholder="All",
                accept_new_options=not offered.complete,
                **changed,
            )
            return offered.waiting
        case "number":
            low, high = st.columns(2)
            low.text_input(f"{label} from", key=_field(view, each, "-low"), max_chars=80, **changed)
            high.text_input("to", key=_field(view, each, "-high"), max_chars=80, **changed)
        case "date_range":
            low, high = st.columns(2)
            bounds = {"min_value": date.min, "max_value": date.max, "format": "YYYY-MM-DD"}
            low.date_input(f"{label} from", key=_field(view, each, "-low"), value=None, **bounds, **changed)
            high.date_input("to", key=_field(view, each, "-high"), value=None, **bounds, **changed)
    return False


def _changed(view: DashboardView, each: DashboardFilter) -> None:
    """Write what the field says into the URL; an empty field of a filter with a default stands there as empty."""
    if each.kind in ("number", "date_range"):
        low, high = (st.session_state.get(_field(view, each, end)) for end in ("-low", "-high"))
        ends = [end.isoformat() if isinstance(end, date) else str(end or "").strip() for end in (low, high)]
        texts = [text] if (text := range_text(*ends)) else []
    else:
        now = st.session_state.get(_field(view, each)) or []
        texts = [now] if isinstance(now, str) else list(now)
    name = _PREFIX + each.id
    if texts or each.default:
        st.query_params[name] = texts or [""]
    elif name in st.query_params:
        del st.query_params[name]
    st.session_state[_field(view, each, "-seen")] = tuple(st.query_params.get_all(name)) or each.default


def _clear(view: DashboardView) -> None:
    for each in view.filters:
        st.query_params.pop(_PREFIX + each.id, None)


@st.fragment(run_every=_LOOK_SECONDS)
def _watch(view: DashboardView) -> None:
    """Draw the page again when the values to choose from are there."""
    runtime, who = get_runtime(), state.principal()
    choices = [each for each in view.filters if each.kind == "choice"]
    if not any(runtime.filter_choices(who, view.info.id, each.id).waiting for each in choices):
        st.rerun()


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:  # the field stays empty, and a sentence says why
        return None
