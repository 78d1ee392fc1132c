"""A request in the words of the Chat Completions wire."""

from __future__ import annotations

import json
from typing import Any

from tabulaflow_core.models.contracts import (
    AssistantMessage,
    Message,
    ModelFacts,
    ModelRequest,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabulaflow_core.models.openai.quirks import Quirks


def chat_parameters(request: ModelRequest, facts: ModelFacts, quirks: Quirks) -> dict[str, Any]:
    """Return the body of `POST /chat/completions`, without what the model does not take."""
    body: dict[str, Any] = {
        "model": facts.name.partition(":")[2],
        "messages": chat_messages(request.messages, quirks),
        "stream": True,
    }
    if quirks.stream_options:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [
            {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
            for t in request.tools
        ]
        if request.tool_choice != "auto" and quirks.tool_choice:
            body["tool_choice"] = request.tool_choice
    if request.temperature is not None and quirks.temperature:
        body["temperature"] = request.temperature
    if request.max_output_tokens is not None and quirks.max_tokens:
        body[quirks.max_tokens] = request.max_output_tokens
    if request.reasoning in facts.reasoning and quirks.reasoning:
        body["reasoning_effort"] = request.reasoning
    if request.response_schema is not None and quirks.response_schema:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": "answer",
                "schema": request.response_schema,
                "strict": is_strict(request.response_schema),
            },
        }
    if request.stop and quirks.stop:
        body["stop"] = list(request.stop)
    if request.cache_key and quirks.cache_key:
        body["prompt_cache_key"] = request.cache_key
    return body


def chat_messages(messages: tuple[Message, ...], quirks: Quirks) -> list[dict[str, Any]]:
    """Return the messages; neighbours of the person's side become one, since some templates refuse two in a row."""
    written: list[dict[str, Any]] = []
    for message in messages:
        item = _message(message, quirks)
        if item["role"] == "user" and written and written[-1]["role"] == "user":
            written[-1] = {"role": "user", "content": f"{written[-1]['content']}\n\n{item['content']}"}
        else:
            written.append(item)
    return written


def _message(message: Message, quirks: Quirks) -> dict[str, Any]:
    match message:
        case SystemMessage(text):
            return {"role": quirks.system_role, "content": text}
        case UserMessage(text):
            return {"role": "user", "content": text}
        case ToolMessage(call_id, _, text):
            return {"role": "tool", "tool_call_id": call_id, "content": text}
        case AssistantMessage(text, calls):
            if not calls:
                return {"role": "assistant", "content": text}
            return {"role": "assistant", "content": text or None, "tool_calls": [_call(call) for call in calls]}


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": written_arguments(call)},
    }


def written_arguments(call: ToolCall) -> str:
    """Return a call's arguments as JSON in any case: servers that render them into a template fail on anything else."""
    if call.arguments is None:
        return "{}"
    return json.dumps(call.arguments, ensure_ascii=False)


def is_strict(schema: object) -> bool:
    """Say whether a JSON Schema meets the rules of strict mode: closed objects, every property required."""
    if isinstance(schema, list):
        return all(is_strict(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object":
        properties, required = schema.get("properties"), schema.get("required", [])
        if schema.get("additionalProperties") is not False or not isinstance(properties, dict):
            return False
        if not isinstance(required, list) or set(properties) != set(required):
            return False
    return all(is_strict(item) for item in schema.values())
