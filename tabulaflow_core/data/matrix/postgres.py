"""PostgreSQL's cases, in a database made for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tabulaflow_core.data.arrow import TableBuilder
from tabulaflow_core.data.engines.base import EngineAdapter
from tabulaflow_core.data.matrix.servers import ServerStage
from tabulaflow_core.data.matrix.stage import DIRECT_CAPS, NotKnownHere, listing
from tabulaflow_core.data.urls import SourceUrl

if TYPE_CHECKING:
    from asyncpg import Connection as PostgresConnection

#: What a statement could have changed in PostgreSQL, a row a thing.
_LOOK_POSTGRES: Final = """
    SELECT 'relation', relname::text, relkind::text FROM pg_class WHERE relnamespace::regnamespace::text !~ '^pg_toast'
    UNION ALL SELECT 'function', proname, prokind::text FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT 'type', typname, typtype::text FROM pg_type WHERE oid >= 16384
    UNION ALL SELECT 'sequence', sequencename, last_value::text FROM pg_sequences
    UNION ALL SELECT 'object', oid::text, '' FROM pg_largeobject_metadata
    UNION ALL SELECT 'role', rolname, '' FROM pg_roles
    UNION ALL SELECT 'extension', extname, '' FROM pg_extension
    UNION ALL SELECT 'lock', locktype, mode FROM pg_locks WHERE pid <> pg_backend_pid() AND database =
        (SELECT oid FROM pg_database WHERE datname = current_database())
    UNION ALL SELECT 'publication', pubname, '' FROM pg_publication
    UNION ALL SELECT 'comment', description, '' FROM pg_description WHERE objoid >= 16384
    UNION ALL SELECT 'rights', relname, relacl::text FROM pg_class WHERE relacl IS NOT NULL AND oid >= 16384
    ORDER BY 1, 2, 3
"""


class PostgresStage(ServerStage):
    """PostgreSQL's cases."""

    dialect = "postgres"
    create = 'CREATE DATABASE "{name}" TEMPLATE template0'
    drop = 'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'
    version = "SHOW server_version"

    @classmethod
    async def _ask_async(cls, source: SourceUrl, *statements: str) -> str:
        connection = await _postgres_async(source)
        try:
            for statement in statements[:-1]:
                await connection.execute(statement)
            return str(await connection.fetchval(statements[-1]) or "")
        finally:
            await connection.close()

    @classmethod
    def _refusals(cls) -> tuple[type[Exception], ...]:
        import asyncpg

        return (asyncpg.InsufficientPrivilegeError,)

    @classmethod
    def _adapter(cls, source: SourceUrl) -> EngineAdapter:
        from tabulaflow_core.data.engines.postgres import PostgresAdapter

        return PostgresAdapter(source)

    @classmethod
    def _engine(cls, version: str) -> str:
        return f"PostgreSQL {version.split(' ')[0]}"

    async def direct_async(self, sql: str) -> pa.Table:
        """On a plain connection, with the product's decoding of values."""
        import asyncpg

        from tabulaflow_core.data.engines.postgres_types import converter_for, set_codecs_async

        connection = await _postgres_async(self._source)
        try:
            await set_codecs_async(connection)
            async with connection.transaction():
                statement = await connection.prepare(sql)
                attributes = statement.get_attributes()
                builder = TableBuilder(
                    [a.name for a in attributes], [converter_for(a.type) for a in attributes], DIRECT_CAPS
                )
                builder.add(await statement.fetch())
                return builder.finish().table
        except asyncpg.PostgresError as error:
            raise NotKnownHere(str(error)) from None
        finally:
            await connection.close()

    async def look_async(self) -> str:
        """Rows of all tables, and the catalog of the database."""
        connection = await _postgres_async(self._source)
        try:
            names = await connection.fetch(
                "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND oid >= 16384 "
                "AND relnamespace = 'public'::regnamespace ORDER BY 1"
            )
            rows = [
                await connection.fetchval(f"SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {name} t")
                for (name,) in names
            ]
            catalog = await connection.fetch(_LOOK_POSTGRES)
        finally:
            await connection.close()
        return f"{listing(self._folder)}\n{rows}\n{[tuple(row) for row in catalog]}"


async def _postgres_async(source: SourceUrl) -> PostgresConnection:
    import asyncpg

    return await asyncpg.connect(
        host=source.host,
        port=source.port,
        user=source.user or None,
        password=source.password,
        database=source.database or None,
        statement_cache_size=0,
    )
