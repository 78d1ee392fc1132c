"""The two wires, from the server's side: what is sent for each step of a script."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any, Protocol

from tabulaflow_core.models.scripted import CallStep
from tabulaflow_core.models.tokens import estimate_tokens

_ids = itertools.count(1)


class Speaker(Protocol):
    """Writes server-sent events."""

    habits: set[str]
    reason: str
    reasoned: set[str]

    def start(self) -> Iterator[str]: ...
    def text(self, delta: str) -> Iterator[str]: ...
    def thinking(self, delta: str) -> Iterator[str]: ...
    def call(self, step: CallStep) -> Iterator[str]: ...
    def refuse(self, words: str) -> Iterator[str]: ...
    def error(self, message: str, code: str) -> Iterator[str]: ...
    def end(self) -> Iterator[str]: ...


def pieces(text: str) -> list[str]:
    """Cut arguments into three, in the middle of whatever stands there."""
    third = max(len(text) // 3, 1)
    return [text[:third], text[third : 2 * third], text[2 * third :]]


class ChatSpeaker:
    """Chat Completions.

    Args:
        cached: Of the prompt's tokens, those that an earlier prompt began with; by default half of them.
    """

    def __init__(self, body: dict[str, Any], *, prompt_tokens: int, cached: int | None = None) -> None:
        self.habits: set[str] = set()
        self.reason = ""
        self.reasoned: set[str] = set()
        self._model = body.get("model", "")
        self._usage_wanted = bool((body.get("stream_options") or {}).get("include_usage"))
        self._input = prompt_tokens
        self._cached = prompt_tokens // 2 if cached is None else cached
        self._output = self._calls = 0

    def _chunk(self, delta: dict[str, Any] | None, finish: str | None = None, **more: object) -> str:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        value = {"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": self._model}
        return f"data: {json.dumps({**value, 'choices': choices, **more})}\n\n"

    def start(self) -> Iterator[str]:
        if "empty_first" in self.habits:
            yield self._chunk(None, prompt_filter_results=[])
        yield self._chunk({"role": "assistant", "content": ""})

    def text(self, delta: str) -> Iterator[str]:
        self._output += estimate_tokens(delta)
        yield self._chunk({"content": delta})

    def thinking(self, delta: str) -> Iterator[str]:
        yield self._chunk({"reasoning_content": delta})

    def call(self, step: CallStep) -> Iterator[str]:
        index: dict[str, Any] = {} if "no_index" in self.habits else {"index": self._calls}
        self._calls += 1
        self._output += estimate_tokens(step.raw)
        id = {} if "no_id" in self.habits else {"id": step.id or f"call_{next(_ids)}"}
        head = {"type": "function", "function": {"name": step.name, "arguments": ""}}
        yield self._chunk({"tool_calls": [{**index, **id, **head}]})
        for piece in pieces(step.raw):
            yield self._chunk({"tool_calls": [{**index, "function": {"arguments": piece}}]})

    def refuse(self, words: str) -> Iterator[str]:
        self._output += estimate_tokens(words)
        yield self._chunk({"refusal": words})

    def error(self, message: str, code: str) -> Iterator[str]:
        yield f"data: {json.dumps({'error': {'message': message, 'code': code, 'type': code}})}\n\n"

    def end(self) -> Iterator[str]:
        if "no_finish" not in self.habits:
            yield self._chunk({}, self.reason or ("tool_calls" if self._calls else "stop"))
        if self._usage_wanted and "no_usage" not in self.habits:
            usage = {
                "prompt_tokens": self._input,
                "completion_tokens": self._output,
                "total_tokens": self._input + self._output,
                "prompt_tokens_details": {"cached_tokens": self._cached},
            }
            yield self._chunk(None, usage=usage)
        yield "data: [DONE]\n\n"


class ResponsesSpeaker:
    """Responses; see `ChatSpeaker`."""

    def __init__(self, body: dict[str, Any], *, prompt_tokens: int, cached: int | None = None) -> None:
        self.habits: set[str] = set()
        self.reason = ""
        self.reasoned: set[str] = set()
        self._model = body.get("model", "")
        self._encrypted = "reasoning.encrypted_content" in (body.get("include") or [])
        self._input = prompt_tokens
        self._cached = prompt_tokens // 2 if cached is None else cached
        self._output = self._reasoning = 0
        self._sequence = itertools.count()
        self._items: list[dict[str, Any]] = []
        self._open: dict[str, Any] | None = None

    def _event(self, kind: str, **more: object) -> str:
        data = {"type": kind, "sequence_number": next(self._sequence), **more}
        return f"event: {kind}\ndata: {json.dumps(data)}\n\n"

    def _response(self, status: str, **more: object) -> dict[str, Any]:
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "status": status,
            "model": self._model,
            "output": self._items,
            **more,
        }

    def _begin(self, item: dict[str, Any]) -> Iterator[str]:
        if self._open is not None and self._open["type"] == item["type"] != "function_call":
            return
        yield from self._finish()
        self._open = item
        yield self._event("response.output_item.added", output_index=len(self._items), item=item)

    def _finish(self) -> Iterator[str]:
        if self._open is not None:
            item, self._open = self._open, None
            self._items.append(item)
            yield self._event("response.output_item.done", output_index=len(self._items) - 1, item=item)

    def start(self) -> Iterator[str]:
        yield self._event("response.created", response=self._response("in_progress"))

    def text(self, delta: str) -> Iterator[str]:
        self._output += estimate_tokens(delta)
        item = {"id": f"msg_{next(_ids)}", "type": "message", "role": "assistant", "status": "completed"}
        yield from self._begin({**item, "content": [{"type": "output_text", "text": "", "annotations": []}]})
        assert self._open is not None
        self._open["content"][0]["text"] += delta
        place = {"item_id": self._open["id"], "output_index": len(self._items), "content_index": 0}
        yield self._event("response.output_text.delta", **place, delta=delta, logprobs=[])

    def thinking(self, delta: str) -> Iterator[str]:
        self._reasoning += estimate_tokens(delta)
        item: dict[str, Any] = {"id": f"rs_{next(_ids)}", "type": "reasoning", "summary": []}
        if self._encrypted:
            item["encrypted_content"] = "scripted"
        yield from self._begin(item)
        assert self._open is not None
        place = {"item_id": self._open["id"], "output_index": len(self._items), "summary_index": 0}
        yield self._event("response.reasoning_summary_text.delta", **place, delta=delta)

    def call(self, step: CallStep) -> Iterator[str]:
        self._output += estimate_tokens(step.raw)
        item = {
            "id": f"fc_{next(_ids)}",
            "type": "function_call",
            "call_id": step.id or f"call_{next(_ids)}",
            "name": step.name,
            "arguments": "",
            "status": "completed",
        }
        yield from self._begin(item)
        if self._items and self._items[-1]["type"] == "reasoning":
            self.reasoned.add(item["call_id"])
        for piece in pieces(step.raw):
            item["arguments"] += piece
            place = {"item_id": item["id"], "output_index": len(self._items)}
            yield self._event("response.function_call_arguments.delta", **place, delta=piece)
        yield from self._finish()

    def refuse(self, words: str) -> Iterator[str]:
        self._output += estimate_tokens(words)
        item = {"id": f"msg_{next(_ids)}", "type": "message", "role": "assistant", "status": "completed"}
        yield from self._begin({**item, "content": [{"type": "refusal", "refusal": words}]})
        place = {"item_id": item["id"], "output_index": len(self._items), "content_index": 0}
        yield self._event("response.refusal.delta", **place, delta=words)

    def error(self, message: str, code: str) -> Iterator[str]:
        error = {"code": code, "message": message}
        yield self._event("response.failed", response=self._response("failed", error=error))

    def end(self) -> Iterator[str]:
        yield from self._finish()
        more: dict[str, Any] = {}
        if "no_usage" not in self.habits:
            output = self._output + self._reasoning
            more["usage"] = {
                "input_tokens": self._input,
                "input_tokens_details": {"cached_tokens": self._cached, "cache_write_tokens": 0},
                "output_tokens": output,
                "output_tokens_details": {"reasoning_tokens": self._reasoning},
                "total_tokens": self._input + output,
            }
        if self.reason:
            why = {"reason": "max_output_tokens" if self.reason == "length" else self.reason}
            cut = self._response("incomplete", incomplete_details=why, **more)
            yield self._event("response.incomplete", response=cut)
            return
        yield self._event("response.completed", response=self._response("completed", **more))
