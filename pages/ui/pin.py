"""Pinning: a table, a chart or a number of an answer goes to a dashboard, with its query and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import streamlit as st

from pages.ui import dialogs, safe, state
from pages.ui.changes import Changes
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output import ChartOrder, ChartSpec
from tabulaflow_core.output.dashboards import ChartChoice, QueryTile, TileOrigin
from tabulaflow_core.output.specs import MetricSpec, TableSpec
from tabulaflow_core.runtime import TurnView, get_runtime, last_good

PAGE: Final = "pages/dashboards.py"
#: The dashboard in the URL of that page.
URL_KEY: Final = "d"
_DONE: Final = "tf_pin_done"
_LAST: Final = "tf_pin_last"
_NEW: Final = "A new dashboard"


@dataclass(frozen=True, slots=True)
class Pinnable:
    """What can be pinned of an answer.

    Attributes:
        result_id: The rows that it shows.
        show: What is drawn of them.
        order: In which the person had the labels of a chart.
    """

    turn: TurnView
    conversation_id: str
    result_id: str
    title: str
    show: ChartSpec | MetricSpec | TableSpec
    order: ChartOrder | None = None


def draw(
    changes: Changes | None,
    show: ChartSpec | MetricSpec | TableSpec,
    result_id: str,
    *,
    title: str,
    key: str,
    order: ChartOrder | None = None,
) -> None:
    """The button, and the choice of a dashboard once it was pressed; nothing while the turn still runs.

    Args:
        show: What is pinned, as it is shown.
        result_id: The rows that it shows.
        order: In which the person has the labels of a chart.
    """
    if changes is None or changes.turn is None:
        return
    title = title or " ".join(changes.turn.question.split())[:120]
    pinnable = Pinnable(changes.turn, changes.conversation_id, result_id, title, show, order)
    st.button(
        "Pin",
        icon=":material/keep:",
        key=f"{key}-pin",
        help="Keep it on a dashboard",
        on_click=_open,
        args=(key,),
    )
    if last := _last():
        st.button(
            f"Pin to {safe.label(last[1], length=24)}",
            icon=":material/keep:",
            key=f"{key}-pin-last",
            type="tertiary",
            on_click=_pin_to_last,
            args=(pinnable, key),
        )
    if dialogs.is_open(f"{key}-pin"):
        _choose(pinnable, key)


def shown_result(table_id: str, changes: Changes | None) -> str:
    """The rows of a table as the person changed its query, else as answered."""
    kept = last_good(changes.at(f"sql-{table_id}")) if changes is not None else None
    return str(kept["result_id"]) if kept is not None else table_id


def content_of(pinnable: Pinnable) -> QueryTile:
    """The tile.

    Raises:
        NotFound: The rows are not there any more.
    """
    result = get_runtime().result(state.principal(), pinnable.result_id)
    show, names = pinnable.show, result.table.column_names
    chart = None
    if isinstance(show, ChartSpec):
        chart = ChartChoice(
            type=show.type,
            x=names[show.x],
            y=tuple(names[at] for at in show.y),
            color=None if show.color is None else names[show.color],
            order=pinnable.order,
            title=show.title,
        )
    answered = pinnable.turn.result
    return QueryTile(
        show="chart" if chart else "metric" if isinstance(show, MetricSpec) else "table",
        source=result.source,
        dialect=result.dialect,
        sql=result.sql,
        chart=chart,
        label=show.label if isinstance(show, MetricSpec) else "",
        origin=TileOrigin(
            conversation_id=pinnable.conversation_id,
            turn_id=pinnable.turn.id,
            question=pinnable.turn.question,
            model=pinnable.turn.model,
            notes=(*result.notes, *(answered.assumptions if answered else ())),
        ),
    )


def _last() -> tuple[str, str] | None:
    """The dashboard that one press pins to, its id and title: the last one used, at first the last one changed."""
    if _LAST not in st.session_state:
        own = (board for board in get_runtime().dashboards(state.principal()) if board.role == "owner")
        board = next(own, None)
        st.session_state[_LAST] = (board.id, board.title) if board is not None else None
    found: tuple[str, str] | None = st.session_state[_LAST]
    return found


def _pin_to_last(pinnable: Pinnable, key: str) -> None:
    _open(key)
    if last := _last():
        _put(pinnable, last[0], title=pinnable.title)


def _open(key: str) -> None:
    st.session_state.pop(_DONE, None)
    dialogs.show(f"{key}-pin")


@st.dialog("Pin to a dashboard", on_dismiss=dialogs.close)
def _choose(pinnable: Pinnable, key: str) -> None:
    """Which dashboard, and what the tile is called; then the way there."""
    if (done := st.session_state.get(_DONE)) is not None:
        dashboard_id, title = done
        st.success(f"Pinned to **{safe.label(title)}**.", icon=":material/keep:")
        st.page_link(
            PAGE,
            label="Open the dashboard",
            icon=":material/dashboard:",
            query_params={URL_KEY: dashboard_id},
        )
        return
    own = {board.id: board.title for board in get_runtime().dashboards(state.principal()) if board.role == "owner"}
    ids = [*own, ""]
    last = (_last() or ("",))[0]
    fields = {name: f"{key}-pin-{name}" for name in ("board", "new", "title")}
    chosen = st.selectbox(
        "Dashboard",
        ids,
        index=ids.index(last) if last in own else 0,
        format_func=lambda board_id: own.get(board_id, _NEW),
        key=fields["board"],
    )
    if not chosen:
        st.text_input("Name of the new dashboard", key=fields["new"], max_chars=120)
    st.text_input("Title of the tile", value=pinnable.title, key=fields["title"], max_chars=120)
    st.button("Pin it", key=f"{key}-pin-now", type="primary", on_click=_pin, args=(pinnable, fields))
    if fault := st.session_state.pop(f"{_DONE}-fault", ""):
        st.error(safe.markdown(fault), icon=":material/error:")


def _pin(pinnable: Pinnable, fields: dict[str, str]) -> None:
    name = str(st.session_state.get(fields["new"], ""))
    title = str(st.session_state.get(fields["title"], ""))
    _put(pinnable, st.session_state.get(fields["board"]), title=title, name=name)


def _put(pinnable: Pinnable, board_id: str | None, *, title: str, name: str = "") -> None:
    """Pin it to a dashboard, or to a new one of this name; the dialog says what came of it."""
    runtime, who = get_runtime(), state.principal()
    try:
        content = content_of(pinnable)
        board = runtime.dashboard(who, board_id).info if board_id else runtime.create_dashboard(who, name)
        runtime.pin(who, board.id, content, title=title, result_id=pinnable.result_id)
    except TabulaflowError as error:
        st.session_state[f"{_DONE}-fault"] = error.user_message
        st.session_state.pop(_LAST, None)  # it may be deleted: the next look finds another
        return
    st.session_state[_LAST] = (board.id, board.title)
    st.session_state[_DONE] = (board.id, board.title)
