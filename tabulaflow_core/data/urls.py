"""Database URLs: which are allowed, how they are read, and how they are shown without the password."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import SourceUrlError

#: URL scheme (without `+driver`) -> dialect.
_DIALECTS: Final = {
    "sqlite": "sqlite",
    "duckdb": "duckdb",
    "postgres": "postgres",
    "postgresql": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
}
#: Query parameters by dialect. None that names a file, runs a statement or redirects the connection.
_PARAMETERS: Final[dict[str, frozenset[str]]] = {
    "sqlite": frozenset({"mode"}),
    "duckdb": frozenset({"read_only"}),
    "postgres": frozenset({"sslmode", "ssl", "application_name", "connect_timeout"}),
    "mysql": frozenset({"charset", "ssl", "ssl-mode", "ssl_mode", "sslmode", "ssl_disabled", "connect_timeout"}),
}
#: What hosting services put into the URLs that people paste, and what changes nothing here.
_IGNORED: Final[dict[str, frozenset[str]]] = {
    "sqlite": frozenset(),
    "duckdb": frozenset(),
    "postgres": frozenset(
        {"channel_binding", "client_encoding", "connection_limit", "fallback_application_name", "gssencmode"}
        | {"keepalives", "keepalives_idle", "pgbouncer", "pool_timeout", "prepared_statement_cache_size"}
        | {"sslnegotiation", "statement_cache_size", "target_session_attrs", "tcp_user_timeout", "uselibpqcompat"}
    ),
    "mysql": frozenset({"connection_limit", "collation", "pool_timeout", "reconnect", "timezone", "useUnicode"}),
}
_FILE_DIALECTS: Final = frozenset({"sqlite", "duckdb"})
_EXAMPLES: Final = (
    "`postgresql://user:password@host:5432/database`, `mysql://user:password@host:3306/database`, "
    "`sqlite:///path/to/file.db` or `duckdb:///path/to/file.duckdb`"
)
#: Up to the last `@` before the next URL: users hold an `@` (`name@server`), passwords anything, blanks too.
_PASSWORD: Final = re.compile(
    r"(?P<head>[a-z][a-z0-9+.\-]*://[^/:]*):(?:(?!\s[a-z][a-z0-9+.\-]*://).)*@", re.IGNORECASE | re.DOTALL
)
#: Control characters and halves of surrogate pairs: no database takes them, and drivers break on them.
_UNUSABLE: Final = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class SourceUrl:
    """A database URL, read and allowed.

    Attributes:
        dialect: sqlglot's name.
        path: The file of a file dialect, None for `:memory:` and for servers.
        options: The allowed query parameters.
    """

    dialect: str
    path: Path | None = None
    host: str = ""
    port: int | None = None
    user: str = ""
    password: str = field(default="", repr=False)
    database: str = ""
    options: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """`host:port`, for messages."""
        return f"{self.host}:{self.port}"


def parse_source_url(
    url: str, *, allowed_roots: Sequence[Path] | None = None, forbidden_roots: Sequence[Path] | None = None
) -> SourceUrl:
    """Read and judge a database URL.

    Args:
        url: Such as `postgresql://user:password@host/database`; a `+driver` is accepted and not needed.
        allowed_roots: Folders that may hold database files; None, for programs, allows every folder and `:memory:`.
        forbidden_roots: Folders that never may; by default the configured data folder.

    Raises:
        SourceUrlError: Malformed or not allowed, in a sentence without the password.
    """
    if _UNUSABLE.search(url.strip()) or _UNUSABLE.search(unquote(url)):
        raise SourceUrlError("The URL holds a line break or another control character. Copy it again, on one line.")
    scheme, separator, rest = url.strip().partition("://")
    if not separator:
        raise SourceUrlError(f"This is not a database URL. Write one such as {_EXAMPLES}.")
    dialect = _DIALECTS.get(scheme.lower().split("+", 1)[0])
    if dialect is None:
        raise SourceUrlError(
            f"There is no connector for `{scheme[:40]}://`. It takes SQLite, DuckDB, PostgreSQL, MySQL and MariaDB: "
            f"{_EXAMPLES}."
        )
    location, _, query = rest.partition("?")
    options = _options(dialect, query)
    if dialect in _FILE_DIALECTS:
        path = _file(dialect, location, allowed_roots, forbidden_roots)
        return SourceUrl(dialect=dialect, path=path, options=options)
    return _server(dialect, location, options)


def mask_url(text: str) -> str:
    """`text` with the password of every URL in it replaced by `***`."""
    return _PASSWORD.sub(r"\g<head>:***@", text)


def _options(dialect: str, query: str) -> dict[str, str]:
    try:
        options = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError:
        raise SourceUrlError(
            "The part of the URL after `?` is not a list of `name=value`. A `?` in a password is written `%3F`."
        ) from None
    options = {name: value for name, value in options.items() if name not in _IGNORED[dialect]}
    allowed = _PARAMETERS[dialect]
    if unknown := sorted(set(options) - allowed):
        names = ", ".join(f"`{name[:40]}`" for name in unknown)
        raise SourceUrlError(
            f"The URL has a parameter that is not allowed: {names}. "
            f"Allowed for this database: {', '.join(f'`{name}`' for name in sorted(allowed))}."
        )
    if options.get("mode", "ro") != "ro":
        raise SourceUrlError("The parameter `mode` takes only `ro`. Leave it away, and ask for writing in the program.")
    return options


def _file(
    dialect: str, location: str, allowed_roots: Sequence[Path] | None, forbidden_roots: Sequence[Path] | None
) -> Path | None:
    # As SQLAlchemy reads it: `sqlite:///relative`, `sqlite:////absolute`, and nothing at all is memory.
    name = unquote(location.removeprefix("/")) if location.startswith("/") else unquote(location)
    if location and not location.startswith("/"):
        raise SourceUrlError(
            f"A file's URL has three slashes and then the path: `{dialect}:///data.db`, "
            f"or four for an absolute path: `{dialect}:////srv/data.db`."
        )
    if name in ("", ":memory:"):
        if allowed_roots is not None:
            raise SourceUrlError("A database in memory is empty here. Give the path of a file, or upload one.")
        return None
    if name.startswith("file:"):
        raise SourceUrlError("Give the plain path of the database file, without `file:`.")
    # Resolved, so that neither `..` nor a link leads out of the allowed folders.
    path = Path(name).expanduser().resolve()
    forbidden = (Settings.from_env().data_dir,) if forbidden_roots is None else forbidden_roots
    if any(path.is_relative_to(root.expanduser().resolve()) for root in forbidden):
        raise SourceUrlError("This place belongs to TabulaFlow itself and cannot be opened as a source.")
    if allowed_roots is not None and not any(
        path.is_relative_to(root.expanduser().resolve()) for root in allowed_roots
    ):
        raise SourceUrlError(
            "Database files may be opened only inside the folders that the administrator has allowed "
            "(`TABULAFLOW_FILE_ROOTS`). Upload the file instead, or ask for its folder to be added."
        )
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        # Opening a pipe waits for its other end, for good.
        raise SourceUrlError(f"{path.name[:80]!r} is a device or a pipe. Give the path of a database file.")
    return path


def _server(dialect: str, location: str, options: dict[str, str]) -> SourceUrl:
    authority, _, database = location.partition("/")
    credentials, _, _ = authority.rpartition("@")
    try:
        parts = urlsplit(f"//{authority.rpartition('@')[2]}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or "#" in authority or "@" in database:
        raise SourceUrlError(
            "The URL's host or port cannot be read. Write `user:password@host:port/database`, and write special "
            "characters of the password by their code: `@` as `%40`, `/` as `%2F`, `:` as `%3A`, `?` as `%3F`, "
            "`#` as `%23`."
        )
    user, _, password = credentials.partition(":")
    return SourceUrl(
        dialect=dialect,
        host=host,
        port=port or (5432 if dialect == "postgres" else 3306),
        user=unquote(user),
        password=unquote(password),
        database=unquote(database.split("#", 1)[0]),
        options=options,
    )
