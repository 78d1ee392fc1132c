"""Short names for what the tests look at."""

from __future__ import annotations

from collections.abc import Callable

from tabulaflow_core.agents import ChatSession, Event
from tabulaflow_core.models.contracts import AssistantMessage, ToolMessage

New = Callable[..., ChatSession]
BELOW = "SELECT product, on_hand FROM inventory WHERE on_hand < reorder_point ORDER BY product"


async def events_of(session: ChatSession, question: str = "Which?") -> list[Event]:
    return [event async for event in session.run_stream(question)]


def kinds(events: list[Event]) -> list[str]:
    """Kinds in order, runs of the same kind written once."""
    out: list[str] = []
    for event in events:
        if not out or out[-1] != event.kind:
            out.append(event.kind)
    return out


def usable(session: ChatSession) -> bool:
    """Every call has its answer right behind it, and the last word is the model's."""
    open_calls: set[str] = set()
    for message in session.history:
        if isinstance(message, ToolMessage):
            if message.call_id not in open_calls:
                return False
            open_calls.remove(message.call_id)
        elif open_calls:
            return False
        elif isinstance(message, AssistantMessage):
            open_calls = {c.id for c in message.tool_calls}
    return not open_calls and isinstance(session.history[-1], AssistantMessage)
