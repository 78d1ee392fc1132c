"""One PyMySQL connection: opening it, stopping its statement, and saying in words what broke."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Final, Literal

from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines import mistakes
from tabulaflow_core.data.engines.base import EngineFault, waited_for_lock
from tabulaflow_core.data.engines.mistakes import Mistake
from tabulaflow_core.data.engines.mysql_codes import INVALID, MISTAKES
from tabulaflow_core.data.urls import SourceUrl
from tabulaflow_core.errors import MissingDriver, SourceUnavailable

try:
    import pymysql
    import pymysql.converters
    import pymysql.cursors
    from pymysql.connections import Connection
    from pymysql.err import Error as DriverError
except ImportError as _missing:
    raise MissingDriver(
        "MySQL and MariaDB need a driver that is not installed. Run `pip install pymysql`."
    ) from _missing

__all__ = [
    "Connection",
    "DriverError",
    "Run",
    "Stopper",
    "close",
    "connect",
    "fault_of",
    "is_broken",
    "prefer_encryption",
    "unavailable",
]

_TITLE: Final = "MariaDB or MySQL"
_CONNECT_SECONDS: Final = 10
#: Seconds after which a statement that does not obey KILL loses its socket.
_KILL_SECONDS: Final = 3.0

#: There is no such connection any more.
_NO_SUCH_THREAD: Final = 1094
#: Error numbers: mariadb.com/kb/en/mariadb-error-codes, dev.mysql.com/doc/mysql-errors.
_NO_SSL: Final = 2026
#: What the driver raises when the bytes are not of its protocol.
_GARBLED: Final = (IndexError, ValueError, AssertionError, struct.error)
_TIMEOUT: Final = frozenset({1969, 3024, 1317, 1028})
_LOCK_WAIT: Final = 1205
_READ_ONLY: Final = frozenset({1792, 1290, 1836})
_BROKEN: Final = frozenset(
    {0, 1053, 1077, 1079, 1080, 1158, 1159, 1160, 1161, 1927, 2000, 2006, 2013, 2014, 2055, 4031}
)


def connect(source: SourceUrl) -> Connection:
    """Open a connection; multi-statements and LOCAL INFILE stay off.

    Raises:
        SourceUnavailable: With a sentence that tells the causes apart.
    """
    options = source.options
    mode = _encryption_mode(options)
    required, verified = mode == "required", mode == "verified"
    seconds = _connect_seconds(options.get("connect_timeout", ""))
    connection = pymysql.connect(
        host=source.host,
        port=source.port,
        user=source.user or "root",
        password=source.password,
        database=source.database or None,
        charset="utf8mb4",
        connect_timeout=seconds,
        read_timeout=seconds,
        autocommit=True,
        local_infile=False,
        # No decoders: values come as text, which Arrow turns into its types faster and as exactly.
        conv=dict(pymysql.converters.encoders),
        ssl=_encryption() if required else None,
        ssl_verify_identity=True if verified else None,
        ssl_disabled=not (required or verified),
        defer_connect=True,
    )
    try:
        if mode == "preferred":
            prefer_encryption(connection)
        connection.connect()
        # The driver's own limit ends with the TCP handshake; a server that then says nothing would be waited for.
        connection._read_timeout = None
    except (DriverError, OSError, *_GARBLED) as error:
        with suppress(DriverError, OSError):  # it may be half open
            connection._force_close()
        raise _not_connected(error, source) from None
    return connection


def _encryption_mode(options: Mapping[str, str]) -> Literal["disabled", "preferred", "required", "verified"]:
    """By the spellings of `ssl` that hosting services and other drivers use."""
    if options.get("ssl_disabled", "").lower() in ("1", "true"):
        return "disabled"
    if options.get("sslaccept", "").lower() == "strict":
        return "verified"
    names = ("ssl-mode", "ssl_mode", "sslmode", "ssl", "useSSL")
    wanted = next((options[name].lower() for name in names if name in options), "preferred")
    if wanted in ("0", "false", "disable", "disabled"):
        return "disabled"
    if "verify" in wanted or ("rejectunauthorized" in wanted and "true" in wanted):
        return "verified"
    return "preferred" if wanted in ("prefer", "preferred", "") else "required"


def prefer_encryption(connection: Connection) -> None:
    """Encrypt a connection that is still to be made when the server can.

    The driver does so too, but reads all root certificates each time: some 60 ms of work, also for each Stop.
    """
    connection.ssl, connection.ctx = True, _encryption()


@cache
def _encryption() -> ssl.SSLContext:
    """Encryption without a look at the server's name; `?ssl=verify` looks."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def close(connection: Connection) -> None:
    """Close, whatever state it is in."""
    with suppress(DriverError, OSError):  # already closed or broken: nothing is left to do
        connection.close()


class Stopper:
    """Stops the statements of one connection, which is not used again after that."""

    def __init__(self, source: SourceUrl, connection: Connection) -> None:
        self._source = source
        self._connection = connection
        self._number = int(connection.thread_id())
        self._first_try: float | None = None

    def stop(self, *, streaming: bool) -> None:
        """Kill the running statement over a second connection; when that fails for long, cut the socket.

        Args:
            streaming: Its rows are on the way. Then the socket is cut at once and the connection killed: a server that
                writes to somebody who does not read looks at no KILL QUERY, and a driver that reads on would read for
                long.

        Raises:
            DriverError: It may run on; to be tried again.
        """
        now = time.monotonic()
        self._first_try = self._first_try or now
        late = now - self._first_try > _KILL_SECONDS
        if streaming or late:
            self._cut()
        if late:
            return
        try:
            killer = connect(self._source)
        except SourceUnavailable:
            self._cut()
            return
        try:
            with killer.cursor() as cursor:
                cursor.execute(f"KILL {'CONNECTION' if streaming else 'QUERY'} {self._number}")
        except DriverError as error:
            if error.args[:1] != (_NO_SUCH_THREAD,):
                raise
        finally:
            close(killer)

    def _cut(self) -> None:
        sock = self._connection._sock
        if sock is not None:
            with suppress(OSError):  # the other side closed it first
                # The socket's own: that of an encrypted one would make its reader take what comes for plain text.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)


class Run:
    """One use of a connection, which another thread may stop at any time.

    Attributes:
        stopped: Somebody asked it to stop.
        unfinished: Rows of a statement may still be on the way.
        streaming: They are.
        usable: The connection may be used again.
    """

    def __init__(self, source: SourceUrl, connection: Connection) -> None:
        self.stopped = False
        self.unfinished = False
        self.streaming = False
        self.usable = False
        self._stopper = Stopper(source, connection)
        self._turn = threading.Lock()

    def interrupt(self) -> None:
        """Stop the running statement; may be called at any time, more than once, from another thread."""
        with self._turn:
            self.stopped = True
            self._stopper.stop(streaming=self.streaming)

    @contextmanager
    def reading(self, connection: Connection) -> Iterator[pymysql.cursors.SSCursor]:
        """A cursor that streams; left early, the statement is killed and the rest of its rows is not read."""
        cursor = connection.cursor(pymysql.cursors.SSCursor)
        try:
            yield cursor
        finally:
            if self.unfinished and leave_rows(connection, cursor) and not self.stopped:
                self.interrupt()
            cursor.close()


def leave_rows(connection: Connection, cursor: pymysql.cursors.SSCursor) -> bool:
    """Give up a connection with rows on the way; False when there are none.

    The driver would read all that is left when the cursor is closed or collected. Closed with rows unread, the server
    learns at its next row that nobody is there.
    """
    result = connection._result
    cursor.connection = None
    if result is None or not result.unbuffered_active:
        return False
    result.unbuffered_active = False
    result.connection = None
    connection._force_close()
    return True


def is_broken(error: Exception) -> bool:
    """The connection cannot be used again."""
    return not isinstance(error, DriverError) or not error.args or error.args[0] in _BROKEN


def fault_of(error: Exception, source: SourceUrl) -> EngineFault | SourceUnavailable:
    """The statement's fault, or the connection's."""
    if is_broken(error):
        return unavailable(error, source)
    code, message = error.args[0], str(error.args[1] if len(error.args) > 1 else error.args[0])
    if code in _TIMEOUT:
        return EngineFault(FailureKind.TIMEOUT, "the server stopped the statement: its time limit is used up")
    if code == _LOCK_WAIT:
        return waited_for_lock()
    if code in _READ_ONLY:
        return EngineFault(FailureKind.REFUSED, message)
    return EngineFault(FailureKind.INVALID if code in INVALID else FailureKind.FAILED, message)


def unavailable(error: Exception, source: SourceUrl) -> SourceUnavailable:
    """A sentence that tells wrong password, unknown database, nobody listens and a restart apart."""
    return mistakes.unavailable(_mistake(error), source, engine=_TITLE, detail=_detail(error))


def _not_connected(error: Exception, source: SourceUrl) -> SourceUnavailable:
    mistake, found = mistakes.look_again(_mistake(error), source)
    return mistakes.unavailable(mistake, source, engine=_TITLE, detail=_detail(error), found=found)


def _code(error: Exception) -> object:
    return error.args[0] if isinstance(error, DriverError) and error.args else 0


def _detail(error: Exception) -> str:
    return f"{type(error).__name__} {_code(error)}"


def _mistake(error: Exception) -> Mistake:
    code = _code(error)
    if isinstance(code, int) and code in MISTAKES:
        return MISTAKES[code]
    text = str(error).lower()
    if code == _NO_SSL or "does not support ssl" in text or "doesn't support ssl" in text:
        return Mistake.ENCRYPTION_MISSING
    cause = getattr(error, "original_exception", None) or error
    found = mistakes.mistake_of_socket(cause)
    if found is Mistake.BROKEN and (isinstance(error, _GARBLED) or "packet sequence" in text):
        return Mistake.NOT_THIS_ENGINE
    return Mistake.SILENT if found is Mistake.BROKEN and "timed out" in text else found


def _connect_seconds(text: str) -> int:
    return min(max(int(text[:4]), 1), 60) if text.isascii() and text.isdigit() else _CONNECT_SECONDS
