"""Filters of the last query that a follow-up means and its query forgot: the commonest fault of small models there."""

from __future__ import annotations

from sqlglot import exp

from tabulaflow_core.agents.mend.tree import conjuncts, outer_select, tables_in
from tabulaflow_core.agents.references import refers_back


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
