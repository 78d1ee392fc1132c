"""What the store gives back: plain, frozen records."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from pydantic import JsonValue

from tabulaflow_core.models.usage import Usage

TurnState = Literal["running", "finished", "failed", "interrupted"]
FileStatus = Literal["loaded", "message", "waiting"]
Verdict = Literal["up", "down"]


def moment(seconds: float) -> datetime:
    """A stored moment as an aware time in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """One conversation in a list.

    Attributes:
        turn_count: Turns of any state.
        version: Grows whenever the model's history of it changes.
    """

    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    turn_count: int = 0
    version: int = 0


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One turn, without its events.

    Attributes:
        number: 1 for the first of its conversation.
        runner: The process that runs or ran it.
        seconds: Wall time; of a running turn, until now.
    """

    id: str
    conversation_id: str
    number: int
    question: str
    model: str
    state: TurnState
    started_at: datetime
    seconds: float
    runner: str
    cancel_requested: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """What the model remembers of a conversation.

    Attributes:
        body: The messages as JSON; empty when no turn ended yet.
        through_turn: The number of the last turn in it.
        version: The conversation's version that it belongs to.
    """

    body: str
    through_turn: int
    version: int


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One uploaded file.

    Attributes:
        sha256: Of the original bytes; names the stored copy.
        size: Bytes of the original.
        details: JSON of the host's: the tables and the reading report.
    """

    id: str
    name: str
    sha256: str
    size: int
    status: FileStatus
    message: str
    details: dict[str, JsonValue]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class WaitingRecord:
    """An upload that was read and whose question is not answered.

    Attributes:
        details: JSON of the host's: what was read, and what is asked.
    """

    id: str
    name: str
    sha256: str
    size: int
    details: dict[str, JsonValue]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class DatabaseRecord:
    """One connected database.

    Attributes:
        url_masked: The URL without its password.
        url_secret: The URL, encrypted; see `secrets`.
        upload: JSON of the host's on an uploaded database file; empty for a database that a URL names.
    """

    id: str
    alias: str
    dialect: str
    url_masked: str
    url_secret: str
    created_at: datetime
    upload: dict[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FeedbackRecord:
    """What a person thinks of an answer.

    Attributes:
        reason: In the person's words; may be empty.
    """

    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What one turn used.

    Attributes:
        conversation_title: Empty when the conversation was deleted; the question likewise.
        started_at: When the turn's first model call was made.
        usage: The sum over its calls; a call whose end was never seen has no price.
        sources: Aliases of the sources that the answer rests on, with ` + ` between them; empty when it rests on none
            or was given before this was counted.
        feedback: What the person thought of the answer, None when nothing was said.
    """

    turn_id: str
    conversation_id: str
    conversation_title: str
    question: str
    started_at: datetime
    usage: Usage
    sources: str = ""
    feedback: FeedbackRecord | None = None

    @property
    def model(self) -> str:
        """The model, empty when several were called."""
        return self.usage.model

    @property
    def api_requests(self) -> int:
        """Model calls."""
        return self.usage.api_requests

    @property
    def input_tokens(self) -> int:
        """Prompt tokens, cached ones included."""
        return self.usage.input_tokens

    @property
    def cached_input_tokens(self) -> int:
        """Of these, read from a prompt cache."""
        return self.usage.cached_input_tokens

    @property
    def output_tokens(self) -> int:
        """Completion tokens, reasoning ones included."""
        return self.usage.output_tokens

    @property
    def reasoning_tokens(self) -> int:
        """Of these, spent on reasoning."""
        return self.usage.reasoning_tokens

    @property
    def api_cost_usd(self) -> float | None:
        """US dollars; None when unknown."""
        return self.usage.api_cost_usd

    @property
    def price_source(self) -> str:
        """Where the price comes from."""
        return self.usage.price_source

    @property
    def seconds(self) -> float:
        """Seconds spent waiting for models."""
        return self.usage.seconds
