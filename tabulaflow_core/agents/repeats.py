"""Notices a model that sends the same call again: no new information can come of it."""

from __future__ import annotations

import json
from typing import Final

from tabulaflow_core.models.contracts import ToolCall

#: Further repeats that are answered with a reminder before the turn is brought to an end.
PATIENCE: Final = 2

REMINDER: Final = (
    "You sent this same call before and its answer stands above. Do not send it again: "
    "use that answer, or send something different."
)


class Repeats:
    """The calls of one turn."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self.count = 0

    def is_repeat(self, call: ToolCall) -> bool:
        """Note `call`; say whether it was made before in this turn."""
        key = f"{call.name} {_canonical(call)}"
        if key in self._seen:
            self.count += 1
            return True
        self._seen.add(key)
        return False

    @property
    def hopeless(self) -> bool:
        """The model goes round in circles."""
        return self.count >= PATIENCE


def same_sql(one: str, other: str) -> bool:
    """Say whether two statements differ in white space and a last semicolon at most."""
    return " ".join(one.split()).rstrip("; ").casefold() == " ".join(other.split()).rstrip("; ").casefold()


def _canonical(call: ToolCall) -> str:
    if call.arguments is None:
        return call.raw
    args = {
        k: " ".join(v.split()).rstrip(";") if k == "sql" and isinstance(v, str) else v
        for k, v in call.arguments.items()
    }
    return json.dumps(args, sort_keys=True, ensure_ascii=False)
