"""An answer as an object: asked for, validated, repaired once."""

from __future__ import annotations

import json
from typing import Final

from pydantic import ValidationError

from tabulaflow_core.agents.turn import Step, Turn
from tabulaflow_core.errors import OutputInvalid
from tabulaflow_core.models.contracts import AssistantMessage, JsonObject, Message, UserMessage

_ASK: Final = (
    "When you have the figures, answer with one JSON object only, no other words, that fits this JSON Schema:\n"
)
_REPAIR: Final = (
    "This is not an object that fits the JSON Schema: {faults}\nAnswer again with the corrected JSON object only."
)


def schema_of(turn: Turn) -> JsonObject | None:
    """Return the JSON Schema of the output type, None when there is none."""
    return None if turn.output_type is None else turn.output_type.model_json_schema()


def request_text(turn: Turn) -> str:
    """Return what the model is told of the output type; empty when there is none."""
    schema = schema_of(turn)
    return "" if schema is None else _ASK + json.dumps(schema, separators=(",", ":"), ensure_ascii=False)


def check(turn: Turn, step: Step) -> list[Message]:
    """Validate the final text of `step`; return the messages of the one repair, or nothing when it fits.

    Raises:
        OutputInvalid: The repair did not fit either.
    """
    if turn.output_type is None:
        return []
    try:
        turn.data = turn.output_type.model_validate_json(json_text(step.text)).model_dump(mode="json")
        return []
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'text'}: {e['msg']}" for e in error.errors()[:5])
    if turn.repaired:
        raise OutputInvalid(
            f"The model's answer does not fit {turn.output_type.__name__}, also after a correction: {faults}"
        )
    turn.repaired = True
    return [AssistantMessage(step.text), UserMessage(_REPAIR.format(faults=faults), host=True)]


def json_text(text: str) -> str:
    """Return the JSON in `text`: itself, or what stands in its fence."""
    body = text.strip()
    if body.startswith("```"):
        body = body.removeprefix("```").removeprefix("json").rpartition("```")[0]
    return body.strip()
