"""Two values that one column shall have at once, which no row has: either of them, or rows for each."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.joins import joins_of
from tabulaflow_core.agents.mend.tree import conjuncts, outer_select, owner_of, schemas_in
from tabulaflow_core.data.schema import SourceSchema

_BOTH: Final = re.compile(r"\b(?:both|beide\w*|sowohl|ambos|ambas|les deux|à la fois)\b", re.IGNORECASE)


def either_or_both(tree: exp.Expr, schema: SourceSchema, question: str, dialect: str) -> tuple[exp.Expr, list[str]]:
    """Return `tree` with `a = 1 AND a = 2` taken as it was meant, and what to tell.

    "Channels with films by Ann and Bo" asks for channels that have a film by each: the listed thing can have several
    rows, or the question says "both". Otherwise ("customers in France and Spain") rows with either value are meant.
    """
    select = outer_select(tree)
    if select is None:
        return tree, []
    parts = conjuncts(select)
    for first in parts:
        for second in parts:
            if first is second or not _contradict(first, second):
                continue
            values = (first.expression.name, second.expression.name)
            if not _BOTH.search(question) and not _several(select, first.this, schema):
                either = exp.In(this=first.this.copy(), expressions=[first.expression.copy(), second.expression.copy()])
                _remove(second)
                _in_place(first).replace(either)
                return tree, ["{!r} or {!r}, which no row has at once".format(*values)]
            if _plain(select):
                other = select.copy()
                _remove(_same(other, first))
                _remove(second)
                return exp.intersect(select.copy(), other, copy=False), [
                    "{!r} and {!r}, each in a row of its own".format(*values)
                ]
    return tree, []


def _contradict(one: exp.Expr, other: exp.Expr) -> bool:
    pair = (one, other)
    if not all(isinstance(p, exp.EQ) and isinstance(p.this, exp.Column) for p in pair):
        return False
    if not all(isinstance(p.expression, exp.Literal) for p in pair) or one.expression == other.expression:
        return False
    return bool(one.this == other.this)


def _several(select: exp.Select, column: exp.Column, schema: SourceSchema) -> bool:
    """Say whether what is listed stands in another table, several rows of which may hold `column`."""
    tables = schemas_in(select, schema)
    holder = owner_of(column, tables)
    listed = [owner_of(c, tables) for item in select.expressions for c in item.find_all(exp.Column)]
    if holder is None or not listed or any(table is None or table is holder for table in listed):
        return False
    return any(edge.left is holder and edge.right in listed for edge in joins_of(tuple(tables.values())))


def _plain(select: exp.Select) -> bool:
    """Say whether the statement lists rows, in no order."""
    parts = ("group", "having", "order", "limit", "with_", "qualify")
    return not any(select.args.get(part) for part in parts) and select.find(exp.AggFunc, exp.Window) is None


def _same(select: exp.Select, part: exp.Expr) -> exp.Expr:
    return next(p for p in conjuncts(select) if p == part)


def _in_place(part: exp.Expr) -> exp.Expr:
    return part.parent if isinstance(part.parent, exp.Paren) else part


def _remove(part: exp.Expr) -> None:
    """Take a part of an AND out."""
    part = _in_place(part)
    both = part.parent
    assert isinstance(both, exp.And)  # two parts contradict each other
    both.replace(both.expression if both.this is part else both.this)
