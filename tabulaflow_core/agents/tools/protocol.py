"""What a tool is: a description for the model, a title for the person, and a run that never raises on bad arguments."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from tabulaflow_core.agents.sources import Source
from tabulaflow_core.config import Limits
from tabulaflow_core.data.ports import QueryPermit
from tabulaflow_core.models.contracts import JsonObject, ToolCall, ToolSpec
from tabulaflow_core.output.results import ResultStore, StoredResult
from tabulaflow_core.output.specs import ArtifactSpec
from tabulaflow_core.principal import Principal


@dataclass(slots=True)
class ToolContext:
    """What a tool may use during one turn.

    Attributes:
        deadline: Loop time at which the turn ends.
        results: What the tools of this turn stored, in order.
        notes: What was changed on the way to the query that runs next, in words for a person.
    """

    principal: Principal
    question: str
    sources: tuple[Source, ...]
    store: ResultStore
    permit: QueryPermit
    limits: Limits
    deadline: float
    results: list[StoredResult] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def seconds_left(self) -> float:
        """Seconds until the turn's deadline, never below a small positive number."""
        return max(self.deadline - asyncio.get_running_loop().time(), 0.05)


@dataclass(frozen=True, slots=True)
class Ending:
    """A tool that ends the turn: its text is the answer."""

    outcome: Literal["needs_clarification", "cannot_answer"]
    text: str


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a run came to.

    Attributes:
        text: For the model.
        summary: For the person, a few words.
        error: The fault, empty when `ok`.
        hint: What would repair the fault, when it is known.
    """

    text: str
    ok: bool = True
    summary: str = ""
    result_id: str | None = None
    error: str = ""
    hint: str = ""
    artifacts: tuple[ArtifactSpec, ...] = ()
    ending: Ending | None = None


class Tool(Protocol):
    """One tool of a session."""

    @property
    def spec(self) -> ToolSpec:
        """How it is offered."""

    def completed(self, args: JsonObject, context: ToolContext) -> JsonObject:
        """The arguments as they will be used, with what the model left open filled in."""

    def title(self, args: JsonObject) -> str:
        """What a person reads while it runs."""

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Run it; faults that the model can repair come back as an outcome.

        Raises:
            TabulaflowError: The source or a port failed; the turn ends with it.
        """


class AsGiven:
    """Base of the tools that take their arguments as given."""

    def completed(self, args: JsonObject, context: ToolContext) -> JsonObject:
        """The arguments, unchanged."""
        return args


class ToolArgs(BaseModel):
    """Base of a tool's arguments; unknown ones are ignored, since models add their own."""

    model_config = ConfigDict(extra="ignore")


def failed(message: str, *, hint: str = "", kind: str = "invalid") -> ToolOutcome:
    """Return a fault as an outcome."""
    text = f"error ({kind}): {message}" + (f"\nhint: {hint}" if hint else "")
    return ToolOutcome(text, ok=False, summary=message, error=message, hint=hint)


def bad_arguments(call: ToolCall, error: ValidationError | None = None, *, cut: bool = False) -> ToolOutcome:
    """Return what the model is told when its arguments do not fit, or were `cut` at its output limit."""
    if cut:
        return failed(
            f"Your call of {call.name} was cut at your output limit, so it did not run.",
            hint="send a shorter one",
            kind="cut",
        )
    if error is None:
        return failed(f"The arguments of {call.name} are not a JSON object.", kind="arguments")
    faults = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors())
    return failed(f"The arguments of {call.name} do not fit: {faults}", kind="arguments")
