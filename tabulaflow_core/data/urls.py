"""Database URLs: which are allowed, how they are read, and how they are shown without the password."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from tabulaflow_core.config import Settings
from tabulaflow_core.data.engines.generic.profiles import PROFILES, SCHEMES
from tabulaflow_core.errors import SourceUrlError

#: URL scheme (without `+driver`) of the engines with a connector of their own -> dialect.
_DIALECTS: Final = {
    "sqlite": "sqlite",
    "duckdb": "duckdb",
    "postgres": "postgres",
    "postgresql": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
}
_ENGINES: Final = {"postgres": "postgresql"}
#: What people write in place of a scheme -> what they mean.
_MEANT: Final = {
    **dict.fromkeys(("postgre", "pg", "pgsql", "psql", "postgressql", "postgresq"), "postgresql"),
    **dict.fromkeys(("sqlserver", "sql-server", "microsoft"), "mssql"),
    **dict.fromkeys(("sqlite3", "file"), "sqlite"),
    **dict.fromkeys(("mysql2", "my"), "mysql"),
    "maria": "mariadb",
    "duck": "duckdb",
    "presto": "trino",
}
#: Query parameters by dialect. None that names a file, runs a statement or redirects the connection.
_PARAMETERS: Final[dict[str, frozenset[str]]] = {
    "sqlite": frozenset({"mode"}),
    "duckdb": frozenset({"read_only"}),
    "postgres": frozenset({"sslmode", "ssl", "application_name", "connect_timeout", "options", "sslrootcert"}),
    "mysql": frozenset(
        {"charset", "ssl", "ssl-mode", "ssl_mode", "sslmode", "ssl_disabled", "sslaccept", "useSSL", "connect_timeout"}
    ),
}
#: Parameters that are taken with these values only.
_VALUES: Final[dict[str, re.Pattern[str]]] = {
    # Of a service that finds the database by it; any other option could set what it likes for the session.
    "options": re.compile(r"(?:endpoint|project|reference)=[\w.\-]{1,100}"),
    "sslrootcert": re.compile("system"),
    # An ODBC driver by its name: a path would load a library, and a semicolon would add further settings.
    "driver": re.compile(r"[\w .()\-]{1,100}"),
    "Encrypt": re.compile("yes|no|strict|true|false|optional|mandatory", re.IGNORECASE),
    "TrustServerCertificate": re.compile("yes|no|true|false", re.IGNORECASE),
    "mode": re.compile("ro"),
}
#: What hosting services put into the URLs that people paste, and what changes nothing here.
_IGNORED: Final[dict[str, frozenset[str]]] = {
    "sqlite": frozenset(),
    "duckdb": frozenset(),
    "postgres": frozenset(
        {"channel_binding", "client_encoding", "connection_limit", "fallback_application_name", "gssencmode"}
        | {"keepalives", "keepalives_idle", "pgbouncer", "pool_timeout", "prepared_statement_cache_size"}
        | {"keepalives_count", "keepalives_interval", "load_balance_hosts", "requirepeer", "sslcompression", "sslsni"}
        | {"ssl_min_protocol_version", "ssl_max_protocol_version", "max_protocol_version", "min_protocol_version"}
        | {"sslnegotiation", "statement_cache_size", "target_session_attrs", "tcp_user_timeout", "uselibpqcompat"}
        | {"schema", "supa", "pool_mode", "workaround", "prepareThreshold", "prepared_statements"}
    ),
    "mysql": frozenset(
        {"connection_limit", "collation", "pool_timeout", "reconnect", "timezone", "useUnicode", "serverTimezone"}
        | {"allowPublicKeyRetrieval", "characterEncoding", "zeroDateTimeBehavior", "useLegacyDatetimeCode"}
    ),
}
#: The login may stand among the parameters too.
_LOGIN: Final = frozenset({"user", "password"})
#: Characters that must be written by their code in a password, and a `%` that begins none.
_MEANINGFUL: Final = frozenset("@: ")
_BROKEN_CODE: Final = re.compile("%(?![0-9a-fA-F]{2})")
_NATIVE: Final = frozenset({"postgresql", "mysql", "sqlite"})
_FILE_DIALECTS: Final = frozenset({"sqlite", "duckdb"})
_EXAMPLES: Final = (
    "`postgresql://user:password@host:5432/database`, `mysql://user:password@host:3306/database`, "
    "`sqlite:///path/to/file.db` or `duckdb:///path/to/file.duckdb`"
)
#: Up to the last `@` before the next URL: users hold an `@` (`name@server`), passwords anything, blanks too.
_PASSWORD: Final = re.compile(
    r"(?P<head>[a-z][a-z0-9+.\-]*://[^/:]*):(?:(?!\s[a-z][a-z0-9+.\-]*://).)*@", re.IGNORECASE | re.DOTALL
)
#: The same as a parameter, or a key that opens as much.
_SECRET_PARAMETER: Final = re.compile(
    r"(?P<head>[?&;](?:password|passwd|pwd|token|access_token|credentials_base64|private_key)=)[^&#\s]+", re.IGNORECASE
)
#: Control characters and halves of surrogate pairs: no database takes them, and drivers break on them.
_UNUSABLE: Final = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class SourceUrl:
    """A database URL, read and allowed.

    Attributes:
        dialect: sqlglot's name; empty for an engine that sqlglot does not know by name.
        path: The file of a file dialect, None for `:memory:` and for servers.
        options: The allowed query parameters.
        engine: Which engine it is, a key of `PROFILES` for those of the generic connector.
        driver: SQLAlchemy's `dialect+driver` when the generic connector is to open it; empty otherwise.
        unescaped: The password was written with characters that mean something else in a URL.
    """

    dialect: str
    path: Path | None = None
    host: str = ""
    port: int | None = None
    user: str = ""
    password: str = field(default="", repr=False)
    database: str = ""
    options: dict[str, str] = field(default_factory=dict, repr=False)
    engine: str = ""
    driver: str = ""
    unescaped: bool = False

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
    text = url.strip()
    if text.lower().startswith("jdbc:"):
        raise SourceUrlError(f"Leave `jdbc:` away, and write user and password before the host, such as {_EXAMPLES}.")
    scheme, separator, rest = text.partition("://")
    if not separator:
        raise SourceUrlError(f"This is not a database URL. Write one such as {_EXAMPLES}.")
    base, _, suffix = scheme.lower().partition("+")
    location, _, query = rest.partition("?")
    dialect = _DIALECTS.get(base)
    if dialect is None:
        return _generic(base, suffix, location, query, free=allowed_roots is None)
    options = _options(dialect, query)
    if dialect in _FILE_DIALECTS:
        path = _file(dialect, location, allowed_roots, forbidden_roots)
        return SourceUrl(dialect=dialect, path=path, options=options, engine=dialect)
    engine = _ENGINES.get(dialect, dialect)
    driver = ""
    if suffix == "psycopg" and dialect == "postgres" and (found := PROFILES[engine].driver(suffix)) and found.installed:
        driver = found.name
    return _server(dialect, location, options, engine=engine, driver=driver)


def _generic(base: str, suffix: str, location: str, query: str, *, free: bool) -> SourceUrl:
    """A URL for the generic connector.

    Args:
        free: A program asks, which may open whatever is installed.
    """
    profile = PROFILES.get(SCHEMES.get(base, ""))
    if profile is None:
        if not free or base not in {
            entry.name.partition(".")[0] for entry in entry_points(group="sqlalchemy.dialects")
        }:
            raise SourceUrlError(_no_connector(base))
        options = dict(parse_qsl(query, keep_blank_values=True))
        return _server(
            "", location, options, engine=base, driver=f"{base}+{suffix}" if suffix else base, needs_host=False
        )
    driver = profile.driver(suffix)
    if driver is None:
        known = ", ".join(f"`{known.name}://`" for known in profile.drivers)
        raise SourceUrlError(f"There is no driver `{suffix[:40]}` for {profile.title} here. Write {known}.")
    options = _options(profile.key, query)
    if profile.key == "bigquery" and not free and "credentials_base64" not in options:
        # Without a key the driver would take the server's own, which are not this person's.
        raise SourceUrlError(
            "BigQuery needs a key here. Add a service account's, base64-encoded, as `?credentials_base64=…`."
        )
    source = _server(
        profile.dialect, location, options, engine=profile.key, driver=driver.name, needs_host=profile.needs_host
    )
    if profile.key in ("snowflake", "databricks") and not source.password:
        raise SourceUrlError(
            f"{profile.title} needs the password or the token in the URL: `{profile.key}://user:password@…`."
        )
    return source


def _no_connector(base: str) -> str:
    if base in ("http", "https"):
        return f"A web address is no database. Write the database's own URL, such as {_EXAMPLES}."
    if meant := _MEANT.get(base) or _alike(base):
        return f"There is no `{base[:40]}://`; write `{meant}://` in its place."
    others = ", ".join(sorted(profile.title for profile in PROFILES.values() if profile.key not in _NATIVE))
    return (
        f"There is no connector for `{base[:40]}://`. It takes SQLite, DuckDB, PostgreSQL, MySQL and MariaDB, such as "
        f"{_EXAMPLES}; with their drivers also {others}; and, from a program, every SQLAlchemy dialect installed."
    )


def _alike(base: str) -> str:
    """The scheme that a misspelt one must mean; empty where there is none so like it."""
    known = sorted({*_DIALECTS, *(profile.key for profile in PROFILES.values())})
    return next(iter(get_close_matches(base[:40], known, n=1, cutoff=0.8)), "")


def mask_url(text: str) -> str:
    """`text` with the password of every URL in it, and keys among its parameters, replaced by `***`."""
    return _SECRET_PARAMETER.sub(r"\g<head>***", _PASSWORD.sub(r"\g<head>:***@", text))


def _options(dialect: str, query: str) -> dict[str, str]:
    try:
        options = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError:
        raise SourceUrlError(
            "The part of the URL after `?` is not a list of `name=value`. A `?` in a password is written `%3F`."
        ) from None
    profile = PROFILES.get(dialect) if dialect not in _PARAMETERS else None
    ignored = _IGNORED.get(dialect, frozenset())
    allowed = profile.parameters if profile else _PARAMETERS[dialect]
    if dialect not in _FILE_DIALECTS:
        allowed |= _LOGIN
    options = {name: value for name, value in options.items() if name not in ignored}
    if unknown := sorted(set(options) - allowed):
        names = ", ".join(f"`{name[:40]}`" for name in unknown)
        raise SourceUrlError(
            f"The URL has a parameter that is not allowed: {names}. "
            f"Allowed for this database: {', '.join(f'`{name}`' for name in sorted(allowed - _LOGIN))}."
        )
    for name, value in options.items():
        if (pattern := _VALUES.get(name)) and not pattern.fullmatch(value):
            raise SourceUrlError(_unfit(name))
    return options


def _unfit(name: str) -> str:
    match name:
        case "mode":
            return "The parameter `mode` takes only `ro`. Leave it away, and ask for writing in the program."
        case "options":
            return (
                "The parameter `options` takes only `endpoint=…`, `project=…` or `reference=…`, by which a hosting "
                "service finds the database."
            )
    return f"The parameter `{name}` has a value that is not allowed here. Leave it away, or write a plain one."


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


def _server(
    dialect: str,
    location: str,
    options: dict[str, str],
    *,
    engine: str,
    driver: str = "",
    needs_host: bool = True,
) -> SourceUrl:
    authority, _, database = location.partition("/")
    credentials, _, _ = authority.rpartition("@")
    try:
        parts = urlsplit(f"//{authority.rpartition('@')[2]}")
        host, port = parts.hostname or "", parts.port
        if not needs_host:  # an account or project, whose capitals count
            host = authority.rpartition("@")[2] if port is None else host
    except ValueError:
        host, port, needs_host = "", None, True
    if (not host and needs_host) or "#" in authority or "@" in database:
        raise SourceUrlError(
            "The URL's host or port cannot be read. Write `user:password@host:port/database`, and write special "
            "characters of the password by their code: `@` as `%40`, `/` as `%2F`, `:` as `%3A`, `?` as `%3F`, "
            "`#` as `%23`."
        )
    user, _, password = credentials.partition(":")
    profile = PROFILES.get(engine)
    return SourceUrl(
        dialect=dialect,
        host=host,
        port=port or (profile.port if profile else None),
        user=unquote(user) or options.get("user", ""),
        password=unquote(password) or options.get("password", ""),
        database=unquote(database.split("#", 1)[0]),
        options={name: value for name, value in options.items() if name not in _LOGIN or not engine},
        engine=engine,
        driver=driver,
        unescaped=bool(_MEANINGFUL & set(password)) or bool(_BROKEN_CODE.search(password)),
    )
