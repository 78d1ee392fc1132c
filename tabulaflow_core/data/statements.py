"""Statements of the product's own, written in the words of each engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
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

    place = named_by(exp.Table(), [_named(part, dialect) for part in table.path])
    return exp.select("*").from_(place).limit(limit).sql(dialect=dialect or None)


def named_by(node: exp.Table, names: Sequence[exp.Identifier]) -> exp.Table:
    """`node`, which now names a table by `names`: the table's own last, its schema and its database before it."""
    for key, name in zip_longest(("this", "db", "catalog"), reversed(names)):
        node.set(key, name)
    return node


def _named(name: str, dialect: str) -> exp.Identifier:
    from sqlglot import exp

    # SQLAlchemy tells names that these engines keep in capitals in lower case.
    folded = dialect in _CAPITALS and _FOLDED.fullmatch(name)
    return exp.to_identifier(name.upper() if folded else name, quoted=True)
