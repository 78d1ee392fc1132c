"""A sum or an average over rows that a join repeats, when nothing of the joined table is asked for."""

from __future__ import annotations

from sqlglot import exp

from tabulaflow_core.agents.joins import joins_of
from tabulaflow_core.agents.mend.tree import folded, outer_select, owner_of, schemas_in
from tabulaflow_core.agents.retrieval import words
from tabulaflow_core.data.schema import SourceSchema, TableSchema


def count_once(tree: exp.Expr, schema: SourceSchema, question: str) -> list[str]:
    """Take the repeating table out, or only ask that it has a row; return what to tell.

    A table that the question names is a condition ("dogs that had a treatment"), one that it does not name is a
    slip. Counts are left: there the joined rows may be what is counted.
    """
    select = outer_select(tree)
    if select is None or len(list(tree.find_all(exp.Select))) > 1:
        return []
    aggregates = list(select.find_all(exp.AggFunc))
    if not any(isinstance(a, exp.Sum | exp.Avg) for a in aggregates) or any(
        isinstance(a, exp.Count) for a in aggregates
    ):
        return []
    tables, source = schemas_in(tree, schema), select.find(exp.From)
    joins: list[exp.Join] = select.args.get("joins") or []
    if source is None or len(tables) != len(joins) + 1:
        return []
    for join in joins:
        found = _repeated(select, join, tables)
        if found is None:
            continue
        alias, column, key = found
        repeating = join.this
        if repeating.alias_or_name.casefold() != alias:  # it stands after FROM
            if len(joins) > 1:
                continue
            repeating = source.this.copy()
            source.set("this", join.this.copy())
        join.pop()
        name = tables[alias].name
        if not set(words(name)) & set(words(question)):
            return [f"{name!r} left out, which repeated rows"]
        repeating.set("alias", None)
        inner = exp.select(exp.column(column.this.copy())).from_(repeating)
        select.where(exp.In(this=key.copy(), query=exp.Subquery(this=inner)), copy=False)
        return [f"each row counted once, however many of {name!r} belong to it"]
    return []


def _repeated(
    select: exp.Select, join: exp.Join, tables: dict[str, TableSchema]
) -> tuple[str, exp.Column, exp.Column] | None:
    """The alias of a table that only the condition of `join` uses and that repeats the other, its column, the key."""
    on = join.args.get("on")
    if not isinstance(on, exp.EQ) or join.side or str(join.args.get("kind") or "").upper() not in ("", "INNER"):
        return None
    sides = (on.this, on.expression)
    for column, key in (sides, sides[::-1]):
        if not isinstance(column, exp.Column) or not isinstance(key, exp.Column) or not column.table:
            return None
        alias = column.table.casefold()
        many, one = owner_of(column, tables), owner_of(key, tables)
        if many is None or one is None or many is one:
            return None
        points = any(
            edge.left is many and edge.right is one and folded(edge.left_column) == folded(column.name)
            for edge in joins_of((many, one))
        )
        elsewhere = [c for c in select.find_all(exp.Column) if c is not column and owner_of(c, tables) in (many, None)]
        if points and not elsewhere and not select.find(exp.Star):
            return alias, column, key
    return None
