"""MariaDB's and MySQL's catalogue in three statements, and samples within a time bound."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from tabulaflow_core.data.profile import Candidate, Profile, Profiles
from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, SourceSchema, TableSchema

if TYPE_CHECKING:
    from tabulaflow_core.data.engines.mysql_connection import Connection

_SMALL_TABLE: Final = 100_000
_SAMPLES: Final = 3
_SAMPLE_LENGTH: Final = 60
_SAMPLED_COLUMNS: Final = 30
_POWERS: Final = re.compile(r"GRANT (?P<rights>.*) ON \*\.\* TO", re.IGNORECASE)
_TEXTS: Final = ("char", "varchar", "text", "tinytext", "mediumtext", "longtext", "enum", "set", "json")

# The database of the URL, or every one but the server's own when the URL names none.
_HERE: Final = (
    "table_schema = coalesce(database(), table_schema)"
    " AND table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')"
)
_TABLES: Final = f"""
SELECT table_schema, table_name, table_type, table_rows, table_comment, table_schema <=> database()
FROM information_schema.tables
WHERE {_HERE} AND table_type IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') ORDER BY table_schema, table_name
"""
_COLUMNS: Final = f"""
SELECT table_schema, table_name, column_name, column_type, is_nullable, column_comment, data_type
FROM information_schema.columns WHERE {_HERE} ORDER BY table_schema, table_name, ordinal_position
"""
_KEYS: Final = f"""
SELECT table_schema, table_name, constraint_name, column_name, referenced_table_schema, referenced_table_name,
       referenced_column_name
FROM information_schema.key_column_usage
WHERE {_HERE} AND (constraint_name = 'PRIMARY' OR referenced_table_name IS NOT NULL)
ORDER BY table_schema, table_name, constraint_name, ordinal_position
"""

Row = tuple[Any, ...]


def read_schema(connection: Connection, profiles: Profiles) -> SourceSchema:
    """All tables and views of the database, or of every database when the URL names none."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        tables: list[Row] = list(cursor.fetchall())
        columns: dict[tuple[str, str], list[Row]] = defaultdict(list)
        cursor.execute(_COLUMNS)
        for schema, table, *rest in cursor.fetchall():
            columns[schema, table].append(tuple(rest))
        keys: dict[tuple[str, str], list[Row]] = defaultdict(list)
        cursor.execute(_KEYS)
        for schema, table, *rest in cursor.fetchall():
            keys[schema, table].append(tuple(rest))
    estimates = {(row[0], row[1]): None if row[3] is None or row[2] == "VIEW" else int(row[3]) for row in tables}
    candidates = {
        (row[0], row[1]): Candidate((row[0], row[1]), tuple((c[0], c[1]) for c in columns[row[0], row[1]]))
        for row in tables
        if row[2] != "VIEW" and (estimates[row[0], row[1]] or 0) <= _SMALL_TABLE
    }
    with connection.cursor() as cursor:  # a table that somebody changes at the moment is looked into another time
        cursor.execute("SET SESSION lock_wait_timeout = 1")
    for candidate in profiles.due(candidates.values()):
        place: tuple[str, str] = candidate.key  # type: ignore[assignment]
        profiles.remember(candidate, _profile(connection, *place, columns[place], estimates[place]))
    found = []
    for row in tables:
        place = row[0], row[1]
        known = profiles.of(candidates[place]) if place in candidates else None
        found.append(_table(row, columns[place], keys[place], known or Profile(estimates[place], estimated=True)))
    return SourceSchema(tables=tuple(found))


def _table(row: Row, columns: list[Row], keys: list[Row], profile: Profile) -> TableSchema:
    schema, name, kind, _, comment, is_here = row
    view = kind == "VIEW"
    return TableSchema(
        name=name,
        schema=None if is_here == "1" else schema,
        kind="view" if view else "table",
        columns=tuple(
            ColumnSchema(
                name=column,
                type=declared,
                nullable=None if view else nullable == "YES",
                comment=note,
                samples=profile.samples.get(column, ()),
            )
            for column, declared, nullable, note, _ in columns
        ),
        primary_key=tuple(key[1] for key in keys if key[0] == "PRIMARY"),
        foreign_keys=_foreign_keys(keys, schema if is_here == "1" else None),
        row_count=profile.rows,
        estimated=profile.estimated and profile.rows is not None,
        comment="" if view else comment,
    )


def _foreign_keys(keys: list[Row], here: str | None) -> tuple[ForeignKey, ...]:
    found: dict[str, list[Row]] = defaultdict(list)
    for key in keys:
        if key[3] is not None:
            found[key[0]].append(key)
    return tuple(
        ForeignKey(
            columns=tuple(part[1] for part in parts),
            target_table=parts[0][3],
            target_columns=tuple(part[4] for part in parts),
            target_schema=None if parts[0][2] == here else parts[0][2],
        )
        for parts in found.values()
    )


def _profile(connection: Connection, schema: str, table: str, columns: list[Row], estimate: int | None) -> Profile:
    import pymysql

    name = f"{quoted(schema)}.{quoted(table)}"
    samples: dict[str, tuple[str, ...]] = {}
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM (SELECT 1 FROM {name} LIMIT {_SMALL_TABLE + 1}) c")
            counted = int(cursor.fetchone()[0])
            for column in [row[0] for row in columns if row[4] in _TEXTS][:_SAMPLED_COLUMNS]:
                cursor.execute(
                    f"SELECT DISTINCT left({quoted(column)}, {_SAMPLE_LENGTH}) FROM"
                    f" (SELECT {quoted(column)} FROM {name} LIMIT 1000) s"
                    f" WHERE trim({quoted(column)}) <> '' LIMIT {_SAMPLES}"
                )
                samples[column] = tuple(str(value) for (value,) in cursor.fetchall())
    except pymysql.err.MySQLError:  # such as a damaged table: it has no details, that is all
        return Profile(estimate, estimated=True)
    if counted <= _SMALL_TABLE:
        return Profile(counted, samples)
    return Profile(max(counted, estimate or 0), samples, estimated=True)


def quoted(name: str) -> str:
    """An identifier for SQL."""
    return "`" + name.replace("`", "``") + "`"


def grant_notices(lines: Sequence[str], user: str) -> tuple[str, ...]:
    """What the user may do beyond reading tables, by the lines of SHOW GRANTS."""
    rights = {
        right.strip().upper()
        for line in lines
        if (found := _POWERS.match(line))
        for right in found["rights"].split(",")
    }
    if rights & {"ALL PRIVILEGES", "SUPER"}:
        what = "may do everything on the server, also read and write its files"
    elif "FILE" in rights:
        what = "may read and write files of the database server"
    else:
        return ()
    return (f"The user {user!r} {what}. Queries are checked and run read-only, but a user with SELECT only is safer.",)
