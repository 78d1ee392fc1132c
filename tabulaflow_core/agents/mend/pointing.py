"""A name where a key stands: `airline = 'JetBlue'` means the airline that is called so, by its key."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.joins import Join, joins_of
from tabulaflow_core.agents.mend.literals import Values, distinct_of, nearest
from tabulaflow_core.agents.mend.tree import folded, identifier, owner_of, schemas_in
from tabulaflow_core.agents.schema_text import is_numeric, table_name
from tabulaflow_core.data.schema import ColumnSchema, SourceSchema, TableSchema

#: Columns of the other table that are looked at.
_COLUMNS: Final = 8
#: In a larger schema it takes long to find out which keys point where.
_TABLES: Final = 1_000


async def follow_keys(tree: exp.Expr, schema: SourceSchema, dialect: str, values: Values) -> list[str]:
    """Look for the name in the table that the key points to, where no key is written so; return what to tell."""
    if len(schema.tables) > _TABLES:
        return []
    tables = schemas_in(tree, schema)
    notes: list[str] = []
    joins: list[Join] | None = None
    for condition in list(tree.find_all(exp.EQ, exp.Like, exp.ILike)):
        column, literal = condition.this, condition.expression
        if not isinstance(column, exp.Column) or not isinstance(literal, exp.Literal) or not literal.is_string:
            continue
        wanted = literal.name.strip("%")
        owner = owner_of(column, tables)
        if owner is None or not any(char.isalpha() for char in wanted) or {"%", "_"} & set(wanted):
            continue
        joins = joins_of(schema.tables) if joins is None else joins
        edges = [e for e in joins if e.left is owner and folded(e.left_column) == folded(column.name)]
        if len(edges) != 1 or await _is_stored(wanted, owner, column.name, dialect, values):
            continue
        target, key = edges[0].right, edges[0].right_column
        exact = isinstance(condition, exp.EQ)
        hits = [
            (other.name, found)
            for other in [c for c in target.columns if not is_numeric(c) and c.name != key][:_COLUMNS]
            if (found := _found(wanted, await values(distinct_of(target, other, dialect)) or [], exact=exact))
        ]
        if len(hits) != 1:
            continue
        ((name, found),) = hits
        there = exp.column(identifier(name, dialect))
        called = (
            exp.EQ(this=there, expression=exp.Literal.string(found))
            if exact
            else type(condition)(this=there, expression=literal.copy())
        )
        inner = exp.select(exp.column(identifier(key, dialect))).from_(table_name(target, dialect), dialect=dialect)
        condition.replace(exp.In(this=column.copy(), query=exp.Subquery(this=inner.where(called))))
        notes.append(f"{wanted!r} looked for in {name!r} of {target.name!r}")
    return notes


async def _is_stored(wanted: str, table: TableSchema, name: str, dialect: str, values: Values) -> bool:
    """Say whether the key itself is written so; in doubt it is."""
    column: ColumnSchema = next(c for c in table.columns if folded(c.name) == folded(name))
    if is_numeric(column):
        return False
    have = await values(distinct_of(table, column, dialect))
    return have is None or any(wanted.casefold() in value.casefold() for value in have)


def _found(wanted: str, have: list[str], *, exact: bool) -> str:
    if exact:
        return nearest(wanted, have) or ""
    return next((value for value in have if wanted.casefold() in value.casefold()), "")
