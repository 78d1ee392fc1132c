"""What the columns of a stored table hold: enough to compare two versions of it."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.files.convert import literal, quoted
from tabulaflow_core.data.files.drift import ColumnShape
from tabulaflow_core.data.files.report import ColumnType, ReadTable

if TYPE_CHECKING:
    import duckdb

#: Rows and values of a column by which it is known again under another name; of wide tables, fewer rows.
_ROWS, _LEAST_ROWS = 1_000, 20
_CELLS: Final = 200_000
_VALUES: Final = 50
#: Tables whose columns are remembered.
_REMEMBERED: Final = 128


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column of a stored table.

    Attributes:
        kind: Its kind of value.
        engine_type: Its type in DuckDB.
        filled: Rows that hold a value.
        low: The earliest date or time as text; empty for columns of other kinds, or without a value.
        high: The latest one.
        values: Some of its values as text.
    """

    name: str
    kind: ColumnType
    engine_type: str
    filled: int
    low: str = ""
    high: str = ""
    values: frozenset[str] = frozenset()

    @property
    def shape(self) -> ColumnShape:
        """What a comparison of columns needs. A column without any value has no type that could differ."""
        return ColumnShape(self.name, self.kind if self.filled else "", self.values)


def profile(table: ReadTable) -> tuple[ColumnProfile, ...]:
    """Look at the columns of `table`, which never changes: the same table is looked at once.

    Raises:
        OSError: The stored table is not there or cannot be opened.
    """
    return _profile(table.database, table.table, table.columns, table.types)


@lru_cache(maxsize=_REMEMBERED)
def _profile(
    database: Path, name: str, columns: tuple[str, ...], kinds: tuple[ColumnType, ...]
) -> tuple[ColumnProfile, ...]:
    table = ReadTable(name, columns, kinds, 0, database, name)
    with opened({"stored": database}) as connection:
        place = f"stored.main.{quoted(name)}"
        facts = described(connection, "stored", table)
        asked = ["count(*)"]  # a table without columns has facts too
        for column, kind, _ in facts:
            own, dated = quoted(column), kind in ("date", "datetime")
            ends = f"CAST(min({own}) AS VARCHAR), CAST(max({own}) AS VARCHAR)" if dated else "NULL, NULL"
            asked.append(f"count({own}), {ends}")
        (told,) = connection.execute(f"SELECT {', '.join(asked)} FROM {place}").fetchall()
        values = _some_values(connection, place, columns)
    return tuple(
        ColumnProfile(
            column,
            kind,
            engine_type,
            int(told[1 + 3 * at]),
            str(told[2 + 3 * at] or ""),
            str(told[3 + 3 * at] or ""),
            values[at],
        )
        for at, (column, kind, engine_type) in enumerate(facts)
    )


def _some_values(
    connection: duckdb.DuckDBPyConnection, place: str, columns: Sequence[str]
) -> tuple[frozenset[str], ...]:
    rows = max(_LEAST_ROWS, min(_ROWS, _CELLS // max(len(columns), 1)))
    listed = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in columns)
    found: list[set[str]] = [set() for _ in columns]
    for row in connection.execute(f"SELECT {listed} FROM {place} LIMIT {rows}").fetchall():
        for values, value in zip(found, row, strict=True):
            if value is not None and len(values) < _VALUES:
                values.add(str(value))
    return tuple(map(frozenset, found))


def described(
    connection: duckdb.DuckDBPyConnection, alias: str, table: ReadTable
) -> tuple[tuple[str, ColumnType, str], ...]:
    """Name, kind and DuckDB type of each column of a table that is attached as `alias`."""
    types = dict(
        connection.execute(
            "SELECT column_name, data_type FROM duckdb_columns() "
            f"WHERE database_name = {literal(alias)} AND schema_name = 'main' AND table_name = {literal(table.table)}"
        ).fetchall()
    )
    return tuple((name, kind, str(types[name])) for name, kind in zip(table.columns, table.types, strict=True))


@contextmanager
def opened(databases: dict[str, Path]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A private connection with stored databases attached read-only under their aliases.

    Raises:
        OSError: One is not there or cannot be opened.
    """
    import duckdb

    connection = duckdb.connect(":memory:", config={"threads": 2, "memory_limit": "512MB"})
    try:
        connection.execute("SET TimeZone = 'UTC'").fetchall()
        for alias, path in databases.items():
            connection.execute(f"ATTACH {literal(str(path))} AS {quoted(alias)} (READ_ONLY)").fetchall()
        yield connection
    except duckdb.IOException as error:
        raise OSError(errno.ENOENT, "a stored table is not there or is damaged") from error
    finally:
        connection.close()


def same_shape(one: Sequence[ColumnProfile], other: Sequence[ColumnProfile]) -> bool:
    """Whether two tables have the same columns of the same kinds, in any order; a column without values fits any."""
    if len(one) != len(other):
        return False
    kinds = {column.name.casefold(): column for column in one}
    return all(
        (known := kinds.get(column.name.casefold())) is not None
        and (known.kind == column.kind or not known.filled or not column.filled)
        for column in other
    )


def rows_that_differ(before: ReadTable, after: ReadTable) -> int:
    """How many rows of `after`, a table of the same columns, `before` does not have; each counts as often as it is.

    Raises:
        OSError: A stored table is not there.
    """
    columns = ", ".join(quoted(name) for name in before.columns)
    with opened({"a": after.database, "b": before.database}) as connection:
        new, old = f"a.main.{quoted(after.table)}", f"b.main.{quoted(before.table)}"
        ((count,),) = connection.execute(
            f"SELECT count(*) FROM (SELECT {columns} FROM {new} EXCEPT ALL SELECT {columns} FROM {old})"
        ).fetchall()
    return int(count)
