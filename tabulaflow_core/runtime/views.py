"""What the runtime shows to pages and commands: plain, frozen records."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from tabulaflow_core.agents.events import ErrorInfo, Event, TurnResult
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.store.records import ConversationInfo, FileStatus, TurnState

SourceKind = Literal["files", "database"]
SourceStatus = Literal["ready", "broken"]


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """One source of a principal.

    Attributes:
        id: Opaque; `files` for the uploaded files.
        url_masked: Without the password; empty for files.
        message: Why it is broken and what to do; empty when ready.
        notices: What a person should know of the connection.
    """

    id: str
    alias: str
    kind: SourceKind
    dialect: str
    url_masked: str = ""
    tables: tuple[TableSchema, ...] = ()
    status: SourceStatus = "ready"
    message: str = ""
    notices: tuple[str, ...] = ()
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one uploaded file.

    Attributes:
        message: Why it could not be read and what to do; for a loaded file, what a person should know, or empty.
        report: The reading report as JSON.
    """

    name: str
    status: FileStatus
    message: str = ""
    tables: tuple[TableSchema, ...] = ()
    report: dict[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn with all that is known of it.

    Attributes:
        result: Of a finished or interrupted turn.
        error: Of a failed turn.
        reason: Why it was interrupted, empty otherwise.
    """

    id: str
    question: str
    model: str
    state: TurnState
    started_at: datetime
    seconds: float
    events: tuple[Event, ...] = ()
    result: TurnResult | None = None
    error: ErrorInfo | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ConversationView:
    """One conversation with its turns in order."""

    info: ConversationInfo
    turns: tuple[TurnView, ...] = ()

    @property
    def id(self) -> str:
        """Its id."""
        return self.info.id

    @property
    def title(self) -> str:
        """Its title."""
        return self.info.title


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model that could answer.

    Attributes:
        name: `provider:model`.
        reason: Why it is not ready and what to do; empty when ready.
        local: Nothing leaves the machine.
        size_bytes: Of the weights, fetched or to be fetched; None for a hosted model.
    """

    name: str
    label: str
    ready: bool
    reason: str = ""
    local: bool = False
    size_bytes: int | None = None
