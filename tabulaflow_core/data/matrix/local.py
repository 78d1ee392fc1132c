"""SQLite and DuckDB: a file in a folder of its own."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa

from tabulaflow_core.data.arrow import TableBuilder
from tabulaflow_core.data.engines.base import Caps, EngineAdapter, EngineFault
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.matrix.cases import table_statements
from tabulaflow_core.data.matrix.stage import DIRECT_CAPS, NotKnownHere, lay_out, listing
from tabulaflow_core.data.sql import SQLConnector


class _FileStage:
    """What both have in common."""

    dialect = ""

    def __init__(self, folder: Path, connector: SQLConnector, adapter: EngineAdapter, engine: str) -> None:
        self._folder = folder
        self.connector = connector
        self.adapter = adapter
        self.engine = engine

    def fill(self, sql: str) -> str:
        """Puts the folder's path in."""
        return sql.replace("{folder}", str(self._folder / "files")).replace("{database}", "main")

    async def close_async(self) -> None:
        """Close; the folder is the caller's."""
        await self.connector.close_async()
        await self.adapter.close_async()

    def _files(self) -> str:
        digest = hashlib.sha256()
        for path in sorted(self._folder.glob("shop*")):
            digest.update(path.read_bytes())
        return f"{listing(self._folder)}\n{digest.hexdigest()}"


class SQLiteStage(_FileStage):
    """SQLite's cases."""

    dialect = "sqlite"

    @classmethod
    async def open_async(cls, folder: Path) -> SQLiteStage:
        """Make the file and connect."""
        from tabulaflow_core.data.engines.sqlite import SQLiteAdapter

        path = folder / "shop.db"
        await run_blocking_async(lambda: _make_sqlite(folder, path))
        connector = await SQLConnector.from_url_async(f"sqlite:///{path}")
        adapter = SQLiteAdapter(path, read_only=True)
        await adapter.open_async()
        return cls(folder, connector, adapter, f"SQLite {sqlite3.sqlite_version}")

    async def direct_async(self, sql: str) -> pa.Table:
        """On a plain connection to the file."""

        def call() -> pa.Table:
            with closing(sqlite3.connect(self._folder / "shop.db")) as connection:
                try:
                    cursor = connection.execute(sql)
                    names = [column[0] for column in cursor.description]
                    builder = TableBuilder(names, [None] * len(names), DIRECT_CAPS)
                    while builder.add(cursor.fetchmany(builder.batch_size)):
                        pass
                except sqlite3.Error as error:
                    raise NotKnownHere(str(error)) from None
                return builder.finish().table

        return await run_blocking_async(call)

    async def look_async(self) -> str:
        """The bytes of the file and the names of all files."""
        return await run_blocking_async(self._files)


def _make_sqlite(folder: Path, path: Path) -> None:
    folder.joinpath("files").mkdir()
    lay_out(folder / "files")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(";\n".join(table_statements("sqlite")) + ";")
    with closing(sqlite3.connect(folder / "files" / "canary.db")) as connection:
        connection.executescript("CREATE TABLE t (k); INSERT INTO t VALUES ('other');")


class DuckDBStage(_FileStage):
    """DuckDB's cases."""

    dialect = "duckdb"

    @classmethod
    async def open_async(cls, folder: Path) -> DuckDBStage:
        """Make the file and connect."""
        import duckdb

        from tabulaflow_core.data.engines.duckdb import DuckDBAdapter, DuckDBConnector

        path = folder / "shop.duckdb"
        await run_blocking_async(lambda: _make_duckdb(folder, path))
        connector = await DuckDBConnector.open_async(path)
        adapter = DuckDBAdapter({"shop": path})
        await adapter.open_async()
        return cls(folder, connector, adapter, f"DuckDB {duckdb.__version__}")

    async def direct_async(self, sql: str) -> pa.Table:
        """On a plain connection to a copy of the file, which DuckDB opens only once a process."""
        import duckdb

        from tabulaflow_core.data.engines.duckdb_fetch import fetch

        def call() -> pa.Table:
            with duckdb.connect(":memory:") as connection:
                connection.execute(f"ATTACH '{self._folder / 'plain.duckdb'}' AS shop")
                connection.execute("USE shop")
                connection.execute("SET TimeZone = 'UTC'")
                try:
                    return fetch(connection, sql, DIRECT_CAPS).table
                except (duckdb.Error, EngineFault) as error:
                    raise NotKnownHere(str(error)) from None

        return await run_blocking_async(call)

    async def look_async(self) -> str:
        """The bytes of the file, the names of all files, and what the instance holds besides."""
        caps = Caps(rows=1_000, bytes=1_000_000, seconds=10.0)
        held = await self.adapter.fetch_async(
            "SELECT 'table', table_name FROM duckdb_tables() UNION ALL SELECT 'view', view_name FROM duckdb_views() "
            "UNION ALL SELECT 'macro', function_name FROM duckdb_functions() WHERE NOT internal UNION ALL "
            "SELECT 'sequence', sequence_name || coalesce(last_value, 0) FROM duckdb_sequences() UNION ALL "
            "SELECT name, value FROM duckdb_settings() UNION ALL SELECT 'database', database_name FROM "
            "duckdb_databases() UNION ALL SELECT 'secret', name FROM duckdb_secrets() ORDER BY ALL",
            caps,
        )
        return f"{await run_blocking_async(self._files)}\n{held.table.to_pydict()}"


def _make_duckdb(folder: Path, path: Path) -> None:
    import duckdb

    folder.joinpath("files").mkdir()
    lay_out(folder / "files")
    for target in (path, folder / "plain.duckdb"):
        with duckdb.connect(str(target)) as connection:
            for statement in table_statements("duckdb"):
                connection.execute(statement)
