"""What would repair a query that names something unknown: the nearest names, or the table that has the column."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from tabulaflow_core.data.schema import SourceSchema, TableSchema

#: The engines' words for an unknown column and table; the first group is the name, perhaps qualified.
_COLUMN: Final = (
    re.compile(r"no such column: (.+)$"),  # SQLite
    re.compile(r'column "?([^"]+?)"? does not exist'),  # PostgreSQL
    re.compile(r"Unknown column '([^']+)'"),  # MySQL, MariaDB
    re.compile(r'Referenced column "([^"]+)" not found'),  # DuckDB
)
_TABLE: Final = (
    re.compile(r"no such table: (.+)$"),
    re.compile(r'relation "([^"]+)" does not exist'),
    re.compile(r"Table '([^']+)' doesn't exist"),
    re.compile(r"Table with name (\S+) does not exist"),
)
_NEAREST: Final = 3


def hint_for(message: str, schema: SourceSchema, *, used: Iterable[object] = ()) -> str:
    """A hint for an engine's message; empty when it is not about an unknown name.

    Args:
        used: The tables that the statement names, nearest first in the suggestions.
    """
    names = {str(name).rpartition(".")[2].casefold() for name in used}
    for pattern in _COLUMN:
        if found := pattern.search(message):
            return _column_hint(_last(found[1]), schema, [t for t in schema.tables if t.name.casefold() in names])
    for pattern in _TABLE:
        if found := pattern.search(message):
            return _table_hint(_last(found[1]), schema)
    return ""


def _last(name: str) -> str:
    return name.rpartition(".")[2].strip('"`')


def _table_hint(name: str, schema: SourceSchema) -> str:
    near = _near(name, [table.qualified_name for table in schema.tables])
    if not near:
        near = [table.qualified_name for table in schema.tables[:10]]
        return f"The tables are: {', '.join(near)}." if near and len(schema.tables) <= 10 else ""
    return f"Nearest tables: {', '.join(near)}."


def _column_hint(name: str, schema: SourceSchema, used: Sequence[TableSchema]) -> str:
    hints = []
    here = {column.name for table in used for column in table.columns}
    if here and (near := _near(name, sorted(here))):
        hints.append(f"Nearest columns: {', '.join(near)}.")
    others = [
        f"{table.qualified_name}.{column.name}"
        for table in schema.tables
        if table not in used
        for column in table.columns
        if column.name.casefold() == name.casefold()
    ]
    if others:
        hints.append(f"The column stands in {', '.join(others[:_NEAREST])}.")
    if not hints and len(used) == 1:
        hints.append(f"The columns of {used[0].qualified_name} are: {', '.join(c.name for c in used[0].columns[:30])}.")
    return " ".join(hints)


def _near(name: str, candidates: Sequence[str]) -> list[str]:
    folded: dict[str, str] = {}
    for candidate in candidates:
        folded.setdefault(candidate.rpartition(".")[2].casefold(), candidate)
    near = difflib.get_close_matches(name.casefold(), folded, n=_NEAREST, cutoff=0.6)
    return [folded[match] for match in near]
