"""One store database: SQLite in the data folder, or PostgreSQL; read and write transactions on it."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import Double, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.expression import FunctionElement
from sqlalchemy.util import await_only

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import ConfigurationError, NotFound, StoreUnavailable, TabulaflowError
from tabulaflow_core.store.connections import Connections

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection
    from sqlalchemy.sql.compiler import SQLCompiler

Backend = Literal["sqlite", "postgresql"]

#: Another process may hold the write lock for a large result; longer than that is a fault worth saying.
_BUSY_MS: Final = 15_000
#: What may stand behind the `?`: encryption, and what a pooler such as PgBouncer needs (0).
_PARAMETERS: Final = frozenset({"ssl", "sslmode", "prepared_statement_cache_size"})


class epoch_now(FunctionElement[float]):
    """Seconds since 1970 by the database's clock, the one clock that all replicas share."""

    type = Double()
    inherit_cache = True
    name = "epoch_now"


@compiles(epoch_now, "sqlite")
def _sqlite_now(element: epoch_now, compiler: SQLCompiler, **kw: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(epoch_now, "postgresql")
def _postgresql_now(element: epoch_now, compiler: SQLCompiler, **kw: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"


class Database:
    """Connections to the store. Belongs to the event loop that opened it.

    Attributes:
        backend: Which of the two databases it is.
    """

    def __init__(self, engine: AsyncEngine, backend: Backend) -> None:
        self._engine = engine
        self.backend: Backend = backend
        self._connections = Connections()
        # SQLite lets one connection write. Queueing here is fair; its own waiting is a sleep of up to 100 ms.
        self._writer = asyncio.Lock() if backend == "sqlite" else None

    @classmethod
    def connect(cls, settings: Settings) -> Database:
        """The store that `settings` name; nothing is opened before the first transaction.

        Raises:
            ConfigurationError: The URL is not SQLite's or PostgreSQL's, or the driver is not installed.
            StoreUnavailable: The data folder cannot be made.
        """
        if settings.database_url:
            url, backend = _parse(settings.database_url)
        else:
            _make_private_folder(settings)
            url = URL.create("sqlite+aiosqlite", database=str(settings.data_dir / "tabulaflow.db"))
            backend = "sqlite"
        try:
            if backend == "sqlite":
                engine = create_async_engine(url, pool_size=8, max_overflow=8, hide_parameters=True)
                _prepare_sqlite(engine)
            else:
                engine = create_async_engine(
                    url, pool_size=8, max_overflow=12, pool_pre_ping=True, pool_recycle=1800, hide_parameters=True
                )
        except ImportError as error:
            raise ConfigurationError(
                "A PostgreSQL store needs its driver: pip install 'tabulaflow-core[postgres]'.", detail=str(error)
            ) from error
        return cls(engine, backend)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that sees one state of the database.

        Raises:
            StoreUnavailable: The database does not answer.
        """
        with _faults_translated():
            async with self._connections.use(self._engine) as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that is committed at the end, or undone by an exception.

        Raises:
            StoreUnavailable: The database does not answer.
        """
        async with AsyncExitStack() as stack:
            if self._writer is not None:
                await stack.enter_async_context(self._writer)
            with _faults_translated():
                engine = self._engine.execution_options(tabulaflow_write=True)
                async with self._connections.use(engine) as connection, connection.begin():
                    yield connection

    async def close_async(self) -> None:
        """Close every connection."""
        await self._connections.settled_async()
        await self._engine.dispose()


def own_places(settings: Settings) -> tuple[Path, ...]:
    """The folders and files in which everybody's data lie, and which nobody may open as a source."""
    places = [settings.data_dir]
    if settings.database_url:
        url, backend = _parse(settings.database_url)
        if backend == "sqlite" and url.database:
            places.append(Path(url.database))
    return tuple(places)


def _parse(text: str) -> tuple[URL, Backend]:
    wanted = "Use postgresql://user:password@host/database, or leave it out to keep everything in the data folder."
    if text.startswith("postgres://"):
        text = "postgresql" + text.removeprefix("postgres")
    try:
        url = make_url(text)
    except ArgumentError:
        raise ConfigurationError(f"TABULAFLOW_DATABASE_URL is not a database URL. {wanted}") from None
    match url.get_backend_name():
        case "sqlite":
            return url.set(drivername="sqlite+aiosqlite"), "sqlite"
        case "postgresql":
            query = dict(url.query)
            if "sslmode" in query:  # libpq's word, which everyone pastes, for what asyncpg calls `ssl`
                query["ssl"] = query.pop("sslmode")
            if unknown := sorted(set(query) - _PARAMETERS):
                raise ConfigurationError(
                    f"TABULAFLOW_DATABASE_URL has the parameter {unknown[0]!r}; it takes only {sorted(_PARAMETERS)}."
                )
            return url.set(drivername="postgresql+asyncpg", query=query), "postgresql"
        case other:
            raise ConfigurationError(f"TABULAFLOW_DATABASE_URL names {other!r}, which cannot be the store. {wanted}")


def _make_private_folder(settings: Settings) -> None:
    try:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"The data folder {settings.data_dir} cannot be made: {error.strerror}. "
            "Set TABULAFLOW_DATA_DIR to a folder that can be written."
        ) from error


def _prepare_sqlite(engine: AsyncEngine) -> None:
    # The driver's own transaction control would let DDL and SELECT run outside of a transaction.
    @event.listens_for(engine.sync_engine, "connect")
    def on_connect(connection: Any, record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        _use_wal(cursor)
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    # A writer takes the lock at once: a reader that turns writer under WAL is refused without waiting.
    @event.listens_for(engine.sync_engine, "begin")
    def on_begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("tabulaflow_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _use_wal(cursor: Any) -> None:
    # Of processes that make or open a database at once, SQLite refuses all but one here, without its own waiting.
    give_up = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
        await_only(asyncio.sleep(0.05))


class _faults_translated:
    """Turns a driver's fault into `StoreUnavailable`; a broken constraint stays what it is."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UnicodeEncodeError):  # an id or a name that was made up: none of ours is like this
            raise NotFound("There is nothing of this name here.") from None
        if isinstance(error, IntegrityError) or not isinstance(error, (DBAPIError, OSError)):
            return
        if isinstance(error, TabulaflowError):  # some are a kind of OSError
            return
        raise StoreUnavailable(
            "What you do here cannot be saved at the moment: the store's database does not answer. "
            "Try again in a minute; if it stays so, see that its disk is not full and its server runs.",
            detail=f"{type(error).__name__}: {error}",
        ) from error
