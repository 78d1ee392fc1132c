"""A turn's events folded into what is on the screen. Pure: no Streamlit, so every order of events can be tested."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, assert_never

from tabulaflow_core.agents.events import (
    AnswerDelta,
    Artifact,
    CompactionFinished,
    CompactionStarted,
    ErrorInfo,
    Event,
    Narration,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnFailed,
    TurnFinished,
    TurnInterrupted,
    TurnResult,
    TurnStarted,
    UsageReport,
    UsageUpdated,
)
from tabulaflow_core.output.specs import ArtifactSpec


@dataclass(slots=True)
class Step:
    """One tool call as shown in the status."""

    call_id: str
    title: str
    sql: str = ""
    source: str = ""
    state: Literal["running", "ok", "failed"] = "running"
    message: str = ""
    seconds: float = 0.0


@dataclass(slots=True)
class Transcript:
    """What a turn shows so far."""

    model: str = ""
    activity: str = "Thinking"
    thinking: str = ""
    remarks: list[str] = field(default_factory=list)
    steps: dict[str, Step] = field(default_factory=dict)
    artifacts: list[ArtifactSpec] = field(default_factory=list)
    usage: UsageReport | None = None
    result: TurnResult | None = None
    error: ErrorInfo | None = None
    interrupted: str | None = None
    _texts: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Iterable[Event]) -> Transcript:
        """The transcript of a whole log."""
        transcript = cls()
        for event in events:
            transcript.apply(event)
        return transcript

    @property
    def text(self) -> str:
        """The answer so far; the final one once there is a result."""
        if self.result is not None and self.result.text:
            return self.result.text
        return "\n\n".join(text.strip() for _, text in sorted(self._texts.items()) if text.strip())

    @property
    def ended(self) -> bool:
        """True after the last event."""
        return self.result is not None or self.error is not None

    def apply(self, event: Event) -> None:  # noqa: C901 - one branch an event, all of them
        """Fold one event in."""
        match event:
            case TurnStarted():
                self.model = event.model
            case CompactionStarted():
                self.activity = "Shortening the conversation to fit the model"
            case CompactionFinished():
                self.activity = "Thinking"
                self.remarks.append("Earlier turns were shortened to fit the model's window.")
            case ThinkingDelta():
                self.thinking += event.content
            case AnswerDelta():
                self.activity = "Writing the answer"
                self._texts[event.step] = self._texts.get(event.step, "") + event.content
            case Narration():
                self._texts.pop(event.step, None)
                if event.content.strip():
                    self.remarks.append(event.content.strip())
            case ToolStarted():
                self.activity, self.thinking = event.title, ""
                sql, source = event.args.get("sql"), event.args.get("source")
                self.steps[event.call_id] = Step(
                    event.call_id,
                    event.title,
                    sql=sql if isinstance(sql, str) else "",
                    source=source if isinstance(source, str) else "",
                )
            case ToolProgress():
                if step := self.steps.get(event.call_id):
                    step.message = event.message
            case ToolFinished():
                self._finish_step(event)
            case Artifact():
                self.artifacts.append(event.spec)
            case UsageUpdated():
                self.usage = event.usage
            case TurnFinished():
                self._end(event.result)
            case TurnInterrupted():
                self._end(event.result)
                self.interrupted = event.reason or "Stopped."
            case TurnFailed():
                self.error = event.error
            case _:
                assert_never(event)

    def _finish_step(self, event: ToolFinished) -> None:
        step = self.steps.setdefault(event.call_id, Step(event.call_id, event.name))
        step.state = "ok" if event.ok else "failed"
        step.message = event.summary if event.ok else event.error or event.summary
        step.seconds = event.seconds
        self.activity = "Thinking"

    def _end(self, result: TurnResult) -> None:
        self.result = result
        self.usage = result.usage or self.usage
        if result.artifacts:
            self.artifacts = list(result.artifacts)
