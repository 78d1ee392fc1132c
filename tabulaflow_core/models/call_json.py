"""Reading a tool call out of the JSON that a model wrote by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pydantic import JsonValue

from tabulaflow_core.models.contracts import JsonObject, ToolCall, ToolSpec

# Strings first, so that braces inside them do not count; an open string reaches to the end of what was read.
_TOKENS = re.compile(r'"(?:[^"\\]|\\.|\\\Z)*(?:"|\Z)|[{}]', re.DOTALL)
_ESCAPED_APOSTROPHE = re.compile(r"(?<!\\)((?:\\\\)*)\\'")
# The form of Qwen's later coder models.
_XML_CALL = re.compile(r"<function=(?P<name>[\w.-]+)>(?P<body>.*?)(?:</function>|\Z)", re.DOTALL)
_XML_ARGUMENT = re.compile(r"<parameter=([\w.-]+)>\s*(.*?)\s*(?:</parameter>|\Z)", re.DOTALL)
_NAME_KEYS = ("name", "tool", "tool_name", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_TAG = re.compile(r"</?(?:function_call|tool_call)>")
_NAME_IN_TEXT = re.compile(r'"(?:name|tool|tool_name|function)"\s*:\s*"([^"\\]+)"')


def object_end(text: str, *, doubled: bool = False) -> int | None:
    """Return the index behind the JSON object at the start of `text`, or None while it is open.

    Args:
        doubled: A second brace at the start is a slip and needs no partner.
    """
    start = 1 if doubled and re.match(r"\{\s*\{", text) else 0
    depth = 0
    for token in _TOKENS.finditer(text, start):
        if token.group() == "{":
            depth += 1
        elif token.group() == "}":
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def parse_object(text: str) -> JsonObject | None:
    """Return the object that `text` is, or None.

    Line breaks inside strings are accepted, and `\\'` for an apostrophe, which models write in SQL; NaN and Infinity
    are not.
    """
    for candidate in (text, _ESCAPED_APOSTROPHE.sub(r"\1'", text)):
        try:
            value = json.loads(candidate, strict=False, parse_constant=_refuse)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else None
    return None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


class CallReader:
    """Reads calls of the tools offered."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def read_tagged(self, text: str) -> ToolCall:
        """Read the body of a tag: a call in any case, without arguments when it is malformed."""
        if written := _XML_CALL.search(text):
            return self._call(written["name"], dict(_XML_ARGUMENT.findall(written["body"])))
        value = _lenient(text)
        call = self._from_value(value, inferred=True, known_only=False) if value is not None else None
        return call or ToolCall("", self._guess_name(text), None, text.strip())

    def read_bare(self, text: str, *, complete: bool) -> ToolCall | None:
        """Read an object that stands in the text; None when it is no call of an offered tool."""
        value = _lenient(text)
        if value is not None:
            return self._from_value(value, inferred=False, known_only=True)
        name = _NAME_IN_TEXT.search(text)
        if name is None or name.group(1) not in self._tools:
            return None
        return ToolCall("", name.group(1), None, text.strip())

    def read_fence(self, body: str, *, sql: bool) -> list[ToolCall]:
        """Read the body of a fence; an empty list when it holds no call."""
        if sql:
            statement = body.strip()
            return [self._call("run_query", {"sql": statement})] if statement else []
        text = _TAG.sub("", body).strip()
        values = _values(text)
        if values is None:
            name = _NAME_IN_TEXT.search(text)
            return [ToolCall("", name.group(1), None, text)] if name and name.group(1) in self._tools else []
        calls = [self._from_value(value, inferred=True, known_only=True) for value in values]
        return [call for call in calls if call] if calls and all(calls) else []

    def _from_value(self, value: JsonObject, *, inferred: bool, known_only: bool) -> ToolCall | None:
        inner = value.get("function")
        if isinstance(inner, dict):
            value = inner
        name_key = next((key for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
        if name_key is None:
            return self._by_arguments(value) if inferred else None
        name = str(value[name_key])
        if name not in self._tools and known_only:
            return None
        argument_key = next((key for key in _ARGUMENT_KEYS if key in value), None)
        if argument_key is not None:
            return self._with_arguments(name, value[argument_key])
        rest = {key: item for key, item in value.items() if key != name_key and key not in ("type", "id")}
        if rest.keys() <= self._properties(name):
            return self._call(name, rest) if rest or inferred else None
        return None if known_only else ToolCall("", name, None, json.dumps(value))

    def _with_arguments(self, name: str, arguments: JsonValue) -> ToolCall:
        if isinstance(arguments, str):  # the wire's own habit: an object inside a string
            parsed = parse_object(arguments) if arguments.strip() else {}
            return ToolCall("", name, parsed, arguments)
        if arguments is None:
            return self._call(name, {})
        if isinstance(arguments, dict):
            return self._call(name, arguments)
        return ToolCall("", name, None, json.dumps(arguments))

    def _by_arguments(self, value: JsonObject) -> ToolCall | None:
        """Find the one tool whose parameters these are."""
        fitting = [name for name in self._tools if value and self._fits(name, value)]
        return self._call(fitting[0], value) if len(fitting) == 1 else None

    def _fits(self, name: str, value: JsonObject) -> bool:
        required = self._tools[name].parameters.get("required")
        needed = {str(key) for key in required} if isinstance(required, list) else set()
        return needed <= value.keys() and value.keys() <= self._properties(name)

    def _properties(self, name: str) -> set[str]:
        tool = self._tools.get(name)
        properties = tool.parameters.get("properties") if tool else None
        return set(properties) if isinstance(properties, dict) else set()

    def _call(self, name: str, arguments: JsonObject) -> ToolCall:
        return ToolCall("", name, arguments, json.dumps(arguments, ensure_ascii=False))

    def _guess_name(self, text: str) -> str:
        written = _NAME_IN_TEXT.search(text)
        if written:
            return written.group(1)
        named = [name for name in self._tools if name in text]
        if len(named) == 1:
            return named[0]
        return next(iter(self._tools)) if len(self._tools) == 1 else ""


def _lenient(text: str) -> JsonObject | None:
    """Parse an object; one brace too many at either end is forgiven."""
    text = text.strip()
    for candidate in (text, text[1:].lstrip(), text[1:-1].strip(), text + "}"):
        if (value := parse_object(candidate)) is not None:
            return value
    return None


def _values(text: str) -> list[JsonObject] | None:
    """Parse an object, a list of objects, or objects one after the other; None when it is none of these."""
    try:
        listed = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        listed = None
    if isinstance(listed, list):
        return listed if all(isinstance(item, dict) for item in listed) else None
    values: list[JsonObject] = []
    while text:
        end = object_end(text, doubled=True) if text.startswith("{") else None
        value = _lenient(text[: end or len(text)])
        if value is None:
            return None
        values.append(value)
        text = text[end or len(text) :].lstrip(" \t\r\n,}")
    return values
