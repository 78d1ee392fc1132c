"""Shortens a history that nears the model's window: by rule, so that it costs nothing and cannot fail.

Older turns become a list of questions, statements, results in short and answers; the system message and what was told
of the sources stay as they are. When that is not enough, results within the running turn are cut too. It always ends
with something that can be sent, so that no conversation is ever locked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tabulaflow_core.agents.history import answer_of, calls_of, question_of, turns_of
from tabulaflow_core.agents.schema_text import one_line
from tabulaflow_core.models.contracts import Message, ModelRequest, SystemMessage, ToolMessage, UserMessage
from tabulaflow_core.models.tokens import estimate_request_tokens

#: Of the window: the rest is left for the answer, and for an estimate that is too small.
_FULL: Final = 0.75
#: What is aimed at: room for the next turns, so that shortening is seldom needed and a prompt cache goes on.
_AIM: Final = 0.5
#: Tried in this order: turns kept whole, characters of a tool's answer, lines of the summary, news of sources.
_LEVELS: Final = (
    (3, 100_000, 60, 40),
    (3, 100_000, 20, 20),
    (3, 100_000, 8, 10),
    (1, 100_000, 12, 10),
    (0, 4_000, 12, 4),
    (0, 1_000, 8, 2),
    (0, 300, 4, 0),
)
HEADER: Final = "(From the application.) Earlier in this conversation, shortened:"
NEWS: Final = "(From the application, not the person.)"


def too_long(request: ModelRequest, window: int) -> bool:
    """Say whether `request` comes near the window; a window of 0 is unknown and never full."""
    return window > 0 and estimate_request_tokens(request) > _FULL * window


def shortened(request: ModelRequest, window: int) -> list[Message]:
    """Return the messages of `request`, shortened until they fit or nothing more can be left out."""
    fitting: list[Message] | None = None
    messages: list[Message] = list(request.messages)
    for turns_kept, chars, lines, news in _LEVELS:
        messages = _at_level(request.messages, turns_kept, chars, lines, news)
        tokens = estimate_request_tokens(replace(request, messages=tuple(messages)))
        if tokens <= _AIM * window:
            return messages
        if fitting is None and tokens <= _FULL * window:
            fitting = messages
    return fitting or messages


def _at_level(messages: Sequence[Message], turns_kept: int, chars: int, lines: int, news: int) -> list[Message]:
    head, turns = turns_of(messages)
    if not turns:
        return list(messages)
    current = turns[-1]
    split = max(len(turns) - 1 - turns_kept, 0)
    old, kept = turns[:split], turns[split:-1]
    out: list[Message] = [m for m in head if isinstance(m, SystemMessage)]
    out += [m for m in head if isinstance(m, UserMessage)]
    told = [m for turn in old for m in turn if _is_news(m)]
    out += told[len(told) - min(news, len(told)) :]
    if summary := _summary(old, lines):
        out.append(UserMessage(f"{HEADER}\n{summary}", host=True))
    out += [m for turn in kept for m in turn]
    out += [_cut(m, chars) for m in current if not _is_summary(m)]
    return out


def _summary(turns: Sequence[Sequence[Message]], most: int) -> str:
    lines: list[str] = []
    for turn in turns:
        for message in turn:
            if _is_summary(message):
                lines += message.text.splitlines()[1:]
        lines += _turn_lines(turn)
    return "\n".join(lines[-most:])


def _turn_lines(turn: Sequence[Message]) -> list[str]:
    question = question_of(turn)
    if not question:
        return []
    parts = [f"- Asked: {one_line(question, 200)}"]
    for call, answer in calls_of(turn)[-2:]:
        sql = call.arguments.get("sql") if call.arguments else None
        if isinstance(sql, str):
            parts.append(f"SQL: {one_line(sql, 400)}")
            parts.append(f"gave: {one_line(answer, 240)}")
    if answer := answer_of(turn):
        parts.append(f"answered: {one_line(answer, 300)}")
    return [" | ".join(parts)]


def _is_summary(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.host and message.text.startswith(HEADER)


def _is_news(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.host and message.text.startswith(NEWS)


def _cut(message: Message, chars: int) -> Message:
    if isinstance(message, ToolMessage) and len(message.text) > chars:
        return replace(message, text=f"{message.text[:chars]} … (cut to save room; query again for more)")
    return message
