"""One connection of the generic connector: opened, locked for one statement, stopped, cleaned, closed.

All of it blocks and runs in worker threads; only `interrupt` is called from another thread meanwhile. The statement
goes to the driver's own cursor without parameters, so that neither `:name` nor `%` in a literal means anything to it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tabulaflow_core.data.arrow import Converter, TableBuilder
from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import Caps, EngineFault, Fetched, fetch_by_steps
from tabulaflow_core.data.engines.generic.values import convert

if TYPE_CHECKING:
    import sqlalchemy

    from tabulaflow_core.data.urls import SourceUrl

#: Seconds that opening a connection may take.
CONNECT_SECONDS: Final = 10
_LONGEST_CONNECT_SECONDS: Final = 60
#: Seconds beyond the caller's own limit after which the server stops a statement by itself, should we be gone.
GRACE_SECONDS: Final = 2.0


def connect_seconds(source: SourceUrl) -> int:
    """How long connecting may take: what the URL says, within bounds."""
    text = source.options.get("connect_timeout", "")
    given = int(text[:4]) if text.isascii() and text.isdigit() else CONNECT_SECONDS
    return min(max(given, 1), _LONGEST_CONNECT_SECONDS)


class Session:
    """One connection, used by one statement at a time.

    Attributes:
        can_stop: Another thread can stop its statement.
        stopped: Somebody asked for that; the connection is not used again.
        streaming: Rows of its statement are on the way.
        left: Its caller went away and a thread still uses it; it is given back when that ends.
        usable: The connection may be used again after this statement.
    """

    can_stop: ClassVar[bool] = False
    #: A statement that shows whether somebody answers, for drivers that connect with the first statement only.
    first_statement: ClassVar[str] = ""

    def __init__(self, engine: sqlalchemy.Engine, source: SourceUrl) -> None:
        self.engine = engine
        self.source = source
        self.connection = engine.connect()
        self.stopped = False
        self.streaming = False
        self.usable = True
        self.cursor: Any = None
        self.left = False
        self._inside = False
        self._given_up = False
        self._turn = threading.Lock()
        self._state = threading.Lock()
        self.opened()

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """What the driver's `connect` is given besides the URL."""
        return {}

    @property
    def driver_connection(self) -> Any:
        """The driver's own object."""
        return self.connection.connection.driver_connection

    def opened(self) -> None:
        """Look at a new connection once, such as for its number."""

    def begin(self, seconds: float) -> None:
        """Begin a transaction that is locked as far as the engine has a lock."""
        self.run(*self.lock_statements(seconds))

    def lock_statements(self, seconds: float) -> Sequence[str]:
        """What is run before each statement, in its transaction."""
        return ()

    def run(self, *statements: str) -> None:
        """Run statements of our own, one after the other."""
        if not statements:
            return
        cursor = self.driver_connection.cursor()
        try:
            for statement in statements:
                cursor.execute(statement)
        finally:
            cursor.close()

    def check(self) -> None:
        """Look whether somebody answers, where connecting alone does not show it."""
        if self.first_statement:
            self.rows(self.first_statement)

    def rows(self, statement: str) -> list[Sequence[Any]]:
        """The rows of a statement of our own."""
        cursor = self.driver_connection.cursor()
        try:
            cursor.execute(statement)
            return list(cursor.fetchall())
        finally:
            cursor.close()

    def listed(self) -> frozenset[tuple[str, str]] | None:
        """Schema and name of what may be read; None where the engine lists nothing else by itself."""
        return None

    def unreadable(self) -> dict[str, str]:
        """Relations that lead out of the source, `name` or `schema.name` in lower case, each with its reason."""
        return {}

    def open_cursor(self, sql: str) -> Any:
        """The cursor for `sql`; one that streams where the driver has one."""
        return self.driver_connection.cursor()

    def execute(self, cursor: Any, sql: str) -> None:
        """Give `sql` to the driver as it stands."""
        self.engine.dialect.do_execute_no_params(cursor, sql)

    def converters(self, cursor: Any) -> list[Converter]:
        """How the columns of a result become Arrow; by their values where the driver's types tell nothing more."""
        return [convert] * len(cursor.description)

    def fetch(self, sql: str, caps: Caps) -> Fetched:
        """Run `sql` and read its rows until they end or a cap is reached.

        Raises:
            EngineFault: It gives no rows.
            Exception: Whatever the driver raises.
        """
        cursor = self.open_cursor(sql)
        self.cursor = cursor
        finished = False
        try:
            self.execute(cursor, sql)
            if cursor.description is None:
                finished = True
                raise EngineFault(FailureKind.REFUSED, "the statement gives no rows")
            self.streaming = True
            names = [str(column[0] or "") for column in cursor.description]
            builder = TableBuilder(names, self.converters(cursor), caps)
            while builder.add(fetch_by_steps(cursor.fetchmany, builder.batch_size, len(names), lambda: self.stopped)):
                pass
            if self.stopped:  # putting many rows together takes its time, and nobody wants them
                raise EngineFault(FailureKind.FAILED, "The query was stopped.")
            fetched = builder.finish()
            if fetched.cut_by is None:
                self.drain(cursor)
                finished = True
            return fetched
        finally:
            self.cursor = None
            if not finished:
                self.leave(cursor)
            self.streaming = False
            with suppress(Exception):  # a cursor that is stopped or broken is closed with its connection
                cursor.close()

    def drain(self, cursor: Any) -> None:
        """Read what stands behind the rows, such as an error in a later result."""

    def leave(self, cursor: Any) -> None:
        """Give up a statement whose rows are not all read; by default its connection goes with it."""
        self.usable = False
        if self.can_stop and not self.stopped:
            self.interrupt()

    def enter(self) -> bool:
        """A worker thread begins; False when its caller went away before."""
        with self._state:
            self._inside = not self._given_up
            return self._inside

    def leave_thread(self) -> bool:
        """The worker thread has ended; True when its caller is gone, so that the connection is still to be closed."""
        with self._state:
            self._inside = False
            return self.left

    def abandon(self) -> bool:
        """The caller goes away, and so does the connection; True when a thread still uses it."""
        with self._state:
            self._given_up = True
            self.usable = False
            self.left = self._inside
            return self.left

    def lost(self, error: BaseException) -> bool:
        """Whether the connection is of no more use."""
        from tabulaflow_core.data.engines.generic.faults import mistake_of

        dialect = self.engine.dialect
        if isinstance(error, dialect.loaded_dbapi.Error) and dialect.is_disconnect(
            error, self.driver_connection, self.cursor
        ):
            return True
        return mistake_of(error, connecting=False) is not None

    def interrupt(self) -> None:
        """Stop the running statement; may be called at any time, more than once, from another thread."""
        with self._turn:
            self.stopped = True
            self.cancel()

    def cancel(self) -> None:
        """The driver's way of stopping."""

    def aside(self, statement: str) -> None:
        """Run a statement on a second connection of its own, such as one that kills this one's."""
        connection = self.engine.raw_connection()
        try:
            cursor = connection.cursor()
            try:
                cursor.execute(statement)
            finally:
                cursor.close()
        finally:
            connection.close()

    def reset(self) -> None:
        """Roll back, and forget what the statement left in its session."""
        self.connection.rollback()
        self.driver_connection.rollback()

    def close(self) -> None:
        """Close, whatever state it is in."""
        with suppress(Exception):  # already closed or broken: nothing is left to do
            self.connection.invalidate() if self.stopped or not self.usable else self.connection.rollback()
        with suppress(Exception):
            self.connection.close()
