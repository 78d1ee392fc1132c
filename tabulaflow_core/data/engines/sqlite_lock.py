"""SQLite's lock: how a file is opened, and what a query may make the engine do."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tabulaflow_core.data.engines.base import Caps

#: Functions that reach outside the database; the rest of SQLite's are pure. `load_extension` is also off by default.
_DENIED_FUNCTIONS: Final = frozenset(
    {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "sqlite_log"}
)
_READING: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
#: Pragmas that only read, those that the guard allows; `database_list` would tell the file's path.
_READING_PRAGMAS: Final = frozenset(
    [
        "application_id",
        "collation_list",
        "compile_options",
        "data_version",
        "encoding",
        "foreign_key_list",
        "foreign_keys",
        "freelist_count",
        "function_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "module_list",
        "page_count",
        "page_size",
        "pragma_list",
        "schema_version",
        "table_info",
        "table_list",
        "table_xinfo",
        "user_version",
    ]
)
#: Of these, the ones that an argument does not change.
_TAKING_ARGUMENTS: Final = frozenset(
    ["foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_list", "table_xinfo"]
)
#: Bounds on what one statement may make SQLite do; see sqlite.org/security.html.
_LIMITS: Final = (
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10_000),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 500),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)
#: The least that a single value may measure, however small the byte cap is.
_LEAST_VALUE_BYTES: Final = 16 * 1024 * 1024


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open a file with the URI parameters `mode`, hardened against what it may hold."""
    uri = f"file:{quote(str(path))}?{mode}"
    connection = sqlite3.connect(
        uri, uri=True, check_same_thread=False, isolation_level=None, timeout=0, cached_statements=0
    )
    try:
        # A hostile file may hide functions in views, indexes and triggers: sqlite.org/security.html.
        for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
            connection.execute(f"PRAGMA {pragma}").close()
        if hasattr(connection, "setconfig"):  # Python 3.12
            connection.setconfig(1010, True)  # SQLITE_DBCONFIG_DEFENSIVE
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").close()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _authorize(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_DENY if (second or "").lower() in _DENIED_FUNCTIONS else sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA:
        name = (first or "").lower()
        reading = name in _READING_PRAGMAS and (second is None or name in _TAKING_ARGUMENTS)
        return sqlite3.SQLITE_OK if reading else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
        # So SQLite announces a table function that it meets first; a real update fails: the schema is not writable.
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def lock(connection: sqlite3.Connection, caps: Caps) -> None:
    """Allow reading only, whatever the statement says."""
    for category, limit in _LIMITS:
        connection.setlimit(category, limit)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(_LEAST_VALUE_BYTES, min(caps.bytes, 2**30)))
    connection.execute("PRAGMA query_only=ON").close()
    connection.set_authorizer(_authorize)


def unlock(connection: sqlite3.Connection) -> None:
    """Back to writing, for the library's own methods on a database in memory."""
    connection.set_authorizer(None)
    connection.execute("PRAGMA query_only=OFF").close()
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2**30)
