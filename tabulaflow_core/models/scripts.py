"""The scripts that ship, as rules: what the scripted model answers in the documented examples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tabulaflow_core.models.contracts import JsonObject, ModelRequest, ToolMessage, UserMessage
from tabulaflow_core.models.scripted import CallStep, Rule, Step, call, text

_BELOW_SQL: Final = (
    "SELECT product, on_hand, reorder_point FROM inventory WHERE on_hand < reorder_point ORDER BY product"
)
_ORDER_SQL: Final = (
    "SELECT product, reorder_point - on_hand AS to_order FROM inventory WHERE on_hand < reorder_point ORDER BY product"
)
_INTEGER = re.compile(r"-?\d+(?:\.0+)?")
_SMALL_TALK: Final = (
    "This is the scripted demo: it knows the inventory example only. Choose a model to ask anything else."
)


def chat_sessions(request: ModelRequest) -> Sequence[Step]:
    """Answer the two questions of the `chat-sessions` example, over the table `inventory`."""
    question, answers = _last_turn(request)
    if answers and answers[-1].startswith("error"):
        return [text(f"The query did not run: {' '.join(answers[-1].split())[:300]}")]
    lowered = question.lower()
    if "reorder point" in lowered and "below" in lowered:
        return [text(_below(answers))] if answers else [_query(request, _BELOW_SQL)]
    if "how many" in lowered and "order" in lowered:
        return [text(_order(answers))] if answers else [_query(request, _ORDER_SQL)]
    return [text(_SMALL_TALK)]


def _last_turn(request: ModelRequest) -> tuple[str, list[str]]:
    """Return the last question of the person and the texts of the tools since."""
    question, answers = "", list[str]()
    for message in request.messages:
        if isinstance(message, UserMessage) and not message.host:
            question, answers = message.text, []
        elif isinstance(message, ToolMessage):
            answers.append(message.text)
    return question, answers


def _query(request: ModelRequest, sql: str) -> CallStep:
    """Call `run_query`; a further parameter that is required gets the first value it allows."""
    arguments: JsonObject = {"sql": sql}
    tool = next((tool for tool in request.tools if tool.name == "run_query"), None)
    if tool is not None:
        properties, required = tool.parameters.get("properties"), tool.parameters.get("required")
        if isinstance(properties, dict) and isinstance(required, list):
            for name in (str(item) for item in required if item != "sql"):
                schema = properties.get(name)
                allowed = schema.get("enum") if isinstance(schema, dict) else None
                arguments[name] = allowed[0] if isinstance(allowed, list) and allowed else ""
    return call("run_query", arguments)


def _rows(answers: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Find the rows of a product and its numbers in a tool's text, whatever separates the cells."""
    rows = []
    for line in "\n".join(answers).splitlines():
        cells = [cell.strip(" \"'[]()") for cell in re.split(r"[|,;\t]", line)]
        cells = [cell for cell in cells if cell]
        numbers = [int(float(cell)) for cell in cells[1:] if _INTEGER.fullmatch(cell)]
        if numbers and len(numbers) == len(cells) - 1 and re.search(r"[A-Za-z]", cells[0]):
            rows.append((cells[0], numbers))
    return rows


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _below(answers: Sequence[str]) -> str:
    rows = [(product, numbers) for product, numbers in _rows(answers) if len(numbers) >= 2]
    if not rows:
        return "No product is below its reorder point."
    named = [f"{product} ({numbers[0]} on hand, reorder point {numbers[1]})" for product, numbers in rows]
    return f"Below {'its' if len(rows) == 1 else 'their'} reorder point: {_joined(named)}."


def _order(answers: Sequence[str]) -> str:
    rows = _rows(answers)
    if not rows:
        return "Nothing needs to be ordered."
    return f"Order {_joined([f'{n[-1]} {product}' + ('' if n[-1] == 1 else 's') for product, n in rows])}."


SCRIPTS: Final[Mapping[str, Rule]] = MappingProxyType({"chat-sessions": chat_sessions, "demo": chat_sessions})
