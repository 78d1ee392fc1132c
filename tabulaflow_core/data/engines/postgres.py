"""PostgreSQL: one statement a READ ONLY transaction, over asyncpg's extended protocol."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tabulaflow_core.data.arrow import TableBuilder
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import LOCK_SHARE, Caps, EngineFault, Fetched, IfExists, waited_for_lock
from tabulaflow_core.data.engines.mistakes import Mistake, look_again, mistake_of_socket, unavailable
from tabulaflow_core.data.engines.pool import Pool
from tabulaflow_core.data.engines.postgres_functions import stored_functions_async
from tabulaflow_core.data.engines.postgres_lock import refuse_calls_by_field_async, refuse_code_in_types_async
from tabulaflow_core.data.engines.postgres_schema import ROLE_CHECK, foreign_async, read_schema_async, role_notices
from tabulaflow_core.data.engines.postgres_types import converter_for, set_codecs_async
from tabulaflow_core.data.engines.postgres_write import write_table_async
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.guard.bodies import StoredFunction
from tabulaflow_core.data.profile import Profiles
from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.data.urls import SourceUrl
from tabulaflow_core.errors import MissingDriver, SourceUnavailable, SourceUrlError

try:
    import asyncpg
except ImportError as _missing:
    raise MissingDriver("PostgreSQL needs a driver that is not installed. Run `pip install asyncpg`.") from _missing

if TYPE_CHECKING:
    from asyncpg import Connection

_TITLE: Final = "PostgreSQL"
_CONNECT_SECONDS: Final = 10.0
_CLOSE_SECONDS: Final = 5.0
#: Seconds beyond the caller's own limit after which the server stops a statement by itself, should we be gone.
_GRACE_SECONDS: Final = 2.0
#: Batches above this are turned into Arrow in a thread, so that the loop stays free.
_THREAD_ROWS: Final = 1_000
#: SQLSTATE classes: postgresql.org/docs/current/errcodes-appendix.html.
_BROKEN: Final = ("08", "57P", "58")
_LOCK_NOT_HAD: Final = "55P03"
#: The last is what asyncpg raises on a connection that the server ended in the middle of its last word.
_BREAKS: Final = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
_SSL_MODES: Final = frozenset({"disable", "allow", "prefer", "require", "verify-ca", "verify-full"})


class PostgresAdapter:
    """One PostgreSQL database."""

    dialect: Final = "postgres"
    left_running: Final = ""
    binds: Final = True

    def __init__(self, source: SourceUrl) -> None:
        self._source = source
        self._pool: Pool[Connection] = Pool(self._connect_async, _close_async)
        self._notices: tuple[str, ...] = ()
        self._unreadable: dict[str, str] = {}
        self._profiles = Profiles()

    @property
    def notices(self) -> tuple[str, ...]:
        """What the role may do beyond reading tables, and the tables that are left out."""
        names = sorted({name.rpartition(".")[2] for name in self._unreadable})
        if not names:
            return self._notices
        return (*self._notices, f"Left out, because they read another server or a file: {', '.join(names)}.")

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Foreign tables, and what is made of them, as of the last reading of the schema."""
        return self._unreadable

    async def open_async(self) -> None:
        """Connect once and look at the role."""
        async with self._reading_async(_CONNECT_SECONDS) as connection, self._telling():
            self._notices = role_notices(await connection.fetchrow(ROLE_CHECK))

    async def _connect_async(self) -> Connection:
        connection = await self._connect_plainly_async()
        try:
            # In a transaction, so that a pooler such as PgBouncer keeps to one server connection meanwhile.
            async with connection.transaction():
                await set_codecs_async(connection)
        except _BREAKS as error:
            await _close_async(connection)
            raise _unavailable(error, self._source) from None
        except BaseException:
            await _close_async(connection)
            raise
        return connection

    async def _connect_plainly_async(self) -> Connection:
        source = self._source
        try:
            return await asyncpg.connect(
                host=source.host,
                port=source.port,
                user=source.user or None,
                # Never None: asyncpg would look for this process's own PGPASSWORD and ~/.pgpass.
                password=source.password,
                passfile=os.devnull,
                database=source.database or None,
                ssl=_encryption(source),
                timeout=_connect_seconds(source),
                statement_cache_size=0,
                server_settings=_settings(source),
            )
        except _BREAKS as error:
            first = _mistake(error, source)
            mistake, found = await run_blocking_async(lambda: look_again(first, source), abandon=lambda _: None)
            raise unavailable(mistake, source, engine=_TITLE, detail=_detail(error), found=found) from None

    @asynccontextmanager
    async def _reading_async(self, seconds: float) -> AsyncIterator[Connection]:
        """A connection inside a READ ONLY transaction; replaced once when it broke while it was idle."""
        milliseconds = int((seconds + _GRACE_SECONDS) * 1000)
        begin = (
            f"BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = {milliseconds}; "
            f"SET LOCAL lock_timeout = {max(1, int(seconds * 1000 * LOCK_SHARE))}; "
            "SET LOCAL idle_in_transaction_session_timeout = 600000"
        )
        while True:
            connection, reused = await self._pool.take_async()
            usable = False
            try:
                try:
                    await connection.execute(begin)
                except _BREAKS as error:
                    if reused:
                        continue
                    raise _unavailable(error, self._source) from None
                yield connection
                usable = await _cleaned_async(connection)
                return
            finally:
                await asyncio.shield(self._pool.give_back_async(connection, usable=usable))

    @asynccontextmanager
    async def _telling(self) -> AsyncIterator[None]:
        """What breaks while the catalogue is read is the connection's fault: no statement of a person runs."""
        try:
            yield
        except _BREAKS as error:
            raise _unavailable(error, self._source) from None

    async def fetch_async(self, sql: str, caps: Caps, values: Sequence[str] = ()) -> Fetched:
        """Run `sql` in a transaction of its own; a cancelled one is cancelled in the server."""
        fault: EngineFault | None = None
        async with self._reading_async(caps.seconds) as connection:
            try:
                return await self._fetch_async(connection, sql, caps, values)
            except EngineFault as error:
                fault = error
            except asyncpg.PostgresError as error:
                fault = self._fault(error)
            except (OSError, asyncpg.InterfaceError) as error:
                if not connection.is_closed() and isinstance(error, asyncpg.InterfaceError):
                    fault = EngineFault(FailureKind.INVALID, str(error))
                else:
                    raise _unavailable(error, self._source) from None
        raise fault

    async def _fetch_async(self, connection: Connection, sql: str, caps: Caps, values: Sequence[str]) -> Fetched:
        await refuse_code_in_types_async(connection, sql)
        await refuse_calls_by_field_async(connection, sql)
        try:
            # Unnamed: behind a pooler, a name may be taken by whoever used the server connection before.
            statement = await connection.prepare(sql, name="")
        except asyncpg.DataError as error:  # a literal that does not fit its type: found before it ran
            raise EngineFault(FailureKind.INVALID, _message(error)) from None
        except asyncpg.InternalClientError:  # a pseudo-type
            raise EngineFault(
                FailureKind.INVALID, "a column of the answer has a type that cannot be read; cast it to text"
            ) from None
        if len(statement.get_parameters()) != len(values):
            raise EngineFault(FailureKind.INVALID, "the statement has parameters such as $1; write the values instead")
        attributes = statement.get_attributes()
        builder = TableBuilder([a.name for a in attributes], [converter_for(a.type) for a in attributes], caps)
        cursor = await statement.cursor(*values)
        more = True
        while more:
            rows = await cursor.fetch(builder.batch_size)
            more = await _add_async(builder, rows)
        return builder.finish()

    def _fault(self, error: asyncpg.PostgresError) -> EngineFault:
        code = error.sqlstate or ""
        if code == "57014":
            return EngineFault(FailureKind.TIMEOUT, "the server stopped the statement: its time limit is used up")
        if code == _LOCK_NOT_HAD:
            return waited_for_lock()
        if code.startswith(_BROKEN):
            raise _unavailable(error, self._source) from None
        if code == "25006":
            return EngineFault(FailureKind.REFUSED, _message(error))
        invalid = code.startswith("42") and code != "42501"
        return EngineFault(FailureKind.INVALID if invalid else FailureKind.FAILED, _message(error))

    async def stored_functions_async(self, sql: str) -> tuple[StoredFunction, ...]:
        """The functions that `sql` calls, with what they run."""
        async with self._reading_async(_CONNECT_SECONDS) as connection, self._telling():
            try:
                return await stored_functions_async(connection, sql)
            except asyncpg.PostgresError as error:
                raise self._fault(error) from None

    async def read_schema_async(self) -> SourceSchema:
        """Tables, views, keys, comments, row counts and samples."""
        async with self._reading_async(30.0) as connection, self._telling():
            self._unreadable = await foreign_async(connection)
            return await read_schema_async(connection, self._profiles)

    async def write_async(self, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
        """Create or fill a table in one transaction, on a connection of its own."""
        connection = await self._connect_plainly_async()
        try:
            await write_table_async(connection, table, rows, if_exists=if_exists)
        except asyncpg.ReadOnlySQLTransactionError as error:
            raise EngineFault(FailureKind.REFUSED, _message(error)) from None
        except asyncpg.PostgresError as error:
            raise EngineFault(FailureKind.FAILED, _message(error)) from None
        finally:
            await asyncio.shield(_close_async(connection))

    async def close_async(self) -> None:
        """Close every connection."""
        await self._pool.close_async()


async def _add_async(builder: TableBuilder, rows: list[asyncpg.Record]) -> bool:
    if len(rows) < _THREAD_ROWS:
        return builder.add(rows)
    work: Callable[[], bool] = lambda: builder.add(rows)  # noqa: E731
    return await run_blocking_async(work)


async def _cleaned_async(connection: Connection) -> bool:
    """What a statement set or took for its session must not reach the next one; False when that cannot be had."""
    try:
        await connection.execute("ROLLBACK", timeout=_CLOSE_SECONDS)
        await connection.reset(timeout=_CLOSE_SECONDS)
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return False  # the rows are here already; only the connection is given up
    return True


async def _close_async(connection: Connection) -> None:
    """Close, after a cancelled statement has ended in the server."""
    try:
        await connection.close(timeout=_CLOSE_SECONDS)
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
        with suppress(OSError, asyncpg.InterfaceError):  # it is broken already, and only its socket is left
            connection.terminate()


def _encryption(source: SourceUrl) -> str | ssl.SSLContext:
    """By libpq's `sslmode`; the modes that verify use this machine's root certificates."""
    mode = (source.options.get("sslmode") or source.options.get("ssl") or "prefer").lower()
    mode = {"true": "require", "1": "require", "false": "disable", "0": "disable"}.get(mode, mode)
    if mode in ("verify-ca", "verify-full"):
        context = ssl.create_default_context()
        context.check_hostname = mode == "verify-full"
        return context
    if mode not in _SSL_MODES:
        raise SourceUrlError(f"`sslmode` takes one of: {', '.join(sorted(_SSL_MODES))}.")
    return mode


def _settings(source: SourceUrl) -> dict[str, str]:
    found = {"application_name": source.options.get("application_name", "tabulaflow")}
    if "options" in source.options:  # by which a hosting service finds the database
        found["options"] = source.options["options"]
    return found


def _connect_seconds(source: SourceUrl) -> float:
    try:
        return min(max(float(source.options.get("connect_timeout", _CONNECT_SECONDS)), 1.0), 60.0)
    except ValueError:
        return _CONNECT_SECONDS


def _message(error: asyncpg.PostgresError) -> str:
    text = str(getattr(error, "message", None) or error)
    hint = getattr(error, "hint", None)
    return f"{text} ({hint})" if hint else text


def _unavailable(error: Exception, source: SourceUrl) -> SourceUnavailable:
    return unavailable(_mistake(error, source), source, engine=_TITLE, detail=_detail(error))


def _detail(error: Exception) -> str:
    return f"{type(error).__name__}: {getattr(error, 'sqlstate', '')}"


def _mistake(error: Exception, source: SourceUrl) -> Mistake:
    """Which mistake of the connection it was."""
    match error:
        case _ if "statement pooling" in str(error):
            return Mistake.STATEMENT_POOLER
        case asyncpg.PostgresError() if "command-line argument" in str(error):
            return Mistake.OPTION
        case asyncpg.QueryCanceledError() | asyncpg.LockNotAvailableError():
            return Mistake.SILENT
        case asyncpg.InvalidAuthorizationSpecificationError() if "pg_hba" in str(error):
            plain = "no encryption" in str(error) or "SSL off" in str(error)
            return Mistake.ENCRYPTION_NEEDED if plain and _encryption(source) == "disable" else Mistake.HOST_DENIED
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            return Mistake.PASSWORD
        case asyncpg.InvalidCatalogNameError():
            return Mistake.NO_DATABASE
        case asyncpg.TooManyConnectionsError():
            return Mistake.FULL
        case asyncpg.CannotConnectNowError() | asyncpg.AdminShutdownError() | asyncpg.CrashShutdownError():
            return Mistake.STARTING
        case asyncpg.InsufficientPrivilegeError():
            return Mistake.DATABASE_DENIED
        case asyncpg.ProtocolViolationError() | asyncpg.ProtocolError():
            return Mistake.NOT_THIS_ENGINE
        case asyncpg.ConnectionDoesNotExistError():
            return Mistake.BROKEN
        case ConnectionError() if "SSL upgrade" in str(error):
            # A server without encryption says so politely; in the mode `prefer` that is no error: something else spoke.
            asked = _encryption(source)
            return Mistake.NOT_THIS_ENGINE if asked in ("prefer", "allow") else Mistake.ENCRYPTION_MISSING
    return mistake_of_socket(error)
