"""Questions to start with, made from the tables that are there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from pages.ui.hidden_columns import is_hidden
from tabulaflow_core.data.schema import ColumnSchema, TableSchema
from tabulaflow_core.output.follow_words import several
from tabulaflow_core.runtime import SourceInfo
from tabulaflow_core.samples import SAMPLE_QUESTIONS, sample_columns

_SHOWN: Final = 4
_NUMBERS: Final = ("INT", "DEC", "NUM", "DOUBLE", "FLOAT", "REAL")
_IDENTIFIERS: Final = ("id", "code", "key", "number", "year", "zip", "phone")


def suggested_questions(sources: Iterable[SourceInfo]) -> tuple[str, ...]:
    """At most four questions that the tables of `sources` can answer; the sample's own ones when only it is there."""
    ready = [(source, table) for source in sources if source.status == "ready" for table in source.tables]
    tables = [replace(t, columns=tuple(c for c in t.columns if c.name not in is_hidden(s, t))) for s, t in ready]
    own = [table for table in tables if not _is_sample(table)]
    if not own:
        return SAMPLE_QUESTIONS if tables else ()
    questions: list[str] = []
    for table in own:
        questions += _questions_of(table)
    return tuple(dict.fromkeys(questions))[:_SHOWN]


def _is_sample(table: TableSchema) -> bool:
    """Whether it is a table of the sample shop, and not one of a person's own that has its name."""
    return [column.name for column in table.columns] == sample_columns().get(table.name)


def _questions_of(table: TableSchema) -> list[str]:
    measures = [c.name for c in table.columns if _is_measure(c)]
    texts = [c.name for c in table.columns if "CHAR" in c.type.upper() or "TEXT" in c.type.upper()]
    groups = [name for name in texts if not _names_one_row(name, table.name)]
    questions = []
    if measures and groups:
        questions.append(f"What is the total {measures[0]} per {groups[0]}?")
        questions.append(f"Which five {several(groups[0])} have the highest {measures[-1]}?")
    elif measures:
        questions.append(f"What is the average {measures[0]}?")
    return [*questions, f"How many rows does {table.name} have?"]


def _is_measure(column: ColumnSchema) -> bool:
    return any(mark in column.type.upper() for mark in _NUMBERS) and not _is_identifier(column.name)


def _is_identifier(name: str) -> bool:
    return bool(set(name.casefold().replace("_", " ").split()) & set(_IDENTIFIERS))


def _names_one_row(column: str, table: str) -> bool:
    """Whether every row has a value of its own there: `order_id`, and `Order` in a table of orders."""
    return _is_identifier(column) or column.casefold().rstrip("s") == table.casefold().rstrip("s")
