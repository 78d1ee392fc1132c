"""What the runtime shows to pages and commands: plain, frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from tabulaflow_core.agents.events import ErrorInfo, Event, TurnResult
from tabulaflow_core.data.files.drift import Drift
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.store.records import ConversationInfo, FeedbackRecord, FileStatus, TurnState

SourceKind = Literal["files", "database"]
SourceStatus = Literal["ready", "broken"]
FileChoice = Literal["replace", "append", "keep_both", "combine", "separate"]
FileQuestionKind = Literal["same_name", "same_shape", "one_shape"]
JobState = Literal["running", "done", "stopped"]
#: `away`: put away because a person's own data came, or because the person said so.
SampleState = Literal["here", "away", "none"]


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """One source of a principal.

    Attributes:
        id: Opaque; `files` for the uploaded files.
        url_masked: Without the password; empty for files.
        message: Why it is broken and what to do; empty when ready.
        notices: What a person should know of the connection.
        hidden_columns: Patterns of columns that a model does not see, as the person gave them.
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
    hidden_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileQuestion:
    """What a person must say before an upload changes anything.

    Attributes:
        table: The table that is there already; of `one_shape`, the table that would be made.
        files: The uploaded files it is about; all files of a `one_shape` carry the same question.
        drift: How the columns of the new file differ from those of `table`.
        choices: What can be answered, the one to be proposed first.
        sentence: The question in words, the drift not included.
    """

    kind: FileQuestionKind
    table: str
    files: tuple[str, ...]
    drift: Drift
    choices: tuple[FileChoice, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one uploaded file.

    A file can have two: the loaded one, and a `waiting` one of the same name that asks whether to replace it.

    Attributes:
        name: What functions of the runtime take as the file's name.
        status: `waiting` is read, but its `question` is open and nothing that was there has changed.
        message: Why it could not be read and what to do; for a loaded file, what a person should know, or empty.
        tables: Those that can be queried; of a waiting file, those that it holds.
        report: The reading report as JSON.
        reports: The reports of the tables of a file of several, by table; those of the files of one table made of
            several, by file; empty for a file of one table.
        question: What must be answered with `Runtime.answer_file`.
        options: The choices of a person in force, as `Runtime.reread_file` takes them.
        version: Grows with each reread, replacement and appending.
        changes: What the last of these changed, in sentences.
        files: The files that the table is made of, when there are several.
        source: The alias of the source that was made of a database file; empty for all other files.
    """

    name: str
    status: FileStatus
    message: str = ""
    tables: tuple[TableSchema, ...] = ()
    report: dict[str, JsonValue] = field(default_factory=dict)
    question: FileQuestion | None = None
    options: dict[str, JsonValue] = field(default_factory=dict)
    version: int = 1
    changes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    source: str = ""
    reports: dict[str, dict[str, JsonValue]] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[dict[str, JsonValue], ...]:
        """The parts of a file that can hold several tables: fields of `data.files.Part`."""
        parts = self.report.get("parts")
        return tuple(part for part in parts if isinstance(part, dict)) if isinstance(parts, list) else ()


@dataclass(frozen=True, slots=True)
class ReadingJob:
    """Files that are read in the background.

    Attributes:
        file: The one that is read now.
        state: `done` also when no file could be read; `stopped` left nothing behind.
        stage: What goes on, in words.
        done: Bytes or rows done; 0 when the stage does not count.
        total: Of how many; 0 when that is not known.
        outcomes: What became of the files, empty while it runs.
        names: All files of the job.
        seconds: How long it runs.
    """

    id: str
    file: str
    state: JobState
    stage: str = ""
    done: int = 0
    total: int = 0
    outcomes: tuple[FileOutcome, ...] = ()
    names: tuple[str, ...] = ()
    seconds: float = 0.0


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
    """One conversation with its turns in order.

    Attributes:
        verdicts: What the person thought of answers, by turn.
        choices: What was chosen by hand, by turn and by place in the answer.
    """

    info: ConversationInfo
    turns: tuple[TurnView, ...] = ()
    verdicts: Mapping[str, FeedbackRecord] = field(default_factory=dict)
    choices: Mapping[str, Mapping[str, Mapping[str, JsonValue]]] = field(default_factory=dict)

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
        compact: A small model, of which one plain statement at a time can be asked.
    """

    name: str
    label: str
    ready: bool
    reason: str = ""
    local: bool = False
    size_bytes: int | None = None
    compact: bool = False
