"""A cheap estimate of how many tokens a text is, for permits and compaction; never for prices."""

from __future__ import annotations

import json
import math
import re

from tabulaflow_core.models.contracts import AssistantMessage, ModelRequest

# Byte-pair vocabularies of today average close to four characters a token on English prose, and close to one token a
# mark on SQL, JSON and numbers; other scripts cost about one token for every one to two characters. The estimate
# leans upwards, because a permit that is too small is worse than one that is too large.
_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]|\n+|[ \t]{2,}")
_LETTERS_PER_TOKEN = 6
_DIGITS_PER_TOKEN = 3
_TOKENS_PER_MESSAGE = 4


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` is; 0 only for an empty text."""
    total = 0.0
    for match in _PIECES.finditer(text):
        piece = match.group()
        first = piece[0]
        if first.isascii() and first.isalpha():
            total += math.ceil(len(piece) / _LETTERS_PER_TOKEN)
        elif first.isascii() and first.isdigit():
            total += math.ceil(len(piece) / _DIGITS_PER_TOKEN)
        else:
            total += 1 if first.isascii() else 0.8
    return max(math.ceil(total), 1 if text else 0)


def estimate_request_tokens(request: ModelRequest) -> int:
    """Return about how many prompt tokens `request` is: messages, calls and tool descriptions."""
    total = 0
    for message in request.messages:
        total += _TOKENS_PER_MESSAGE + estimate_tokens(message.text)
        if isinstance(message, AssistantMessage):
            total += sum(estimate_tokens(call.name) + estimate_tokens(call.raw) for call in message.tool_calls)
    for tool in request.tools:
        total += estimate_tokens(tool.name) + estimate_tokens(tool.description)
        total += estimate_tokens(json.dumps(tool.parameters, separators=(",", ":")))
    return total
