"""The Responses wire: OpenAI's own, with reasoning summaries and reasoning kept between calls."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Final

from tabulaflow_core.models.contracts import (
    AssistantMessage,
    CallPart,
    DonePart,
    ModelFacts,
    ModelRequest,
    StreamPart,
    SystemMessage,
    ThinkingPart,
    ToolMessage,
    UserMessage,
)
from tabulaflow_core.models.openai.call_deltas import finished_call
from tabulaflow_core.models.openai.chat_format import is_strict, written_arguments
from tabulaflow_core.models.openai.client import SILENCE_SECONDS
from tabulaflow_core.models.openai.errors import broke_off
from tabulaflow_core.models.openai.events import Event, EventStream, whole_number
from tabulaflow_core.models.openai.quirks import Quirks
from tabulaflow_core.models.openai.wire import Wire
from tabulaflow_core.models.prices import usage_from
from tabulaflow_core.models.usage import Usage

if TYPE_CHECKING:
    import openai

# Reasoning of so many calls is kept to be sent back: far more than one turn makes.
_KEPT_REASONING: Final = 256


class OpenAIResponsesModel(Wire):
    """A model behind `POST /responses`. Nothing is stored at the provider (`store=False`)."""

    path = "/responses"

    def __init__(
        self,
        facts: ModelFacts,
        *,
        base_url: str,
        api_key: str,
        client: openai.AsyncOpenAI | None = None,
        silence_seconds: float = SILENCE_SECONDS,
    ) -> None:
        super().__init__(facts, base_url=base_url, api_key=api_key, client=client, silence_seconds=silence_seconds)
        # The reasoning that led to each call: sent back with it, the model need not think anew.
        self._kept: OrderedDict[str, list[dict[str, Any]]] = OrderedDict()

    def _body(self, request: ModelRequest, quirks: Quirks) -> dict[str, Any]:
        system = "\n\n".join(message.text for message in request.messages if isinstance(message, SystemMessage))
        body: dict[str, Any] = {"model": self._model, "input": self._input(request), "stream": True, "store": False}
        if system:
            body["instructions"] = system
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                    "strict": is_strict(tool.parameters),
                }
                for tool in request.tools
            ]
            if request.tool_choice != "auto" and quirks.tool_choice:
                body["tool_choice"] = request.tool_choice
        if request.temperature is not None and quirks.temperature:
            body["temperature"] = request.temperature
        if request.max_output_tokens is not None and quirks.max_tokens:
            body["max_output_tokens"] = request.max_output_tokens
        if self._facts.reasoning and quirks.reasoning:
            body |= self._reasoning_parameters(request, quirks)
        if request.response_schema is not None and quirks.response_schema:
            schema = request.response_schema
            body["text"] = {
                "format": {"type": "json_schema", "name": "answer", "schema": schema, "strict": is_strict(schema)}
            }
        if request.cache_key and quirks.cache_key:
            body["prompt_cache_key"] = request.cache_key
        return body

    def _reasoning_parameters(self, request: ModelRequest, quirks: Quirks) -> dict[str, Any]:
        reasoning: dict[str, Any] = {}
        if request.reasoning in self._facts.reasoning:
            reasoning["effort"] = request.reasoning
        if request.reasoning not in (None, "none") and quirks.reasoning_summary:
            reasoning["summary"] = "auto"
        body: dict[str, Any] = {"reasoning": reasoning} if reasoning else {}
        if quirks.encrypted_reasoning:
            body["include"] = ["reasoning.encrypted_content"]
        return body

    def _input(self, request: ModelRequest) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        for message in request.messages:
            match message:
                case SystemMessage():
                    pass
                case UserMessage(text):
                    items.append({"role": "user", "content": text})
                case ToolMessage(call_id, _, text):
                    items.append({"type": "function_call_output", "call_id": call_id, "output": text})
                case AssistantMessage(text, calls):
                    if text:
                        items.append({"role": "assistant", "content": text})
                    for call in calls:
                        items.extend(self._kept.get(call.id, ()))
                        items.append(
                            {
                                "type": "function_call",
                                "call_id": call.id,
                                "name": call.name,
                                "arguments": written_arguments(call),
                            }
                        )
        return items

    def _keep(self, call_id: str, items: list[dict[str, Any]]) -> None:
        self._kept[call_id] = items
        while len(self._kept) > _KEPT_REASONING:
            self._kept.popitem(last=False)

    async def _read(self, events: EventStream, request: ModelRequest, started: float) -> AsyncIterator[StreamPart]:
        parser = self._parser(request)
        thoughts: list[Event] = []
        called = refused = summarised = False
        async for event in events:
            match event.get("type"):
                case "response.output_text.delta" | "response.refusal.delta" as kind:
                    refused |= kind == "response.refusal.delta"
                    for part in parser.feed(_delta(event)):
                        called |= isinstance(part, CallPart)
                        yield part
                case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                    summarised = True
                    yield ThinkingPart(_delta(event))
                case "response.reasoning_summary_part.added":
                    if summarised:
                        yield ThinkingPart("\n\n")
                case "response.output_item.done":
                    item = event["item"]
                    if item["type"] == "reasoning" and item.get("encrypted_content"):
                        thoughts.append(_sent_back(item))
                    elif item["type"] == "function_call":
                        called = True
                        call = finished_call(item["call_id"], item["name"], item.get("arguments") or "")
                        if thoughts:
                            self._keep(call.id, thoughts)
                            thoughts = []
                        yield CallPart(call)
                case "response.completed" | "response.incomplete":
                    for part in parser.finish(cut=event["response"].get("status") == "incomplete"):
                        called |= isinstance(part, CallPart)
                        yield part
                    done = self._done(event["response"], called, refused, time.monotonic() - started)
                    await events.read_to_end()
                    yield done
                    return
                case "response.failed":
                    raise events.failure(event["response"].get("error"))
                case "error":
                    raise events.failure(event)
                case _:
                    pass
        raise broke_off(self._facts, detail="the stream ended without response.completed")

    def _done(self, response: Event, called: bool, refused: bool, seconds: float) -> DonePart:
        usage = self._usage(response.get("usage"), seconds)
        why = (response.get("incomplete_details") or {}).get("reason")
        if refused or why == "content_filter":
            return DonePart(usage, reason="refused")
        if response.get("status") == "incomplete":
            return DonePart(usage, reason="length")
        return DonePart(usage, reason="calls" if called else "stop")

    def _usage(self, usage: object, seconds: float) -> Usage:
        return usage_from(
            self._facts,
            input_tokens=whole_number(usage, "input_tokens"),
            output_tokens=whole_number(usage, "output_tokens"),
            cached_input_tokens=whole_number(usage, "input_tokens_details", "cached_tokens") or 0,
            reasoning_tokens=whole_number(usage, "output_tokens_details", "reasoning_tokens") or 0,
            seconds=seconds,
        )


def _delta(event: Event) -> str:
    delta = event["delta"]
    if not isinstance(delta, str):
        raise TypeError("a delta is not text")
    return delta


def _sent_back(item: Event) -> Event:
    return {
        "type": "reasoning",
        "id": item["id"],
        "summary": [{"type": "summary_text", "text": part["text"]} for part in item.get("summary") or []],
        "encrypted_content": item["encrypted_content"],
    }
