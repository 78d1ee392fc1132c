"""What a language model is to the rest of the house: messages in, a stream of parts out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from pydantic import JsonValue

from tabulaflow_core.models.usage import Usage

JsonObject: TypeAlias = dict[str, JsonValue]
Wire = Literal["responses", "chat", "scripted"]
ReasoningLevel = Literal["none", "low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as offered: `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool as called.

    Attributes:
        id: Unique within a conversation; made up here when the model gave none.
        arguments: The parsed object; None when `raw` is not a JSON object, which the model is told.
        raw: The arguments as the model wrote them.
    """

    id: str
    name: str
    arguments: JsonObject | None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """Instructions; always first, never changed within a conversation, so that prompt caches hit."""

    text: str
    kind: Literal["system"] = "system"


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the person wrote, or what the host says on the person's side (`host=True`)."""

    text: str
    host: bool = False
    kind: Literal["user"] = "user"


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """What the model said and called."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    kind: Literal["assistant"] = "assistant"


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The answer to one tool call, as text for the model."""

    call_id: str
    name: str
    text: str
    kind: Literal["tool"] = "tool"


Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model.

    Attributes:
        response_schema: A JSON Schema the text must fit, where the model can be held to it.
        cache_key: Stable per conversation; lets a provider route to a warm prompt cache.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: Literal["auto", "required", "none"] = "auto"
    temperature: float | None = None
    max_output_tokens: int | None = None
    reasoning: ReasoningLevel | None = None
    response_schema: JsonObject | None = None
    stop: tuple[str, ...] = ()
    cache_key: str = ""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of visible text."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """A piece of reasoning or its summary."""

    text: str
    kind: Literal["thinking"] = "thinking"


@dataclass(frozen=True, slots=True)
class CallPart:
    """One complete tool call."""

    call: ToolCall
    kind: Literal["call"] = "call"


@dataclass(frozen=True, slots=True)
class DonePart:
    """The end of the stream; always the last part, exactly once, in a stream that ended well."""

    usage: Usage
    reason: Literal["stop", "calls", "length", "refused"] = "stop"
    kind: Literal["done"] = "done"


StreamPart: TypeAlias = TextPart | ThinkingPart | CallPart | DonePart


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is true of a model, in one table (`models/catalog.py`) rather than in branches of the loop.

    Attributes:
        name: `provider:model`.
        wire: How it is spoken to.
        context_tokens: Its window; 0 when unknown.
        tools: `native` through the wire; `text` when calls are written in the text (small local models).
        profile: `standard`, or `compact` for a small model: a shorter prompt and one statement at a time.
        reasoning: The levels it takes; empty when it has none.
        price: How its cost is known.
        temperature: False for a model that refuses the parameter.
        local: True when nothing leaves the machine.
    """

    name: str
    wire: Wire
    context_tokens: int = 0
    tools: Literal["native", "text"] = "native"
    profile: Literal["standard", "compact"] = "standard"
    reasoning: tuple[ReasoningLevel, ...] = ()
    price: Literal["table", "local", "unknown"] = "table"
    temperature: bool = True
    local: bool = False
    base_url: str = ""
    api_key_env: str = ""
    extra: tuple[tuple[str, str], ...] = field(default=())


@runtime_checkable
class ChatModel(Protocol):
    """A model that can be asked. Safe to use from many tasks of one event loop."""

    @property
    def facts(self) -> ModelFacts:
        """What is true of it."""

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        """Ask, and stream the answer.

        Closing the iterator or cancelling the task ends the request at the server. Retries happen inside, before
        the first part only.

        Raises:
            ModelUnavailable: No answer, or a fault on its side, after the retries; also a stream that broke off.
            ModelRejected: The request was refused.
            ModelProtocolError: The answer is not the protocol's.
        """

    async def close_async(self) -> None:
        """Give up the connections; a second call does nothing."""
