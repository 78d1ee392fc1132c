"""Patterns that name columns: `email`, `customers.email`, `sales.customers.*`, `shop.sales.customers.email`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from tabulaflow_core.data.schema import TableSchema

#: Names of the schema that need not be written before a table, where a source does not tell its own.
DEFAULT_SCHEMAS: Final = ("public", "main", "dbo")


def patterns_of(text: str) -> tuple[str, ...]:
    """The patterns of a text with commas or lines between them; blanks around them do not count."""
    parts = (part.strip() for line in text.splitlines() for part in line.split(","))
    return tuple(dict.fromkeys(part for part in parts if part))


@dataclass(frozen=True, slots=True)
class HiddenColumns:
    """The patterns that hold for one source.

    Attributes:
        alias: The source's name, which may stand first in a pattern.
        patterns: Globs without case: `*` any letters, `?` one, `[ab]` one of them. Each part between dots is
            compared by itself, from the column's name leftwards.
    """

    alias: str
    patterns: tuple[str, ...]

    def of(self, table: TableSchema, *, defaults: Collection[str] = DEFAULT_SCHEMAS) -> frozenset[str]:
        """The names of the columns of `table` that are hidden.

        Args:
            defaults: Names of the schema of a table that needs none.
        """
        if not self.patterns:
            return frozenset()
        schemas = (table.schema,) if table.schema else tuple(defaults)
        return frozenset(
            column.name
            for column in table.columns
            if _may_fit(column.name, self.patterns) and self._hides(column.name, table.name, schemas)
        )

    def _hides(self, column: str, table: str, schemas: Iterable[str]) -> bool:
        column, table, alias = column.casefold(), table.casefold(), self.alias.casefold()
        paths = [(column,), (table, column), (alias, table, column)]
        for schema in schemas:
            # DuckDB's attached databases stand before the schema, with a dot.
            paths += [(schema.casefold(), table, column), (alias, schema.casefold(), table, column)]
            inner = schema.casefold().rpartition(".")[2]
            paths += [(inner, table, column), (alias, inner, table, column)]
        for written in self.patterns:
            pattern = written.casefold()
            if "." in column and fnmatchcase(column, pattern):
                return True
            parts = tuple(pattern.split("."))
            for path in paths:
                if len(path) == len(parts) and all(map(fnmatchcase, path, parts)):
                    return True
                if len(parts) > len(path) and fnmatchcase(".".join(path), pattern):
                    return True
        return False


@lru_cache(maxsize=20_000)
def _may_fit(column: str, patterns: tuple[str, ...]) -> bool:
    """Whether the last part of a pattern fits: a large schema has the same names over and over."""
    last = column.casefold().rpartition(".")[2]
    return any(fnmatchcase(last, pattern.casefold().rpartition(".")[2]) for pattern in patterns)
