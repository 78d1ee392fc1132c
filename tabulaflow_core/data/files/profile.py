"""What the columns of a stored table hold: enough to compare two versions of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.files.convert import literal, quoted
from tabulaflow_core.data.files.drift import ColumnShape
from tabulaflow_core.data.files.report import ColumnType, ReadTable

if TYPE_CHECKING:
    import duckdb

#: Rows and values of a column by which it is known again under another name.
_ROWS: Final = 1_000
_VALUES: Final = 50


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
    """Look at the columns of `table`.

    Raises:
        OSError: The stored table is not there or cannot be opened.
    """
    with opened({"stored": table.database}) as connection:
        place = f"stored.main.{quoted(table.table)}"
        return tuple(_column(connection, place, *column) for column in described(connection, "stored", table))


def _column(
    connection: duckdb.DuckDBPyConnection, place: str, name: str, kind: ColumnType, engine_type: str
) -> ColumnProfile:
    column = quoted(name)
    dated = kind in ("date", "datetime")
    ends = f"CAST(min({column}) AS VARCHAR), CAST(max({column}) AS VARCHAR)" if dated else "NULL, NULL"
    ((filled, low, high),) = connection.execute(f"SELECT count({column}), {ends} FROM {place}").fetchall()
    some = connection.execute(
        f"SELECT DISTINCT CAST(v AS VARCHAR) FROM (SELECT {column} AS v FROM {place} LIMIT {_ROWS}) "
        f"WHERE v IS NOT NULL LIMIT {_VALUES}"
    ).fetchall()
    values = frozenset(str(value) for (value,) in some)
    return ColumnProfile(name, kind, engine_type, int(filled), str(low or ""), str(high or ""), values)


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
        raise OSError(f"a stored table cannot be opened: {error}") from error
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
