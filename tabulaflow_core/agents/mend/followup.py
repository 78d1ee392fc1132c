"""Filters of the last query that a follow-up means and its query forgot: the commonest fault of small models there."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.mend.tree import conjuncts, outer_select, tables_in

#: Words that point back to what was shown. "Each" does only where no noun follows: "of each should I order".
_BACK: Final = re.compile(
    r"\b(?:those|these|them|they|their|theirs|the same|that one)\b"
    r"|\b(?:of|for)\s+each\b(?=\s+(?:should|do|does|did|are|is|were|was|must|can|will|would|have|has|to)\b|\s*[?.!]|\s*$)"
    r"|\beach\s+of\b|\b(?:davon|denen|dieser|diesen|diese)\b|\b(?:estos|estas|esos|esas|ellos|ellas)\b"
    r"|\b(?:ceux|celles|ces|eux|leur|leurs)\b",
    re.IGNORECASE,
)


def refers_back(question: str) -> bool:
    """Say whether `question` points to what was shown before."""
    return bool(_BACK.search(question))


def carry_filters(tree: exp.Expr, previous: exp.Expr | None, question: str, dialect: str) -> list[str]:
    """Add the conditions of `previous` that `tree` lacks, when the question refers back; return what to tell."""
    now, before = outer_select(tree), outer_select(previous) if previous is not None else None
    if now is None or before is None or not refers_back(question):
        return []
    if _names(now) != _names(before) or len(_names(now)) != 1:
        return []
    used = {column.name.casefold() for part in conjuncts(now) for column in part.find_all(exp.Column)}
    carried = []
    for part in conjuncts(before):
        columns = {column.name.casefold() for column in part.find_all(exp.Column)}
        if not columns or columns & used or part.find(exp.Subquery, exp.Select):
            continue
        fresh = part.copy()
        for column in fresh.find_all(exp.Column):
            column.set("table", None)
        carried.append(fresh)
    for part in carried:
        now.where(part, copy=False)
    return [f"still: {part.sql(dialect=dialect)}" for part in carried]


def _names(select: exp.Select) -> set[str]:
    return {table.name.casefold() for table in tables_in(select)}
