"""Who thinks: language models behind one protocol, whatever wire they speak."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabulaflow_core.models.contracts import (
        AssistantMessage,
        CallPart,
        ChatModel,
        DonePart,
        JsonObject,
        Message,
        ModelFacts,
        ModelRequest,
        ReasoningLevel,
        StreamPart,
        SystemMessage,
        TextPart,
        ThinkingPart,
        ToolCall,
        ToolMessage,
        ToolSpec,
        UserMessage,
    )
    from tabulaflow_core.models.resolve import resolve_model
    from tabulaflow_core.models.scripted import ScriptedModel
    from tabulaflow_core.models.text_calls import TextCallParser
    from tabulaflow_core.models.tokens import estimate_request_tokens, estimate_tokens
    from tabulaflow_core.models.usage import Usage

_CONTRACTS = (
    "AssistantMessage CallPart ChatModel DonePart JsonObject Message ModelFacts ModelRequest ReasoningLevel StreamPart "
    "SystemMessage TextPart ThinkingPart ToolCall ToolMessage ToolSpec UserMessage"
)
_WHERE = {
    **dict.fromkeys(_CONTRACTS.split(), "contracts"),
    "ScriptedModel": "scripted",
    "TextCallParser": "text_calls",
    "Usage": "usage",
    "estimate_request_tokens": "tokens",
    "estimate_tokens": "tokens",
    "resolve_model": "resolve",
}

__all__ = [
    "AssistantMessage",
    "CallPart",
    "ChatModel",
    "DonePart",
    "JsonObject",
    "Message",
    "ModelFacts",
    "ModelRequest",
    "ReasoningLevel",
    "ScriptedModel",
    "StreamPart",
    "SystemMessage",
    "TextCallParser",
    "TextPart",
    "ThinkingPart",
    "ToolCall",
    "ToolMessage",
    "ToolSpec",
    "Usage",
    "UserMessage",
    "estimate_request_tokens",
    "estimate_tokens",
    "resolve_model",
]


def __getattr__(name: str) -> object:
    """Import what is asked for, and no more."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
