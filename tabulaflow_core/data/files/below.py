"""Rows between the header and the values: units, widths and types of fields, and what the columns mean in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from tabulaflow_core.data.files import headers
from tabulaflow_core.data.files.naming import clean_header
from tabulaflow_core.data.files.records import joined
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.values import looks_like
from tabulaflow_core.data.files.words import MISSING

#: Such rows at most, one below the other, and rows below them that tell the kinds of their columns.
_MOST: Final = 3
_ROWS: Final = 400
#: Rows of facts about the columns at most, and characters of them in the note of a column.
_MOST_FACTS: Final = 15
_LONGEST: Final = 200
#: Names that programs give to columns, which their labels spell out.
_CODE: Final = re.compile(r"(?=.*[0-9_]|[A-Z]+$|[a-z]+[A-Z])[A-Za-z][A-Za-z0-9_.:-]*")
#: What a survey writes of a question in a row of its own.
_OBJECT: Final = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(slots=True)
class Below:
    """The rows right below a header that hold no values.

    Attributes:
        why: What each of them is, in words.
        units: The unit of each column; empty when no row tells it.
        labels: What each column means; empty when no row tells it.
        notices: Sentences for a person.
    """

    why: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def notes(self) -> list[str]:
        """What they say of each column, to stand in its note."""
        count = max(len(self.units), len(self.labels))
        found = [""] * count
        for word, texts in (("unit", self.units), ("label", self.labels)):
            for index, text in enumerate(texts):
                if text:
                    found[index] = "; ".join(filter(None, [found[index], f"{word}: {text}"]))
        return found


def rows_below(
    names: Sequence[str], rows: Sequence[Record], kinds: Callable[[list[Record]], list[str]], *, first: str = "Line"
) -> Below:
    """Look at the rows below a header, down to the first that holds values.

    Args:
        names: Of the columns.
        kinds: Tells the kind of each column in some rows.
        first: How a sentence names a row: it begins so, and the number follows.
    """
    found = Below()
    if count := _facts(names, rows, kinds):
        return _described(found, rows[:count], first)
    for index, row in enumerate(rows[:_MOST]):
        below = [r for r in islice(rows, index + 1, index + _ROWS) if not _is_object(r)]
        if len(below) < 2:
            break
        kind = kinds(below)
        where = f"{first} {row.line} below the header"
        if units := [] if found.units else headers.units(row.cells, kind):
            found.units = units
            found.why.append("units")
            shown = ", ".join(u for u in units if u)
            found.notices.append(f"{where} gives units, not values: {shown[:80]}.")
        elif headers.is_format_row(row.cells):
            found.why.append("field formats")
        elif _is_object(row) and found.labels:
            found.why.append("facts about the columns")
        elif not found.labels and _are_labels(names, row.cells, below, kind):
            found.labels = [clean_header(c) for c in row.cells]
            found.why.append("labels of the columns")
            found.notices.append(f"{where} says what the columns mean, and is no row: {joined(row, 80)}.")
        else:
            break
    return found


def _facts(names: Sequence[str], rows: Sequence[Record], kinds: Callable[[list[Record]], list[str]]) -> int:
    """How many of the first rows tell facts about the columns: two or more, each with the name of the fact in front.

    The rows of values begin with a day, a year or another number, and the facts are no numbers where those have some.
    """
    if not names or _numbered(names[0]):
        return 0
    count = next((i for i, row in enumerate(rows[: _MOST_FACTS + 1]) if _numbered(_cell(row, 0))), 0)
    body = list(rows[count : count + _ROWS])
    if not 2 <= count <= _MOST_FACTS or len(body) < 3 or not all(_numbered(_cell(row, 0)) for row in body):
        return 0
    typed = [i for i, kind in enumerate(kinds(body)) if kind == "number" and i]
    facts = [[looks_like(_cell(row, i)) for i in typed] for row in rows[:count]]
    telling = sum(any(look in ("text", "date") for look in looks) for looks in facts)
    return count if typed and telling * 2 > count and not any("number" in looks for looks in facts) else 0


def _cell(row: Record, index: int) -> str:
    return row.cells[index].strip() if index < len(row.cells) else ""


def _numbered(cell: str) -> bool:
    """True for a cell that begins as numbers and dates do."""
    return cell.strip().lstrip("+-")[:1].isdigit()


def _described(found: Below, rows: Sequence[Record], first: str) -> Below:
    """Take these rows for facts about the columns."""
    found.why = ["facts about the columns"] * len(rows)
    shown = ", ".join(filter(None, (clean_header(_cell(row, 0)) for row in rows))) or joined(rows[0], 80)
    last = rows[-1].line
    found.notices.append(f"{first}s {rows[0].line} to {last} below the header describe the columns: {shown[:120]}.")
    for index in range(max(len(row.cells) for row in rows)):
        told = [(clean_header(_cell(row, 0)), clean_header(_cell(row, index))) for row in rows]
        texts = [f"{fact}: {text}" if fact else text for fact, text in told if index and text]
        found.labels.append(", ".join(texts)[:_LONGEST])
    return found


def _is_object(row: Record) -> bool:
    some = [c.strip() for c in row.cells if c.strip()]
    return len(some) > 1 and all(_OBJECT.fullmatch(c) for c in some)


def _are_labels(names: Sequence[str], cells: list[str], below: list[Record], kinds: list[str]) -> bool:
    """True for words over all columns of numbers and dates that tell more than the names do.

    A row of values may lack some numbers, and say why; but not in a word of its own for each column.
    """
    named = [(i, clean_header(n), clean_header(c)) for i, (n, c) in enumerate(zip(names, cells, strict=False)) if n]
    if len(named) < 2 or len(named) < len(kinds) * 0.8 or not all(n for _, n, _ in named):
        return False
    if any(looks_like(label) != "text" for _, _, label in named):
        return False
    typed = [(i, n, label) for i, n, label in named if i < len(kinds) and kinds[i] in ("number", "date", "boolean")]
    labels = [label.casefold() for _, _, label in typed]
    if not typed or len(set(labels)) < len(labels) or any(label in MISSING for label in labels):
        return False
    again = {(i, r.cells[i].strip().casefold()) for r in below for i, _, _ in named if i < len(r.cells)}
    if any((i, label.casefold()) in again for i, _, label in named):
        return False
    longer = sum(len(label) for _, _, label in named) > sum(len(n) for _, n, _ in named)
    coded = sum(_CODE.fullmatch(n) is not None for _, n, _ in named) * 2 > len(named)
    coded_below = all(_CODE.fullmatch(label) for _, _, label in typed) and not coded
    if len(typed) == 1:
        ((_, name, label),) = typed
        return coded and longer and len(label) > len(name) and len(re.findall(r"\w+", label)) > 1
    return longer or coded_below
