"""A cheap estimate of how many tokens a text is, for permits and compaction; never for prices."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from tabulaflow_core.models.contracts import (
    AssistantMessage,
    CallPart,
    DonePart,
    ModelRequest,
    StreamPart,
    TextPart,
    ThinkingPart,
    ToolSpec,
)

# Byte-pair vocabularies of today average close to four characters a token on English prose, and close to one token a
# mark on SQL, JSON and numbers; other scripts cost about one token for every one to two characters. The estimate
# leans upwards, because a permit that is too small is worse than one that is too large.
#
# One match, one token: a word of up to six letters or that much of a longer one, three digits, a mark, a break.
_TOKENS = re.compile(r"[A-Za-z]{1,6}|[0-9]{1,3}|[^\sA-Za-z0-9]|\n+|[ \t]{2,}")
_FOREIGN = re.compile(r"[^\x00-\x7f\s]")
_FOREIGN_TENTHS = 8
_TOKENS_PER_MESSAGE = 4
_REMEMBERED_TEXTS = 1024
_LONGEST_REMEMBERED = 16_384
_REMEMBERED_TOOLS = 256


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` is; 0 only for an empty text."""
    # A conversation is counted before each of its calls, and most of it was counted before.
    return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else _counted(text)


def _counted(text: str) -> int:
    count = len(_TOKENS.findall(text))
    if not text.isascii():
        foreign = len(_FOREIGN.findall(text))
        count -= foreign * (10 - _FOREIGN_TENTHS) // 10
    return max(count, 1 if text else 0)


_remembered = lru_cache(maxsize=_REMEMBERED_TEXTS)(_counted)
_tools: dict[int, tuple[ToolSpec, int]] = {}


def estimate_request_tokens(request: ModelRequest) -> int:
    """Return about how many prompt tokens `request` is: messages, calls and tool descriptions."""
    total = 0
    for message in request.messages:
        total += _TOKENS_PER_MESSAGE + estimate_tokens(message.text)
        if isinstance(message, AssistantMessage):
            total += sum(estimate_tokens(call.name) + estimate_tokens(call.raw) for call in message.tool_calls)
    return total + sum(map(_tool_tokens, request.tools))


def tokens_of(part: StreamPart) -> int:
    """Return about how many completion tokens `part` is."""
    match part:
        case CallPart(call):
            return estimate_tokens(call.name) + estimate_tokens(call.raw)
        case TextPart(text) | ThinkingPart(text):
            return estimate_tokens(text)
        case DonePart():
            return 0


def _tool_tokens(tool: ToolSpec) -> int:
    """Count a tool once; the same few are offered with every call."""
    if (known := _tools.get(id(tool))) is None:
        schema = json.dumps(tool.parameters, separators=(",", ":"))
        count = _counted(tool.name) + _counted(tool.description) + _counted(schema)
        if len(_tools) >= _REMEMBERED_TOOLS:
            _tools.clear()
        known = _tools[id(tool)] = (tool, count)  # holding the tool keeps its id from being given to another
    return known[1]
