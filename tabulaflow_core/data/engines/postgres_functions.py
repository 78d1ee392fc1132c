"""The functions of a PostgreSQL database that a statement calls, with what they run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.guard.bodies import StoredFunction, names_called

if TYPE_CHECKING:
    from asyncpg import Connection

#: How far functions that call functions are followed, and how many are looked at.
_ROUNDS: Final = 3
_MOST: Final = 200
#: All of some names, in whatever schema. The text is given where it is all that runs: one in SQL, with its owner's
#: rights only where the owner is the caller, of types that run no code of a user (numbers below 16384 are
#: PostgreSQL's own; an enum or a list of such types runs none).
_FUNCTIONS: Final = """
    SELECT p.proname, n.nspname,
        CASE WHEN l.lanname = 'sql' AND p.prokind = 'f' AND NOT p.prosecdef AND p.proconfig IS NULL AND NOT EXISTS (
            SELECT FROM unnest(array_append(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.prorettype)) AS a(oid)
            JOIN pg_type t ON t.oid = a.oid LEFT JOIN pg_type e ON e.oid = t.typelem
            WHERE t.oid >= 16384 AND t.typtype <> 'e' AND NOT (t.typlen = -1 AND (e.oid < 16384 OR e.typtype = 'e'))
        ) THEN coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) END,
        CASE WHEN p.pronargdefaults > 0 THEN pg_get_expr(p.proargdefaults, 0) END
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
    WHERE p.oid >= 16384 AND lower(p.proname) = ANY($1::text[]) LIMIT 200
"""
_PLACE: Final = re.compile(r"\$(\d+)")
_RETURN: Final = re.compile(r"^\s*RETURN\b", re.IGNORECASE)


async def stored_functions_async(connection: Connection, sql: str) -> tuple[StoredFunction, ...]:
    """Those that `sql` calls, and those that these call; none where there are too many to look at.

    Args:
        connection: In the transaction that reads.
        sql: A statement.
    """
    found: list[StoredFunction] = []
    asked: set[str] = set()
    names = set(names_called(sql))
    for _ in range(_ROUNDS):
        rows = await connection.fetch(_FUNCTIONS, sorted(names)) if names else []
        asked |= names
        found += [StoredFunction(str(name), str(schema), _body(text, default)) for name, schema, text, default in rows]
        if len(rows) >= _MOST:
            return ()
        names = {name for f in found if f.body for name in names_called(f.body)} - asked
    return tuple(found)


def _body(text: str | None, default: str | None) -> str | None:
    """The query of a function, its arguments as columns and what it takes for those left out beside it."""
    if text is None:
        return None
    query = _RETURN.sub("SELECT", text).strip().rstrip("; \n")
    if default:
        query = f"SELECT ({query}) FROM (SELECT {default}) AS given"
    query = _PLACE.sub(r"p\1", query)
    # With quotes of the form $$…$$ the change could move the end of a literal; inside a plain one it does no harm.
    return None if "$" in query else query
