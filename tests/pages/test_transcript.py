"""Events become a screen: in order, out of order, and cut short."""

from __future__ import annotations

from pages.ui.transcript import Transcript
from tabulaflow_core.agents.events import (
    AnswerDelta,
    Artifact,
    ErrorInfo,
    Event,
    Narration,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnFailed,
    TurnFinished,
    TurnInterrupted,
    TurnResult,
    TurnStarted,
    UsageReport,
    UsageUpdated,
)
from tabulaflow_core.output.specs import MetricSpec

METRIC = MetricSpec(table_id="r_1", label="units", value="15")
USAGE = UsageReport(model="scripted:demo", api_requests=1, input_tokens=10)


def query(call_id: str = "c1") -> list[Event]:
    return [
        ToolStarted(
            step=1, call_id=call_id, name="run_query", title="Query stock", args={"sql": "SELECT 1", "source": "stock"}
        ),
        ToolFinished(step=1, call_id=call_id, name="run_query", ok=True, summary="1 row", result_id="r_1", seconds=0.1),
    ]


def test_a_whole_turn() -> None:
    screen = Transcript.of(
        [
            TurnStarted(question="How many?", model="scripted:demo"),
            ThinkingDelta(step=1, content="SELECT"),
            *query(),
            Artifact(spec=METRIC),
            AnswerDelta(step=2, content="There are "),
            AnswerDelta(step=2, content="15."),
            UsageUpdated(usage=USAGE),
        ]
    )
    assert screen.text == "There are 15."
    assert screen.thinking == "", "what was being written has become a step"
    assert [(s.sql, s.source, s.state) for s in screen.steps.values()] == [("SELECT 1", "stock", "ok")]
    assert screen.artifacts == [METRIC]
    assert screen.usage == USAGE
    assert not screen.ended


def test_text_before_a_tool_is_folded_away() -> None:
    screen = Transcript.of([AnswerDelta(step=1, content="Let me look."), Narration(step=1, content="Let me look.")])
    assert screen.text == ""
    assert screen.remarks == ["Let me look."]


def test_the_result_is_the_last_word() -> None:
    result = TurnResult(text="Fifteen.", outcome="answered", artifacts=(METRIC,))
    screen = Transcript.of([AnswerDelta(step=1, content="Fif"), Artifact(spec=METRIC), TurnFinished(result=result)])
    assert screen.text == "Fifteen."
    assert screen.artifacts == [METRIC], "not drawn twice"
    assert screen.ended


def test_a_stopped_turn_keeps_its_text_and_says_why() -> None:
    partial = TurnResult(text="So far", outcome="interrupted")
    screen = Transcript.of([TurnInterrupted(result=partial, reason="You stopped this.")])
    assert (screen.text, screen.interrupted) == ("So far", "You stopped this.")


def test_a_failed_turn_keeps_what_came_before() -> None:
    error = ErrorInfo(type="ModelUnavailable", user_message="The model does not answer.")
    screen = Transcript.of([AnswerDelta(step=1, content="Half"), TurnFailed(error=error)])
    assert screen.text == "Half"
    assert screen.error == error


def test_a_finish_without_a_start_is_shown_all_the_same() -> None:
    screen = Transcript.of([ToolFinished(step=1, call_id="x", name="run_query", ok=False, summary="", error="no such")])
    assert [(s.title, s.state, s.message) for s in screen.steps.values()] == [("run_query", "failed", "no such")]
