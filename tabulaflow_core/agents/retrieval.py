"""Which tables a question is about, by words: for schemas that do not fit into a prompt."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from tabulaflow_core.data.schema import ForeignKey, TableSchema

_WORD: Final = re.compile(r"[a-z]+|[^\W\d_a-z]+|\d+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: A hit in the table's own name says more than one in a column's, and that more than one in a sample value.
_WEIGHTS: Final = (3.0, 1.0, 0.5)
_STOP_WORDS: Final = (
    "a all an and are as at be by do does each for from give had has have how in is it its list many me more "
    "most much of on or per show tell than that the their them there these this to total was were what when "
    "where which who with "
)
_STOP: Final = frozenset(_STOP_WORDS.split())


def words(text: str) -> list[str]:
    """Return the stems of `text`, camelCase and snake_case split, stop words left out."""
    found = _WORD.findall(_HUMP.sub(" ", text).casefold())
    return [stem(w) for w in found if w not in _STOP and len(w) > 1]


def stem(word: str) -> str:
    """Cut the endings that set a plural or a participle apart; crude, and the same on both sides."""
    for ending in ("ies", "sses", "ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("i" if ending == "ies" else "")
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def ranked(tables: Sequence[TableSchema], question: str) -> list[TableSchema]:
    """Return `tables`, those the question speaks of first, each followed by the tables it points to.

    Ties keep their order, so a question without any known word gives the tables as they came.
    """
    scores = scored(tables, question)
    order = sorted(range(len(tables)), key=lambda i: -scores[i])
    named = by_name(tables)
    places = {table.qualified_name: i for i, table in enumerate(tables)}
    out: dict[int, None] = {}
    for index in order:
        out.setdefault(index)
        if scores[index] > 0:
            for key in tables[index].foreign_keys:
                if (target := target_of(key, named)) is not None:
                    out.setdefault(places[target.qualified_name])
    return [tables[i] for i in out]


def by_name(tables: Sequence[TableSchema]) -> dict[str, TableSchema]:
    """Return the tables by the names that a key may call them: exact ones come before those without case."""
    exact = {table.qualified_name: table for table in tables}
    return {name.casefold(): table for name, table in reversed(exact.items())} | exact


def target_of(key: ForeignKey, named: Mapping[str, TableSchema]) -> TableSchema | None:
    """Return the table that `key` points to; None when it is not among `named`, which `by_name` made."""
    place = f"{key.target_schema}.{key.target_table}" if key.target_schema else key.target_table
    return named.get(place) or named.get(place.casefold())


def scored(tables: Sequence[TableSchema], question: str) -> list[float]:
    """Return for each table how much the question speaks of it; rare words count more."""
    fields = [_fields(table) for table in tables]
    spread = Counter(w for parts in fields for w in set().union(*parts))
    asked = set(words(question))
    return [_score(parts, asked, spread, len(tables)) for parts in fields]


def _fields(table: TableSchema) -> tuple[set[str], set[str], set[str]]:
    names = set(words(table.name)) | set(words(table.comment))
    columns = {w for c in table.columns for w in words(f"{c.name} {c.comment}")}
    samples = {w for c in table.columns for s in c.samples for w in words(s)}
    return names, columns, samples


def _score(parts: tuple[set[str], ...], asked: set[str], spread: Counter[str], count: int) -> float:
    score = 0.0
    for weight, have in zip(_WEIGHTS, parts, strict=True):
        for word in asked:
            if word in have:
                score += weight * math.log(1 + count / spread[word])
            elif len(word) > 4 and any(w.startswith(word) or (len(w) > 4 and word.startswith(w)) for w in have):
                score += 0.6 * weight
    return score
