"""A running turn: attach to its log, draw what comes, and never hold it up.

The turn lives in the runtime. This script only watches: any click may interrupt it, which leaves the turn as it is,
and the next run attaches again and replays. Only the Stop button's callback ends a turn.
"""

from __future__ import annotations

from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import answer, how, safe, wording
from pages.ui.transcript import Transcript
from tabulaflow_core.output import direction
from tabulaflow_core.runtime import Turn

_LEFTOVERS: Final = 40  # elements that an earlier page may have had below the running turn
_SILENT_SECONDS: Final = 3  # shorter waits need no clock


def watch(turn: Turn) -> None:
    """Draw `turn` until it ends, then run the page again to show it as it was kept."""
    answer.draw_question(turn.question)
    message = st.chat_message("assistant", avatar=":material/table_chart_view:")
    with message:
        screen = _LiveScreen(st.status(":shimmer[Thinking]", type="compact", expanded=True))
        transcript = Transcript()
    # What the page showed at these places before stays there, greyed, as long as this script runs.
    for _ in range(_LEFTOVERS):
        st.empty()
    with message:
        for batch in turn.attach():
            _ = "tf_conversation" in st.session_state  # a point where Streamlit may interrupt this script
            for event in batch:
                transcript.apply(event)
            if batch:
                screen.draw(transcript)
            screen.draw_label(transcript.activity, seconds=turn.seconds)
    st.rerun()


class _LiveScreen:
    """Redraws only what changed: steps and artifacts are appended, the text and the growing query replaced."""

    def __init__(self, status: DeltaGenerator) -> None:
        self._status = status
        self._steps = status.container()
        self._writing = status.empty()
        self._text = st.empty()
        self._artifacts = st.container()
        self._shown_label = self._shown_writing = self._shown_text = ""
        self._shown_steps: dict[str, tuple[DeltaGenerator, tuple[str, str]]] = {}
        self._shown_artifacts = 0
        self._written: DeltaGenerator | None = None
        self._backwards = False
        self._turns = 0

    def draw(self, transcript: Transcript) -> None:
        """Bring the screen up to `transcript`."""
        self._draw_steps(transcript)
        if (writing := transcript.thinking.strip()) != self._shown_writing:
            self._shown_writing = writing
            if writing:
                self._writing.code(writing[-2000:], language="sql", wrap_lines=True)
            else:
                self._writing.empty()
        if transcript.text != self._shown_text:
            self._shown_text = transcript.text
            self._draw_text(transcript.text)
        if fresh := transcript.artifacts[self._shown_artifacts :]:
            with self._artifacts:
                local = transcript.model.startswith("local:")
                answer.draw_artifacts(fresh, turn_id=f"live-{self._shown_artifacts}", show_sql=local)
            self._shown_artifacts = len(transcript.artifacts)

    def draw_label(self, activity: str, *, seconds: float) -> None:
        """What is being done and, once a second, since when: silence must not look like a standstill."""
        label = activity if seconds < _SILENT_SECONDS else f"{activity} · {wording.seconds(int(seconds), places=0)}"
        if label != self._shown_label:
            self._shown_label = label
            # A new label without `expanded` would fold it, and hide the query that grows.
            self._status.update(label=f":shimmer[{safe.label(label)}]", expanded=True)

    def _draw_text(self, text: str) -> None:
        """Replace the text; what it stands in is drawn once for each direction, as a key may be drawn once in a run."""
        backwards = direction.is_right_to_left(text)
        if self._written is None or backwards != self._backwards:
            self._backwards, self._turns = backwards, self._turns + 1
            key = f"{'rtl' if backwards else 'ltr'}-live-{self._turns}"
            self._written = self._text.container(key=key).empty()
        self._written.markdown(safe.prose(text))

    def _draw_steps(self, transcript: Transcript) -> None:
        for step in transcript.steps.values():
            look = (step.state, step.message)
            slot, before = self._shown_steps.get(step.call_id, (None, None))
            if before == look:
                continue
            slot = slot or self._steps.empty()
            with slot.container():
                how.draw_step(step)
            self._shown_steps[step.call_id] = (slot, look)


def stop_button(turn: Turn) -> None:
    """The one way for a person to end a turn: in the model and in the database."""
    st.button("Stop", icon=":material/stop_circle:", key="stop", on_click=turn.cancel, type="primary")
