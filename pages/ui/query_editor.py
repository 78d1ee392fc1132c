"""The query of a result, changed by hand and run again: no model, the same guard, and a Stop."""

from __future__ import annotations

from typing import Final, assert_never

import streamlit as st

from pages.ui import grid, safe, state, take_away, wording
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output.specs import TableSpec
from tabulaflow_core.runtime import SqlRun, get_runtime

_OPEN: Final = "tf_edited_queries"  # of each result that is being edited: the id of its last run, or None
_TICK: Final = 0.5  # seconds between two looks at a running query


def is_open(spec: TableSpec) -> bool:
    """Whether the query of this result is being edited."""
    return spec.id in st.session_state.get(_OPEN, {})


def draw(spec: TableSpec, *, key: str) -> None:
    """The button to edit with, or the editor with what its query gave."""
    if not is_open(spec):
        st.button(
            "Edit and run",
            key=f"{key}-edit",
            icon=":material/edit:",
            type="tertiary",
            on_click=_remember,
            args=(spec.id, None),
            help="Change the query and run it yourself. No model is called.",
        )
        return
    text = f"{key}-editor"
    st.text_area("Your query", value=spec.sql, key=text, height=min(40 + 24 * (spec.sql.count("\n") + 2), 400))
    run = _run_of(spec)
    running = run is not None and run.state == "running"
    with st.container(horizontal=True, vertical_alignment="center"):
        if running and run is not None:
            st.button("Stop", key=f"{key}-stop", icon=":material/stop_circle:", type="primary", on_click=run.cancel)
        else:
            st.button(
                "Run",
                key=f"{key}-run",
                icon=":material/play_arrow:",
                type="primary",
                on_click=_start,
                args=(spec.id, spec.source, text),
            )
        st.button("Close", key=f"{key}-close", type="tertiary", on_click=_close, args=(spec.id,))
    if run is not None:
        if running:
            _watch(run)
        else:
            _draw_end(run, key=key)


@st.fragment(run_every=_TICK)
def _watch(run: SqlRun) -> None:
    if run.state != "running":
        st.rerun()
    st.caption(
        f":material/hourglass_top: Running on {safe.label(run.source)} · {wording.seconds(int(run.seconds), places=0)}"
    )


def _draw_end(run: SqlRun, *, key: str) -> None:
    match run.state:
        case "done":
            if run.result is None:
                return
            limit = get_runtime().settings.limits.display_rows
            st.caption(
                f":material/edit: **Edited by hand**, run on {safe.label(run.source)} in "
                f"{wording.seconds(run.seconds)}. No model was called."
            )
            table = run.result.table
            extent = grid.draw(table, key=f"{key}-edited", limit=limit, truncated=run.result.truncated)
            take_away.draw(run.result.id, run.source, key=f"{key}-edited", extent=extent)
        case "failed":
            st.error(f"{safe.markdown(run.message)} The result above is as it was.", icon=":material/error:")
        case "stopped":
            st.info(f"{safe.markdown(run.message)} The result above is as it was.", icon=":material/stop_circle:")
        case "running":
            pass
        case _:
            assert_never(run.state)


def _run_of(spec: TableSpec) -> SqlRun | None:
    run_id = st.session_state.get(_OPEN, {}).get(spec.id)
    if run_id is None:
        return None
    try:
        return get_runtime().sql_run(state.principal(), run_id)
    except TabulaflowError:  # the server was started anew: the query is still in the editor
        return None


def _start(result_id: str, source: str, text: str) -> None:
    sql = str(st.session_state[text])
    _remember(result_id, get_runtime().start_sql(state.principal(), source, sql).id)


def _remember(result_id: str, run_id: str | None) -> None:
    st.session_state[_OPEN] = {**st.session_state.get(_OPEN, {}), result_id: run_id}


def _close(result_id: str) -> None:
    st.session_state[_OPEN] = {k: v for k, v in st.session_state.get(_OPEN, {}).items() if k != result_id}
