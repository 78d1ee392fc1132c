"""MariaDB's and MySQL's catalogue in four statements, and samples within a time bound."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tabulaflow_core.data.profile import Candidate, Profile, Profiles
from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, SourceSchema, TableSchema

if TYPE_CHECKING:
    from tabulaflow_core.data.engines.mysql_connection import Connection

_SMALL_TABLE: Final = 100_000
_SAMPLES: Final = 3
_SAMPLE_LENGTH: Final = 60
_SAMPLED_COLUMNS: Final = 30
#: Seconds for each of the two questions for which the server opens every table. One that nobody used since it started
#: is read from the disk first: ten seconds for some thousand tables. What is open stays so until the next time.
_OPENING_SECONDS: Final = 1.0
#: It was stopped by that limit: of MariaDB and of MySQL.
_TIME_IS_UP: Final = (1969, 3024)
_POWERS: Final = re.compile(r"GRANT (?P<rights>.*) ON \*\.\* TO", re.IGNORECASE)
_TEXTS: Final = ("char", "varchar", "text", "tinytext", "mediumtext", "longtext", "enum", "set", "json")

# The database of the URL, or every one but the server's own when the URL names none.
_HERE: Final = (
    "table_schema = coalesce(database(), table_schema)"
    " AND table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')"
)
_TABLES: Final = f"""
SELECT table_schema, table_name, table_type, table_comment, table_schema <=> database()
FROM information_schema.tables
WHERE {_HERE} AND table_type IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') ORDER BY table_schema, table_name
"""
_ESTIMATES: Final = f"""
SELECT table_schema, table_name, table_rows FROM information_schema.tables WHERE {_HERE} AND table_type <> 'VIEW'
"""
_COLUMNS: Final = f"""
SELECT table_schema, table_name, column_name, column_type, is_nullable, column_comment, data_type, column_key
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
Place = tuple[str, str]


@dataclass(slots=True)
class Opened:
    """What a server tells of tables that it has opened, as of the last time that it was quick enough.

    Attributes:
        keys: Primary and foreign keys; None when they were never told.
        estimates: Rows by schema and table.
        behind: It was too slow the last time, so that some of it may be old or missing.
    """

    keys: list[Row] | None = None
    estimates: dict[Place, int] = field(default_factory=dict)
    behind: bool = False

    def read(self, connection: Connection) -> None:
        """Renew it, as far as the server tells it in time."""
        keys = _in_time(connection, _KEYS)
        rows = None if keys is None else _in_time(connection, _ESTIMATES)
        self.behind = rows is None
        if keys is not None:
            self.keys = keys
        if rows is not None:
            self.estimates = {(schema, name): int(count) for schema, name, count in rows if count is not None}


def read_schema(connection: Connection, profiles: Profiles, opened: Opened) -> SourceSchema:
    """All tables and views of the database, or of every database when the URL names none.

    Args:
        connection: Locked to reading.
        profiles: What is known of the tables already; is added to.
        opened: The same of their keys and rows.
    """
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        tables: list[Row] = list(cursor.fetchall())
        columns: dict[tuple[str, str], list[Row]] = defaultdict(list)
        cursor.execute(_COLUMNS)
        for schema, table, *rest in cursor.fetchall():
            columns[schema, table].append(tuple(rest))
    opened.read(connection)
    estimates = opened.estimates
    keys: dict[Place, list[Row]] = defaultdict(list)
    for schema, table, *rest in opened.keys or ():
        keys[schema, table].append(tuple(rest))
    candidates = {
        (row[0], row[1]): Candidate((row[0], row[1]), tuple((c[0], c[1]) for c in columns[row[0], row[1]]))
        for row in tables
        if row[2] != "VIEW" and estimates.get((row[0], row[1]), 0) <= _SMALL_TABLE
    }
    with connection.cursor() as cursor:  # a table that somebody changes at the moment is looked into another time
        cursor.execute("SET SESSION lock_wait_timeout = 1")
    for candidate in profiles.due(candidates.values()):
        place: tuple[str, str] = candidate.key  # type: ignore[assignment]
        profiles.remember(candidate, _profile(connection, *place, columns[place], estimates.get(place)))
    found = []
    for row in tables:
        place = row[0], row[1]
        known = profiles.of(candidates[place]) if place in candidates else None
        found.append(_table(row, columns[place], keys[place], known or Profile(estimates.get(place), estimated=True)))
    return SourceSchema(tables=tuple(found))


def _in_time(connection: Connection, sql: str) -> list[Row] | None:
    """The rows of a question to the catalogue; None when the server did not come to an end."""
    import pymysql

    milliseconds = "mariadb" not in connection.get_server_info().lower()
    limit = "max_execution_time" if milliseconds else "max_statement_time"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT @@SESSION.{limit}")
        (usual,) = cursor.fetchone()
        cursor.execute(f"SET SESSION {limit} = {_OPENING_SECONDS * 1000 if milliseconds else _OPENING_SECONDS:g}")
        try:
            cursor.execute(sql)
            return list(cursor.fetchall())
        except pymysql.err.MySQLError as error:
            if error.args[0] not in _TIME_IS_UP:
                raise
            return None
        finally:
            cursor.execute(f"SET SESSION {limit} = {usual}")


def _table(row: Row, columns: list[Row], keys: list[Row], profile: Profile) -> TableSchema:
    schema, name, kind, comment, is_here = row
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
            for column, declared, nullable, note, *_ in columns
        ),
        # While the server has not told the keys, by the columns themselves: those of one key in the table's order.
        primary_key=tuple(key[1] for key in keys if key[0] == "PRIMARY")
        or tuple(c[0] for c in columns if c[5] == "PRI"),
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
