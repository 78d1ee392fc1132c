"""Statements of the product's own, written in the words of each engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.schema import TableSchema

if TYPE_CHECKING:
    from sqlglot import exp

_CAPITALS: Final = frozenset({"oracle", "snowflake"})
_FOLDED: Final = re.compile(r"[a-z][a-z0-9_$#]*")


def first_rows(table: TableSchema, dialect: str, *, limit: int) -> str:
    """The query for the first rows of `table`, with the quotes and the limit that its engine knows.

    Args:
        dialect: sqlglot's name of it; empty for the SQL standard's.
    """
    from sqlglot import exp

    schema = _named(table.schema, dialect) if table.schema else None
    place = exp.table_(_named(table.name, dialect), db=schema)
    return exp.select("*").from_(place).limit(limit).sql(dialect=dialect or None)


def _named(name: str, dialect: str) -> exp.Identifier:
    from sqlglot import exp

    # SQLAlchemy tells names that these engines keep in capitals in lower case.
    folded = dialect in _CAPITALS and _FOLDED.fullmatch(name)
    return exp.to_identifier(name.upper() if folded else name, quoted=True)
