"""PostgreSQL's catalogue in a handful of statements, and samples within a time bound."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from sys import intern
from typing import TYPE_CHECKING, Any, Final

from tabulaflow_core.data.engines.postgres_columns import Columns, columns_async
from tabulaflow_core.data.profile import Candidate, Profile, Profiles
from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, SourceSchema, TableKind, TableSchema

if TYPE_CHECKING:
    import asyncpg

_LOCK_MILLISECONDS: Final = 100
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
# The comments are joined: a function call for each of 100,000 columns takes a second.
_TABLES: Final = """
SELECT c.oid, c.relname AS name, n.nspname AS schema, pg_table_is_visible(c.oid) AS visible, c.relkind::text AS kind,
       c.reltuples::float8 AS rows, coalesce(d.description, '') AS comment,
       has_table_privilege(c.oid, 'SELECT') AS whole
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = 0
WHERE c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND c.oid <> ALL ($1::oid[])
  AND has_schema_privilege(n.oid, 'USAGE')
  AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))
ORDER BY visible DESC, n.nspname, c.relname
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
_KEYS: Final = """
SELECT k.conrelid AS oid, k.contype::text AS kind, k.conkey AS columns, k.confrelid AS target,
       k.confkey AS target_columns
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


async def read_schema_async(connection: asyncpg.Connection, profiles: Profiles) -> SourceSchema:
    """All tables and views that the role may read, in every schema; those on the search path without its name."""
    foreign = [row["oid"] for row in await connection.fetch(FOREIGN)]
    tables = {row["oid"]: row for row in await connection.fetch(_TABLES, foreign)}
    columns = await columns_async(connection, tables)
    primary, pointing = _keys(await connection.fetch(_KEYS, list(tables)), columns, tables)
    candidates = {
        oid: Candidate(oid, columns.of(oid))
        for oid, row in tables.items()
        # Never analysed, or analysed when it was empty, says nothing: then the rows are counted.
        if row["kind"] != "v" and row["rows"] <= _SMALL_TABLE
    }
    # A table that somebody changes at the moment is looked into another time.
    await connection.execute(f"SET LOCAL lock_timeout = {_LOCK_MILLISECONDS}")
    for candidate in profiles.due(candidates.values()):
        row = tables[candidate.key]
        profiles.remember(candidate, await _profile_async(connection, row, columns))
    found = []
    for oid, row in tables.items():
        kind = row["kind"]
        profile = profiles.of(candidates[oid]) if oid in candidates else None
        rows = profile.rows if profile is not None else None if kind == "v" or row["rows"] < 0 else int(row["rows"])
        found.append(
            TableSchema(
                name=row["name"],
                schema=None if row["visible"] else intern(row["schema"]),
                kind=_KINDS.get(kind, "table"),
                columns=columns.of(oid) if profile is None else _with_samples(columns.of(oid), profile.samples),
                primary_key=primary.get(oid, ()),
                foreign_keys=tuple(pointing.get(oid, ())),
                row_count=rows,
                estimated=rows is not None and (profile is None or profile.estimated),
                comment=row["comment"],
            )
        )
    return SourceSchema(tables=tuple(found))


def _with_samples(
    columns: tuple[ColumnSchema, ...], samples: Mapping[str, tuple[str, ...]]
) -> tuple[ColumnSchema, ...]:
    if not any(samples.values()):
        return columns
    return tuple(
        replace(column, samples=seen) if not column.samples and (seen := samples.get(column.name)) else column
        for column in columns
    )


def _keys(
    rows: Iterable[asyncpg.Record], columns: Columns, tables: Mapping[int, asyncpg.Record]
) -> tuple[dict[int, tuple[str, ...]], dict[int, list[ForeignKey]]]:
    """Primary and foreign keys by table."""
    primary: dict[int, tuple[str, ...]] = {}
    pointing: dict[int, list[ForeignKey]] = defaultdict(list)
    names: dict[tuple[str, ...], tuple[str, ...]] = {}
    for oid, kind, numbers, target, target_numbers in rows:
        own = columns.names(oid, numbers)
        if kind == "p":
            primary[oid] = names.setdefault(own, own)  # most are `id`: one object for all
        elif target in tables:
            there = tables[target]
            schema = None if there["visible"] else there["schema"]
            pointing[oid].append(ForeignKey(own, there["name"], columns.names(target, target_numbers), schema))
    return primary, pointing


async def _profile_async(connection: asyncpg.Connection, table: asyncpg.Record, columns: Columns) -> Profile:
    """Row count and samples in one statement; a savepoint keeps the transaction when it fails."""
    import asyncpg

    name = f"{quoted(table['schema'])}.{quoted(table['name'])}"
    text = [column.name for column in columns.of(table["oid"]) if column.type in columns.told][:_SAMPLED_COLUMNS]
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
        return Profile()
    samples = {column: tuple(values or ()) for column, values in zip(text, list(row)[1:], strict=True)}
    if row[0] <= _SMALL_TABLE:
        return Profile(row[0], samples)
    return Profile(max(int(table["rows"]), row[0]), samples, estimated=True)


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
