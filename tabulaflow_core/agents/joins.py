"""Which columns join: declared keys, and those that files never declare, inferred from names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tabulaflow_core.agents.retrieval import by_name, stem, target_of
from tabulaflow_core.agents.schema_text import quoted, table_name
from tabulaflow_core.data.schema import ColumnSchema, TableSchema

_MOST: Final = 24
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
    keys = _keys_of(tables)
    for left in tables:
        for column in left.columns:
            if _is_own_key(column, left):
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
    return keys


def _pointed_to(
    column: ColumnSchema, keys: dict[tuple[str, str], list[tuple[TableSchema, str]]]
) -> list[tuple[TableSchema, str]]:
    """Return the keys that `column` seems to point to, as `customer_id` does to `customers.id`."""
    name = _folded(column.name)
    if name in _ENDINGS or not name.endswith(_ENDINGS):
        return []
    found = list(keys.get((name, ""), ()))
    for ending in _ENDINGS:
        if base := name.removesuffix(ending) if name.endswith(ending) else "":
            found += keys.get((stem(base), ending), ())
    return found


def _is_own_key(column: ColumnSchema, table: TableSchema) -> bool:
    """Say whether `column` looks like the key of its own table."""
    if table.primary_key:
        return table.primary_key == (column.name,)
    name = _folded(column.name)
    first = table.columns[0].name == column.name
    own = stem(_folded(table.name))
    return name == "id" or (first and any(stem(name.removesuffix(e)) == own for e in _ENDINGS))


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace(" ", "").replace("-", "")
