"""One turn on the screen: the question, how it was answered, the text, charts, tables and their queries."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Final, assert_never

import streamlit as st

from pages.ui import (
    ask_again,
    assumed,
    chart_form,
    grid,
    how,
    picture,
    pin,
    query_editor,
    safe,
    saved,
    state,
    take_away,
    verdict,
    wording,
)
from pages.ui.changes import Changes
from pages.ui.transcript import Transcript
from tabulaflow_core.errors import SourceUnavailable, TabulaflowError
from tabulaflow_core.output import direction
from tabulaflow_core.output.specs import ArtifactSpec, ChartSpec, MetricSpec, TableSpec
from tabulaflow_core.runtime import FeedbackRecord, TurnView, get_runtime

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: Pixels: the sentence, the chart and a few rows fit on one screen together.
_CHART_HEIGHT: Final = 320


def draw_turn(turn: TurnView, changes: Changes, feedback: FeedbackRecord | None = None) -> None:
    """Draw a turn that has ended, as it stands in the store.

    Args:
        changes: What was changed on it by hand.
        feedback: What the person thought of it.
    """
    draw_question(turn.question)
    transcript = Transcript.of(turn.events)
    with st.chat_message("assistant", avatar=":material/table_chart_view:"):
        how.draw(transcript, seconds=turn.seconds)
        draw_ending(transcript, key=turn.id)
        if transcript.result is not None:
            assumed.draw(transcript.result.assumptions, key=turn.id)
        show_sql = turn.model.startswith("local:")
        draw_artifacts(transcript.artifacts, turn_id=turn.id, show_sql=show_sql, changes=changes)
        draw_footer(transcript, turn_id=turn.id)
        with st.container(horizontal=True, vertical_alignment="center"):
            verdict.draw(turn.id, feedback)
            saved.draw_save(turn, changes)
            ask_again.draw(turn.question, key=turn.id)


def draw_question(question: str) -> None:
    """What the person asked."""
    with st.chat_message("user", avatar=":material/person:"):
        st.text(question)  # as typed: column names may look like markdown


def draw_text(text: str, *, key: str) -> None:
    """What the model wrote, from right to left where it is such a text."""
    with st.container(key=f"{'rtl' if direction.is_right_to_left(text) else 'ltr'}-{key}"):
        st.markdown(safe.prose(text))


def draw_ending(transcript: Transcript, *, key: str) -> None:
    """The text, and what went wrong if something did."""
    if transcript.text:
        draw_text(transcript.text, key=key)
    if transcript.interrupted:
        kept = " What came before is kept." if transcript.text or transcript.steps else ""
        st.info(safe.markdown(transcript.interrupted) + kept, icon=":material/stop_circle:")
    if transcript.error:
        st.error(safe.markdown(transcript.error.user_message), icon=":material/error:")
        if transcript.error.type == SourceUnavailable.__name__:
            st.caption("An address or a password that has changed is entered on the Data page, under *Change*.")
            st.page_link("pages/data.py", label="Open the Data page", icon=":material/database:", width="content")


def draw_artifacts(
    artifacts: list[ArtifactSpec], *, turn_id: str, show_sql: bool = False, changes: Changes | None = None
) -> None:
    """Charts and numbers first, then the tables they come from; a table that is one shown number is not drawn again.

    Args:
        show_sql: Open the queries at once: for a model that has to be checked.
        changes: What was changed by hand; None while the turn runs, when nothing can be changed.
    """
    numbers = {spec.table_id for spec in artifacts if spec.kind == "metric"}
    tables = {spec.id: spec for spec in artifacts if spec.kind == "table"}
    drawn = numbers | {spec.table_id for spec in artifacts if spec.kind == "chart"}
    for at, spec in enumerate(sorted(artifacts, key=lambda spec: spec.kind == "table")):
        match spec:
            case MetricSpec():
                st.metric(safe.label(spec.label), spec.value)
                pin.draw(changes, spec, spec.table_id, title=spec.label, key=f"{turn_id}-metric-{at}")
            case ChartSpec():
                draw_chart(spec, tables.get(spec.table_id), key=turn_id, name=f"chart-{at}", changes=changes)
            case TableSpec():
                single = spec.id in numbers and (spec.row_count, len(spec.columns)) == (1, 1)
                if changes is not None and spec.id not in drawn and spec.row_count > 1:
                    draw_own_chart(spec, key=turn_id, name=f"table-{at}-chart", changes=changes)
                draw_table(spec, key=f"{turn_id}-table-{at}", rows=not single, show_sql=show_sql, changes=changes)
            case _:
                assert_never(spec)


def draw_chart(spec: ChartSpec, table: TableSpec | None, *, key: str, name: str, changes: Changes | None) -> None:
    """The figure with its one-line summary, which a screen reader gets too.

    Args:
        table: What it draws; another kind of chart can be chosen where it is known.
        name: The chart's place in the answer.
    """
    answered, key = spec, f"{key}-{name}"
    choice = chart_form.choice_of(changes.at(name)) if changes is not None and table is not None else None
    if table is not None and choice is not None:
        again = chart_form.redrawn(table.id, choice)
        if isinstance(again, ChartSpec):
            spec = again
        else:
            st.warning(safe.markdown(again), icon=":material/insert_chart:")
    draw_figure(spec, key=key)
    with st.container(horizontal=True, vertical_alignment="center"):
        if spec.summary:
            st.caption(safe.markdown(spec.summary), width="stretch")
        if changes is not None:
            picture.draw(key, title=spec.title, key=f"{key}-picture")
        if table is not None and changes is not None:
            place = changes.place(name)
            chart_form.draw(table.id, table.columns, key=key, shown=answered, choice=choice, place=place)
        order = choice.order if choice is not None else None
        pin.draw(changes, spec, spec.table_id, title=spec.title, key=key, order=order)


def draw_own_chart(table: TableSpec, *, key: str, name: str, changes: Changes) -> None:
    """A chart of a table that was answered without one: a way to draw it, and what was drawn."""
    key = f"{key}-{name}"
    if (choice := chart_form.choice_of(changes.at(name))) is not None:
        spec = chart_form.redrawn(table.id, choice)
        if isinstance(spec, ChartSpec):
            draw_figure(spec, key=key)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(safe.markdown(spec.summary), width="stretch")
                picture.draw(key, title=spec.title, key=f"{key}-picture")
                pin.draw(changes, spec, table.id, title=spec.title, key=key, order=choice.order)
        else:
            st.warning(safe.markdown(spec), icon=":material/insert_chart:")
    chart_form.draw(table.id, table.columns, key=key, shown=None, choice=choice, place=changes.place(name))


def draw_figure(spec: ChartSpec, *, key: str, height: int = _CHART_HEIGHT) -> None:
    """A chart, `height` pixels high unless it says more itself."""
    figure = _figure(spec.plotly, tuple(st.get_option("theme.chartCategoricalColors") or ()), height)
    # What the viewer's own browser makes of it: a picture to take away, without a trip to the server.
    picture = {"format": "png", "filename": "chart", "scale": 2}
    config = {"displaylogo": False, "toImageButtonOptions": picture}
    st.plotly_chart(figure, key=key, config=config, alt=spec.summary or spec.title)


@lru_cache(maxsize=64)
def _figure(plotly: str, colorway: tuple[str, ...], height: int) -> Figure:
    """The figure, checked by plotly once and not at each run of a page, where it would be half of the time."""
    from plotly.graph_objects import Figure

    figure = json.loads(plotly)
    # A figure without a template gets plotly's own colours, not the theme's.
    figure["layout"].setdefault("colorway", colorway)
    figure["layout"].setdefault("height", height)
    return Figure(figure)


def draw_table(spec: TableSpec, *, key: str, rows: bool, show_sql: bool, changes: Changes | None) -> None:
    """The rows unless they are shown as a number already, and the query they came from.

    Args:
        changes: Where a changed query is kept; None while the turn still runs, when none can be run.
    """
    runtime, who = get_runtime(), state.principal()
    for note in spec.notes:
        st.caption(f":material/build: {safe.markdown(note)}")
    extent = ""
    try:
        result = runtime.result(who, spec.id)
    except TabulaflowError as error:
        st.caption(error.user_message)
    else:
        limit = runtime.settings.limits.display_rows
        if rows:
            extent = grid.draw(result.table, key=key, limit=limit, total=spec.row_count, truncated=spec.truncated)
    editor = None if changes is None else query_editor.Editor(spec, changes, key=key)
    is_open = show_sql or (editor is not None and editor.is_open)
    with st.expander("SQL", icon=":material/code:", expanded=is_open, key=f"{key}-sql"):
        st.code(spec.sql, language="sql", wrap_lines=True)
        st.caption(f"Ran on **{safe.label(spec.source)}** in {wording.seconds(spec.seconds)}, read-only.")
        if editor is not None:
            editor.draw()
    with take_away.draw(spec.id, spec.source, key=key, extent=extent):
        if rows:
            pin.draw(changes, spec, pin.shown_result(spec.id, changes), title=spec.title, key=key)


def draw_footer(transcript: Transcript, *, turn_id: str) -> None:
    """What the answer used; nothing where it ended before that was known."""
    if transcript.usage is not None or (transcript.error is None and not transcript.interrupted):
        st.caption(wording.usage_line(transcript.usage))
