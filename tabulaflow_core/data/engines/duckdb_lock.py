"""A DuckDB instance that can read the databases given to it and nothing else.

Three settings close it, in this order, before the configuration itself is locked:

* `enable_external_access=false` stops files, network, ATTACH and extensions, but leaves the temporary folder
  writable to `COPY` and the attached files readable to `read_blob` (seen with DuckDB 2.0.1);
* `disabled_filesystems='LocalFileSystem'` closes those too. The price is that nothing can spill to disk, so a
  query that needs more than the memory limit fails and says so;
* `lock_configuration=true` keeps it so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tabulaflow_core.errors import SourceUnavailable

if TYPE_CHECKING:
    import duckdb

_MEGABYTE: Final = 1024 * 1024
#: Share of the machine's memory that one source may use, and the bounds of that share in megabytes. One statement
#: stays under a gigabyte, whatever it asks for: many sources share the machine.
_MEMORY_SHARE: Final = 0.4
_LEAST_MB, _MOST_MB = 512, 768


def memory_limit_mb() -> int:
    """Megabytes that one instance may use."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MEGABYTE
    except (AttributeError, OSError, ValueError):
        return 2048
    return max(_LEAST_MB, min(_MOST_MB, int(total * _MEMORY_SHARE)))


def instance_config() -> dict[str, str | int | bool]:
    """Settings that every instance starts with."""
    return {
        "threads": max(1, min(4, os.cpu_count() or 1)),
        "memory_limit": f"{memory_limit_mb()}MB",
        "temp_directory": "",
        "max_temp_directory_size": "0MB",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_unsigned_extensions": False,
        "allow_persistent_secrets": False,
    }


def quote(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """An SQL string."""
    return "'" + text.replace("'", "''") + "'"


def run(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[object, ...]]:
    """Execute and fetch everything: DuckDB keeps a result open until it is fetched."""
    rows: list[tuple[object, ...]] = connection.execute(sql).fetchall()
    return rows


def open_locked(databases: Mapping[str, Path], *, memory_mb: int | None = None) -> duckdb.DuckDBPyConnection:
    """An instance in memory with each file attached read-only under its alias, then locked.

    Raises:
        SourceUnavailable: A file is missing, in use, or no DuckDB database.
    """
    import duckdb

    config = instance_config()
    if memory_mb is not None:
        config["memory_limit"] = f"{memory_mb}MB"
    connection = duckdb.connect(":memory:", config=config)
    try:
        run(connection, "SET GLOBAL TimeZone = 'UTC'")
        for alias, path in databases.items():
            attach(connection, alias, path)
        return connection
    except BaseException:
        connection.close()
        raise


def lock(connection: duckdb.DuckDBPyConnection) -> None:
    """Close the instance for good; nothing can be attached or set afterwards."""
    run(connection, "SET enable_external_access = false")
    run(connection, "SET disabled_filesystems = 'LocalFileSystem'")
    run(connection, "SET lock_configuration = true")


def attach(connection: duckdb.DuckDBPyConnection, alias: str, path: Path) -> None:
    """Attach one file read-only.

    Raises:
        SourceUnavailable: With a sentence that tells the causes apart.
    """
    import duckdb

    if not os.path.isfile(path):  # `Path.is_file` raises where the folder may not be entered
        what = "is a folder, not a database file" if os.path.isdir(path) else "is not there, or its folder is closed"
        raise SourceUnavailable(f"The DuckDB file {path.name!r} {what}. Check the path.")
    try:
        run(connection, f"ATTACH {literal(str(path))} AS {quote(alias)} (READ_ONLY, TYPE duckdb)")
    except duckdb.Error as error:
        raise unavailable(path, error) from None


def unavailable(path: Path, error: Exception) -> SourceUnavailable:
    """What a failed ATTACH means."""
    text = str(error)
    folded = text.casefold()
    name = path.name
    if "set lock" in folded or "conflicting lock" in folded or "unique file handle" in folded or "already" in folded:
        reason = f"{name!r} is open for writing in another program. Close it there, or connect a copy of the file."
    elif "not a valid duckdb" in folded or "magic" in folded or "not a database" in folded:
        reason = f"{name!r} is not a DuckDB database. If it is a CSV or Excel file, add it as a file instead."
    elif "encrypt" in folded or "decrypt" in folded:
        reason = f"{name!r} is encrypted and cannot be opened. Connect an unencrypted copy."
    elif "version" in folded or "serializ" in folded:
        reason = f"{name!r} was written by a version of DuckDB not known here. Export it with DuckDB 1.0 or newer."
    elif "permission" in folded:
        reason = f"{name!r} may not be read. Check the permissions of the file."
    else:
        reason = f"{name!r} cannot be opened; it may be damaged. Restore it from a copy."
    return SourceUnavailable(f"The DuckDB file {reason}", detail=text)
