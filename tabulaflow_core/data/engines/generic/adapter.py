"""The generic adapter: any SQLAlchemy dialect behind a `SQLConnector`, its blocking driver in worker threads."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import pyarrow as pa

from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import Caps, EngineFault, Fetched, IfExists
from tabulaflow_core.data.engines.generic import faults
from tabulaflow_core.data.engines.generic.catalog import read_schema
from tabulaflow_core.data.engines.generic.opening import engine_of, session_class
from tabulaflow_core.data.engines.generic.roles import role_notices
from tabulaflow_core.data.engines.generic.session import Session
from tabulaflow_core.data.engines.generic.write import write_table
from tabulaflow_core.data.engines.pool import Pool
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.errors import SourceUnavailable

if TYPE_CHECKING:
    import sqlalchemy

    from tabulaflow_core.data.urls import SourceUrl

T = TypeVar("T")

_log = logging.getLogger(__name__)

_SCHEMA_SECONDS: Final = 60.0
_OPEN_SECONDS: Final = 15.0
_LEFT_RUNNING: Final = " This driver cannot stop a statement, so it may run on in the database until it ends."


class GenericAdapter:
    """One database of any SQLAlchemy dialect whose driver is installed.

    Args:
        source: Its `driver` names the dialect.

    Raises:
        MissingDriver: The driver is not installed; the message names the command that installs it.
    """

    def __init__(self, source: SourceUrl) -> None:
        self._source = source
        self._session_class = session_class(source)
        self._engine: sqlalchemy.Engine = engine_of(source)
        self._pool: Pool[Session] = Pool(self._connect_async, self._close_async)
        self._notices: tuple[str, ...] = ()
        self._unreadable: Mapping[str, str] = {}
        self._leftovers: set[asyncio.Future[None]] = set()

    @property
    def dialect(self) -> str:
        """The sqlglot name of its SQL; empty where sqlglot has none."""
        return self._source.dialect

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user may do beyond reading tables, and what this driver cannot do."""
        told = self._notices
        if names := sorted({name.rpartition(".")[2] for name in self._unreadable}):
            told = (*told, f"Left out, because they read another server or a file: {', '.join(names)}.")
        if self._session_class.can_stop:
            return told
        return (
            *told,
            f"The driver for {faults.title(self._source)} cannot stop a statement: Stop leaves it alone, and it may "
            "run on in the database until it ends.",
        )

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Relations that lead out of the source, as of the last reading of the schema."""
        return self._unreadable

    @property
    def left_running(self) -> str:
        """What a time-out leaves behind where the driver cannot stop a statement."""
        return "" if self._session_class.can_stop else _LEFT_RUNNING

    @property
    def binds(self) -> bool:
        """No: each driver has marks of its own, and most of these engines are tried as texts only."""
        return False

    async def open_async(self) -> None:
        """Connect once and look at the role."""
        self._notices = await self._run_async(_looked_at, _OPEN_SECONDS)

    async def fetch_async(self, sql: str, caps: Caps, values: Sequence[str] = ()) -> Fetched:
        """Run `sql` in a transaction of its own that is rolled back."""
        if values:
            raise EngineFault(FailureKind.REFUSED, "values cannot be bound in this engine's statements")
        if self.dialect in ("postgres", "redshift"):
            _refuse_types_of_users(sql)
        return await self._run_async(lambda session: session.fetch(sql, caps), caps.seconds)

    async def read_schema_async(self) -> SourceSchema:
        """Tables and views with their columns, keys and comments; row counts and samples where they are cheap."""
        self._unreadable, schema = await self._run_async(
            lambda session: (session.unreadable(), read_schema(session)), _SCHEMA_SECONDS
        )
        return schema

    async def write_async(self, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
        """Create or fill a table, on a connection of its own."""

        def write() -> None:
            with self._engine.connect() as connection:
                write_table(connection, table, rows, if_exists=if_exists)

        try:
            await run_blocking_async(write, abandon=lambda _: None)
        except EngineFault:
            raise
        except Exception as error:  # drivers of third parties raise what they like
            raise self._fault(error) from None

    async def close_async(self) -> None:
        """Close every connection."""
        await self._pool.close_async()

    async def _connect_async(self) -> Session:
        try:
            return await run_blocking_async(
                lambda: self._session_class(self._engine, self._source), abandon=lambda session: session.close()
            )
        except Exception as error:  # drivers of third parties raise what they like
            told = error
            fault = await run_blocking_async(
                lambda: faults.connection_fault(told, self._source), abandon=lambda _: None
            )
            raise fault from None

    async def _close_async(self, session: Session) -> None:
        await run_blocking_async(session.close)

    async def _run_async(self, work: Callable[[Session], T], seconds: float) -> T:
        while True:
            session, reused = await self._pool.take_async()
            ours = True
            try:
                left = partial(self._left, asyncio.get_running_loop(), session)
                call = partial(_attempt, session, work, seconds, left)
                match await self._in_thread_async(session, call):
                    case _Broken(early=True) if reused:
                        continue  # it broke while nobody used it: the next one is new
                    case _Broken(error=error):
                        raise faults.connection_fault(error, self._source, connecting=False) from None
                    case _Raised(error=error):
                        raise self._fault(error) from None
                    case _Done(value=value):
                        return value
                raise asyncio.CancelledError  # nobody waits: this thread was cancelled before it began
            except asyncio.CancelledError:
                ours = not session.abandon()
                raise
            finally:
                if ours:
                    usable = session.usable and not session.stopped
                    await asyncio.shield(self._pool.give_back_async(session, usable=usable))

    async def _in_thread_async(self, session: Session, call: Callable[[], Outcome[T]]) -> Outcome[T]:
        if session.can_stop:
            return await run_blocking_async(call, interrupt=session.interrupt)
        return await run_blocking_async(call, abandon=lambda _: None)

    def _left(self, loop: asyncio.AbstractEventLoop, session: Session) -> None:
        """Comes in the worker thread, when a statement that nobody waits for has ended."""
        with suppress(RuntimeError):  # the loop is closed, and the process about to end
            loop.call_soon_threadsafe(self._take_back, session)

    def _take_back(self, session: Session) -> None:
        leftover = asyncio.ensure_future(self._pool.give_back_async(session, usable=False))
        self._leftovers.add(leftover)
        leftover.add_done_callback(self._leftovers.discard)

    def _fault(self, error: BaseException) -> EngineFault | SourceUnavailable:
        if isinstance(error, EngineFault | SourceUnavailable):
            return error
        return faults.statement_fault(error, self._source)


def _refuse_types_of_users(sql: str) -> None:
    """The native connection looks up whether a type or a field of a row runs code of a user; here nobody does."""
    from tabulaflow_core.data.guard.types import cast_types, row_fields

    if names := cast_types(sql):
        raise EngineFault(
            FailureKind.REFUSED,
            f"A cast to {names[0]}, a type of this database, is not run over this driver, since it may run code. "
            "Compare with the value itself, or connect with postgresql://, where the type is looked up.",
        )
    if fields := row_fields(sql, of_tables=True):
        raise EngineFault(
            FailureKind.REFUSED,
            f"(…).{fields[0]} may call a function on the whole row; write the column without parentheses.",
        )


def _looked_at(session: Session) -> tuple[str, ...]:
    session.check()
    return role_notices(session)


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """The work's own result."""

    value: T


@dataclass(frozen=True, slots=True)
class _Raised:
    """The statement's own fault."""

    error: Exception


@dataclass(frozen=True, slots=True)
class _Broken:
    """The connection is lost; `early` when the statement had not begun."""

    error: Exception
    early: bool = False


Outcome = _Done[T] | _Raised | _Broken | None


def _attempt(
    session: Session, work: Callable[[Session], T], seconds: float, left: Callable[[], None]
) -> _Done[T] | _Raised | _Broken | None:
    """In a worker thread: lock, work, roll back. None when nobody waits for it any more.

    Args:
        left: Called when the work ended and its caller had gone away meanwhile.
    """
    if not session.enter():
        return None
    try:
        return _worked(session, work, seconds)
    finally:
        if session.leave_thread():
            left()


def _worked(session: Session, work: Callable[[Session], T], seconds: float) -> _Done[T] | _Raised | _Broken:
    session.usable = True
    try:
        session.begin(seconds)
    except Exception as error:  # drivers of third parties raise what they like
        session.usable = False
        return _Broken(error, early=True)
    outcome: _Done[T] | _Raised | _Broken
    try:
        outcome = _Done(work(session))
    except EngineFault as error:
        outcome = _Raised(error)
    except Exception as error:  # as above
        if session.lost(error):
            session.usable = False
            return _Broken(error)
        outcome = _Raised(error)
    if session.usable and not session.stopped:
        try:
            session.reset()
        except Exception as error:  # the rows are here already; only the connection is given up
            _log.info("a connection could not be cleaned and is closed: %s", type(error).__name__)
            session.usable = False
    return outcome
