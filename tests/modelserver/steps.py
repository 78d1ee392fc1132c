"""The faults that only a wire can have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tabulaflow_core.models.scripted import Step


@dataclass(frozen=True)
class Status:
    """The whole answer is an HTTP error."""

    code: int
    error: dict[str, object] | str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Drop:
    """The connection is cut here."""


@dataclass(frozen=True)
class EndEarly:
    """The stream ends here, orderly, without its last events."""


@dataclass(frozen=True)
class RawEvent:
    """One event with exactly this data."""

    data: str


@dataclass(frozen=True)
class ErrorEvent:
    """A fault reported inside the stream."""

    message: str
    code: str


@dataclass(frozen=True)
class Refuse:
    """The model refuses, in a field of its own."""

    words: str


@dataclass(frozen=True)
class Finish:
    """Why the answer ends here, when it is not because it is whole."""

    reason: Literal["length", "content_filter"]


@dataclass(frozen=True)
class Habit:
    """A habit of the server in this answer."""

    name: Literal["no_usage", "no_index", "no_id", "no_finish", "empty_first"]


WireStep: TypeAlias = Step | Status | Drop | EndEarly | RawEvent | ErrorEvent | Refuse | Finish | Habit


def status(
    code: int,
    message: str = "scripted",
    *,
    error_code: str | None = None,
    param: str | None = None,
    retry_after: float | None = None,
    body: str | None = None,
) -> Status:
    """Answer with an HTTP error, in OpenAI's shape unless `body` is given."""
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    error = {"error": {"message": message, "type": "scripted_error", "param": param, "code": error_code}}
    return Status(code, error if body is None else body, headers)


def drop() -> Drop:
    """Cut the connection."""
    return Drop()


def end_early() -> EndEarly:
    """End the stream without its last events."""
    return EndEarly()


def raw_event(data: str) -> RawEvent:
    """Send `data` as one event."""
    return RawEvent(data)


def error_event(message: str = "scripted", *, code: str = "server_error") -> ErrorEvent:
    """Report a fault inside the stream."""
    return ErrorEvent(message, code)


def no_usage() -> Habit:
    """Say nothing about tokens."""
    return Habit("no_usage")


def no_index() -> Habit:
    """Leave the index of tool-call pieces out (Chat Completions)."""
    return Habit("no_index")


def no_finish() -> Habit:
    """Send no finish_reason (Chat Completions)."""
    return Habit("no_finish")


def no_id() -> Habit:
    """Give the calls no id (Chat Completions)."""
    return Habit("no_id")


def empty_first() -> Habit:
    """Begin with a chunk that has no choices (Chat Completions, as Azure does)."""
    return Habit("empty_first")


def refuse(words: str) -> Refuse:
    """Refuse to answer, saying `words`."""
    return Refuse(words)


def finish(reason: Literal["length", "content_filter"]) -> Finish:
    """End the answer here, for `reason`."""
    return Finish(reason)
