"""What goes wrong when one connects, in one sentence each that says what to change. The same for every engine.

The engines' adapters tell which mistake it was; the words stand here, so that no two engines say it differently.
"""

from __future__ import annotations

import errno
import socket
import ssl
from enum import StrEnum
from typing import Final

from tabulaflow_core.data.engines.listener import Listener, who_listens
from tabulaflow_core.data.urls import SourceUrl
from tabulaflow_core.errors import SourceUnavailable


class Mistake(StrEnum):
    """Why there is no connection; a closed set."""

    NO_HOST = "no_host"  # the name is not resolved
    REFUSED = "refused"  # nobody listens at the port
    UNREACHABLE = "unreachable"  # no way to the host
    SILENT = "silent"  # no answer in time
    PASSWORD = "password"
    NO_DATABASE = "no_database"
    DATABASE_DENIED = "database_denied"  # the user may not use the database
    HOST_DENIED = "host_denied"  # this computer, or this user from this computer, may not connect
    ENCRYPTION_NEEDED = "encryption_needed"
    ENCRYPTION_MISSING = "encryption_missing"  # wanted by the URL, not had by the server
    CERTIFICATE = "certificate"
    FULL = "full"  # too many connections
    STARTING = "starting"  # or being shut down
    NOT_THIS_ENGINE = "not_this_engine"  # something else answers, such as a web server
    MUTE = "mute"  # the connection is taken, and nothing is said
    BROKEN = "broken"  # the connection was there and is gone
    LIBRARY = "library"  # the driver is installed, a library of the system is not
    STATEMENT_POOLER = "statement_pooler"  # a pooler that gives each statement another connection
    OPTION = "option"  # the server does not know what `options` asks for
    LOCKED = "locked"  # a file that another program is writing
    CREDENTIALS = "credentials"  # keys of a cloud are missing or wrong


#: `{what}` is the engine at its address, `{host}`, `{address}`, `{user}`, `{database}` come from the URL.
_SENTENCES: Final[dict[Mistake, str]] = {
    Mistake.NO_HOST: "There is no host {host!r}. Check the spelling and the network.",
    Mistake.REFUSED: "Nobody listens at {address}. Check host and port, and that {engine} runs.",
    Mistake.UNREACHABLE: "There is no way to {address} from here. Check the network, the VPN and the firewall.",
    Mistake.SILENT: "{what} did not answer in time. Check the address, the port and the firewall.",
    Mistake.PASSWORD: "{what} refused the user {user!r} or the password. Check both.{escape}",
    Mistake.NO_DATABASE: "{what} has no database {database!r}. Check the name at the end of the URL.",
    Mistake.DATABASE_DENIED: "{what} does not let the user {user!r} into the database {database!r}. "
    "Check the database's name; if it is right, ask the administrator for the right to connect.",
    Mistake.HOST_DENIED: "{what} does not let the user {user!r} connect from this computer. "
    "Ask its administrator to allow the address.{hba}",
    Mistake.ENCRYPTION_NEEDED: "{what} takes encrypted connections only. Add `{on}` to the URL.",
    Mistake.ENCRYPTION_MISSING: "{what} does not encrypt, and the URL asks for it. "
    "Take `{off}` if the network between is safe, or switch encryption on in the server.",
    Mistake.CERTIFICATE: "The certificate of {what} could not be verified. Check the host's name; `{on}` encrypts "
    "without looking at the certificate.",
    Mistake.FULL: "{what} has no free connection. Try again later, or raise its limit of connections.",
    Mistake.STARTING: "{what} is starting up or being restarted. Try again in a moment.",
    Mistake.NOT_THIS_ENGINE: "What answers at {address} is {found}not {engine}. {other}Check the port; the usual one "
    "is {port}.",
    Mistake.MUTE: "Something takes connections at {address}, but says nothing that {engine} would say. Check the port; "
    "the usual one is {port}. If it is right, the server hangs or has too much to do.",
    Mistake.BROKEN: "The connection to {what} broke. Ask again: a new one is made. If it stays so, check that the port "
    "is the database's; the usual one is {port}.",
    Mistake.STATEMENT_POOLER: "What answers at {address} is a pooler in statement mode, which has no read-only "
    "transactions. Set `pool_mode = transaction` or `session` in it, or connect to the server's own port, usually "
    "{port}.",
    Mistake.OPTION: "{what} does not know what `options` in the URL asks for. Leave that part of the URL out.",
    Mistake.LIBRARY: "The driver for {engine} is installed, but a library of the system that it needs is not. "
    "{library}",
    Mistake.LOCKED: "Another program has locked {what}. Ask again when it has ended its work.",
    Mistake.CREDENTIALS: "{what} did not accept the keys. {keys}",
}
#: A database without an address is a file: it has no port to look at.
_BROKEN_FILE: Final = (
    "The {engine} database could not be read. Ask again; if it stays so, check that its file is there and whole."
)
#: What a person would look at first.
_ABOUT: Final[dict[Mistake, str]] = {
    Mistake.NO_HOST: "host",
    Mistake.REFUSED: "port",
    Mistake.UNREACHABLE: "host",
    Mistake.SILENT: "host",
    Mistake.PASSWORD: "password",
    Mistake.NO_DATABASE: "database",
    Mistake.DATABASE_DENIED: "database",
    Mistake.HOST_DENIED: "user",
    Mistake.ENCRYPTION_NEEDED: "ssl",
    Mistake.ENCRYPTION_MISSING: "ssl",
    Mistake.CERTIFICATE: "ssl",
    Mistake.NOT_THIS_ENGINE: "port",
    Mistake.MUTE: "port",
    Mistake.CREDENTIALS: "password",
    Mistake.STATEMENT_POOLER: "port",
}
_ENCRYPTION: Final[dict[str, tuple[str, str]]] = {
    "postgresql": ("?sslmode=require", "?sslmode=disable"),
    "redshift": ("?sslmode=require", "?sslmode=disable"),
    "mysql": ("?ssl-mode=REQUIRED", "?ssl-mode=DISABLED"),
    "mssql": ("?Encrypt=yes&TrustServerCertificate=yes", "?Encrypt=no"),
    "clickhouse": ("?secure=true", "?secure=false"),
}
#: What answered does not speak TLS.
_NO_TLS: Final = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST"})
_UNREACHABLE: Final = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})
_LIBRARIES: Final = {
    "mssql": "Install unixODBC and Microsoft's ODBC driver, or connect by `mssql+pymssql://`.",
}
_KEYS: Final = {
    "bigquery": "Give a service account's key, base64-encoded, as `?credentials_base64=…`.",
    "snowflake": "Check the account's name, the user and the password.",
}
#: Of `ssl` and its like: the URL forbids encryption.
_PLAIN_MODES: Final = frozenset({"disabled", "disable"})
_PORTS: Final = {"postgresql": 5432, "mysql": 3306}
#: What may come of a wrong port, where another look tells more.
_DOUBTFUL: Final = frozenset({Mistake.SILENT, Mistake.BROKEN, Mistake.NOT_THIS_ENGINE, Mistake.ENCRYPTION_MISSING})
#: Whose protocol an engine speaks itself.
_SPEAKS: Final = {
    "postgresql": Listener.POSTGRES,
    "redshift": Listener.POSTGRES,
    "mysql": Listener.MYSQL,
    **dict.fromkeys(("clickhouse", "trino", "databricks", "snowflake", "bigquery"), Listener.WEB),
}


def mistake_of_socket(error: BaseException) -> Mistake:
    """What the operating system's own error means; `BROKEN` for one that tells nothing more."""
    match error:
        case socket.gaierror():
            return Mistake.NO_HOST
        case ConnectionRefusedError():
            return Mistake.REFUSED
        case TimeoutError():
            return Mistake.SILENT
        case ssl.SSLCertVerificationError():
            return Mistake.CERTIFICATE
        case ssl.SSLError(reason=reason) if reason in _NO_TLS:
            return Mistake.NOT_THIS_ENGINE
        case ssl.SSLError():
            return Mistake.ENCRYPTION_MISSING
        case OSError(errno=number) if number in _UNREACHABLE:
            return Mistake.UNREACHABLE
    return Mistake.BROKEN


def look_again(mistake: Mistake, source: SourceUrl) -> tuple[Mistake, Listener | None]:
    """Where nothing of the kind was heard in time, see what listens at that port; blocks for some seconds.

    Returns:
        What it was after all, and who answers there if that is not the engine.
    """
    if mistake not in _DOUBTFUL or not source.host or not source.port:
        return mistake, None
    found = who_listens(source.host, source.port)
    if found is None or found is _SPEAKS.get(source.engine):
        return mistake, None
    if found is Listener.SILENT:
        return (Mistake.MUTE if mistake in (Mistake.SILENT, Mistake.BROKEN) else mistake), None
    return Mistake.NOT_THIS_ENGINE, found


def unavailable(
    mistake: Mistake, source: SourceUrl, *, engine: str, detail: str = "", found: Listener | None = None
) -> SourceUnavailable:
    """The exception to raise.

    Args:
        mistake: What it was.
        source: The URL that was tried.
        engine: The engine's name for people.
        detail: What a log should keep: an error's class and code, never its text.
        found: Who answers in place of the engine, where that is known.
    """
    from tabulaflow_core.data.engines.generic.profiles import PROFILES

    profile = PROFILES.get(source.engine)
    on, off = _ENCRYPTION.get(source.engine, ("?ssl=true", "?ssl=false"))
    where = source.address if source.port else source.host
    if mistake is Mistake.BROKEN and not where:
        return SourceUnavailable(_BROKEN_FILE.format(engine=engine), detail=detail or None)
    escape = ""
    if source.unescaped:
        escape = (
            " The password was read up to the last `@`; write special characters by their code, such as `%40` for `@`,"
            " `%3A` for `:`, `%2F` for `/` and `%25` for `%`."
        )
    if (
        mistake is Mistake.PASSWORD
        and source.engine == "mysql"
        and _PLAIN_MODES & set(map(str.lower, source.options.values()))
    ):
        # MariaDB says no more to a user whom it lets in by an encrypted connection only.
        escape += f" If the server takes encrypted connections only, write `{on}`."
    text = _SENTENCES[mistake].format(
        what=f"{engine} at {where}" if where else f"the {engine} database",
        engine=engine,
        host=source.host,
        address=where,
        user=source.user,
        database=source.database,
        escape=escape,
        hba=" In PostgreSQL that is a line in `pg_hba.conf`." if source.dialect == "postgres" else "",
        on=on,
        off=off,
        port=_PORTS.get(source.engine) or (profile.port if profile else None) or "in its manual",
        library=_LIBRARIES.get(source.engine, "Read the driver's manual on what it needs."),
        found=f"{found}, " if found and found is not Listener.OTHER else "",
        other=f"Choose {found} as the engine if you mean it. " if found in (Listener.POSTGRES, Listener.MYSQL) else "",
        keys=_KEYS.get(source.engine, "Check the user and the password."),
    )
    fault = SourceUnavailable(text, detail=detail or None)
    fault.about = _ABOUT.get(mistake, "")
    return fault
