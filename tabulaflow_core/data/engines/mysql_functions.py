"""The functions of a MariaDB or MySQL server that a statement calls, with what they run."""

from __future__ import annotations

import re
from typing import Final

from tabulaflow_core.data.engines.mysql_connection import Connection
from tabulaflow_core.data.guard.bodies import StoredFunction, names_called

_ROUNDS: Final = 3
_MOST: Final = 200
#: All of some names, in whatever database.
_FUNCTIONS: Final = """
    SELECT routine_name, routine_schema, routine_definition, sql_mode FROM information_schema.routines
    WHERE routine_type = 'FUNCTION' AND sql_data_access <> 'MODIFIES SQL DATA' AND lower(routine_name) IN ({names})
    UNION ALL SELECT routine_name, routine_schema, NULL, '' FROM information_schema.routines
    WHERE routine_type = 'FUNCTION' AND sql_data_access = 'MODIFIES SQL DATA' AND lower(routine_name) IN ({names})
    LIMIT 200
"""
_RETURN: Final = re.compile(
    r"^\s*(?:BEGIN\s+RETURN\s+(?P<inner>.*?)\s*;\s*END|RETURN\s+(?P<plain>.*?))\s*;?\s*$", re.I | re.S
)


def stored_functions(connection: Connection, sql: str, other_syntax: frozenset[str]) -> tuple[StoredFunction, ...]:
    """Those that `sql` calls, and those that these call; none where there are too many to look at.

    Args:
        connection: In a session that reads.
        sql: A statement.
        other_syntax: Modes under which the server reads a text otherwise than the parser; a function keeps the mode it
            was made in.
    """
    found: list[StoredFunction] = []
    asked: set[str] = set()
    names = set(names_called(sql))
    with connection.cursor() as cursor:
        for _ in range(_ROUNDS):
            if not names:
                break
            places = ", ".join(["%s"] * len(names))
            cursor.execute(_FUNCTIONS.format(names=places), [*sorted(names), *sorted(names)])
            rows = cursor.fetchall()
            asked |= names
            if len(rows) >= _MOST:
                return ()
            for name, schema, text, modes in rows:
                body = None if set(str(modes).split(",")) & other_syntax else _body(text)
                found.append(StoredFunction(str(name), str(schema), body))
            names = {name for f in found if f.body for name in names_called(f.body)} - asked
    return tuple(found)


def _body(text: object) -> str | None:
    """The query of a function that is one RETURN; its arguments stand in it as columns."""
    match = _RETURN.match(str(text)) if text else None
    return f"SELECT {match['inner'] or match['plain']}" if match else None
