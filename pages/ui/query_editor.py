"""The query of a result, changed by hand and run again: no model, the same guard, and a Stop.

The changed query and what it gave are kept with the answer, so that reload, a second tab and a restart find them.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import changes, grid, safe, state, take_away, wording
from pages.ui.changes import Changes
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import TableSpec
from tabulaflow_core.runtime import Place, SqlRun, get_runtime, last_good

_OPEN: Final = "tf_edited_queries"  # ids of the results whose query is being edited
_TICK: Final = 0.5  # seconds between two looks at a running query
_LOST: Final = "The server was started anew while this query ran. Run it again."
_KEPT_ABOVE: Final = " The result above is as it was."
_KEPT_BELOW: Final = " What your last good query gave is below."


class Editor:
    """The editor of one result's query."""

    def __init__(self, spec: TableSpec, kept_of: Changes, *, key: str) -> None:
        self._spec = spec
        self._key = key
        self._place = kept_of.place(f"sql-{spec.id}")
        self._kept = kept_of.at(self._place.name)

    @property
    def is_open(self) -> bool:
        """Whether the query is being edited, or was."""
        return self._kept is not None or self._spec.id in st.session_state.get(_OPEN, ())

    def draw(self) -> None:
        """The button to edit with, or the editor with what its query gave."""
        key = self._key
        if not self.is_open:
            st.button(
                "Edit and run",
                key=f"{key}-edit",
                icon=":material/edit:",
                type="tertiary",
                on_click=_open,
                args=(self._spec.id,),
                help="Change the query and run it yourself. No model is called.",
            )
            return
        text = f"{key}-editor"
        sql = str(self._kept["sql"]) if self._kept is not None else self._spec.sql
        st.text_area("Your query", value=sql, key=text, height=min(40 + 24 * (sql.count("\n") + 2), 400))
        run = self._run()
        with st.container(horizontal=True, vertical_alignment="center"):
            if run is not None and run.state == "running":
                st.button("Stop", key=f"{key}-stop", icon=":material/stop_circle:", type="primary", on_click=run.cancel)
            else:
                st.button(
                    "Run",
                    key=f"{key}-run",
                    icon=":material/play_arrow:",
                    type="primary",
                    on_click=_start,
                    args=(self._place, self._spec.source, text),
                )
            st.button(
                "Close",
                key=f"{key}-close",
                type="tertiary",
                on_click=_close,
                args=(self._spec.id, self._place, text),
                help="Your query and its result go. The answer stays.",
            )
        if run is not None and run.state == "running":
            _watch(run)
        elif self._kept is not None:
            self._draw_end(run)

    def _run(self) -> SqlRun | None:
        if self._kept is None or self._kept.get("state") != "running":
            return None
        try:
            return get_runtime().sql_run(state.principal(), str(self._kept["run"]))
        except TabulaflowError:  # the server was started anew, or another one runs it
            return None

    def _draw_end(self, run: SqlRun | None) -> None:
        """What came of it: as `run` says when it ended since the page was read, else as it was kept."""
        kept = self._kept or {}
        good = last_good(kept)
        stays = _KEPT_BELOW if good else _KEPT_ABOVE
        message = safe.markdown(str(run.message if run else kept.get("message", ""))) + stays
        match run.state if run else kept.get("state"):
            case "done":
                self._draw_stored(run.result.id if run and run.result else str(kept.get("result_id")))
                return
            case "failed":
                st.error(message, icon=":material/error:")
            case "stopped":
                st.info(message, icon=":material/stop_circle:")
            case _:
                st.info(_LOST + stays, icon=":material/restart_alt:")
        if good:
            self._draw_stored(str(good["result_id"]), sql=str(good["sql"]))

    def _draw_stored(self, result_id: str, *, sql: str = "") -> None:
        """A stored result, under the query it came from where the box holds another."""
        if sql:
            st.code(sql, language="sql", wrap_lines=True)
        try:
            self._draw_result(get_runtime().result(state.principal(), result_id))
        except TabulaflowError as error:
            st.caption(safe.markdown(error.user_message))

    def _draw_result(self, result: StoredResult) -> None:
        st.caption(
            f":material/edit: **Edited by hand**, run on {safe.label(result.source)} in "
            f"{wording.seconds(result.seconds)}. No model was called."
        )
        limit = get_runtime().settings.limits.display_rows
        extent = grid.draw(result.table, key=f"{self._key}-edited", limit=limit, truncated=result.truncated)
        take_away.draw(result.id, result.source, key=f"{self._key}-edited", extent=extent)


@st.fragment(run_every=_TICK)
def _watch(run: SqlRun) -> None:
    if run.state != "running":
        st.rerun()
    st.caption(
        f":material/hourglass_top: Running on {safe.label(run.source)} · {wording.seconds(int(run.seconds), places=0)}"
    )


def _start(place: Place, source: str, text: str) -> None:
    try:
        get_runtime().start_sql(state.principal(), source, str(st.session_state[text]), keep=place)
    except TabulaflowError as error:  # the conversation was deleted in another tab
        st.toast(safe.markdown(error.user_message), icon=":material/error:")


def _open(result_id: str) -> None:
    st.session_state[_OPEN] = {*st.session_state.get(_OPEN, ()), result_id}


def _close(result_id: str, place: Place, text: str) -> None:
    st.session_state[_OPEN] = {*st.session_state.get(_OPEN, ())} - {result_id}
    st.session_state.pop(text, None)
    changes.keep(place, None)
