"""PostgreSQL's catalogue in three statements, and samples within a time bound."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, SourceSchema, TableKind, TableSchema

if TYPE_CHECKING:
    import asyncpg

#: Seconds spent on row counts and samples of all tables together.
_DETAIL_SECONDS: Final = 1.5
_SMALL_TABLE: Final = 100_000
_SAMPLES: Final = 3
_SAMPLE_LENGTH: Final = 60
_SAMPLED_COLUMNS: Final = 30

ROLE_CHECK: Final = """
SELECT current_user AS role,
       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_super,
       coalesce(pg_has_role(current_user, to_regrole('pg_read_server_files')::oid, 'USAGE'), false) AS reads_files,
       coalesce(pg_has_role(current_user, to_regrole('pg_write_server_files')::oid, 'USAGE'), false) AS writes_files,
       coalesce(pg_has_role(current_user, to_regrole('pg_execute_server_program')::oid, 'USAGE'), false)
           AS runs_programs
"""
_TABLES: Final = """
SELECT c.oid, c.relname AS name, n.nspname AS schema, pg_table_is_visible(c.oid) AS visible, c.relkind AS kind,
       c.reltuples::float8 AS rows, coalesce(obj_description(c.oid, 'pg_class'), '') AS comment
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND c.oid <> ALL ($1::oid[])
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
ORDER BY NOT pg_table_is_visible(c.oid), n.nspname, c.relname
"""
# Foreign tables, the parents whose rows they hold, and the views over any of these. A materialized view keeps its rows.
FOREIGN: Final = """
WITH RECURSIVE built(base, oid) AS (
    SELECT inhrelid, inhparent FROM pg_inherits
    UNION
    SELECT d.refobjid, v.oid
    FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid JOIN pg_class v ON v.oid = w.ev_class AND v.relkind = 'v'
    WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
), reached(oid) AS (
    SELECT oid FROM pg_class WHERE relkind = 'f'
    UNION
    SELECT b.oid FROM reached r JOIN built b ON b.base = r.oid
)
SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relkind::text = 'f' AS itself,
       pg_table_is_visible(c.oid) AS visible
FROM reached JOIN pg_class c USING (oid) JOIN pg_namespace n ON n.oid = c.relnamespace ORDER BY 1, 2
"""
#: Schema and name of all that the role may read.
READABLE: Final = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
"""
_COLUMNS: Final = """
SELECT a.attrelid AS oid, a.attnum AS number, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       a.attnotnull AS required, coalesce(col_description(a.attrelid, a.attnum), '') AS comment,
       t.typcategory AS category
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = ANY($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
  AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attrelid, a.attnum
"""
_KEYS: Final = """
SELECT k.conrelid AS oid, k.contype AS kind, k.conkey AS columns, k.confrelid AS target, k.confkey AS target_columns
FROM pg_constraint k WHERE k.conrelid = ANY($1::oid[]) AND k.contype IN ('p', 'f') ORDER BY k.conname
"""
_KINDS: Final[dict[str, TableKind]] = {"v": "view", "m": "materialized_view"}


async def foreign_async(connection: asyncpg.Connection) -> dict[str, str]:
    """Relations that read another server or a file, by `name` where it needs no schema and by `schema.name`."""
    return unreadable_of(await connection.fetch(FOREIGN))


def unreadable_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The same of the rows of `FOREIGN`."""
    found = {}
    for row in rows:
        what = "is a foreign table: it reads" if row["itself"] else "is made of a foreign table, which reads"
        reason = f"{row['name']!r} {what} another server or a file, beyond this source. Connect that source itself."
        found[f"{row['schema']}.{row['name']}".lower()] = reason
        if row["visible"]:
            found[row["name"].lower()] = reason
    return found


async def read_schema_async(connection: asyncpg.Connection) -> SourceSchema:
    """All tables and views that the role may read, in every schema; those on the search path without its name."""
    foreign = [row["oid"] for row in await connection.fetch(FOREIGN)]
    tables = await connection.fetch(_TABLES, foreign)
    oids = [row["oid"] for row in tables]
    columns: dict[int, list[asyncpg.Record]] = defaultdict(list)
    for row in await connection.fetch(_COLUMNS, oids):
        columns[row["oid"]].append(row)
    keys: dict[int, list[asyncpg.Record]] = defaultdict(list)
    for row in await connection.fetch(_KEYS, oids):
        keys[row["oid"]].append(row)
    by_oid = {row["oid"]: row for row in tables}
    numbers = {oid: {row["number"]: row["name"] for row in rows} for oid, rows in columns.items()}
    deadline = time.monotonic() + _DETAIL_SECONDS
    found = []
    for row in tables:
        oid, kind = row["oid"], _text(row["kind"])
        count = None if kind == "v" or row["rows"] < 0 else int(row["rows"])
        samples: dict[str, tuple[str, ...]] = {}
        # Never analysed, or analysed when it was empty, says nothing: then the rows are counted.
        if kind != "v" and (count is None or count <= _SMALL_TABLE) and time.monotonic() < deadline:
            count, samples = await _details_async(connection, row, columns[oid])
        found.append(
            TableSchema(
                name=row["name"],
                schema=None if row["visible"] else row["schema"],
                kind=_KINDS.get(kind, "table"),
                columns=tuple(_column(column, samples, view=kind in "vm") for column in columns[oid]),
                primary_key=tuple(
                    numbers[oid].get(number, "?")
                    for key in keys[oid]
                    if _text(key["kind"]) == "p"
                    for number in key["columns"]
                ),
                foreign_keys=tuple(
                    _foreign_key(key, numbers, by_oid)
                    for key in keys[oid]
                    if _text(key["kind"]) == "f" and key["target"] in numbers
                ),
                row_count=count,
                comment=row["comment"],
            )
        )
    return SourceSchema(tables=tuple(found))


def _text(value: str | bytes) -> str:
    """PostgreSQL's one-byte type comes as bytes."""
    return value.decode() if isinstance(value, bytes) else value


def _column(row: asyncpg.Record, samples: dict[str, tuple[str, ...]], *, view: bool) -> ColumnSchema:
    return ColumnSchema(
        name=row["name"],
        type=row["type"],
        nullable=None if view else not row["required"],
        comment=row["comment"],
        samples=samples.get(row["name"], ()),
    )


def _foreign_key(
    key: asyncpg.Record, numbers: dict[int, dict[int, str]], by_oid: dict[int, asyncpg.Record]
) -> ForeignKey:
    target = by_oid[key["target"]]
    return ForeignKey(
        columns=tuple(numbers[key["oid"]].get(number, "?") for number in key["columns"]),
        target_table=target["name"],
        target_columns=tuple(numbers[key["target"]].get(number, "?") for number in key["target_columns"]),
        target_schema=None if target["visible"] else target["schema"],
    )


async def _details_async(
    connection: asyncpg.Connection, table: asyncpg.Record, columns: list[asyncpg.Record]
) -> tuple[int | None, dict[str, tuple[str, ...]]]:
    """Row count and samples in one statement; a savepoint keeps the transaction when it fails."""
    import asyncpg

    name = f"{quoted(table['schema'])}.{quoted(table['name'])}"
    # Texts, enumerations and arrays, and JSON, whose inner keys a query needs.
    text = [row["name"] for row in columns if _text(row["category"]) in "SEA" or row["type"] in ("json", "jsonb")][
        :_SAMPLED_COLUMNS
    ]
    parts = [f"(SELECT count(*) FROM (SELECT 1 FROM {name} LIMIT {_SMALL_TABLE + 1}) c)"]
    for column in map(quoted, text):
        parts.append(
            f"(SELECT array_agg(v) FROM (SELECT DISTINCT left({column}::text, {_SAMPLE_LENGTH}) AS v FROM"
            f" (SELECT {column} FROM {name} LIMIT 1000) s WHERE trim({column}::text) <> '' LIMIT {_SAMPLES}) d)"
        )
    await connection.execute("SAVEPOINT details")
    try:
        row = await connection.fetchrow(f"SELECT {', '.join(parts)}")
    except asyncpg.PostgresError:  # such as a column that the role may not read: there are no details, that is all
        await connection.execute("ROLLBACK TO SAVEPOINT details")
        return None, {}
    count = row[0] if row[0] <= _SMALL_TABLE else max(int(table["rows"]), row[0])
    return count, {column: tuple(values or ()) for column, values in zip(text, list(row)[1:], strict=True)}


def quoted(name: str) -> str:
    """An identifier for SQL."""
    return '"' + name.replace('"', '""') + '"'


def role_notices(row: Mapping[str, object] | None) -> tuple[str, ...]:
    """What the role may do beyond reading tables, by the row of `ROLE_CHECK`."""
    if row is None:
        return ()
    if row["is_super"]:
        return (
            f"The user {row['role']!r} is a superuser: it may read files of the database server and run programs "
            "there. Queries are checked and run read-only, but a role that may only read tables is safer.",
        )
    powers = [
        words
        for name, words in (
            ("reads_files", "read files of the database server"),
            ("writes_files", "write files of the database server"),
            ("runs_programs", "run programs on the database server"),
        )
        if row[name]
    ]
    if not powers:
        return ()
    return (f"The user {row['role']!r} may {' and '.join(powers)}. A role that may only read tables is safer.",)
