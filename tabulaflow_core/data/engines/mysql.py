"""MariaDB and MySQL: a read-only session, one statement at a time, stopped by `KILL QUERY`.

The driver is PyMySQL in the executor and not aiomysql: aiomysql always asks the server for multi-statements, and
parses rows on the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import pyarrow as pa

from tabulaflow_core.data.arrow import TableBuilder
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import LOCK_SHARE, Caps, EngineFault, Fetched, IfExists, fetch_by_steps
from tabulaflow_core.data.engines.mysql_binding import prepare
from tabulaflow_core.data.engines.mysql_connection import (
    Connection,
    DriverError,
    Run,
    close,
    connect,
    fault_of,
    is_broken,
    unavailable,
)
from tabulaflow_core.data.engines.mysql_functions import stored_functions
from tabulaflow_core.data.engines.mysql_schema import Opened, grant_notices, read_schema
from tabulaflow_core.data.engines.mysql_types import converter_for
from tabulaflow_core.data.engines.mysql_write import write_table
from tabulaflow_core.data.engines.pool import Pool
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.guard.bodies import StoredFunction
from tabulaflow_core.data.profile import Profiles
from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.data.urls import SourceUrl

T = TypeVar("T")

#: Seconds beyond the caller's own limit after which the server stops a statement by itself, should we be gone.
_GRACE_SECONDS: Final = 2.0
_RECURSIONS: Final = 1_000_000
#: Bytes of a text that GROUP_CONCAT or JSON_ARRAYAGG puts together; more is cut with a warning.
_JOINED_BYTES: Final = 4 * 1024 * 1024
_SCHEMA_SECONDS: Final = 30.0
_CATALOG_SECONDS: Final = 10.0
_BEHIND: Final = (
    "The server is still opening its tables: how they point to each other and about how many rows they have "
    "comes with a later question."
)
_COM_RESET_CONNECTION: Final = 0x1F
#: Modes under which the server would read a statement differently from the parser.
_OTHER_SYNTAX: Final = frozenset(
    {"ANSI", "ANSI_QUOTES", "PIPES_AS_CONCAT", "NO_BACKSLASH_ESCAPES", "IGNORE_SPACE", "HIGH_NOT_PRECEDENCE", "ORACLE"}
    | {"MSSQL", "DB2", "POSTGRESQL", "MAXDB", "EMPTY_STRING_IS_NULL", "NO_UNSIGNED_SUBTRACTION"}
)


class MySQLAdapter:
    """One MariaDB or MySQL database."""

    dialect: Final = "mysql"
    left_running: Final = ""
    binds: Final = True

    def __init__(self, source: SourceUrl) -> None:
        self._source = source
        self._pool: Pool[Connection] = Pool(self._connect_async, _close_async)
        self._notices: tuple[str, ...] = ()
        self._profiles = Profiles()
        self._opened = Opened()

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user may do beyond reading tables, and that its server is slow to tell of them."""
        return (*self._notices, _BEHIND) if self._opened.behind else self._notices

    @property
    def unreadable(self) -> Mapping[str, str]:
        """None."""
        return {}

    async def open_async(self) -> None:
        """Connect once and look at the grants."""
        self._notices = await self._run_async(lambda connection, run: _grant_notices(connection), 10.0)

    async def fetch_async(self, sql: str, caps: Caps, values: Sequence[str] = ()) -> Fetched:
        """Run `sql` in a read-only session."""
        return await self._run_async(lambda connection, run: _fetch(connection, sql, caps, run, values), caps.seconds)

    async def stored_functions_async(self, sql: str) -> tuple[StoredFunction, ...]:
        """The functions that `sql` calls, with what they run."""
        return await self._run_async(
            lambda connection, run: stored_functions(connection, sql, _OTHER_SYNTAX), _CATALOG_SECONDS
        )

    async def read_schema_async(self) -> SourceSchema:
        """Tables, views, keys, comments, row counts and samples."""
        return await self._run_async(
            lambda connection, run: read_schema(connection, self._profiles, self._opened), _SCHEMA_SECONDS
        )

    async def write_async(self, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
        """Create or fill a table, on a connection of its own."""
        connection = await self._connect_async()
        run = Run(self._source, connection)

        def write() -> None:
            try:
                write_table(connection, table, rows, if_exists=if_exists)
            except DriverError as error:
                raise fault_of(error, self._source) from None

        try:
            await run_blocking_async(write, interrupt=run.interrupt)
        finally:
            await asyncio.shield(_close_async(connection))

    async def close_async(self) -> None:
        """Close every connection."""
        await self._pool.close_async()

    async def _connect_async(self) -> Connection:
        return await run_blocking_async(lambda: connect(self._source), abandon=close)

    async def _run_async(self, work: Callable[[Connection, Run], T], seconds: float) -> T:
        async with self._lent_async(seconds) as (connection, run):
            return await run_blocking_async(lambda: self._call(work, connection, run), interrupt=run.interrupt)

    def _call(self, work: Callable[[Connection, Run], T], connection: Connection, run: Run) -> T:
        try:
            result = work(connection, run)
        except (DriverError, OSError) as error:
            run.usable = not is_broken(error) and not run.unfinished
            raise fault_of(error, self._source) from None
        except EngineFault:
            run.usable = not run.unfinished
            raise
        run.usable = not run.unfinished
        return result

    @asynccontextmanager
    async def _lent_async(self, seconds: float) -> AsyncIterator[tuple[Connection, Run]]:
        """A connection whose session is new and read-only; replaced when it broke while it was idle."""
        while True:
            connection, reused = await self._pool.take_async()
            run = Run(self._source, connection)
            try:
                try:
                    await run_blocking_async(
                        lambda: _prepare(connection, seconds, reused=reused),  # noqa: B023 - called before the next turn
                        interrupt=run.interrupt,
                    )
                except (DriverError, OSError) as error:
                    if reused:
                        continue
                    raise unavailable(error, self._source) from None
                yield connection, run
                return
            finally:
                await asyncio.shield(self._pool.give_back_async(connection, usable=run.usable and not run.stopped))


async def _close_async(connection: Connection) -> None:
    await run_blocking_async(lambda: close(connection))


def _prepare(connection: Connection, seconds: float, *, reused: bool) -> None:
    if reused:
        # Variables, temporary tables and locks of the last statement go; so do our own settings, set below.
        connection._execute_command(_COM_RESET_CONNECTION, b"")
        connection._read_ok_packet()
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@GLOBAL.sql_mode, VERSION()")
        modes, version = cursor.fetchone()
        for statement in session_statements(modes, version, seconds):
            cursor.execute(statement)


def session_statements(modes: str, version: str, seconds: float) -> tuple[str, ...]:
    """What makes a session read-only, bounded in time, and one that reads statements as the parser does.

    Args:
        modes: The server's `sql_mode`.
        version: The server's version, which tells MariaDB from MySQL.
        seconds: The statement's time limit.
    """
    kept = ",".join(mode for mode in modes.split(",") if mode not in _OTHER_SYNTAX)
    limit = seconds + _GRACE_SECONDS
    # After 1000 turns of a recursive query MariaDB stops it without a word, and MySQL with an error.
    bound = (
        f"max_statement_time = {limit:.3f}, SESSION max_recursive_iterations = {_RECURSIONS}"
        if "mariadb" in version.lower()
        else f"max_execution_time = {limit * 1000:.0f}, SESSION cte_max_recursion_depth = {_RECURSIONS}"
    )
    return (
        f"SET NAMES utf8mb4, SESSION sql_mode = '{kept}', SESSION group_concat_max_len = {_JOINED_BYTES}, "
        # Whole seconds; a statement that reads waits only for those that change a table's form or lock it whole.
        f"SESSION lock_wait_timeout = {max(1, int(seconds * LOCK_SHARE))}, SESSION {bound}",
        # The session and not one transaction: inside a read-only transaction DDL would end it and run.
        "SET SESSION TRANSACTION READ ONLY",
    )


def _fetch(connection: Connection, sql: str, caps: Caps, run: Run, values: Sequence[str]) -> Fetched:
    text = prepare(connection, sql, values) if values else sql
    run.unfinished = True
    with run.reading(connection) as cursor:
        cursor.execute(text)
        run.streaming = True
        if cursor.description is None:
            run.unfinished = False
            raise EngineFault(FailureKind.REFUSED, "the statement gives no rows")
        fields = cursor._result.fields
        builder = TableBuilder([field.name for field in fields], [converter_for(field) for field in fields], caps)
        while builder.add(fetch_by_steps(cursor.fetchmany, builder.batch_size, len(fields), lambda: run.stopped)):
            pass
        if run.stopped:  # putting many rows together takes its time, and nobody wants them
            raise EngineFault(FailureKind.FAILED, "The query was stopped.")
        fetched = builder.finish()
        if fetched.cut_by is None:
            while cursor.nextset():  # an error may hide in a later result
                cursor.fetchall()
            run.unfinished = run.streaming = False
        return fetched


def _grant_notices(connection: Connection) -> tuple[str, ...]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW GRANTS")
        lines = [str(line) for (line,) in cursor.fetchall()]
    name = connection.user.decode() if isinstance(connection.user, bytes) else connection.user
    return grant_notices(lines, str(name))
