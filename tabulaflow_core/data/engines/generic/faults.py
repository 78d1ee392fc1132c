"""What a driver raised, whichever it is: the statement's own fault, or a mistake of the connection.

Drivers agree on little but PEP 249's classes. So first come the codes they carry (SQLSTATE, numbers of MySQL), then the
operating system's own errors anywhere in the chain, then words of messages.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, quote_plus

from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import EngineFault
from tabulaflow_core.data.engines.generic.profiles import PROFILES
from tabulaflow_core.data.engines.mistakes import Mistake, look_again, mistake_of_socket, unavailable
from tabulaflow_core.data.engines.mysql_codes import INVALID, MISTAKES
from tabulaflow_core.data.urls import SourceUrl
from tabulaflow_core.errors import SourceUnavailable

_LONGEST: Final = 600
#: SQLSTATE or its class -> the mistake: postgresql.org/docs/current/errcodes-appendix.html.
_STATES: Final = {
    "3D000": Mistake.NO_DATABASE,
    "53300": Mistake.FULL,
    "57P03": Mistake.STARTING,
    "57P01": Mistake.STARTING,
    "57P02": Mistake.STARTING,
    "28000": Mistake.PASSWORD,
    "28P01": Mistake.PASSWORD,
    "08": Mistake.BROKEN,
    "57P": Mistake.BROKEN,
}
#: Of MariaDB and MySQL, besides those that tell what went wrong while connecting.
_MYSQL: Final = {**MISTAKES, **dict.fromkeys((0, 1927, 2006, 2013, 2014, 2055, 4031), Mistake.BROKEN)}
#: Words of messages, in order; the first that is found counts. Lower case.
_WORDS: Final[tuple[tuple[str, Mistake], ...]] = (
    (
        r"pg_hba\.conf.*no encryption|ssl connection is required|require_secure_transport",
        Mistake.ENCRYPTION_NEEDED,
    ),
    (
        r"no pg_hba\.conf entry|pg_hba\.conf rejects|is not allowed to connect|not allowed to access",
        Mistake.HOST_DENIED,
    ),
    (r"server does not support ssl|does not support ssl|ssl is not enabled|rejected ssl", Mistake.ENCRYPTION_MISSING),
    (r"ssl error: (wrong version|packet length|record layer|unexpected eof|http request)", Mistake.NOT_THIS_ENGINE),
    (r"certificate|hostname mismatch", Mistake.CERTIFICATE),
    (
        r"password authentication failed|login failed|ora-01017|ora-28000|incorrect username or password",
        Mistake.PASSWORD,
    ),
    (r"authentication failed|access denied|http error 401|\b401\b|unauthorized|invalid access token", Mistake.PASSWORD),
    (r'role "[^"]*" does not exist|is not permitted to log in', Mistake.PASSWORD),
    (r"no password supplied|requires a password", Mistake.PASSWORD),
    (r'database "?[^"]*"? does not exist|unknown database|cannot open database|ora-125(05|14)', Mistake.NO_DATABASE),
    (r"permission denied for database", Mistake.DATABASE_DENIED),
    (r"too many connections|too many clients|remaining connection slots|ora-00018|ora-00020|ora-12516", Mistake.FULL),
    (
        r"starting up|shutting down|terminating connection due to administrator|in recovery mode|ora-01033|ora-01034",
        Mistake.STARTING,
    ),
    (r"could not translate host name|name or service not known|getaddrinfo|nodename nor servname", Mistake.NO_HOST),
    (r"failed to resolve|temporary failure in name resolution|no such host|unknown server host", Mistake.NO_HOST),
    (r"connection refused|\[errno 111\]|ora-12541|actively refused", Mistake.REFUSED),
    (r"no route to host|network is unreachable|\[errno 11[0-3]\]|unreachable", Mistake.UNREACHABLE),
    (r"timed? ?out|timeout expired|ora-12170|dpy-4011.*timeout", Mistake.SILENT),
    (r"cannot open shared object file|can't open lib|no suitable driver", Mistake.LIBRARY),
    (r"default credentials were not found|could not automatically determine credentials", Mistake.CREDENTIALS),
    (
        r"received invalid response to ssl negotiation|expected authentication request|invalid frontend",
        Mistake.NOT_THIS_ENGINE,
    ),
    (r"unexpected (http|message|response)|packet sequence number wrong|unknown message type", Mistake.NOT_THIS_ENGINE),
    (r"adaptive server connection failed", Mistake.REFUSED),
    (r"database (table |schema |file )?is locked", Mistake.LOCKED),
)
_COMPILED: Final = tuple((re.compile(pattern, re.DOTALL), mistake) for pattern, mistake in _WORDS)
#: Faults of a statement that did not compile, where the class does not tell: Oracle, SQL Server, ClickHouse, SQLite.
_INVALID: Final = re.compile(
    r"ora-00(9[0-9]{2}|1[0-9]{2})|ora-0(0979|1789|2248)|no such (column|table|function)|syntax error|ambiguous column"
    r"|unknown (column|table|identifier|function|expression)|invalid (column|object) name"
    r"|code: (36|42|43|46|47|60|62)\b"
    r"|line \d+:\d+|does not exist|wrong number of arguments|incorrect syntax",
    re.IGNORECASE,
)
_STOPPED: Final = re.compile(
    r"statement timeout|timeout exceeded|query.*cancel|57014|ora-01013|max_execution", re.IGNORECASE
)
_READ_ONLY: Final = re.compile(
    r"read[- ]?only|not authorized|ora-01456|ora-16000|ora-28194|cannot execute .* in a read", re.IGNORECASE
)


def chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, outermost first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = getattr(current, "orig", None) or current.__cause__ or current.__context__


def mistake_of(error: BaseException, *, connecting: bool) -> Mistake | None:
    """Which mistake of the connection it was; None when it is not about the connection."""
    for one in chain(error):
        state = str(getattr(one, "sqlstate", None) or getattr(one, "pgcode", None) or "")
        text = _raw(one).lower()
        if "statement pooling" in text:
            return Mistake.STATEMENT_POOLER
        if "command-line argument" in text:
            return Mistake.OPTION
        if state[:2] == "28" and "pg_hba" in text:
            return Mistake.ENCRYPTION_NEEDED if "no encryption" in text else Mistake.HOST_DENIED
        for key in (state, state[:3], state[:2]):
            if key in _STATES:
                return _STATES[key]
        number = one.args[0] if one.args and type(one).__module__.startswith(("pymysql", "mysql", "MySQLdb")) else None
        if number in _MYSQL and (connecting or _MYSQL[number] is Mistake.BROKEN):
            return _MYSQL[number]
    for one in chain(error):
        if isinstance(one, OSError) and (connecting or _is_of_socket(one)):
            found = mistake_of_socket(one)
            if found is not Mistake.BROKEN or isinstance(one, ConnectionError):
                return found
    if connecting:
        text = " ".join(_raw(one) for one in chain(error)).lower()
        return next((mistake for pattern, mistake in _COMPILED if pattern.search(text)), Mistake.BROKEN)
    return None


def _is_of_socket(error: OSError) -> bool:
    """An `OSError` of a connection, and not of a file that a driver reads."""
    return isinstance(error, ConnectionError | TimeoutError | socket.gaierror | ssl.SSLError)


def connection_fault(error: BaseException, source: SourceUrl, *, connecting: bool = True) -> SourceUnavailable:
    """The sentence for a connection that could not be made or broke.

    Where it could not be made, what listens there is looked at, which blocks for some seconds.
    """
    mistake = mistake_of(error, connecting=connecting) or Mistake.BROKEN
    if mistake is Mistake.ENCRYPTION_NEEDED and source.engine == "postgresql" and not _is_plain(source):
        # The server names the missing encryption in each refusal; it was offered and not taken, so it is not the cause.
        mistake = Mistake.HOST_DENIED
    codes = next((str(getattr(e, "sqlstate", "") or "") for e in chain(error) if getattr(e, "sqlstate", "")), "")
    mistake, found = look_again(mistake, source) if connecting else (mistake, None)
    detail = f"{type(error).__name__} {codes}".strip()
    return unavailable(mistake, source, engine=title(source), detail=detail, found=found)


def _is_plain(source: SourceUrl) -> bool:
    """The URL forbids encryption."""
    return (source.options.get("sslmode") or source.options.get("ssl") or "").lower() in ("disable", "false", "0")


def statement_fault(error: BaseException, source: SourceUrl) -> EngineFault:
    """The statement's fault in the engine's words, without the password should they hold it."""
    message = scrub(_message(error), source)
    state = str(getattr(error, "sqlstate", None) or getattr(error, "pgcode", None) or "")
    number = error.args[0] if error.args and isinstance(error.args[0], int) else None
    if state == "57014" or number in (1969, 3024, 1317, 1028):
        return EngineFault(FailureKind.TIMEOUT, "the server stopped the statement: its time limit is used up")
    if state == "25006" or number in (1792, 1290, 1836) or (not state and _READ_ONLY.search(message)):
        return EngineFault(FailureKind.REFUSED, message)
    if not state and number is None and _STOPPED.search(message):
        return EngineFault(FailureKind.TIMEOUT, "the server stopped the statement: its time limit is used up")
    if state[:2] == "42":
        return EngineFault(FailureKind.FAILED if state == "42501" else FailureKind.INVALID, message)
    names = {cls.__name__ for cls in type(error).__mro__}
    invalid = "ProgrammingError" in names or number in INVALID or bool(_INVALID.search(message))
    if state and state[:2] in ("22", "21", "23", "53", "54", "XX"):
        invalid = False
    return EngineFault(FailureKind.INVALID if invalid else FailureKind.FAILED, message)


def title(source: SourceUrl) -> str:
    """The engine's name for people."""
    profile = PROFILES.get(source.engine)
    return (profile.title.partition(" by ")[0] if profile else source.engine) or "the database"


def scrub(text: str, source: SourceUrl) -> str:
    """`text` without the password, in any spelling, and without keys among the URL's parameters."""
    secrets = [source.password, *(value for name, value in source.options.items() if "credential" in name)]
    for secret in secrets:
        for form in {secret, quote(secret, safe=""), quote_plus(secret), repr(secret)[1:-1]}:
            if len(form) > 2:
                text = text.replace(form, "***")
    return text


def _raw(error: BaseException) -> str:
    return " ".join(str(part) for part in error.args) or type(error).__name__


def _message(error: BaseException) -> str:
    """The engine's sentence, out of what drivers wrap around it."""
    diagnostics = getattr(getattr(error, "diag", None), "message_primary", None)
    if diagnostics:
        hint = getattr(error.diag, "message_hint", None)  # type: ignore[attr-defined]
        return f"{diagnostics} ({hint})" if hint else str(diagnostics)
    plain = getattr(error, "message", None)
    if isinstance(plain, str) and plain:
        return " ".join(plain.split())[:_LONGEST]
    texts = [arg.decode(errors="replace") if isinstance(arg, bytes) else arg for arg in error.args]
    first = next((text for text in reversed(texts) if isinstance(text, str) and text.strip()), str(error))
    if (found := re.match(r"\((\d+), (b?)(['\"])(.*)\3\)", first, re.DOTALL)) is not None:
        first = found[4]
    first = re.sub(r"^(\[[^\]]*\]\s*)+", "", first)  # an ODBC driver names itself
    return " ".join(first.split())[:_LONGEST] or type(error).__name__
