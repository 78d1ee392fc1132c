"""Which columns join: declared keys, and those that files never declare, inferred from names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tabulaflow_core.agents.retrieval import by_name, stem, target_of
from tabulaflow_core.agents.schema_text import is_numeric, quoted, table_name
from tabulaflow_core.data.schema import ColumnSchema, TableSchema

_MOST: Final = 24
#: Letters that all names of a schema may begin with, and that a key's own name must have besides its ending.
_PREFIX: Final = 3
_LEAST: Final = 4
#: Each name is compared with each key, so that there may not be thousands.
_FEW_KEYS: Final = 300
#: Marks a key that is found by its table's name.
_TABLE: Final = "(table)"
_ENDINGS: Final = ("id", "code", "key", "no", "nr", "number")


class Join(NamedTuple):
    """`left.left_column = right.right_column`; `right_column` is the key of `right`."""

    left: TableSchema
    left_column: str
    right: TableSchema
    right_column: str


def joins_of(tables: Sequence[TableSchema]) -> list[Join]:
    """Return the joins between `tables`: declared ones, and inferred ones where a pair of tables declares none."""
    tables_by_name = by_name(tables)
    out: list[Join] = []
    for table in tables:
        for key in table.foreign_keys:
            target = target_of(key, tables_by_name)
            if target is not None and len(key.columns) == 1:
                out.append(Join(table, key.columns[0], target, key.target_columns[0]))
    declared = {frozenset((j.left.qualified_name, j.right.qualified_name)) for j in out}
    keys, initials = _keys_of(tables), _initial_keys(tables)
    for left in tables:
        for column in left.columns:
            if _is_own_key(column, left) or initials.get(_folded(column.name)) is left:
                continue
            for right, key_name in _pointed_to(column, keys):
                if right is not left and frozenset((left.qualified_name, right.qualified_name)) not in declared:
                    out.append(Join(left, column.name, right, key_name))
    return out


def inferred_joins(tables: Sequence[TableSchema], dialect: str) -> list[str]:
    """Return the joins as conditions."""
    texts = [
        f"{table_name(j.left, dialect)}.{quoted(j.left_column, dialect)} = "
        f"{table_name(j.right, dialect)}.{quoted(j.right_column, dialect)}"
        for j in joins_of(tables)
    ]
    return list(dict.fromkeys(texts))[:_MOST]


def _keys_of(tables: Sequence[TableSchema]) -> dict[tuple[str, str], list[tuple[TableSchema, str]]]:
    """Return the keys by what points to them: their own full name, or their table's stem and their ending."""
    keys: dict[tuple[str, str], list[tuple[TableSchema, str]]] = {}
    for table in tables:
        for column in table.columns:
            name = _folded(column.name)
            if name in _ENDINGS:
                keys.setdefault((stem(_folded(table.name)), name), []).append((table, column.name))
            elif name.endswith(_ENDINGS) and _is_own_key(column, table):
                keys.setdefault((name, ""), []).append((table, column.name))
        if len(table.primary_key) == 1 and is_numeric(key := _column(table, table.primary_key[0])):
            keys.setdefault((stem(_folded(table.name)), _TABLE), []).append((table, key.name))
    for name, table in _initial_keys(tables).items():
        keys.setdefault((name, ""), []).append((table, next(c.name for c in table.columns if _folded(c.name) == name)))
    return keys


def _initial_keys(tables: Sequence[TableSchema]) -> dict[str, TableSchema]:
    """Return keys that are an initial and `id`, as `pid` of `publication`, with the table whose they are.

    Of tables whose names begin alike, as `domain` and `domain_author`, it is the one by whose name the others begin.
    """
    found: dict[str, TableSchema] = {}
    for initial in {_folded(table.name)[:1] for table in tables}:
        name = f"{initial}id"
        having = [t for t in tables if not t.primary_key and t.name.casefold().startswith(initial) and _has(t, name)]
        having.sort(key=lambda table: len(table.name))
        if having and all(t.name.casefold().startswith(having[0].name.casefold()) for t in having):
            found[name] = having[0]
    return found


def _column(table: TableSchema, name: str) -> ColumnSchema:
    return next((c for c in table.columns if c.name == name), ColumnSchema(name, ""))


def _has(table: TableSchema, name: str) -> bool:
    return any(_folded(column.name) == name for column in table.columns)


def _pointed_to(
    column: ColumnSchema, keys: dict[tuple[str, str], list[tuple[TableSchema, str]]]
) -> list[tuple[TableSchema, str]]:
    """Return the keys that `column` seems to point to, as `customer_id` does to `customers.id`."""
    name = _folded(column.name)
    if name in _ENDINGS:
        return []
    if not name.endswith(_ENDINGS):  # a number that is called after a table, as `flights.airline`
        return [o for o in keys.get((stem(name), _TABLE), ()) if is_numeric(column)]
    found = list(keys.get((name, ""), ()))
    for ending in _ENDINGS:
        if base := name.removesuffix(ending) if name.endswith(ending) else "":
            found += keys.get((stem(base), ending), ())
    if (
        not found and len(keys) <= _FEW_KEYS
    ):  # `ship_address_id` to `address_id`, and in a schema of `sb…` names `sbtxcustid` to `sbcustid`
        for (key, ending), owners in keys.items():
            found += owners if not ending and _is_widened(name, key) else ()
    return found


def _is_widened(name: str, key: str) -> bool:
    """Say whether `name` is `key` with more at its beginning, or after a beginning that both have."""
    for at in range(min(_PREFIX, len(key)) + 1):
        rest = key[at:]
        own = len(rest) - max(len(e) for e in _ENDINGS if rest.endswith(e)) if rest.endswith(_ENDINGS) else 0
        if own >= _LEAST and len(name) > len(key) and name.startswith(key[:at]) and name.endswith(rest):
            return True
    return False


def is_like_a_key(name: str) -> bool:
    """Say whether a column is called as keys are."""
    return _folded(name).endswith(_ENDINGS)


def _is_own_key(column: ColumnSchema, table: TableSchema) -> bool:
    """Say whether `column` looks like the key of its own table."""
    if table.primary_key:
        return table.primary_key == (column.name,)
    name = _folded(column.name)
    own = stem(_folded(table.name))
    return name == "id" or any(name.endswith(e) and stem(name.removesuffix(e)) == own for e in _ENDINGS)


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace(" ", "").replace("-", "")
