"""The messages of a conversation: JSON both ways, and repair after a turn that broke off."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from tabulaflow_core.models.contracts import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)

#: What a call is answered with when its tool never came to an end: a request with an open call is refused by providers.
UNANSWERED: Final = "This did not run to its end: the turn was stopped."
#: What stands for an answer that was never given, so that roles keep alternating.
NO_ANSWER: Final = "(No answer: the turn was stopped.)"


@cache
def _adapter() -> TypeAdapter[list[Message]]:
    return TypeAdapter(list[Annotated[Message, Field(discriminator="kind")]])


def messages_to_json(messages: Sequence[Message]) -> str:
    """Write `messages` as a JSON array."""
    return _adapter().dump_json(list(messages)).decode()


def messages_from_json(text: str | bytes) -> tuple[Message, ...]:
    """Read what `messages_to_json` wrote.

    Raises:
        pydantic.ValidationError: It is not a history of this version.
    """
    return tuple(_adapter().validate_json(text))


def repaired(messages: Sequence[Message]) -> list[Message]:
    """Give every call an answer and every question a reply, so that any provider accepts what follows.

    Answers without a call, which a cut history can hold, are dropped.
    """
    out: list[Message] = []
    open_calls: dict[str, ToolCall] = {}
    awaiting = False
    for message in messages:
        if isinstance(message, ToolMessage):
            if open_calls.pop(message.call_id, None) is not None:
                out.append(message)
            continue
        out.extend(_answers(open_calls))
        open_calls = {}
        if isinstance(message, UserMessage) and not message.host and awaiting:
            out.append(AssistantMessage(NO_ANSWER))
        if isinstance(message, AssistantMessage):
            open_calls = {call.id: call for call in message.tool_calls}
        out.append(message)
        awaiting = _awaits(message, awaiting)
    out.extend(_answers(open_calls))
    if awaiting:
        out.append(AssistantMessage(NO_ANSWER))
    return out


def _awaits(message: Message, before: bool) -> bool:
    """Say whether the conversation waits for the model's words after `message`."""
    if isinstance(message, AssistantMessage):
        return bool(message.tool_calls)
    if isinstance(message, UserMessage):
        return before or not message.host
    return before


def _answers(calls: dict[str, ToolCall]) -> list[Message]:
    return [ToolMessage(call.id, call.name, UNANSWERED) for call in calls.values()]


def turns_of(messages: Sequence[Message]) -> tuple[list[Message], list[list[Message]]]:
    """Split into what stands before the first question and the turns, each from its question on.

    Host messages directly before a question belong to its turn.
    """
    head: list[Message] = []
    turns: list[list[Message]] = []
    pending: list[Message] = []
    for message in messages:
        if isinstance(message, SystemMessage):
            head.append(message)
        elif isinstance(message, UserMessage) and message.host:
            pending.append(message)
        elif isinstance(message, UserMessage):
            turns.append([*pending, message])
            pending = []
        else:
            if not turns:
                turns.append([])
            turns[-1].extend([*pending, message])
            pending = []
    if pending:
        (turns[-1] if turns else head).extend(pending)
    return head, turns


def question_of(turn: Sequence[Message]) -> str:
    """Return what the person asked in `turn`, empty when it holds no question."""
    return next((m.text for m in turn if isinstance(m, UserMessage) and not m.host), "")


def answer_of(turn: Sequence[Message]) -> str:
    """Return the last words of the model in `turn`."""
    return next((m.text for m in reversed(turn) if isinstance(m, AssistantMessage) and not m.tool_calls), "")


def calls_of(turn: Sequence[Message]) -> list[tuple[ToolCall, str]]:
    """Return the calls of `turn` with the text each was answered with."""
    answers = {m.call_id: m.text for m in turn if isinstance(m, ToolMessage)}
    calls = [call for m in turn if isinstance(m, AssistantMessage) for call in m.tool_calls]
    return [(call, answers.get(call.id, "")) for call in calls]
