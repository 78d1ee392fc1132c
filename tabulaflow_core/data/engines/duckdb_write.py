"""Writing a DataFrame into a DuckDB file: the one way that data changes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import EngineFault, IfExists
from tabulaflow_core.data.engines.duckdb_lock import instance_config, quote, run, unavailable


def create_database(path: Path) -> None:
    """Make an empty database when there is no file.

    Raises:
        SourceUnavailable: The folder is missing or not writable.
    """
    import duckdb

    if path.exists():
        return
    try:
        duckdb.connect(str(path), config=instance_config()).close()
    except duckdb.Error as error:
        raise unavailable(path, error) from None


def write_table(path: Path, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
    """Create or fill a table in one transaction.

    Raises:
        EngineFault: DuckDB refused the rows; the file is as before.
        SourceUnavailable: The file cannot be opened for writing.
    """
    import duckdb

    try:
        connection = duckdb.connect(str(path), config=instance_config())
    except duckdb.Error as error:
        raise unavailable(path, error) from None
    try:
        connection.register("incoming_rows", rows)
        run(connection, "BEGIN")
        if if_exists == "replace":
            run(connection, f"DROP TABLE IF EXISTS main.{quote(table)}")
        if if_exists == "append" and _exists(connection, table):
            run(connection, f"INSERT INTO main.{quote(table)} BY NAME SELECT * FROM incoming_rows")
        else:
            run(connection, f"CREATE TABLE main.{quote(table)} AS SELECT * FROM incoming_rows")
        run(connection, "COMMIT")
    except duckdb.Error as error:
        message = str(error).split("\n", 1)[0].replace(str(path), path.name)  # where it lies is nobody's business
        raise EngineFault(FailureKind.FAILED, message) from None
    finally:
        connection.close()


def _exists(connection: object, table: str) -> bool:
    found = connection.execute(  # type: ignore[attr-defined]
        "SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'main' AND lower(table_name) = lower(?)", [table]
    ).fetchall()
    return bool(found[0][0])
