"""Tables joined by columns that do not belong together are joined by their key."""

from __future__ import annotations

from sqlglot import exp

from tabulaflow_core.agents.joins import Join, is_like_a_key, joins_of
from tabulaflow_core.agents.mend.joining import qualify, shortest_chain
from tabulaflow_core.agents.mend.tree import folded, identifier, owner_of, schemas_in
from tabulaflow_core.agents.schema_text import table_name
from tabulaflow_core.data.schema import SourceSchema, TableSchema


def right_keys(tree: exp.Expr, schema: SourceSchema, dialect: str) -> list[str]:
    """Exchange the columns of `a.x = b.y` after ON for the one key between `a` and `b`; return what to tell.

    Columns of one name are left, and those of which none is called as a key is: tables may well be joined by a city.
    A condition of one table alone (`b.y = b.y`) joins everything with everything; it gets the one key to a table that
    stands before it.
    """
    notes: list[str] = []
    tables = schemas_in(tree, schema)
    edges = joins_of(tuple({id(t): t for t in tables.values()}.values()))
    for join in tree.find_all(exp.Join):
        on = join.args.get("on")
        if not isinstance(on, exp.EQ):
            continue
        left, right = on.this, on.expression
        if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
            continue
        fixed = _by_itself(join, on, tables, edges, dialect) or _by_wrong_columns(left, right, tables, edges, dialect)
        notes += [f"joined by {on.sql(dialect=dialect)}"] if fixed else _over_others(join, on, schema, tables, dialect)
    return notes


def _by_itself(join: exp.Join, on: exp.EQ, tables: dict[str, TableSchema], edges: list[Join], dialect: str) -> bool:
    """Mend `b.y = b.y`."""
    here = join.this.alias_or_name
    new = tables.get(here.casefold())
    select = join.parent
    if on.this != on.expression or new is None or not isinstance(select, exp.Select):
        return False
    before: dict[str, str] = {}
    for read in [t for t in select.find_all(exp.Table) if t.find_ancestor(exp.Select) is select]:
        known = tables.get(read.alias_or_name.casefold())
        if known is not None and known is not new:
            before[known.qualified_name] = read.alias_or_name
    found = [e for e in edges if new in (e.left, e.right) and _other(e, new).qualified_name in before]
    if len(found) != 1:
        return False
    (edge,) = found
    for side, table, name in ((on.this, edge.left, edge.left_column), (on.expression, edge.right, edge.right_column)):
        side.set("this", identifier(name, dialect))
        side.set("table", identifier(here if table is new else before[table.qualified_name], dialect))
    return True


def _over_others(
    join: exp.Join, on: exp.EQ, schema: SourceSchema, tables: dict[str, TableSchema], dialect: str
) -> list[str]:
    """Mend `b.y = b.y` where `b` is reached from the tables before it over others only: join those too."""
    here = join.this.alias_or_name
    new, select = tables.get(here.casefold()), join.parent
    if on.this != on.expression or new is None or not isinstance(select, exp.Select):
        return []
    inside: dict[str, TableSchema] = {}
    for read in [t for t in select.find_all(exp.Table) if t.find_ancestor(exp.Select) is select]:
        if read is not join.this and (known := tables.get(read.alias_or_name.casefold())) is not None:
            inside[read.alias_or_name] = known
    path = shortest_chain(joins_of(schema.tables), list(inside.values()), [new])
    names = {table.name for table in inside.values()}
    if path is None or len(path) < 2 or any(e.left.name in names and e.right.name in names for e in path):
        return []
    qualify(select, {**inside, here: new}, dialect)
    aliases = {table.name: alias for alias, table in inside.items()} | {new.name: here}
    notes, added = [], []
    for edge in path:
        for table in (edge.left, edge.right):
            aliases.setdefault(table.name, table.name)
        sides = [
            exp.column(identifier(column, dialect), identifier(aliases[table.name], dialect))
            for table, column in ((edge.left, edge.left_column), (edge.right, edge.right_column))
        ]
        condition = exp.EQ(this=sides[0], expression=sides[1])
        if new in (edge.left, edge.right):
            join.set("on", condition)
            notes.append(f"joined by {condition.sql(dialect=dialect)}")
            continue
        step = edge.right if edge.left.name in names else edge.left
        names.add(step.name)
        table_node = exp.to_table(table_name(step, dialect), dialect=dialect)
        added.append(exp.Join(this=table_node, on=condition))
        notes.append(f"joined {step.name!r}")
    joins = list(select.args.get("joins") or ())
    at = joins.index(join)
    select.set("joins", [*joins[:at], *added, *joins[at:]])
    return notes


def _other(edge: Join, table: TableSchema) -> TableSchema:
    return edge.right if edge.left is table else edge.left


def _by_wrong_columns(
    left: exp.Column, right: exp.Column, tables: dict[str, TableSchema], edges: list[Join], dialect: str
) -> bool:
    """Mend `a.x = b.y` where the key between both tables is another."""
    one, other = owner_of(left, tables), owner_of(right, tables)
    if one is None or other is None or one is other or folded(left.name) == folded(right.name):
        return False
    if not is_like_a_key(left.name) and not is_like_a_key(right.name):
        return False
    between = [
        e
        for e in edges
        if {e.left.qualified_name, e.right.qualified_name} == {one.qualified_name, other.qualified_name}
    ]
    if len(between) != 1:
        return False
    columns = {
        between[0].left.qualified_name: between[0].left_column,
        between[0].right.qualified_name: between[0].right_column,
    }
    wanted = (columns[one.qualified_name], columns[other.qualified_name])
    if (folded(left.name), folded(right.name)) == (folded(wanted[0]), folded(wanted[1])):
        return False
    left.set("this", identifier(wanted[0], dialect))
    right.set("this", identifier(wanted[1], dialect))
    return True
