"""The form in which its owner gives a dashboard filters: a name, a kind, and the columns that it holds for."""

from __future__ import annotations

import re
from typing import Final, get_args

import streamlit as st

from pages.ui import dialogs, safe, state
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output.dashboards import DashboardFilter, FilterKind
from tabulaflow_core.runtime import DashboardView, FilterableColumn, get_runtime

_FAULT: Final = "tf_filter_fault"
_NAME: Final = "new-filter-name"
_KIND: Final = "new-filter-kind"
_COLUMNS: Final = "new-filter-columns"
_KINDS: Final[dict[FilterKind, str]] = {
    "choice": "A choice of values",
    "date_range": "A range of days",
    "number": "A range of numbers",
    "text": "A text it holds",
}


@st.dialog("Filters", on_dismiss=dialogs.close)
def show(view: DashboardView) -> None:
    """Those that there are, and fields for a new one."""
    runtime, who = get_runtime(), state.principal()
    view = runtime.dashboard(who, view.info.id)
    if fault := st.session_state.pop(_FAULT, ""):
        st.error(safe.markdown(fault), icon=":material/error:")
    for each in view.filters:
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            columns = ", ".join(f"{place.table}.{place.column}" for place in each.columns)
            st.markdown(f"**{safe.label(each.label)}** · {_KINDS[each.kind].lower()} · {safe.label(columns)}")
            st.button(
                "Remove",
                icon=":material/delete:",
                key=f"remove-filter-{each.id}",
                type="tertiary",
                on_click=_set,
                args=(view, [other for other in view.filters if other.id != each.id]),
            )
    offers = runtime.filter_columns(who, view.info.id)
    if not offers:
        st.info("A filter holds for columns of the tables that tiles read. There is no such tile yet.")
        return
    st.markdown("**A new filter**")
    kind = st.selectbox("Kind", list(get_args(FilterKind)), format_func=_KINDS.__getitem__, key=_KIND, index=1)
    fitting = [offer for offer in offers if kind in offer.kinds]
    if not fitting:
        st.caption("No column of the tiles' tables can be filtered so.")
    st.multiselect("Columns", fitting, format_func=_named, key=f"{_COLUMNS}-{kind}", placeholder="That it holds for")
    st.text_input("Name", key=_NAME, max_chars=60, placeholder="By which people know it; that of the column if empty")
    st.button("Add filter", type="primary", key="add-filter", on_click=_add, args=(view,))
    st.caption("What a viewer chooses is bound to the queries as values, and stands in the link.")


def _named(offer: FilterableColumn) -> str:
    place = offer.place
    return f"{place.table}.{place.column} · {place.source} · {offer.type}"


def _add(view: DashboardView) -> None:
    kind: FilterKind = st.session_state[_KIND]
    columns = f"{_COLUMNS}-{kind}"
    offers: list[FilterableColumn] = st.session_state.get(columns) or []
    first = offers[0].place.column.replace("_", " ").strip().capitalize() if offers else ""
    label = " ".join(str(st.session_state.get(_NAME, "")).split()) or first or "Filter"
    made = DashboardFilter(
        id=_id(label, {each.id for each in view.filters}),
        label=label,
        kind=kind,
        columns=tuple(offer.place for offer in offers),
    )
    if _set(view, [*view.filters, made]):
        st.session_state[_NAME], st.session_state[columns] = "", []


def _id(label: str, taken: set[str]) -> str:
    """A short id for the URL, from the label where that has letters of ASCII."""
    base = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:30] or "filter"
    return next(name for n in range(1, 100) if (name := base if n == 1 else f"{base}-{n}") not in taken)


def _set(view: DashboardView, filters: list[DashboardFilter]) -> bool:
    try:
        get_runtime().set_filters(state.principal(), view.info.id, filters)
    except TabulaflowError as error:
        st.session_state[_FAULT] = error.user_message
        return False
    return True
