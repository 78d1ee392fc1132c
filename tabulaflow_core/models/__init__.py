"""Who thinks: language models behind one protocol, whatever wire they speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.lazy import lazy_names

if TYPE_CHECKING:
    from tabulaflow_core.models.catalog import PROVIDERS
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
    from tabulaflow_core.models.doctor import DoctorReport, Finding, probe_endpoint
    from tabulaflow_core.models.prices import usage_from
    from tabulaflow_core.models.resolve import default_model_name, preload_model, resolve_model, why_not_ready
    from tabulaflow_core.models.scripted import ScriptedModel
    from tabulaflow_core.models.text_calls import TextCallParser
    from tabulaflow_core.models.tokens import estimate_request_tokens, estimate_tokens
    from tabulaflow_core.models.usage import Usage

_CONTRACTS = (
    "AssistantMessage CallPart ChatModel DonePart JsonObject Message ModelFacts ModelRequest ReasoningLevel StreamPart "
    "SystemMessage TextPart ThinkingPart ToolCall ToolMessage ToolSpec UserMessage"
)
_HOMES = {
    **dict.fromkeys(_CONTRACTS.split(), ".contracts"),
    "DoctorReport": ".doctor",
    "Finding": ".doctor",
    "PROVIDERS": ".catalog",
    "ScriptedModel": ".scripted",
    "TextCallParser": ".text_calls",
    "Usage": ".usage",
    "default_model_name": ".resolve",
    "estimate_request_tokens": ".tokens",
    "estimate_tokens": ".tokens",
    "preload_model": ".resolve",
    "probe_endpoint": ".doctor",
    "resolve_model": ".resolve",
    "usage_from": ".prices",
    "why_not_ready": ".resolve",
}

__all__ = [
    "PROVIDERS",
    "AssistantMessage",
    "CallPart",
    "ChatModel",
    "DoctorReport",
    "DonePart",
    "Finding",
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
    "default_model_name",
    "estimate_request_tokens",
    "estimate_tokens",
    "preload_model",
    "probe_endpoint",
    "resolve_model",
    "usage_from",
    "why_not_ready",
]


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
