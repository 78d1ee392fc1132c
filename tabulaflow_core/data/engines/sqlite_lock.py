"""SQLite's lock: how a file is opened, and what a query may make the engine do."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import quote

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
        "auto_vacuum",
        "busy_timeout",
        "cache_size",
        "collation_list",
        "compile_options",
        "data_version",
        "encoding",
        "foreign_key_check",
        "foreign_key_list",
        "foreign_keys",
        "freelist_count",
        "function_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "integrity_check",
        "journal_mode",
        "locking_mode",
        "max_page_count",
        "module_list",
        "page_count",
        "page_size",
        "pragma_list",
        "query_only",
        "quick_check",
        "recursive_triggers",
        "schema_version",
        "secure_delete",
        "synchronous",
        "table_info",
        "table_list",
        "table_xinfo",
        "temp_store",
        "user_version",
    ]
)
#: Of these, the ones that an argument does not change.
_TAKING_ARGUMENTS: Final = frozenset(
    [
        "foreign_key_check",
        "foreign_key_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "integrity_check",
        "quick_check",
        "table_info",
        "table_list",
        "table_xinfo",
    ]
)
#: Bounds on what one statement may make SQLite do; see sqlite.org/security.html.
_LIMITS: Final = (
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10_000),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 500),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)
#: Bytes that a single value or row may measure.
_VALUE_BYTES: Final = 32 * 1024 * 1024
#: SQLite looks whether it is interrupted between steps, not within a function. Searching one long text in another
#: takes the product of their lengths, so a statement that searches and can make long texts gets short ones.
_SEARCHED_VALUE_BYTES: Final = 256 * 1024
_SEARCHED_PATTERN_BYTES: Final = 1_000
_SEARCHING: Final = re.compile(r"\b(?:instr|[lr]?trim|replace|like|glob)\b", re.IGNORECASE)
_GROWING: Final = re.compile(
    r"\|\||\b(?:recursive|zeroblob|randomblob|hex|printf|format|concat|concat_ws|group_concat|string_agg"
    r"|json\w*_array|json\w*_object|quote)\b|\breplace\b.*\breplace\b",
    re.IGNORECASE | re.DOTALL,
)
#: Virtual tables that are made ready before a statement, at most.
_VIRTUAL_TABLES: Final = 50


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


#: Tables that no schema lists: those of SQLite itself and table functions that only compute. A module such as `dbstat`
#: or `fsdir` is read under its own name, as a table is; what is neither here nor in the schema stays closed.
_UNLISTED_TABLES: Final = frozenset(
    [
        *("sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"),
        *("json_each", "json_tree", "jsonb_each", "jsonb_tree", "generate_series"),
        *(f"pragma_{name}" for name in _READING_PRAGMAS),
    ]
)


def _authorizer(listed: frozenset[str]) -> Callable[[int, str | None, str | None, str | None, str | None], int]:
    """What SQLite asks at each step of compiling a statement.

    Args:
        listed: The names of the schema, lower case.
    """
    readable = listed | _UNLISTED_TABLES

    def authorize(action: int, first: str | None, second: str | None, database: str | None, by: str | None) -> int:
        # Without a column it may be a common table expression, of which SQLite tells the name when no column is used.
        if action == sqlite3.SQLITE_READ and second and (first or "").lower() not in readable:
            return sqlite3.SQLITE_DENY
        return _authorize(action, first, second)

    return authorize


def _authorize(action: int, first: str | None, second: str | None) -> int:
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


def lock(connection: sqlite3.Connection, sql: str) -> None:
    """Allow reading only, whatever the statement says."""
    for category, limit in _LIMITS:
        connection.setlimit(category, limit)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_BYTES)
    connection.execute("PRAGMA query_only=ON").close()
    listed = _listed(connection)
    if _SEARCHING.search(sql) and _GROWING.search(sql):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _SEARCHED_VALUE_BYTES)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, _SEARCHED_PATTERN_BYTES)
    connection.set_authorizer(_authorizer(listed))


def _listed(connection: sqlite3.Connection) -> frozenset[str]:
    """The names of the schema; its virtual tables are made ready on the way.

    An R-tree compiles its own INSERT when it is first touched, which the authorizer would deny.
    """
    names, virtual = set(), 0
    found = connection.execute(
        "SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_schema UNION ALL SELECT name, 0 FROM sqlite_temp_schema"
    ).fetchall()
    for name, is_virtual in found:
        names.add(str(name).lower())
        if not is_virtual or virtual == _VIRTUAL_TABLES:
            continue
        virtual += 1
        try:
            connection.execute('SELECT 1 FROM "{}" LIMIT 0'.format(str(name).replace('"', '""'))).close()
        except sqlite3.Error:
            continue  # its module is missing or it is damaged: a statement that uses it will say so
    return frozenset(names)


def unlock(connection: sqlite3.Connection) -> None:
    """Back to writing, for the library's own methods on a database in memory."""
    connection.set_authorizer(None)
    connection.execute("PRAGMA query_only=OFF").close()
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2**30)
