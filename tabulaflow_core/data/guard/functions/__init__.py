"""Tables of functions that only compute, one module a dialect; a function that is in none is refused."""

from __future__ import annotations

from functools import lru_cache

from tabulaflow_core.data.guard.functions import (
    ansi,
    clickhouse,
    common,
    databricks,
    duckdb,
    mysql,
    oracle,
    postgres,
    redshift,
    sqlite,
)

_MODULES = {
    "": ansi,
    "clickhouse": clickhouse,
    "databricks": databricks,
    "duckdb": duckdb,
    "mysql": mysql,
    "oracle": oracle,
    "postgres": postgres,
    "redshift": redshift,
    "sqlite": sqlite,
}
_STRICT_FROM = {"duckdb", "sqlite"}
"""Dialects where a scalar function cannot stand in FROM."""


@lru_cache(maxsize=16)
def scalars(dialect: str) -> frozenset[str]:
    """Names allowed in an expression, lower case."""
    module = _MODULES.get(dialect, common)
    return frozenset(module.SCALARS) if dialect in _STRICT_FROM else frozenset(module.SCALARS + module.TABLES)


@lru_cache(maxsize=16)
def table_functions(dialect: str) -> frozenset[str]:
    """Names allowed in FROM, lower case."""
    module = _MODULES.get(dialect, common)
    return frozenset(module.TABLES) if dialect in _STRICT_FROM else frozenset(module.SCALARS + module.TABLES)
