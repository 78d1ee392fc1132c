"""Putting tool calls together from the pieces of the Chat Completions wire.

Servers differ: the index may be missing or always 0, the id may come in each piece or never, arguments may be empty, in
pieces, or an object that should be a string.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass

from tabulaflow_core.models.call_json import parse_object
from tabulaflow_core.models.contracts import ToolCall


@dataclass(slots=True)
class _Slot:
    index: int | None
    id: str = ""
    name: str = ""
    raw: str = ""

    @property
    def full(self) -> bool:
        """Its arguments are a whole object already."""
        return parse_object(self.raw) is not None


class CallDeltas:
    """Collects the pieces of the calls of one answer."""

    def __init__(self) -> None:
        self._slots: list[_Slot] = []

    def __bool__(self) -> bool:
        return bool(self._slots)

    def add(self, *, index: int | None, id: str | None, name: str | None, arguments: object) -> None:
        """Take one piece."""
        slot = self._slot(index, id or "", name or "")
        slot.id = slot.id or id or ""
        slot.name = slot.name or name or ""
        if isinstance(arguments, str):
            slot.raw += arguments
        elif arguments is not None:
            slot.raw += json.dumps(arguments)

    def _slot(self, index: int | None, id: str, name: str) -> _Slot:
        if index is not None:
            found = next((slot for slot in reversed(self._slots) if slot.index == index), None)
            # Some servers count every call as 0: another id, or a second name on a call that is whole, is another call.
            if found and not _is_another(found, id, name):
                return found
        elif self._slots:
            same = next((slot for slot in self._slots if id and slot.id == id), None)
            if same:
                return same
            last = self._slots[-1]
            if not name and not _is_another(last, id, name):
                return last
            if name and not last.name:
                return last
        self._slots.append(_Slot(index))
        return self._slots[-1]

    def finish(self) -> list[ToolCall]:
        """Return the calls; one whose arguments are not an object has `arguments=None`."""
        return [finished_call(slot.id, slot.name, slot.raw) for slot in self._slots]


def _is_another(slot: _Slot, id: str, name: str) -> bool:
    if id and slot.id and id != slot.id:
        return bool(name) or slot.full
    return bool(name and not id and not slot.id and slot.full)


def finished_call(id: str, name: str, raw: str) -> ToolCall:
    """Return a call from what the wire delivered; no arguments at all mean an empty object."""
    arguments = {} if raw.strip() in ("", "null") else parse_object(raw)
    return ToolCall(id or f"call_{uuid.uuid4().hex[:24]}", name, arguments, raw)
