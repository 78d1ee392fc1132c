"""The Chat Completions wire: what Ollama, vLLM, LM Studio, llama.cpp, Azure and most hosts speak."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, Final, Literal

from tabulaflow_core.models.contracts import CallPart, DonePart, ModelRequest, StreamPart, TextPart, ThinkingPart
from tabulaflow_core.models.openai.call_deltas import CallDeltas
from tabulaflow_core.models.openai.chat_format import chat_parameters
from tabulaflow_core.models.openai.errors import broke_off
from tabulaflow_core.models.openai.events import Event, EventStream, whole_number
from tabulaflow_core.models.openai.quirks import Quirks
from tabulaflow_core.models.openai.wire import Wire
from tabulaflow_core.models.prices import usage_from
from tabulaflow_core.models.text_calls import TextCallParser
from tabulaflow_core.models.think_tags import ThinkTags
from tabulaflow_core.models.usage import Usage

Reason = Literal["stop", "calls", "length", "refused"]
_REASONS: Final[dict[str, Reason]] = {"length": "length", "content_filter": "refused"}


class OpenAIChatModel(Wire):
    """A model behind `POST /chat/completions`."""

    path = "/chat/completions"

    def _body(self, request: ModelRequest, quirks: Quirks) -> dict[str, Any]:
        return chat_parameters(request, self._facts, quirks)

    async def _read(self, events: EventStream, request: ModelRequest, started: float) -> AsyncIterator[StreamPart]:
        parser, tags, calls = self._parser(request), ThinkTags(), CallDeltas()
        finish: str | None = None
        written = False
        usage: object = None
        async for chunk in events:
            usage = _usage_of(chunk) or usage
            for choice in (chunk.get("choices") or [])[:1]:
                finish = choice.get("finish_reason") or finish
                delta = choice.get("delta")
                if not delta:
                    continue
                if thought := _thought(delta):
                    yield ThinkingPart(thought)
                said = (delta.get("content") or "") + (delta.get("refusal") or "")
                for part in _sorted_out(tags.feed(said), parser):
                    written |= isinstance(part, CallPart)
                    yield part
                for piece in delta.get("tool_calls") or ():
                    function = piece.get("function") or {}
                    calls.add(
                        index=piece.get("index"),
                        id=piece.get("id"),
                        name=function.get("name"),
                        arguments=function.get("arguments"),
                    )
        if finish is None:
            raise broke_off(self._facts, detail="the stream ended without a finish_reason")
        for part in (*_sorted_out(tags.finish(), parser), *parser.finish(cut=finish == "length")):
            written |= isinstance(part, CallPart)
            yield part
        for call in calls.finish():
            yield CallPart(call)
        reason: Reason = _REASONS.get(finish) or ("calls" if calls or written else "stop")
        yield DonePart(self._usage(usage, time.monotonic() - started), reason=reason)

    def _usage(self, usage: object, seconds: float) -> Usage:
        cached = whole_number(usage, "prompt_tokens_details", "cached_tokens")
        if cached is None:
            cached = whole_number(usage, "prompt_cache_hit_tokens")  # DeepSeek's name
        return usage_from(
            self._facts,
            input_tokens=whole_number(usage, "prompt_tokens"),
            output_tokens=whole_number(usage, "completion_tokens"),
            cached_input_tokens=cached or 0,
            reasoning_tokens=whole_number(usage, "completion_tokens_details", "reasoning_tokens") or 0,
            seconds=seconds,
        )


def _sorted_out(
    parts: Iterable[TextPart | ThinkingPart], parser: TextCallParser
) -> Iterator[TextPart | ThinkingPart | CallPart]:
    """Pass reasoning on, and text through the reader of calls."""
    for part in parts:
        if isinstance(part, ThinkingPart):
            yield part
        else:
            yield from parser.feed(part.text)


def _usage_of(chunk: Event) -> object:
    """Return the usage of a chunk; Groq has it in a field of its own."""
    if usage := chunk.get("usage"):
        return usage
    extra = chunk.get("x_groq")
    return extra.get("usage") if isinstance(extra, dict) else None


def _thought(delta: Event) -> str:
    """Return the reasoning of a delta; the field's name differs from server to server."""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(text := delta.get(name), str):
            return text
    return ""
