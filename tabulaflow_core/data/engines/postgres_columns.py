"""The columns of all of PostgreSQL's tables: a hundred thousand of them in a fraction of a second.

Tables of one database repeat the same columns over and over, so that each is made once and shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.schema import ColumnSchema

if TYPE_CHECKING:
    import asyncpg

#: Values of an enumeration that are told, in its own order.
_LABELS: Final = 20
#: Relations whose columns PostgreSQL does not know to hold no NULL.
_DERIVED: Final = frozenset("vm")

# $1: the tables; $2: those of them of which every column may be read.
_COLUMNS: Final = """
SELECT a.attrelid AS oid, a.attnum AS number, a.attname AS name, a.atttypid AS type_oid, a.atttypmod AS modifier,
       a.attnotnull AS required, coalesce(d.description, '') AS comment
FROM pg_attribute a
LEFT JOIN pg_description d ON d.objoid = a.attrelid AND d.classoid = 'pg_class'::regclass AND d.objsubid = a.attnum
WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
  AND (a.attrelid = ANY ($2::oid[]) OR has_column_privilege(a.attrelid, a.attnum, 'SELECT'))
ORDER BY a.attrelid, a.attnum
"""
_TYPES: Final = """
SELECT u.oid, u.modifier, format_type(u.oid, u.modifier) AS name, t.typcategory::text AS category,
       (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = u.oid) AS labels
FROM unnest($1::oid[], $2::int4[]) AS u (oid, modifier) JOIN pg_type t ON t.oid = u.oid
"""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns by table.

    Attributes:
        told: Types of which samples are told: texts, arrays, and JSON, whose inner keys a query needs.
    """

    told: frozenset[str]
    _by_table: Mapping[int, tuple[ColumnSchema, ...]]
    _numbers: Mapping[int, list[int]]

    def of(self, oid: int) -> tuple[ColumnSchema, ...]:
        """The columns of a table in their order."""
        return self._by_table.get(oid, ())

    def names(self, oid: int, numbers: Iterable[int]) -> tuple[str, ...]:
        """The names of columns by their numbers; `?` for one that the role may not read."""
        columns, known = self.of(oid), self._numbers.get(oid, [])
        if known and known[-1] == len(known):  # none was ever dropped
            return tuple(columns[n - 1].name if 0 < n <= len(known) else "?" for n in numbers)
        place = {number: i for i, number in enumerate(known)}
        return tuple(columns[place[n]].name if n in place else "?" for n in numbers)


async def columns_async(connection: asyncpg.Connection, tables: Mapping[int, asyncpg.Record]) -> Columns:
    """Read the columns of `tables`, which are rows with `oid`, `kind` and `whole`."""
    rows = await connection.fetch(_COLUMNS, list(tables), [oid for oid, row in tables.items() if row["whole"]])
    kinds = {(row[3], row[4]) for row in rows}
    types: dict[tuple[int, int], tuple[str, tuple[str, ...]]] = {}
    told = {"json", "jsonb"}
    for oid, modifier, name, category, labels in await connection.fetch(
        _TYPES, [kind[0] for kind in kinds], [kind[1] for kind in kinds]
    ):
        types[oid, modifier] = name, tuple(labels or ())
        if category in ("S", "A"):
            told.add(name)
    derived = {oid for oid, row in tables.items() if row["kind"] in _DERIVED}
    made: dict[tuple[object, ...], ColumnSchema] = {}
    columns: dict[int, list[ColumnSchema]] = {}
    numbers: dict[int, list[int]] = {}
    current = None
    for row in rows:
        oid, number = row[0], row[1]
        if oid != current:
            current, own, places, view = oid, columns.setdefault(oid, []), numbers.setdefault(oid, []), oid in derived
        key = (view, *row[2:])
        if (column := made.get(key)) is None:
            column = made[key] = _column(*row[2:], view=view, types=types)
        own.append(column)
        places.append(number)
    return Columns(frozenset(told), {oid: tuple(own) for oid, own in columns.items()}, numbers)


def _column(
    name: str,
    type_oid: int,
    modifier: int,
    required: bool,
    comment: str,
    *,
    view: bool,
    types: Mapping[tuple[int, int], tuple[str, tuple[str, ...]]],
) -> ColumnSchema:
    type_name, labels = types[type_oid, modifier]
    if not comment and labels:
        comment = f"one of: {', '.join(labels)}"
    return ColumnSchema(name, type_name, None if view else not required, comment, labels[:_LABELS])
