"""A reading report as it comes from the runtime: JSON, looked into without trusting its shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

Json = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice of the reader, as the page needs it.

    Attributes:
        certainty: `certain`, `likely`, `guess`, or `told` when a person chose.
        option: The reading choice that replaces it; empty when nobody can choose.
        choices: Values to offer.
    """

    name: str
    value: str
    certainty: str
    reason: str
    option: str = ""
    choices: tuple[str, ...] = ()


def objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    """The objects of a list; nothing of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def strings(value: JsonValue) -> list[str]:
    """The items of a list as text."""
    return [str(item) for item in value] if isinstance(value, list) else []


def text(of: Json, key: str) -> str:
    """A member as text; empty when it is not there."""
    value = of.get(key)
    return "" if value is None else str(value)


def number(of: Json, key: str) -> int:
    """A member as a whole number; 0 when it is none."""
    value = of.get(key)
    return int(value) if isinstance(value, int | float) else 0


def decisions(report: Json) -> dict[str, Decision]:
    """The decisions of a report by their names."""
    found = {}
    for item in objects(report.get("decisions")):
        name = text(item, "name")
        found[name] = Decision(
            name,
            text(item, "value"),
            text(item, "certainty"),
            text(item, "reason"),
            text(item, "option"),
            tuple(strings(item.get("choices"))),
        )
    return found


def certainty(report: Json, name: str) -> str:
    """How sure the reader is of the decision `name`; empty when it decided nothing of that name."""
    decision = decisions(report).get(name)
    return decision.certainty if decision else ""


def is_text(report: Json) -> bool:
    """Whether the file, or the part, is text with delimiters, so that there are lines to choose from."""
    return text(report, "format") in ("text", "csv", "tsv")
