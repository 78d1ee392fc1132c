"""Names that engines keep for themselves: a source or table called so could not be told from the engine's own."""

from __future__ import annotations

from typing import Final

_NAMES: Final = frozenset(
    {"information_schema", "main", "mysql", "performance_schema", "pg_catalog", "sys", "system", "temp"}
)
_CATALOG_PREFIXES: Final = ("duckdb_", "pg_", "pragma_", "sqlite_")


def is_catalog_name(name: str) -> bool:
    """True for a name that reads as a part of an engine's catalog, wherever it stands for a table."""
    folded = name.casefold()
    return folded == "information_schema" or folded.startswith(_CATALOG_PREFIXES)


def reserved_reason(name: str) -> str:
    """Why no source or table of a file may be called `name`, a sentence; empty when it may."""
    if name.casefold() not in _NAMES and not is_catalog_name(name):
        return ""
    return f"{name[:80]!r} is a name that databases keep for themselves. Choose another."
