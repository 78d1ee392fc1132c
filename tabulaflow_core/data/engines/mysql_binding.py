"""Values bound in the server: its own PREPARE and EXECUTE, since the driver would write them into the statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tabulaflow_core.data.engines.mysql_connection import Connection

_NAME: Final = "tabulaflow_statement"


def prepare(connection: Connection, sql: str, values: Sequence[str]) -> str:
    """Prepare a statement, and give the text that runs it with `values` for its `?`.

    The statement and the values travel as hexadecimal digits into variables of the session, so that there is nothing
    in them that the server could read as SQL; both are gone when the session is reset for the next statement.

    Raises:
        DriverError: The server cannot compile the statement.
    """
    names = [f"@tabulaflow_{number}" for number in range(len(values))]
    told = [f"@tabulaflow_sql = {_digits(sql)}", *(f"{n} = {_digits(v)}" for n, v in zip(names, values, strict=True))]
    with connection.cursor() as cursor:
        cursor.execute(f"SET {', '.join(told)}")
        cursor.execute(f"PREPARE {_NAME} FROM @tabulaflow_sql")
    return f"EXECUTE {_NAME} USING {', '.join(names)}"


def _digits(text: str) -> str:
    return f"CONVERT(X'{text.encode().hex()}' USING utf8mb4)"
