"""Values as they are stored: `germany` becomes `Germany`, and is looked for in the column that holds it."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.mend.literal_limits import MOST_VALUES
from tabulaflow_core.agents.mend.tree import folded, identifier, schemas_in
from tabulaflow_core.agents.schema_text import is_numeric, quoted, table_name
from tabulaflow_core.data.schema import ColumnSchema, SourceSchema, TableSchema

_LIKENESS: Final = 0.86
_OTHER_COLUMNS: Final = 8

#: Reads the different values of a column: SQL in, texts out; None when it could not be read.
Values = Callable[[str], Awaitable[list[str] | None]]


async def mend_literals(tree: exp.Expr, schema: SourceSchema, dialect: str, values: Values) -> list[str]:
    """Change the literals of `tree` that no cell equals; return what to tell."""
    tables = schemas_in(tree, schema)
    notes: list[str] = []
    for column, literal in list(_compared(tree)):
        found = _owner(column, tables)
        if found is None:
            continue
        table, stored = found
        if is_numeric(stored) and not _is_word(literal.name):
            continue
        have = [] if is_numeric(stored) else await values(distinct_of(table, stored, dialect))
        if have is None or literal.name in have:
            continue
        if near := nearest(literal.name, have):
            notes.append(f"{literal.name!r} read as {near!r}")
            literal.set("this", near)
        elif moved := await _elsewhere(literal.name, table, stored, dialect, values):
            other, value = moved
            notes.append(f"{literal.name!r} looked for in {other.name!r}, not {stored.name!r}")
            column.set("this", identifier(other.name, dialect))
            literal.set("this", value)
    return notes


async def absent_values(sql: str, schema: SourceSchema, dialect: str, values: Values) -> list[tuple[str, str]]:
    """Return column and value of each condition of `sql` that asks for a text which no row has there.

    A condition that is turned round (`<>`, NOT) asks for no value, and a column with more values than are looked at
    is left out.
    """
    import sqlglot

    try:
        tree = sqlglot.parse_one(sql, read=dialect)
    except sqlglot.errors.SqlglotError:
        return []
    tables = schemas_in(tree, schema)
    found: list[tuple[str, str]] = []
    for column, literal in [*_compared(tree), *_likened(tree)]:
        owned = _owner(column, tables)
        if owned is None or is_numeric(owned[1]) or literal.find_ancestor(exp.Not, exp.NEQ):
            continue
        have = await values(distinct_of(*owned, dialect))
        wanted = literal.name.strip("%")
        if have is None or not wanted or "%" in wanted or "_" in wanted:
            continue
        exact = isinstance(literal.parent, exp.EQ | exp.In)
        if not any(wanted == value if exact else wanted.casefold() in value.casefold() for value in have):
            found.append((column.name, wanted))
    return list(dict.fromkeys(found))


def _likened(tree: exp.Expr) -> list[tuple[exp.Column, exp.Literal]]:
    return [
        (column, like.expression)
        for like in tree.find_all(exp.Like, exp.ILike)
        if (column := like.this.find(exp.Column)) and isinstance(like.expression, exp.Literal)
    ]


def nearest(wanted: str, have: list[str]) -> str | None:
    """Return the stored value that `wanted` means, None when none is clearly it."""
    plain: dict[str, list[str]] = {}
    for value in have:
        plain.setdefault(folded(value), []).append(value)
    key = folded(wanted)
    if len(plain.get(key, ())) == 1:
        return plain[key][0]
    for other in (key + "s", key.removesuffix("s"), key + "es", key.removesuffix("es")):
        if other and other != key and len(plain.get(other, ())) == 1:
            return plain[other][0]
    close = difflib.get_close_matches(key, list(plain), n=2, cutoff=_LIKENESS)
    if close and len(key) >= 4 and (len(close) == 1 or close[0][:1] == key[:1]):
        return plain[close[0]][0]
    inside = [value for value in have if len(key) >= 4 and key in folded(value)]
    return inside[0] if len(inside) == 1 else None


def _compared(tree: exp.Expr) -> list[tuple[exp.Column, exp.Literal]]:
    pairs = []
    for node in tree.find_all(exp.EQ, exp.NEQ):
        sides = (node.this, node.expression)
        for column, literal in (sides, sides[::-1]):
            if isinstance(column, exp.Column) and isinstance(literal, exp.Literal) and literal.is_string:
                pairs.append((column, literal))
    for group in tree.find_all(exp.In):
        if isinstance(group.this, exp.Column):
            pairs += [(group.this, v) for v in group.expressions if isinstance(v, exp.Literal) and v.is_string]
    return pairs


def _owner(column: exp.Column, tables: dict[str, TableSchema]) -> tuple[TableSchema, ColumnSchema] | None:
    named = tables.get(column.table.casefold()) if column.table else None
    for table in [named] if named else tables.values():
        for stored in table.columns:
            if stored.name.casefold() == column.name.casefold():
                return table, stored
    return None


def distinct_of(table: TableSchema, column: ColumnSchema, dialect: str) -> str:
    name = quoted(column.name, dialect)
    return f"SELECT DISTINCT {name} FROM {table_name(table, dialect)} WHERE {name} IS NOT NULL LIMIT {MOST_VALUES}"


async def _elsewhere(
    wanted: str, table: TableSchema, but: ColumnSchema, dialect: str, values: Values
) -> tuple[ColumnSchema, str] | None:
    """Return the only other text column of `table` that holds `wanted`, and how it is spelt there."""
    hits = []
    for column in [c for c in table.columns if c is not but and not is_numeric(c)][:_OTHER_COLUMNS]:
        have = await values(distinct_of(table, column, dialect)) or []
        hits += [(column, value) for value in have if folded(value) == folded(wanted)][:1]
    return hits[0] if len(hits) == 1 else None


def _is_word(text: str) -> bool:
    return any(char.isalpha() for char in text)
