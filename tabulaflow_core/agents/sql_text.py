"""The SQL in what a small model wrote: a fence, a call, or a bare statement."""

from __future__ import annotations

import re
from typing import Final

from tabulaflow_core.models.contracts import CallPart, ToolSpec
from tabulaflow_core.models.text_calls import TextCallParser

_FENCE: Final = re.compile(
    r"```[ \t]*(?:sql\w*|postgres\w*|mysql|duckdb)?[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE
)
_BARE: Final = re.compile(r"^\s*((?:SELECT|WITH)\b.*)", re.DOTALL | re.IGNORECASE | re.MULTILINE)
_STATEMENT: Final = re.compile(
    r"\s*\(*\s*(?:--[^\n]*\n\s*)*(?:SELECT|WITH|VALUES|TABLE|FROM|EXPLAIN|SHOW|DESCRIBE|PRAGMA)\b", re.IGNORECASE
)


def sql_in(text: str, tool: ToolSpec) -> str:
    """Return the first statement in `text`, empty when there is none."""
    for body in _FENCE.findall(text):
        if _STATEMENT.match(body):
            return first_statement(body)
    parser = TextCallParser([tool])
    for part in (*parser.feed(text), *parser.finish()):
        if (
            isinstance(part, CallPart)
            and part.call.arguments
            and isinstance(sql := part.call.arguments.get("sql"), str)
        ):
            return first_statement(sql)
    if found := _BARE.search(text):
        return first_statement(found[1])
    return ""


def first_statement(sql: str) -> str:
    """Return `sql` up to the first semicolon outside quotes and comments, without it."""
    quote = ""
    index = 0
    while index < len(sql):
        char = sql[index]
        if quote:
            if char == quote:
                quote = ""
        elif char in "'\"`":
            quote = char
        elif char == ";":
            return sql[:index].strip()
        elif sql.startswith("--", index):
            index = sql.find("\n", index)
            if index < 0:
                break
        index += 1
    return sql.strip()
