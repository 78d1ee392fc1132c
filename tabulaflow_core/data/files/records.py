"""Small questions about records: whether they are blank, how full they are, what their columns hold."""

from __future__ import annotations

from collections import Counter

from tabulaflow_core.data.files.naming import clean_header
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.values import looks_like

#: Cells that are looked at to tell the kinds of columns.
_CELLS = 40_000


def joined(record: Record, limit: int = 300) -> str:
    """The record on one line, for a person."""
    text = " | ".join(c.strip() for c in record.cells).strip(" |")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def filled(record: Record) -> int:
    """Cells that hold anything."""
    return sum(bool(c) and ("!" <= c[0] <= "~" or bool(clean_header(c))) for c in record.cells)


def is_blank(record: Record) -> bool:
    """True when no cell holds anything."""
    return not any(c and not c.isspace() for c in record.cells)


def some_of(records: list[Record], width: int) -> list[Record]:
    """The records, or the first of them when they are so wide that looking at each cell of all takes long."""
    return records[: max(20, _CELLS // max(width, 1))]


def column_kinds(records: list[Record], width: int) -> list[str]:
    """The kind of nearly all values of each column, `text` when they differ."""
    result: list[str] = []
    records = some_of(records, width)
    for index in range(width):
        kinds = Counter(looks_like(r.cells[index]) for r in records if index < len(r.cells))
        kinds.pop("empty", None)
        total = sum(kinds.values())
        kind, count = kinds.most_common(1)[0] if kinds else ("text", 0)
        result.append(kind if total and count >= total * 0.8 else "text")
    return result
