"""What was only guessed when a file was read, as far as a query depends on it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tabulaflow_core.data.files.report import ColumnReport, ReadingReport

#: Decisions on which every row of a table rests. Those on marks and dates are told by the columns that hold some.
_OF_ALL: Final = {"encoding": "the encoding", "delimiter": "the delimiter", "header": "the header"}
_ORDERS: Final = ("day first", "month first", "year first")
#: A query that takes all columns without naming them.
_ALL: Final = re.compile(r"\b(?:select|distinct|all)\s+\*|,\s*\*|\.\s*\*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Doubt:
    """One guess.

    Attributes:
        column: The column that it is about; empty for the whole table.
        sentence: For a person.
    """

    column: str
    sentence: str


def doubts(table: str, report: ReadingReport) -> tuple[Doubt, ...]:
    """What was guessed when `table` was read."""
    found = [
        Doubt("", f"{table}: {what} of the file is a guess ({decision.value}).")
        for name, what in _OF_ALL.items()
        if (decision := report.decision(name)) is not None and decision.certainty == "guess"
    ]
    found += [Doubt(c.name, f"{table}: {_of_column(c)}") for c in report.columns if _is_doubtful(c)]
    return tuple(found)


def touched(found: tuple[Doubt, ...], sql: str) -> tuple[str, ...]:
    """The sentences on which `sql`, a query on their table, depends."""
    folded = sql.casefold()
    everything = bool(_ALL.search(sql)) or "select" not in folded
    return tuple(d.sentence for d in found if everything or d.column.casefold() in folded)


def _is_doubtful(column: ColumnReport) -> bool:
    return column.certainty == "guess" and column.type != "text"


def _of_column(column: ColumnReport) -> str:
    order = next((order for order in _ORDERS if order in column.note), "")
    if column.type in ("date", "datetime") and order:
        return f"the file does not show whether day or month comes first in “{column.name}”; it was read {order}."
    if "decimals or as thousands" in column.note:
        read = "whole numbers" if column.type == "integer" else "decimals"
        return f"“{column.name}” can be read with decimals or with thousands marks; it was read as {read}."
    return f"that “{column.name}” is {column.type} is a guess{f' ({column.note})' if column.note else ''}."
