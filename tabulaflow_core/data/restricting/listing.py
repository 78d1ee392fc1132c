"""What a column holds, asked of its engine: the values to choose from, and whether its days are written as days."""

from __future__ import annotations

from tabulaflow_core.data.derived.tables import quoted
from tabulaflow_core.data.restricting.columns import kind_of
from tabulaflow_core.data.restricting.conditions import as_text
from tabulaflow_core.data.schema import ColumnSchema, TableSchema


def values_sql(table: TableSchema, column: ColumnSchema, dialect: str, *, most: int) -> str:
    """The query for the distinct values of a column as text, in order; at most `most`."""
    name = f"{quoted(table.path[-1], dialect)}.{quoted(column.name, dialect)}"
    text = as_text(name, kind_of(column, dialect), dialect)
    return f"SELECT DISTINCT {text} AS v FROM {_place(table, dialect)} WHERE {name} IS NOT NULL ORDER BY 1 LIMIT {most}"


def other_days_sql(table: TableSchema, column: ColumnSchema) -> str:
    """The query for one value of SQLite, whose dates have no type of their own, that is not written as 2024-01-31."""
    name = f"{quoted(table.path[-1], 'sqlite')}.{quoted(column.name, 'sqlite')}"
    written = f"{name} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'"
    return (
        f"SELECT {name} FROM {_place(table, 'sqlite')} "
        f"WHERE {name} IS NOT NULL AND (typeof({name}) <> 'text' OR NOT {written}) LIMIT 1"
    )


def _place(table: TableSchema, dialect: str) -> str:
    return ".".join(quoted(part, dialect) for part in table.path)
