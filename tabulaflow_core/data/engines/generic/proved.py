"""Sessions of the engines whose servers the generic connector is run against."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tabulaflow_core.data.arrow import Converter
from tabulaflow_core.data.engines.generic.session import GRACE_SECONDS, Session, connect_seconds
from tabulaflow_core.data.engines.generic.values import convert
from tabulaflow_core.data.engines.postgres_schema import FOREIGN, READABLE, unreadable_of
from tabulaflow_core.errors import SourceUrlError

if TYPE_CHECKING:
    from tabulaflow_core.data.urls import SourceUrl

_SSL_MODES: Final = frozenset({"disable", "allow", "prefer", "require", "verify-ca", "verify-full"})
_STREAMED: Final = frozenset({"select", "with", "values", "table"})
_FIRST_WORD: Final = re.compile(r"\A(?:\s|\(|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*([a-z]+)", re.IGNORECASE)
#: Types that psycopg would turn into Python objects that hold less than the server's text.
_AS_TEXT: Final = (
    *(
        "record",
        "json",
        "jsonb",
        "int4range",
        "int8range",
        "numrange",
        "daterange",
        "tsrange",
        "tstzrange",
        "inet",
        "cidr",
    ),
    *("int4multirange", "int8multirange", "nummultirange", "datemultirange", "tsmultirange", "tstzmultirange"),
)
_INTERVAL: Final = re.compile(
    r"(?:(?P<years>-?\d+) years? ?)?(?:(?P<months>-?\d+) mons? ?)?(?:(?P<days>-?\d+) days? ?)?"
    r"(?:(?P<sign>[+-]?)(?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+)(?:\.(?P<fraction>\d+))?)?"
)


class PostgresSession(Session):
    """psycopg: a READ ONLY transaction, one statement by the extended protocol, a cursor in the server."""

    can_stop: ClassVar[bool] = True

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """Never this process's own password, and roots of trust only where the URL asks to verify."""
        mode = (source.options.get("sslmode") or source.options.get("ssl") or "prefer").lower()
        mode = {"true": "require", "1": "require", "false": "disable", "0": "disable"}.get(mode, mode)
        if mode not in _SSL_MODES:
            raise SourceUrlError(f"`sslmode` takes one of: {', '.join(sorted(_SSL_MODES))}.")
        arguments: dict[str, object] = {
            "connect_timeout": connect_seconds(source),
            "passfile": os.path.join(os.devnull, "none"),
            "password": source.password,
            "application_name": source.options.get("application_name", "tabulaflow"),
            "sslmode": "verify-full" if mode.startswith("verify") else mode,
        }
        if mode.startswith("verify"):
            arguments["sslrootcert"] = "system"
        if "options" in source.options:
            arguments["options"] = source.options["options"]
        return arguments

    def opened(self) -> None:
        """Keep what psycopg's own loaders would lose: infinities, far years, months of intervals, JSON as written."""
        from psycopg.types.datetime import DateLoader, TimestampLoader, TimestamptzLoader
        from psycopg.types.string import TextLoader

        connection = self.driver_connection
        self.connection.rollback()
        connection.read_only = True
        adapters = connection.adapters
        for name in _AS_TEXT:
            adapters.register_loader(name, TextLoader)
        # Those in Python: the compiled ones cannot be added to.
        for name, known in (("date", DateLoader), ("timestamp", TimestampLoader), ("timestamptz", TimestamptzLoader)):
            adapters.register_loader(name, type(f"Exact{known.__name__}", (_OrText, known), {}))
        adapters.register_loader("interval", type("ExactInterval", (_Interval, TextLoader), {}))

    def lock_statements(self, seconds: float) -> Sequence[str]:
        """The time limit and the forms of dates that the loaders read."""
        limit = int((seconds + GRACE_SECONDS) * 1000)
        return (
            "SET TRANSACTION READ ONLY",
            f"SET LOCAL statement_timeout = {limit}",
            "SET LOCAL idle_in_transaction_session_timeout = 600000",
            "SET LOCAL datestyle = 'ISO'",
            "SET LOCAL intervalstyle = 'postgres'",
            "SET LOCAL standard_conforming_strings = on",
        )

    def open_cursor(self, sql: str) -> Any:
        """A cursor in the server for a query, which takes one statement only; a plain one for EXPLAIN and SHOW."""
        found = _FIRST_WORD.match(sql)
        if found and found[1].lower() in _STREAMED:
            return self.driver_connection.cursor("tabulaflow")
        return self.driver_connection.cursor()

    def execute(self, cursor: Any, sql: str) -> None:
        """By the extended protocol in both cases: the simple one would take `COMMIT; DROP TABLE t` as two."""
        if type(cursor).__name__ == "ServerCursor":
            cursor.execute(sql)
        else:
            cursor.execute(sql, prepare=True)

    def converters(self, cursor: Any) -> list[Converter]:
        """By the type of the column, as the connector of its own does it."""
        from tabulaflow_core.data.engines.postgres_types import CONVERTERS

        types = self.driver_connection.adapters.types
        found = []
        for column in cursor.description:
            info = types.get(column.type_code)
            array = info is not None and column.type_code == info.array_oid
            found.append(convert if info is None or array else CONVERTERS.get(info.name, convert))
        return found

    def listed(self) -> frozenset[tuple[str, str]]:
        """What the role may read; partitions stand behind their parent."""
        return frozenset((str(schema), str(name)) for schema, name in self.rows(READABLE))

    def unreadable(self) -> dict[str, str]:
        """Foreign tables, and what is made of them."""
        names = ("oid", "schema", "name", "itself", "visible")
        return unreadable_of([dict(zip(names, row, strict=True)) for row in self.rows(FOREIGN)])

    def leave(self, cursor: Any) -> None:
        """The cursor in the server ends with its transaction; nothing has to be stopped."""

    def cancel(self) -> None:
        """A cancel request on a connection of its own, which libpq opens."""
        self.driver_connection.cancel_safe(timeout=3.0)

    def reset(self) -> None:
        """As asyncpg does it for the connector of its own; outside a transaction, or it would be rolled back."""
        super().reset()
        connection = self.driver_connection
        connection.autocommit = True
        try:
            self.run("SELECT pg_advisory_unlock_all()", "CLOSE ALL", "UNLISTEN *", "RESET ALL", "DEALLOCATE ALL")
        finally:
            connection.autocommit = False


class _OrText:
    """A loader that keeps the server's text where Python has no such value."""

    def load(self, data: Any) -> object:
        import psycopg

        try:
            value = super().load(data)  # type: ignore[misc]
            return value.astimezone(dt.UTC) if getattr(value, "tzinfo", None) else value
        except (psycopg.DataError, ValueError, OverflowError):
            return bytes(data).decode()


class _Interval:
    """Months are kept: an interval with some has no length in seconds."""

    def load(self, data: Any) -> object:
        from tabulaflow_core.data.engines.postgres_types import interval_of

        text = bytes(data).decode()
        found = _INTERVAL.fullmatch(text)
        if found is None:
            return text
        part = {name: int(found[name] or 0) for name in ("years", "months", "days", "hours", "minutes", "seconds")}
        clock = dt.timedelta(hours=part["hours"], minutes=part["minutes"], seconds=part["seconds"])
        microseconds = clock // dt.timedelta(microseconds=1) + int((found["fraction"] or "").ljust(6, "0") or 0)
        if found["sign"] == "-":
            microseconds = -microseconds
        return interval_of((part["years"] * 12 + part["months"], part["days"], microseconds))


class MySQLSession(Session):
    """PyMySQL: a read-only session, stopped by KILL QUERY."""

    can_stop: ClassVar[bool] = True

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """Multi-statements and LOCAL INFILE stay off, as they are by default."""
        seconds = connect_seconds(source)
        return {"connect_timeout": seconds, "read_timeout": seconds, "local_infile": False, "charset": "utf8mb4"}

    def opened(self) -> None:
        """What stops it."""
        from tabulaflow_core.data.engines.mysql_connection import Stopper

        self._stopper = Stopper(self.source, self.driver_connection)

    def begin(self, seconds: float) -> None:
        """The lock and the time limit; modes under which the server would read a statement otherwise are left out."""
        from tabulaflow_core.data.engines.mysql import session_statements

        (modes, version) = self.rows("SELECT @@GLOBAL.sql_mode, VERSION()")[0]
        self.run(*session_statements(str(modes), str(version), seconds))

    def open_cursor(self, sql: str) -> Any:
        """One that streams."""
        from pymysql.cursors import SSCursor

        return self.driver_connection.cursor(SSCursor)

    def converters(self, cursor: Any) -> list[Converter]:
        """By the values, but for dates that are none."""
        from tabulaflow_core.data.engines.mysql_types import DATES, Dates

        return [Dates(convert) if column[1] in DATES else convert for column in cursor.description]

    def drain(self, cursor: Any) -> None:
        """An error may hide in a later result."""
        while cursor.nextset():
            cursor.fetchall()

    def leave(self, cursor: Any) -> None:
        """Without reading the rest of its rows, as the driver does when a cursor is closed or collected."""
        from tabulaflow_core.data.engines.mysql_connection import leave_rows

        leave_rows(self.driver_connection, cursor)
        super().leave(cursor)

    def cancel(self) -> None:
        """Kill the statement; the whole connection when rows are on the way."""
        self._stopper.stop(streaming=self.streaming)


class SQLiteSession(Session):
    """The standard library's driver under the authorizer of the connector of its own."""

    can_stop: ClassVar[bool] = True

    def execute(self, cursor: Any, sql: str) -> None:
        """Under the lock."""
        from tabulaflow_core.data.engines.sqlite_lock import lock

        lock(self.driver_connection, sql)
        cursor.execute(sql)

    def cancel(self) -> None:
        """Interrupt; safe from another thread."""
        self.driver_connection.interrupt()

    def reset(self) -> None:
        """Off with the authorizer, which would not let the transaction end."""
        from tabulaflow_core.data.engines.sqlite_lock import unlock

        unlock(self.driver_connection)
        super().reset()
