"""SQLite's catalogue, in a handful of statements and bounded in time."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from sys import intern
from typing import Final

from tabulaflow_core.data.profile import Candidate, Profile, Profiles
from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, SourceSchema, TableSchema

#: Tables with more rows than this are estimated and not sampled.
_SMALL_TABLE: Final = 100_000
_SAMPLES: Final = 3
_SAMPLE_LENGTH: Final = 60
_SAMPLED_COLUMNS: Final = 30
#: Tables that an extension keeps for itself behind a virtual table.
_SHADOW: Final = "shadow"


def read_schema(connection: sqlite3.Connection, profiles: Profiles) -> SourceSchema:
    """All tables and views of the main database."""
    kinds = {
        name: kind
        for name, kind in connection.execute(
            "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        if kind != _SHADOW
    }
    tables = []
    for name in sorted(kinds, key=str.casefold):
        try:
            tables.append(_table(connection, name, kinds[name]))
        except sqlite3.OperationalError:
            # A view over a table that is gone, or a virtual table whose module is missing: it cannot be asked.
            continue
    candidates = {
        table.name: Candidate(table.name, tuple((column.name, column.type) for column in table.columns))
        for table in tables
        if kinds[table.name] == "table"
    }
    by_name = {table.name: table for table in tables}
    for candidate in profiles.due(candidates.values()):
        profiles.remember(candidate, _profile(connection, by_name[str(candidate.key)]))
    return SourceSchema(
        tables=tuple(
            _with_profile(table, known)
            if table.name in candidates and (known := profiles.of(candidates[table.name]))
            else table
            for table in tables
        )
    )


def _table(connection: sqlite3.Connection, name: str, kind: str) -> TableSchema:
    info = connection.execute(
        'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid', (name,)
    ).fetchall()
    return TableSchema(
        name=name,
        kind="view" if kind == "view" else "table",
        columns=tuple(
            ColumnSchema(
                name=intern(column),
                type=intern(declared or "ANY"),
                nullable=None if kind == "view" else not (required or key),
            )
            for column, declared, required, key in info
        ),
        primary_key=tuple(row[0] for row in sorted((r for r in info if r[3]), key=lambda r: r[3])),
        foreign_keys=_foreign_keys(connection, name),
    )


def _with_profile(table: TableSchema, profile: Profile) -> TableSchema:
    columns = tuple(
        replace(c, samples=profile.samples[c.name]) if c.name in profile.samples else c for c in table.columns
    )
    return replace(table, columns=columns, row_count=profile.rows, estimated=profile.estimated)


def _profile(connection: sqlite3.Connection, table: TableSchema) -> Profile:
    try:
        rows = _row_count(connection, table.name)
        if rows is None or rows > _SMALL_TABLE:
            return Profile(rows, estimated=rows is not None)
        texts = [column.name for column in table.columns if _is_text(column.type)]
        return Profile(rows, {name: _samples(connection, table.name, name) for name in texts[:_SAMPLED_COLUMNS]})
    except sqlite3.DatabaseError:
        # Damaged pages, or a module that is missing: its queries will say so, the other tables can be asked.
        return Profile()


def _foreign_keys(connection: sqlite3.Connection, name: str) -> tuple[ForeignKey, ...]:
    found: dict[int, list[tuple[str, str, str | None]]] = {}
    for key, target, column, target_column in connection.execute(
        'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq', (name,)
    ):
        found.setdefault(key, []).append((target, column, target_column))
    keys = []
    for parts in found.values():
        target = parts[0][0]
        targets = [part[2] for part in parts]
        if None in targets:  # SQLite leaves the columns out when they are the target's primary key
            primary = connection.execute("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (target,))
            targets = [row[0] for row in primary]
        keys.append(
            ForeignKey(
                columns=tuple(part[1] for part in parts),
                target_table=target,
                target_columns=tuple(column for column in targets if column is not None),
            )
        )
    return tuple(keys)


def _row_count(connection: sqlite3.Connection, name: str) -> int | None:
    """Exact for small tables; for large ones the highest rowid, which is read at once and seldom far off."""
    table = quoted(name)
    counted = connection.execute(f"SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT {_SMALL_TABLE + 1})").fetchone()[0]
    if counted <= _SMALL_TABLE:
        return int(counted)
    try:
        highest = connection.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0]
    except sqlite3.OperationalError:  # WITHOUT ROWID
        return None
    return int(highest) if isinstance(highest, int) and highest >= counted else None


def _samples(connection: sqlite3.Connection, table: str, column: str) -> tuple[str, ...]:
    name = quoted(column)
    found = connection.execute(
        f"SELECT DISTINCT {name} FROM (SELECT {name} FROM {quoted(table)} LIMIT 1000)"
        f" WHERE typeof({name}) = 'text' AND trim({name}) <> '' LIMIT {_SAMPLES}"
    )
    try:
        return tuple(value[:_SAMPLE_LENGTH] for (value,) in found)
    except sqlite3.OperationalError:  # text that is no UTF-8
        return ()


def _is_text(declared: str) -> bool:
    """By SQLite's affinity rules, with undeclared columns: sqlite.org/datatype3.html."""
    name = declared.upper()
    return name == "ANY" or any(part in name for part in ("CHAR", "CLOB", "TEXT", "STRING", "ENUM", "JSON"))


def quoted(name: str) -> str:
    """An identifier for SQL."""
    return '"' + name.replace('"', '""') + '"'
