"""What PostgreSQL's READ ONLY transaction leaves open and can be looked up before a statement runs: types of a user,
and fields of a row that are functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import EngineFault

if TYPE_CHECKING:
    from asyncpg import Connection

#: Of each name: whether the type, or one that it is made of, runs code of a user when a value is cast to it. Objects
#: with numbers below 16384 are PostgreSQL's own, and dependencies on them are not recorded: docs, "System Catalogs".
_RUNS_CODE: Final = """
    WITH RECURSIVE part(name, oid) AS (
        SELECT name, to_regtype(name)::oid FROM unnest($1::text[]) AS given(name)
        UNION
        SELECT part.name, inner_type.oid FROM part JOIN pg_type t ON t.oid = part.oid,
        LATERAL (
            SELECT t.typbasetype AS oid WHERE t.typbasetype <> 0
            UNION SELECT t.typelem WHERE t.typelem <> 0
            UNION SELECT a.atttypid FROM pg_attribute a
                WHERE a.attrelid = t.typrelid AND t.typrelid <> 0 AND a.attnum > 0 AND NOT a.attisdropped
            UNION SELECT r.rngsubtype FROM pg_range r WHERE t.oid IN (r.rngtypid, r.rngmultitypid)
        ) AS inner_type
    )
    SELECT DISTINCT part.name FROM part JOIN pg_type t ON t.oid = part.oid
    WHERE (t.typtype = 'b' AND t.typinput::oid >= 16384)
    OR EXISTS (
        SELECT FROM pg_constraint c JOIN pg_depend d ON d.classid = 'pg_constraint'::regclass AND d.objid = c.oid
        WHERE c.contypid = t.oid AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
        AND d.refobjid >= 16384
    )
    OR EXISTS (SELECT FROM pg_range r WHERE t.oid IN (r.rngtypid, r.rngmultitypid) AND r.rngcanonical::oid >= 16384)
    ORDER BY 1
"""

#: Which fields of a row share their name with a function or a type of a user, or with a function of PostgreSQL that is
#: not among those given: `(o).f` would call it where o has no column of that name.
_CALLED_BY_FIELD: Final = """
    SELECT proname FROM pg_proc WHERE proname = ANY($1::text[]) AND pronargs > 0
    AND (oid >= 16384 OR NOT proname = ANY($2::text[]))
    UNION SELECT typname FROM pg_type WHERE typname = ANY($1::text[]) AND oid >= 16384
    ORDER BY 1
"""


async def refuse_calls_by_field_async(connection: Connection, sql: str) -> None:
    """See that no `(o).f` of a statement calls a function f(o) in place of reading a column.

    Args:
        connection: In the transaction that will run the statement.
        sql: A statement that the guard allowed.

    Raises:
        EngineFault: It might.
    """
    from tabulaflow_core.data.guard.functions import scalars
    from tabulaflow_core.data.guard.types import row_fields

    fields = row_fields(sql)
    found = await connection.fetch(_CALLED_BY_FIELD, list(fields), list(scalars("postgres"))) if fields else []
    if found:
        field = str(found[0][0])
        raise EngineFault(
            FailureKind.REFUSED,
            f"(…).{field} may call a function of the database on the whole row; write the column without parentheses.",
        )


async def refuse_code_in_types_async(connection: Connection, sql: str) -> None:
    """See that no cast of a statement runs code of a user: an enum does not, a domain may.

    Args:
        connection: In the transaction that will run the statement, so that names mean the same.
        sql: A statement that the guard allowed.

    Raises:
        EngineFault: A type does.
    """
    from tabulaflow_core.data.guard.types import cast_types

    names = cast_types(sql)
    if not names:
        return
    found = [str(name) for (name,) in await connection.fetch(_RUNS_CODE, list(names))]
    if found:
        raise EngineFault(
            FailureKind.REFUSED,
            f"A cast to {found[0]} runs code of the database. Compare with the value itself, without the cast.",
        )
