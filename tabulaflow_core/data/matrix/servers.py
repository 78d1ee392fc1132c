"""PostgreSQL and MariaDB or MySQL: a database of its own on a server, made and dropped again."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import pyarrow as pa

from tabulaflow_core.data.arrow import TableBuilder
from tabulaflow_core.data.engines.base import EngineAdapter
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.matrix.cases import table_statements
from tabulaflow_core.data.matrix.stage import DIRECT_CAPS, NotKnownHere, lay_out, listing
from tabulaflow_core.data.sql import SQLConnector
from tabulaflow_core.data.urls import SourceUrl, parse_source_url
from tabulaflow_core.errors import SourceUnavailable

if TYPE_CHECKING:
    from asyncpg import Connection as PostgresConnection
    from pymysql.connections import Connection as MySQLConnection

_PREFIX: Final = "tabulaflow_matrix_"
_CANNOT_MAKE: Final = (
    "The matrix needs a database of its own, and this user may not make one. Use a user with the right to create a "
    "database, on a server for trials."
)
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
_LOOK_MYSQL: Final = """
    SELECT 'table', table_name, table_type FROM information_schema.tables WHERE table_schema = DATABASE()
    UNION ALL SELECT 'column', table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE()
    UNION ALL SELECT 'index', table_name, index_name FROM information_schema.statistics WHERE table_schema = DATABASE()
    UNION ALL SELECT 'routine', routine_name, '' FROM information_schema.routines WHERE routine_schema = DATABASE()
    UNION ALL SELECT 'trigger', trigger_name, '' FROM information_schema.triggers WHERE trigger_schema = DATABASE()
    UNION ALL SELECT 'event', event_name, '' FROM information_schema.events WHERE event_schema = DATABASE()
    UNION ALL SELECT 'rights', grantee, privilege_type FROM information_schema.user_privileges
    UNION ALL SELECT 'database', schema_name, '' FROM information_schema.schemata WHERE schema_name LIKE 'h\\_%'
    ORDER BY 1, 2, 3
"""


def _in_database(url: str, name: str) -> str:
    parts = urlsplit(url)
    return parts._replace(path=f"/{name}").geturl()


class _ServerStage:
    """What both have in common."""

    dialect = ""

    def __init__(
        self,
        folder: Path,
        name: str,
        source: SourceUrl,
        connector: SQLConnector,
        adapter: EngineAdapter,
        engine: str,
        drop: Callable[[], Awaitable[None]],
    ) -> None:
        self._folder = folder
        self._name = name
        self._source = source
        self.connector = connector
        self.adapter = adapter
        self.engine = engine
        self._drop = drop

    def fill(self, sql: str) -> str:
        """Puts the folder's path and the database's name in."""
        return sql.replace("{folder}", str(self._folder)).replace("{database}", self._name)

    async def close_async(self) -> None:
        """Close and drop the database."""
        try:
            await self.connector.close_async()
            await self.adapter.close_async()
        finally:
            await self._drop()


class PostgresStage(_ServerStage):
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

        name = _PREFIX + secrets.token_hex(4)
        server, source = parse_source_url(url), parse_source_url(_in_database(url, name))
        lay_out(folder)
        try:
            await _in_postgres_async(server, f'CREATE DATABASE "{name}" TEMPLATE template0')
        except asyncpg.InsufficientPrivilegeError:
            raise SourceUnavailable(_CANNOT_MAKE) from None

        async def drop_async() -> None:
            await _in_postgres_async(server, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

        try:
            await _in_postgres_async(source, *table_statements("postgres"))
            version = await _version_async(source)
            connector = await SQLConnector.from_url_async(_in_database(url, name))
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


class MySQLStage(_ServerStage):
    """The cases of MariaDB and MySQL."""

    dialect = "mysql"

    @classmethod
    async def open_async(cls, folder: Path, url: str) -> MySQLStage:
        """Make the database and connect.

        Raises:
            SourceUnavailable: The server does not answer, or the user may not make a database.
        """
        from tabulaflow_core.data.engines.mysql import MySQLAdapter
        from tabulaflow_core.data.engines.mysql_connection import DriverError

        name = _PREFIX + secrets.token_hex(4)
        server, source = parse_source_url(url), parse_source_url(_in_database(url, name))
        lay_out(folder)

        async def drop_async() -> None:
            await run_blocking_async(lambda: _in_mysql(server, f"DROP DATABASE IF EXISTS `{name}`"))

        try:
            await run_blocking_async(lambda: _in_mysql(server, f"CREATE DATABASE `{name}` CHARACTER SET utf8mb4"))
        except DriverError:
            raise SourceUnavailable(_CANNOT_MAKE) from None
        try:
            await run_blocking_async(lambda: _in_mysql(source, *table_statements("mysql")))
            ((version,),) = await run_blocking_async(lambda: _in_mysql(source, "SELECT VERSION()"))
            connector = await SQLConnector.from_url_async(_in_database(url, name))
            adapter = MySQLAdapter(source)
            await adapter.open_async()
        except BaseException:
            await drop_async()
            raise
        number, _, rest = str(version).partition("-")
        engine = f"{'MariaDB' if 'mariadb' in rest.lower() else 'MySQL'} {number}"
        return cls(folder, name, source, connector, adapter, engine, drop_async)

    async def direct_async(self, sql: str) -> pa.Table:
        """On a plain connection, with the product's decoding of values."""
        from tabulaflow_core.data.engines.mysql_connection import DriverError, close, connect
        from tabulaflow_core.data.engines.mysql_types import converter_for

        def call() -> pa.Table:
            connection = connect(self._source)
            try:
                with connection.cursor() as cursor:
                    cursor.execute(sql)
                    fields = cursor._result.fields
                    builder = TableBuilder([f.name for f in fields], [converter_for(f) for f in fields], DIRECT_CAPS)
                    builder.add(cursor.fetchall())
                    return builder.finish().table
            except DriverError as error:
                raise NotKnownHere(str(error)) from None
            finally:
                close(connection)

        return await run_blocking_async(call)

    async def look_async(self) -> str:
        """Rows of all tables, and the catalog of the database."""

        def call() -> str:
            listed = _in_mysql(self._source, _LOOK_MYSQL)
            names = [row[1] for row in listed if row[0] == "table" and "VIEW" not in str(row[2])]
            rows = [_in_mysql(self._source, f"SELECT * FROM `{name}`") for name in names]
            return f"{listing(self._folder)}\n{rows}\n{listed}"

        return await run_blocking_async(call)


def _in_mysql(source: SourceUrl, *statements: str) -> tuple[tuple[object, ...], ...]:
    from tabulaflow_core.data.engines.mysql_connection import close, connect

    connection: MySQLConnection = connect(source)
    rows: tuple[tuple[object, ...], ...] = ()
    try:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
                rows = tuple(cursor.fetchall()) if cursor.description else ()
    finally:
        close(connection)
    return rows
