"""A column that no table of the query has, and another table does: join that table along the keys.

The commonest fault of a small model over several tables: it names the column and forgets the table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.joins import Join, joins_of
from tabulaflow_core.agents.mend.tree import folded, identifier, made_names
from tabulaflow_core.agents.schema_text import table_name
from tabulaflow_core.data.schema import SourceSchema, TableSchema

#: A longer way between two tables is a guess.
_STEPS: Final = 3


def join_missing(tree: exp.Expr, schema: SourceSchema, dialect: str) -> list[str]:
    """Join the tables that `tree` needs and does not read; return what to tell."""
    notes: list[str] = []
    made = made_names(tree)
    edges: list[Join] | None = None
    for select in list(tree.find_all(exp.Select)):
        inside = _tables_of(select, schema)
        if not inside or len(inside) != _reads(select):
            continue
        for column in [c for c in select.find_all(exp.Column) if c.find_ancestor(exp.Select) is select]:
            _move(column, inside, dialect)
            wanted = _wanted(column, inside, schema, made)
            if not wanted:
                continue
            edges = joins_of(schema.tables) if edges is None else edges
            path = shortest_chain(edges, list(inside.values()), wanted)
            if path is None:
                continue
            qualify(select, inside, dialect)
            for join in path:
                notes += _add(select, join, inside, dialect)
            target = path[-1].right if path[-1].right in wanted else path[-1].left
            real = next(c.name for c in target.columns if folded(c.name) == folded(column.name))
            column.set("this", identifier(real, dialect))
            column.set("table", identifier(_alias(target, inside), dialect))
            qualify(select, inside, dialect)
    return notes


def _move(column: exp.Column, inside: dict[str, TableSchema], dialect: str) -> None:
    """Name the right one of the tables read, when the one named lacks the column and a single other has it."""
    name, owner = folded(column.name), column.table.casefold()
    having = [alias for alias, t in inside.items() if any(folded(c.name) == name for c in t.columns)]
    named = [alias for alias in inside if alias.casefold() == owner]
    if named and named[0] not in having and len(having) == 1:
        column.set("table", identifier(having[0], dialect))


def _tables_of(select: exp.Select, schema: SourceSchema) -> dict[str, TableSchema]:
    out: dict[str, TableSchema] = {}
    for table in _from_and_joins(select):
        if isinstance(table, exp.Table) and (known := schema.table(table.name)) is not None:
            out[table.alias_or_name] = known
    return out


def _from_and_joins(select: exp.Select) -> list[exp.Expr]:
    source = select.find(exp.From)
    own = [source.this] if source is not None and source.parent is select else []
    return own + [join.this for join in select.args.get("joins") or ()]


def _reads(select: exp.Select) -> int:
    return len(_from_and_joins(select))


def _wanted(
    column: exp.Column, inside: dict[str, TableSchema], schema: SourceSchema, made: set[str]
) -> list[TableSchema]:
    """Return the tables that would give `column`; none when it is there already, or is an alias."""
    if isinstance(column.this, exp.Star):
        return []
    name = folded(column.name)
    owner = column.table.casefold()
    if owner:
        if owner in (alias.casefold() for alias in inside):
            table = next(t for alias, t in inside.items() if alias.casefold() == owner)
            if any(folded(c.name) == name for c in table.columns):
                return []
        elif (named := schema.table(column.table)) is not None and any(folded(c.name) == name for c in named.columns):
            return [named]
        elif owner in made:
            return []
    elif column.name.casefold() in made:
        return []
    if any(folded(c.name) == name for t in inside.values() for c in t.columns):
        return []
    return [t for t in schema.tables if any(folded(c.name) == name for c in t.columns)]


def shortest_chain(edges: Sequence[Join], start: list[TableSchema], wanted: list[TableSchema]) -> list[Join] | None:
    """Return the only shortest chain of joins from a table of `start` to one of `wanted`."""
    queue: deque[tuple[TableSchema, list[Join]]] = deque((t, []) for t in start)
    seen = {t.name for t in start}
    found: list[list[Join]] = []
    while queue:
        table, path = queue.popleft()
        if found and len(path) >= len(found[0]):
            break
        if len(path) >= _STEPS:
            continue
        for join in edges:
            if table.name not in (join.left.name, join.right.name):
                continue
            other = join.right if join.left.name == table.name else join.left
            if any(other.name == w.name for w in wanted):
                found.append([*path, join])
            elif other.name not in seen:
                seen.add(other.name)
                queue.append((other, [*path, join]))
    shortest = [p for p in found if len(p) == len(found[0])]
    ends = {(p[-1].left.name, p[-1].right.name, p[-1].left_column) for p in shortest}
    return shortest[0] if len(ends) == 1 else None


def _alias(table: TableSchema, inside: dict[str, TableSchema]) -> str:
    return next((alias for alias, t in inside.items() if t.name == table.name), table.name)


def qualify(select: exp.Select, inside: dict[str, TableSchema], dialect: str) -> None:
    """Say of which table each column is, before another table can make a bare name ambiguous."""
    made = {a.alias.casefold() for a in select.find_all(exp.Alias)}
    for column in select.find_all(exp.Column):
        if column.table or isinstance(column.this, exp.Star) or column.find_ancestor(exp.Select) is not select:
            continue
        for alias, table in inside.items():
            has = any(c.name.casefold() == column.name.casefold() for c in table.columns)
            if has and column.name.casefold() not in made:
                column.set("table", identifier(alias, dialect))
                break


def _add(select: exp.Select, join: Join, inside: dict[str, TableSchema], dialect: str) -> list[str]:
    names = {t.name for t in inside.values()}
    new = join.right if join.left.name in names else join.left
    if new.name in names:
        return []
    inside[new.name] = new
    left = exp.column(identifier(join.left_column, dialect), identifier(_alias(join.left, inside), dialect))
    right = exp.column(identifier(join.right_column, dialect), identifier(_alias(join.right, inside), dialect))
    table = exp.to_table(table_name(new, dialect), dialect=dialect)
    select.join(table, on=exp.EQ(this=left, expression=right), copy=False)
    return [f"joined {new.name!r}"]
