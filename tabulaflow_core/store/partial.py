"""What a turn had come to when it ended early, put together from its events."""

from __future__ import annotations

from collections.abc import Iterable

from tabulaflow_core.agents.events import (
    AnswerDelta,
    Artifact,
    Event,
    Narration,
    TurnResult,
    UsageReport,
    UsageUpdated,
)
from tabulaflow_core.output.specs import ArtifactSpec


def partial_result(events: Iterable[Event], *, seconds: float) -> TurnResult:
    """The result of an interrupted turn: the text of its last step unless it was narration, and all artifacts."""
    step = 0
    text: list[str] = []
    artifacts: list[ArtifactSpec] = []
    usage: UsageReport | None = None
    for event in events:
        match event:
            case AnswerDelta():
                if event.step != step:
                    step, text = event.step, []
                text.append(event.content)
            case Narration() if event.step == step:
                text = []
            case Artifact():
                artifacts.append(event.spec)
            case UsageUpdated():
                usage = event.usage
            case _:
                pass
    return TurnResult(
        text="".join(text), outcome="interrupted", artifacts=tuple(artifacts), usage=usage, seconds=round(seconds, 3)
    )


def coalesce(events: Iterable[Event]) -> list[Event]:
    """`events` with neighbouring deltas of one kind and step joined."""
    joined: list[Event] = []
    pieces: list[str] = []  # of the delta that is the last of `joined`
    for event in events:
        if event.kind == "answer_delta" or event.kind == "thinking_delta":
            last = joined[-1] if joined else None
            if last is not None and last.kind == event.kind and last.step == event.step:
                pieces.append(event.content)
                continue
            _join(joined, pieces)
            pieces = [event.content]
        else:
            _join(joined, pieces)
            pieces = []
        joined.append(event)
    _join(joined, pieces)
    return joined


def _join(joined: list[Event], pieces: list[str]) -> None:
    if len(pieces) > 1:
        joined[-1] = joined[-1].model_copy(update={"content": "".join(pieces)})
