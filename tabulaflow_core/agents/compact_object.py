"""An answer as an object from a small model: it fills the schema from the rows, held to it where the server can."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from tabulaflow_core.agents import output_type as output
from tabulaflow_core.agents.events import SessionEvent
from tabulaflow_core.agents.turn import Step, Turn
from tabulaflow_core.errors import OutputInvalid
from tabulaflow_core.models.contracts import Message, ModelRequest, SystemMessage, UserMessage
from tabulaflow_core.output.tables import preview_text

_RULES: Final = "Answer the question from the rows as one JSON object that fits the schema, and nothing else."
_TOKENS: Final = 700


async def fill(turn: Turn) -> AsyncGenerator[SessionEvent]:
    """Make the object of the output type out of the last result.

    Raises:
        OutputInvalid: There are no rows, or no answer fitted, also after one repair.
    """
    if turn.output_type is None:
        return
    if not turn.context.results:
        raise OutputInvalid(f"No {turn.output_type.__name__} can be made: {turn.text}")
    rows = preview_text(turn.context.results[-1], rows=40)
    messages: list[Message] = [
        SystemMessage(f"{_RULES}\n{output.request_text(turn)}"),
        UserMessage(f"{turn.question}\n\n{rows}"),
    ]
    while True:
        turn.step += 1
        step = Step(turn.step)
        request = ModelRequest(
            tuple(messages),
            tool_choice="none",
            temperature=0.0,
            max_output_tokens=_TOKENS,
            response_schema=output.schema_of(turn),
        )
        async with aclosing(turn.stream_step(request, step, aloud=False)) as events:
            async for event in events:
                yield event
        repair = output.check(turn, step)
        if not repair:
            return
        messages += repair
