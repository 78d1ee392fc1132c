"""Ask back, or say that the data cannot answer: as a call, so that the outcome is known without reading prose."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import ValidationError

from tabulaflow_core.agents.tools.protocol import AsGiven, Ending, ToolArgs, ToolContext, ToolOutcome, failed
from tabulaflow_core.models.contracts import JsonObject, ToolSpec


class _Args(ToolArgs):
    kind: Literal["ask", "cannot"]
    text: str


#: One object for all turns, so that what is computed of it can be kept.
_SPEC: Final = ToolSpec(
    "no_answer",
    "End without an answer: ask the person back, or say that the data cannot tell.",
    {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["ask", "cannot"]},
            "text": {"type": "string", "description": "What the person reads"},
        },
        "required": ["kind", "text"],
    },
)


class NoAnswer(AsGiven):
    """The tool `no_answer`."""

    @property
    def spec(self) -> ToolSpec:
        """How it is offered."""
        return _SPEC

    def title(self, args: JsonObject) -> str:
        """What a person reads while it runs."""
        return "Asking back" if args.get("kind") == "ask" else "Explaining"

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Run it."""
        try:
            wanted = _Args.model_validate(args)
        except ValidationError as error:
            return failed("; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()))
        ending = Ending("needs_clarification" if wanted.kind == "ask" else "cannot_answer", wanted.text.strip())
        return ToolOutcome(
            "Told the person.", summary="asked back" if wanted.kind == "ask" else "no answer", ending=ending
        )
