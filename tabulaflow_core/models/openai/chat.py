"""The Chat Completions wire: what Ollama, vLLM, LM Studio, llama.cpp, Azure and most hosts speak."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, Final, Literal, cast

import openai
from openai.types.chat import ChatCompletionChunk

from tabulaflow_core.models.contracts import CallPart, DonePart, ModelRequest, StreamPart, TextPart, ThinkingPart
from tabulaflow_core.models.openai.call_deltas import CallDeltas
from tabulaflow_core.models.openai.chat_format import chat_parameters
from tabulaflow_core.models.openai.errors import broke_off
from tabulaflow_core.models.openai.quirks import Quirks
from tabulaflow_core.models.openai.wire import Wire
from tabulaflow_core.models.prices import usage_from
from tabulaflow_core.models.text_calls import TextCallParser
from tabulaflow_core.models.think_tags import ThinkTags
from tabulaflow_core.models.usage import Usage

Reason = Literal["stop", "calls", "length", "refused"]
_REASONS: Final[dict[str, Reason]] = {"length": "length", "content_filter": "refused"}


class OpenAIChatModel(Wire[ChatCompletionChunk]):
    """A model behind `POST /chat/completions`."""

    async def _open(
        self, client: openai.AsyncOpenAI, request: ModelRequest, quirks: Quirks
    ) -> openai.AsyncStream[ChatCompletionChunk]:
        body = chat_parameters(request, self._facts, quirks)
        return cast("openai.AsyncStream[ChatCompletionChunk]", await client.chat.completions.create(**body))

    async def _read(
        self, stream: openai.AsyncStream[ChatCompletionChunk], request: ModelRequest, started: float
    ) -> AsyncIterator[StreamPart]:
        parser, tags, calls = self._parser(request), ThinkTags(), CallDeltas()
        finish: str | None = None
        written = False
        usage: object = None
        async for chunk in stream:
            usage = _usage_of(chunk) or usage
            for choice in (chunk.choices or [])[:1]:
                finish = choice.finish_reason or finish
                delta = choice.delta
                if delta is None:
                    continue
                if thought := _thought(delta):
                    yield ThinkingPart(thought)
                for part in _sorted_out(tags.feed((delta.content or "") + (delta.refusal or "")), parser):
                    written |= isinstance(part, CallPart)
                    yield part
                for piece in delta.tool_calls or []:
                    function = piece.function
                    calls.add(
                        index=piece.index,
                        id=piece.id,
                        name=function.name if function else None,
                        arguments=function.arguments if function else None,
                    )
        if finish is None:
            raise broke_off(self._facts, detail="the stream ended without a finish_reason")
        for part in (*_sorted_out(tags.finish(), parser), *parser.finish()):
            written |= isinstance(part, CallPart)
            yield part
        for call in calls.finish():
            yield CallPart(call)
        reason: Reason = _REASONS.get(finish) or ("calls" if calls or written else "stop")
        yield DonePart(self._usage(usage, time.monotonic() - started), reason=reason)

    def _usage(self, usage: object, seconds: float) -> Usage:
        read = _field(usage, "prompt_tokens"), _field(usage, "completion_tokens")
        cached = _field(usage, "prompt_tokens_details", "cached_tokens")
        if cached is None:
            cached = _field(usage, "prompt_cache_hit_tokens")  # DeepSeek's name
        return usage_from(
            self._facts,
            input_tokens=read[0],
            output_tokens=read[1],
            cached_input_tokens=cached or 0,
            reasoning_tokens=_field(usage, "completion_tokens_details", "reasoning_tokens") or 0,
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


def _usage_of(chunk: ChatCompletionChunk) -> object:
    """Return the usage of a chunk; Groq has it in a field of its own."""
    if chunk.usage is not None:
        return chunk.usage
    extra: Any = (chunk.model_extra or {}).get("x_groq")
    return extra.get("usage") if isinstance(extra, dict) else None


def _thought(delta: object) -> str:
    """Return the reasoning of a delta; the field's name differs from server to server."""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(text := getattr(delta, name, None), str):
            return text
    return ""


def _field(value: object, *path: str) -> int | None:
    """Follow `path` through objects or dicts to a whole number."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
