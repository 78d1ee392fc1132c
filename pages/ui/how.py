"""How an answer came about: its steps, and folded behind them the sources, seconds, tokens, cost and assumptions."""

from __future__ import annotations

import streamlit as st

from pages.ui import safe, wording
from pages.ui.transcript import Step, Transcript


def draw(transcript: Transcript, *, seconds: float) -> None:
    """How an ended turn was answered, folded; nothing when nothing was done."""
    if not (transcript.steps or transcript.remarks or transcript.usage):
        return
    stopped = ":material/stop_circle:" if transcript.interrupted else ":material/check_circle:"
    icon = ":material/error:" if transcript.error is not None else stopped
    # No `st.status`: each sleeps for a twentieth of a second, so that ten answers would hold every click up by a half.
    with st.expander(label(transcript, seconds=seconds), icon=icon, type="compact"):
        for remark in transcript.remarks:
            st.caption(safe.markdown(remark))
        for step in transcript.steps.values():
            draw_step(step)
        st.markdown("\n\n".join(facts(transcript, seconds=seconds)))  # one element: a page has many answers


def label(transcript: Transcript, *, seconds: float) -> str:
    """The folded line: how it ended, with how many queries, in which time."""
    queries = sum(1 for step in transcript.steps.values() if step.sql and step.state == "ok")
    what = wording.count(queries, "query", "queries") if queries else wording.count(len(transcript.steps), "step")
    ending = "Failed" if transcript.error is not None else "Stopped" if transcript.interrupted else "Done"
    return f"How I got this · {ending} · {what} · {wording.seconds(seconds)}"


def facts(transcript: Transcript, *, seconds: float) -> list[str]:
    """What else there is to know, a line each."""
    tables = [spec for spec in transcript.artifacts if spec.kind == "table"]
    used = dict.fromkeys(alias for spec in tables for alias in spec.source.split(" + "))
    lines = [f"**Sources:** {', '.join(map(safe.label, used))}, read-only" if used else "**Sources:** none was asked"]
    in_database = sum(spec.seconds for spec in tables)
    asked = f", of these {wording.seconds(in_database)} in queries" if tables else ""
    lines.append(f"**Time:** {wording.seconds(seconds)}{asked}")
    lines.append(f"**Model:** {safe.markdown(wording.usage_line(transcript.usage))}")
    notes = dict.fromkeys(note for spec in tables for note in spec.notes)
    lines += [f"**Changed on the way to the query:** {safe.markdown(note)}" for note in notes]
    assumed = transcript.result.assumptions if transcript.result else ()
    lines += [f"**Assumed:** {safe.markdown(sentence)}" for sentence in assumed] or ["**Assumed:** nothing"]
    return lines


def draw_step(step: Step) -> None:
    """One tool call with its query."""
    icon = {"running": ":material/hourglass_top:", "ok": ":material/check:", "failed": ":material/close:"}[step.state]
    where = f" on {safe.label(step.source)}" if step.source and step.source not in step.title else ""
    took = f" · {wording.seconds(step.seconds)}" if step.state != "running" else ""
    st.markdown(f"{icon} **{safe.label(step.title)}**{where}{took}")
    if step.sql:
        st.code(step.sql, language="sql", wrap_lines=True)
    if step.message:
        st.caption(safe.markdown(step.message))
