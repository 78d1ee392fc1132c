"""From a request's JSON on either wire to a `ModelRequest`, so that the same rules serve the fake and the server."""

from __future__ import annotations

import json
from typing import Any

from tabulaflow_core.models.contracts import (
    AssistantMessage,
    Message,
    ModelRequest,
    SystemMessage,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)


def request_of(path: str, body: dict[str, Any]) -> ModelRequest:
    """Read what was asked."""
    return _from_responses(body) if path.endswith("/responses") else _from_chat(body)


def prompt_of(body: dict[str, Any]) -> str:
    """Write a request as the model reads it: tools, instructions, messages."""
    parts = [body.get("tools") or [], body.get("instructions") or "", *(body.get("messages") or body["input"])]
    return "\n".join(json.dumps(part, ensure_ascii=False) for part in parts)


def shared_beginning(one: str, other: str) -> str:
    """Return what both begin with."""
    return one[
        : next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(map(len, (one, other))))
    ]


def _tool(function: dict[str, Any]) -> ToolSpec:
    return ToolSpec(function["name"], function.get("description", ""), function.get("parameters", {}))


def _call(id: str, name: str, arguments: str) -> ToolCall:
    return ToolCall(id, name, json.loads(arguments), arguments)


def _from_chat(body: dict[str, Any]) -> ModelRequest:
    names: dict[str, str] = {}
    messages: list[Message] = []
    for item in body["messages"]:
        content = item.get("content") or ""
        match item["role"]:
            case "system" | "developer":
                messages.append(SystemMessage(content))
            case "user":
                messages.append(UserMessage(content))
            case "assistant":
                calls = tuple(
                    _call(c["id"], c["function"]["name"], c["function"]["arguments"])
                    for c in item.get("tool_calls") or ()
                )
                names |= {call.id: call.name for call in calls}
                messages.append(AssistantMessage(content, calls))
            case "tool":
                messages.append(ToolMessage(item["tool_call_id"], names[item["tool_call_id"]], content))
    tools = tuple(_tool(tool["function"]) for tool in body.get("tools") or ())
    return ModelRequest(tuple(messages), tools, tool_choice=body.get("tool_choice", "auto"))


def _from_responses(body: dict[str, Any]) -> ModelRequest:
    names: dict[str, str] = {}
    messages: list[Message] = [SystemMessage(body["instructions"])] if body.get("instructions") else []
    for item in body["input"]:
        match item.get("type", item.get("role")):
            case "user":
                messages.append(UserMessage(item["content"]))
            case "assistant":
                messages.append(AssistantMessage(item["content"]))
            case "function_call":
                call = _call(item["call_id"], item["name"], item["arguments"])
                names[call.id] = call.name
                messages.append(AssistantMessage("", (call,)))
            case "function_call_output":
                messages.append(ToolMessage(item["call_id"], names[item["call_id"]], item["output"]))
    tools = tuple(_tool(tool) for tool in body.get("tools") or ())
    return ModelRequest(tuple(messages), tools, tool_choice=body.get("tool_choice", "auto"))
