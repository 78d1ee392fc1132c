"""The read-only matrix: statements that would do harm and statements that analysts write, tried on real engines."""

from __future__ import annotations

from pathlib import Path

from tabulaflow_core.data.matrix.cases import Alone, Case, Verdict, dialects, load_cases
from tabulaflow_core.data.matrix.report import Count, EngineReport, markdown, summary
from tabulaflow_core.data.matrix.run import Outcome, Result, run_matrix_async
from tabulaflow_core.data.matrix.stage import Stage

__all__ = [
    "Alone", "Case", "Count", "EngineReport", "Outcome", "Result", "Stage", "Verdict", "dialects", "load_cases",
    "markdown", "open_duckdb_async", "open_mysql_async", "open_postgres_async", "open_sqlite_async",
    "run_matrix_async", "summary",
]  # fmt: skip


async def open_sqlite_async(folder: Path) -> Stage:
    """SQLite with the tables of its cases, in an empty folder."""
    from tabulaflow_core.data.matrix.local import SQLiteStage

    return await SQLiteStage.open_async(folder)


async def open_duckdb_async(folder: Path) -> Stage:
    """DuckDB with the tables of its cases, in an empty folder."""
    from tabulaflow_core.data.matrix.local import DuckDBStage

    return await DuckDBStage.open_async(folder)


async def open_postgres_async(folder: Path, url: str) -> Stage:
    """PostgreSQL with the tables of its cases, in a database made for it.

    Raises:
        SourceUnavailable: The server does not answer, or the user may not make a database.
    """
    from tabulaflow_core.data.matrix.postgres import PostgresStage

    return await PostgresStage.open_async(folder, url)


async def open_mysql_async(folder: Path, url: str) -> Stage:
    """MariaDB or MySQL with the tables of its cases, in a database made for it.

    Raises:
        SourceUnavailable: The server does not answer, or the user may not make a database.
    """
    from tabulaflow_core.data.matrix.mysql import MySQLStage

    return await MySQLStage.open_async(folder, url)
