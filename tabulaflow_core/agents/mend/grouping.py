"""Groups, duplicates and divisions: statements that run and are wrong in silence, or that only SQLite would run."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.mend.tree import outer_select
from tabulaflow_core.agents.schema_text import is_numeric
from tabulaflow_core.data.schema import TableSchema

_WHICH: Final = re.compile(
    r"^\s*(?:which|what|who|whose|list|show|name|give|welche|wer|nenne|zeige|qu[eé]|cu[aá]les|qui[eé]n|quels?|quelles?|qui)\b",
    re.IGNORECASE,
)
#: Engines that divide two integers to an integer.
_WHOLE_DIVISION: Final = ("sqlite", "postgres")


def add_grouping(tree: exp.Expr, dialect: str) -> list[str]:
    """Group by the plain columns beside an aggregate; without it an engine refuses or takes any row."""
    notes = []
    for select in tree.find_all(exp.Select):
        if select.args.get("group") or select.args.get("distinct"):
            continue
        plain = [item for item in select.expressions if not _aggregates(item) and item.find(exp.Column)]
        if not plain or any(item.find(exp.Star) for item in plain):
            continue
        inside = [agg for item in select.expressions for agg in _aggregates(item)]
        order = select.args.get("order")
        ordered = _aggregates(order) if order is not None else []
        if not inside and not ordered:
            continue
        if len(inside) == 1 and not ordered and isinstance(inside[0], exp.Max | exp.Min):
            notes += _row_of_extreme(select, inside[0], dialect)
            continue
        columns = [item.unalias().copy() for item in plain]
        select.group_by(*columns, copy=False)
        notes.append(f"grouped by {', '.join(column.sql(dialect=dialect) for column in columns)}")
    return notes


def _aggregates(node: exp.Expr) -> list[exp.Expr]:
    """Return the aggregates of `node` that are neither windows nor in a subquery."""
    inner = {id(x) for sub in node.find_all(exp.Subquery) for x in sub.walk()}
    return [a for a in node.find_all(exp.AggFunc) if id(a) not in inner and not isinstance(a.parent, exp.Window)]


def _row_of_extreme(select: exp.Select, extreme: exp.Expr, dialect: str) -> list[str]:
    """`SELECT name, MAX(price)` means the row with the highest price; SQLite takes it so, the others refuse it."""
    if dialect == "sqlite" or not isinstance(extreme.this, exp.Column) or select.args.get("limit"):
        return []
    value = extreme.this.copy()
    descending = isinstance(extreme, exp.Max)
    extreme.replace(value.copy())
    ordering = exp.Ordered(this=value, desc=descending, nulls_first=False)
    select.order_by(ordering, copy=False)
    select.limit(1, copy=False)
    return [f"the row with the {'highest' if descending else 'lowest'} {value.name}"]


def drop_duplicates(tree: exp.Expr, tables: dict[str, TableSchema], question: str) -> list[str]:
    """List each thing once where the question asks which there are, and a table has several rows a thing."""
    select = outer_select(tree)
    if select is None or not _WHICH.search(question) or not tables:
        return []
    if any(select.args.get(part) for part in ("distinct", "group", "order", "limit", "having")):
        return []
    types = {c.name.casefold(): c for t in tables.values() for c in t.columns}
    keys = {key.casefold() for t in tables.values() for key in t.primary_key}
    for item in select.expressions:
        column = item.unalias()
        known = types.get(column.name.casefold()) if isinstance(column, exp.Column) else None
        if known is None or is_numeric(known) or known.name.casefold() in keys:
            return []
    select.set("distinct", exp.Distinct())
    return []


def divide_exactly(tree: exp.Expr, dialect: str) -> list[str]:
    """Keep the decimals of a ratio of counts or sums where the engine would cut them off."""
    if dialect not in _WHOLE_DIVISION:
        return []
    notes = []
    for division in list(tree.find_all(exp.Div)):
        if not _aggregates(division) or _has_decimals(division):
            continue
        left = division.this
        division.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=exp.paren(left.copy(), copy=False)))
        notes.append("divided with decimals")
    return notes


def _has_decimals(division: exp.Div) -> bool:
    if any("." in literal.name for literal in division.find_all(exp.Literal) if not literal.is_string):
        return True
    if division.find(exp.Avg):
        return True
    casts = (cast.to.this for cast in division.find_all(exp.Cast) if isinstance(cast.to, exp.DataType))
    return any(kind in exp.DataType.REAL_TYPES for kind in casts)
