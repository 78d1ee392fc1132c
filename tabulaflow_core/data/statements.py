"""Statements of the product's own, written in the words of each engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.data.schema import TableSchema

if TYPE_CHECKING:
    from sqlglot import exp


def first_rows(table: TableSchema, dialect: str, *, limit: int) -> str:
    """The query for the first rows of `table`, with the quotes and the limit that its engine knows.

    Args:
        dialect: sqlglot's name of it; empty for the SQL standard's.
    """
    from sqlglot import exp

    place = exp.table_(_named(table.name), db=_named(table.schema) if table.schema else None)
    return exp.select("*").from_(place).limit(limit).sql(dialect=dialect or None)


def _named(name: str) -> exp.Identifier:
    from sqlglot import exp

    return exp.to_identifier(name, quoted=True)
