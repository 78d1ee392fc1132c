"""PostgreSQL's cases, in a database made for them."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tabulaflow_core.data.arrow import TableBuilder
from tabulaflow_core.data.matrix.cases import table_statements
from tabulaflow_core.data.matrix.servers import CANNOT_MAKE, PREFIX, ServerStage, in_database
from tabulaflow_core.data.matrix.stage import DIRECT_CAPS, NotKnownHere, lay_out, listing
from tabulaflow_core.data.sql import SQLConnector
from tabulaflow_core.data.urls import SourceUrl, parse_source_url
from tabulaflow_core.errors import SourceUnavailable

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

    @classmethod
    async def open_async(cls, folder: Path, url: str) -> PostgresStage:
        """Make the database and connect.

        Raises:
            SourceUnavailable: The server does not answer, or the user may not make a database.
        """
        import asyncpg

        from tabulaflow_core.data.engines.postgres import PostgresAdapter

        name = PREFIX + secrets.token_hex(4)
        server, source = parse_source_url(url), parse_source_url(in_database(url, name))
        lay_out(folder)
        try:
            await _in_postgres_async(server, f'CREATE DATABASE "{name}" TEMPLATE template0')
        except asyncpg.InsufficientPrivilegeError:
            raise SourceUnavailable(CANNOT_MAKE) from None

        async def drop_async() -> None:
            await _in_postgres_async(server, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

        try:
            await _in_postgres_async(source, *table_statements("postgres"))
            version = await _version_async(source)
            connector = await SQLConnector.from_url_async(in_database(url, name))
            adapter = PostgresAdapter(source)
            await adapter.open_async()
        except BaseException:
            await drop_async()
            raise
        return cls(folder, name, source, connector, adapter, f"PostgreSQL {version}", drop_async)

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


async def _in_postgres_async(source: SourceUrl, *statements: str) -> None:
    connection = await _postgres_async(source)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def _version_async(source: SourceUrl) -> str:
    connection = await _postgres_async(source)
    try:
        return str(await connection.fetchval("SHOW server_version")).split(" ")[0]
    finally:
        await connection.close()
