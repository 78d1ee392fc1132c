"""The events of a turn: frozen, told apart by `kind`, JSON both ways. `docs/events.md` lists each for users."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from tabulaflow_core.models.usage import PriceSource
from tabulaflow_core.output.specs import ArtifactSpec

Outcome = Literal["answered", "needs_clarification", "cannot_answer", "interrupted"]


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class UsageReport(_Event):
    """Usage of a turn; the fields of `tabulaflow_core.models.Usage`."""

    model: str = ""
    api_requests: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    api_cost_usd: float | None = 0.0
    price_source: PriceSource = "local"
    seconds: float = 0.0
    estimated: bool = False


class TurnResult(_Event):
    """What a turn came to.

    Attributes:
        text: The answer in words.
        artifacts: Tables, charts and metrics, in the order shown.
        usage: None only when no model was called.
        assumptions: What the answer rests on, each a sentence.
        data: The validated object as JSON when an output type was asked for, else None.
        seconds: Wall time of the whole turn.
    """

    text: str
    outcome: Outcome
    artifacts: tuple[ArtifactSpec, ...] = ()
    usage: UsageReport | None = None
    assumptions: tuple[str, ...] = ()
    data: JsonValue = None
    seconds: float = 0.0


class ErrorInfo(_Event):
    """A failure, safe to show: the class name of the exception and its `user_message`."""

    type: str
    user_message: str


class TurnStarted(_Event):
    """The turn began; `question` as asked, `model` that answers."""

    kind: Literal["turn_started"] = "turn_started"
    question: str
    model: str


class CompactionStarted(_Event):
    """The history is being shortened to fit the model's window."""

    kind: Literal["compaction_started"] = "compaction_started"


class CompactionFinished(_Event):
    """The history was shortened."""

    kind: Literal["compaction_finished"] = "compaction_finished"
    messages_before: int
    messages_after: int


class ThinkingDelta(_Event):
    """A piece of the model's reasoning in step `step`."""

    kind: Literal["thinking_delta"] = "thinking_delta"
    step: int
    content: str


class AnswerDelta(_Event):
    """A piece of text in step `step`: the answer, unless a `narration` of that step follows."""

    kind: Literal["answer_delta"] = "answer_delta"
    step: int
    content: str


class Narration(_Event):
    """The text of step `step` was not the answer: fold it into the status."""

    kind: Literal["narration"] = "narration"
    step: int
    content: str


class ToolStarted(_Event):
    """A tool runs. `args` as the model gave them; for a query, `args["sql"]` and `args["source"]`."""

    kind: Literal["tool_started"] = "tool_started"
    step: int
    call_id: str
    name: str
    title: str
    args: dict[str, JsonValue]


class ToolProgress(_Event):
    """A running tool says how far it is."""

    kind: Literal["tool_progress"] = "tool_progress"
    step: int
    call_id: str
    message: str


class ToolFinished(_Event):
    """A tool ended. `ok` is false when the model was told of a fault, which stands in `error`."""

    kind: Literal["tool_finished"] = "tool_finished"
    step: int
    call_id: str
    name: str
    ok: bool
    summary: str
    result_id: str | None = None
    seconds: float = 0.0
    error: str | None = None


class Artifact(_Event):
    """The answer shows something new."""

    kind: Literal["artifact"] = "artifact"
    spec: ArtifactSpec


class UsageUpdated(_Event):
    """Usage of the turn so far, after each model call."""

    kind: Literal["usage_updated"] = "usage_updated"
    usage: UsageReport


class TurnFinished(_Event):
    """The turn ended well; exactly one, the last event."""

    kind: Literal["turn_finished"] = "turn_finished"
    result: TurnResult


class TurnFailed(_Event):
    """Only in a turn log and in `--json`: the exception that ended the turn."""

    kind: Literal["turn_failed"] = "turn_failed"
    error: ErrorInfo


class TurnInterrupted(_Event):
    """Only in a turn log and in `--json`: the turn was stopped; what there was by then."""

    kind: Literal["turn_interrupted"] = "turn_interrupted"
    result: TurnResult
    reason: str = ""


SessionEvent: TypeAlias = (
    TurnStarted
    | CompactionStarted
    | CompactionFinished
    | ThinkingDelta
    | AnswerDelta
    | Narration
    | ToolStarted
    | ToolProgress
    | ToolFinished
    | Artifact
    | UsageUpdated
    | TurnFinished
)
#: What a turn log holds: the session's events and the two ways a turn ends badly.
Event = Annotated[SessionEvent | TurnFailed | TurnInterrupted, Field(discriminator="kind")]

_ADAPTER: TypeAdapter[Event] = TypeAdapter(Event)


def event_from_json(text: str | bytes) -> Event:
    """Read one event.

    Raises:
        pydantic.ValidationError: It is not an event of this version.
    """
    return _ADAPTER.validate_json(text)
