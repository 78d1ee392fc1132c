"""The cases of MariaDB and MySQL, in a database made for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tabulaflow_core.data.arrow import TableBuilder
from tabulaflow_core.data.engines.base import EngineAdapter
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.matrix.servers import ServerStage
from tabulaflow_core.data.matrix.stage import DIRECT_CAPS, NotKnownHere, listing
from tabulaflow_core.data.urls import SourceUrl

if TYPE_CHECKING:
    from pymysql.connections import Connection as MySQLConnection

#: What a statement could have changed, a row a thing.
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


class MySQLStage(ServerStage):
    """The cases of MariaDB and MySQL."""

    dialect = "mysql"
    create = "CREATE DATABASE `{name}` CHARACTER SET utf8mb4"
    drop = "DROP DATABASE IF EXISTS `{name}`"
    version = "SELECT VERSION()"

    @classmethod
    async def _ask_async(cls, source: SourceUrl, *statements: str) -> str:
        rows = await run_blocking_async(lambda: _in_mysql(source, *statements))
        return str(rows[0][0]) if rows else ""

    @classmethod
    def _refusals(cls) -> tuple[type[Exception], ...]:
        from tabulaflow_core.data.engines.mysql_connection import DriverError

        return (DriverError,)

    @classmethod
    def _adapter(cls, source: SourceUrl) -> EngineAdapter:
        from tabulaflow_core.data.engines.mysql import MySQLAdapter

        return MySQLAdapter(source)

    @classmethod
    def _engine(cls, version: str) -> str:
        number, _, rest = version.partition("-")
        return f"{'MariaDB' if 'mariadb' in rest.lower() else 'MySQL'} {number}"

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
