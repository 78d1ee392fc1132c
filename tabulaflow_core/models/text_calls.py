"""Tool calls that a model wrote as text.

Small local models, and larger ones behind a server that does not know their template, write their call into the
answer. Understood are `<function_call>` and `<tool_call>` tags (doubled braces too), a bare JSON object with the name
of an offered tool and arguments, a fence of these, and an SQL fence where a tool called `run_query` is offered.

The parser is fed with deltas and holds back only what may still become a call, so that ordinary text streams on. Where
the text was split never matters: each decision depends on the text read so far alone.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from tabulaflow_core.models.call_json import CallReader, object_end
from tabulaflow_core.models.contracts import CallPart, TextPart, ToolCall, ToolSpec

TextOrCall: TypeAlias = TextPart | CallPart

SQL_TOOL = "run_query"
_TAGS = ("function_call", "tool_call")
_OPENERS = tuple(f"<{tag}>" for tag in _TAGS)
_CLOSERS = tuple(f"</{tag}>" for tag in _TAGS)
_FENCE = "```"
_START = re.compile(r"[<`{]")
_CLOSER = re.compile("|".join(_CLOSERS))
_BETWEEN_CALLS = re.compile(r"[\s,\[\]}]+")
# What a bare object must begin with to be worth waiting for its end.
_CALL_KEYS = ("name", "arguments", "parameters", "function", "tool", "tool_name", "type", "id")
_SQL_LANGUAGES = frozenset({"sql", "sqlite", "sqlite3", "postgresql", "postgres", "mysql", "mariadb", "duckdb"})
_CALL_LANGUAGES = frozenset({"", "json", "tool_call", "function_call", "tool_code", "xml"})
_SQL_WORDS = ("select", "with")
_WORD = re.compile(r"[A-Za-z_]+")


def _new_call_id() -> str:
    return f"call_{uuid.uuid4().hex[:24]}"


class TextCallParser:
    """Finds calls in streamed text.

    Args:
        tools: The tools offered. Without any, everything is text.
        loose: Also take bare objects and fences as calls; False leaves them text and takes tags only, for a final
            answer that may well show SQL.
        new_id: Makes the id of a call.
    """

    def __init__(
        self, tools: Sequence[ToolSpec], *, loose: bool = True, new_id: Callable[[], str] = _new_call_id
    ) -> None:
        self._reader = CallReader(tools)
        self._off = not tools
        self._loose = loose
        self._sql = any(tool.name == SQL_TOOL for tool in tools)
        self._new_id = new_id
        self._buffer = ""
        self._in_tag = False
        self._after_call = False

    def feed(self, delta: str) -> list[TextOrCall]:
        """Take the next piece of text; return what is now certain."""
        if self._off:
            return [TextPart(delta)] if delta else []
        self._buffer += delta
        return self._drain(final=False)

    def finish(self, *, cut: bool = False) -> list[TextOrCall]:
        """Return what was held back, now that no more text comes.

        Args:
            cut: The text was cut at a limit: a statement whose fence is still open is half of one and has no arguments.
        """
        half = cut and self._buffer.count("```") == 1
        parts = self._drain(final=True)
        if not half:
            return parts
        return [CallPart(replace(p.call, arguments=None)) if isinstance(p, CallPart) else p for p in parts]

    def _drain(self, *, final: bool) -> list[TextOrCall]:
        parts: list[TextOrCall] = []
        while self._buffer and self._step(parts, final=final):
            pass
        return _merged(parts)

    def _step(self, parts: list[TextOrCall], *, final: bool) -> bool:
        """Consume the head of the buffer; False when more text is needed first."""
        if self._in_tag:
            return self._step_tag(parts, final=final)
        if self._after_call:
            self._after_call = False
            if self._buffer.startswith("}"):  # the rest of a doubled brace
                self._buffer = self._buffer[1:]
                return True
        match = _START.search(self._buffer)
        if match is None:
            self._text(parts, len(self._buffer))
            return False
        if match.start():
            self._text(parts, match.start())
            return True
        if match.group() == "<":
            return self._step_opener(parts, final=final)
        if not self._loose:
            self._text(parts, 1)
            return True
        return self._step_fence(parts, final=final) if match.group() == "`" else self._step_bare(parts, final=final)

    def _text(self, parts: list[TextOrCall], length: int) -> None:
        parts.append(TextPart(self._buffer[:length]))
        self._buffer = self._buffer[length:]

    def _call(self, parts: list[TextOrCall], calls: Sequence[ToolCall], length: int) -> None:
        parts.extend(CallPart(ToolCall(self._new_id(), c.name, c.arguments, c.raw)) for c in calls)
        self._buffer = self._buffer[length:]

    def _step_opener(self, parts: list[TextOrCall], *, final: bool) -> bool:
        for opener in _OPENERS:
            if self._buffer.startswith(opener):
                self._buffer = self._buffer[len(opener) :]
                self._in_tag = True
                return True
        if not final and any(opener.startswith(self._buffer) for opener in _OPENERS):
            return False
        self._text(parts, 1)
        return True

    def _step_tag(self, parts: list[TextOrCall], *, final: bool) -> bool:
        """Inside a tag: objects one after the other, until its end or other text."""
        if skip := _BETWEEN_CALLS.match(self._buffer):
            self._buffer = self._buffer[skip.end() :]
            return bool(self._buffer)
        if closer := _CLOSER.match(self._buffer):
            self._buffer = self._buffer[closer.end() :]
            self._in_tag = False
            return True
        if not final and any(c.startswith(self._buffer) for c in _CLOSERS):
            return False
        closer = _CLOSER.search(self._buffer)
        end = object_end(self._buffer, doubled=True) if self._buffer.startswith("{") else None
        if end is None or (closer and closer.start() < end):
            if closer is None and not final:
                return False
            end = closer.start() if closer else len(self._buffer)
        self._call(parts, [self._reader.read_tagged(self._buffer[:end])], end)
        return True

    def _step_bare(self, parts: list[TextOrCall], *, final: bool) -> bool:
        verdict = _may_be_call(self._buffer)
        if verdict is None and not final:
            return False
        end = object_end(self._buffer, doubled=True) if verdict else None
        if verdict and end is None and not final:
            return False
        if verdict:
            text = self._buffer[: end or len(self._buffer)]
            if call := self._reader.read_bare(text, complete=end is not None):
                self._call(parts, [call], len(text))
                self._after_call = text.startswith("{{")
                return True
        self._text(parts, end or 1)
        return True

    def _step_fence(self, parts: list[TextOrCall], *, final: bool) -> bool:
        if not self._buffer.startswith(_FENCE):
            if not final and _FENCE.startswith(self._buffer):
                return False
            self._text(parts, 1)
            return True
        head, newline, body = self._buffer[len(_FENCE) :].partition("\n")
        content = self._fence_content(head.strip().lower(), body, named=bool(newline))
        if content is None and not final:
            return False
        close = body.find(_FENCE)
        if content and close < 0 and not final:
            return False
        inside = body if close < 0 else body[:close]
        calls = self._reader.read_fence(inside, sql=content == "sql") if content else []
        if calls:
            end = len(self._buffer) - len(body) + len(inside)
            self._call(parts, calls, end + (len(_FENCE) if close >= 0 else 0))
        else:
            self._text(parts, len(_FENCE))
        return True

    def _fence_content(self, language: str, body: str, *, named: bool) -> str | None:
        """Say what a fence may hold: `sql`, `json` (a call), an empty string for neither, None while that is open."""
        if not named:
            return None if any(known.startswith(language) for known in _SQL_LANGUAGES | _CALL_LANGUAGES) else ""
        if language in _SQL_LANGUAGES:
            return "sql" if self._sql else ""
        if language not in _CALL_LANGUAGES:
            return ""
        start = body.lstrip()
        if start.startswith(("{", "[", *_OPENERS)):
            return "json"
        if any(opener.startswith(start) for opener in _OPENERS):
            return None
        if language or not self._sql:
            return ""
        word = _WORD.match(start)
        if word and word.group().lower() in _SQL_WORDS:
            return "sql" if word.end() < len(start) else None
        return None if any(known.startswith(start.lower()) for known in _SQL_WORDS) else ""


def _may_be_call(text: str) -> bool | None:
    """Say whether `text` begins like a call's object; None while that is open."""
    rest = text.lstrip("{ \t\r\n")
    if text[: len(text) - len(rest)].count("{") > 2:
        return False
    if not rest:
        return None
    if rest[0] != '"':
        return False
    key, quote, _ = rest[1:].partition('"')
    if quote:
        return key in _CALL_KEYS
    return None if any(name.startswith(key) for name in _CALL_KEYS) else False


def _merged(parts: list[TextOrCall]) -> list[TextOrCall]:
    merged: list[TextOrCall] = []
    for part in parts:
        if isinstance(part, TextPart) and merged and isinstance(merged[-1], TextPart):
            merged[-1] = TextPart(merged[-1].text + part.text)
        else:
            merged.append(part)
    return merged
