"""Tables of a DuckDB instance: columns, keys, comments, exact row counts and sample values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from sys import intern
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.engines.duckdb_lock import literal, quote, run
from tabulaflow_core.data.profile import Candidate, Profile, Profiles
from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, SourceSchema, TableKind, TableSchema

if TYPE_CHECKING:
    import duckdb

_SAMPLED_ROWS: Final = 200
_SAMPLES: Final = 3
_SAMPLE_CHARS: Final = 40

#: Catalog, schema, table.
Place = tuple[str, str, str]


def read_schema(
    connection: duckdb.DuckDBPyConnection,
    catalogs: Sequence[str],
    profiles: Profiles,
    *,
    hidden: Collection[Place] = (),
    kind: TableKind = "table",
    single: bool,
) -> SourceSchema:
    """The tables and views of `catalogs`, in that order.

    Args:
        hidden: Views that are not offered.
        kind: What tables are called.
        single: There is one user's file: its schemas are named without the catalog.
    """
    wanted = ", ".join(literal(c) for c in catalogs)
    if not wanted:
        return SourceSchema()
    columns = _columns(connection, wanted)
    primary, foreign = _keys(connection, wanted)
    places: list[tuple[Place, TableKind, int | None, str]] = []
    for catalog, schema, table, count, comment in run(
        connection,
        "SELECT database_name, schema_name, table_name, estimated_size, comment FROM duckdb_tables() "
        f"WHERE NOT internal AND database_name IN ({wanted})",
    ):
        places.append(((str(catalog), str(schema), str(table)), kind, int(str(count)), str(comment or "")))
    for catalog, schema, view, comment in run(
        connection,
        "SELECT database_name, schema_name, view_name, comment FROM duckdb_views() "
        f"WHERE NOT internal AND database_name IN ({wanted})",
    ):
        shown: TableKind = "file" if kind == "file" else "view"
        places.append(((str(catalog), str(schema), str(view)), shown, None, str(comment or "")))
    order = {catalog: index for index, catalog in enumerate(catalogs)}
    places.sort(key=lambda p: (order[p[0][0]], p[0][1] != "main", p[0][1:]))
    unseen = frozenset(hidden)
    places = [place for place in places if place[0] not in unseen]
    candidates = {
        place: Candidate(place, tuple((name, type_) for name, type_, _, _ in columns[place]))
        for place, shown, count, _ in places
        if shown != "view" and count != 0
    }
    for candidate in profiles.due(candidates.values()):
        profiles.remember(candidate, _profile(connection, candidate.key, counted=kind != "file"))  # type: ignore[arg-type]
    tables = []
    taken: set[str] = set()
    namespaces = {place: _namespace(place, taken, single=single) for place, *_ in places}
    for place, shown, count, comment in places:
        namespace = namespaces[place]
        profile = (profiles.of(candidates[place]) if place in candidates else None) or Profile()
        samples, rows = profile.samples, profile.rows if profile.rows is not None else count
        tables.append(
            TableSchema(
                name=place[2],
                columns=tuple(
                    ColumnSchema(name, type_, nullable, note, samples.get(name, ()))
                    for name, type_, nullable, note in columns[place]
                ),
                schema=namespace,
                catalog=place[0] if _is_pair(place, single=single) else None,
                kind=shown,
                primary_key=primary.get(place, ()),
                foreign_keys=tuple(
                    replace(  # it has no others
                        key,
                        target_schema=namespaces.get((*place[:2], key.target_table)),
                        target_catalog=place[0] if _is_pair(place, single=single) else None,
                    )
                    for key in foreign[place]
                ),
                row_count=rows,
                estimated=bool(count) and kind != "file" and profile.rows is None,
                comment=comment,
            )
        )
    return SourceSchema(tuple(tables))


def _namespace(place: Place, taken: set[str], *, single: bool) -> str | None:
    """What to write before the table's name; None for the first of its name in a main schema."""
    catalog, schema, table = place
    if schema == "main":
        if table.casefold() not in taken:
            taken.add(table.casefold())
            return None
        return catalog
    return f"{catalog}.{schema}" if _is_pair(place, single=single) else schema


def _is_pair(place: Place, *, single: bool) -> bool:
    """Whether the database stands before the schema."""
    return place[1] != "main" and not single


def _columns(
    connection: duckdb.DuckDBPyConnection, wanted: str
) -> dict[Place, list[tuple[str, str, bool | None, str]]]:
    found: dict[Place, list[tuple[str, str, bool | None, str]]] = defaultdict(list)
    for catalog, schema, table, name, type_, nullable, comment in run(
        connection,
        "SELECT database_name, schema_name, table_name, column_name, data_type, is_nullable, comment "
        f"FROM duckdb_columns() WHERE NOT internal AND database_name IN ({wanted}) ORDER BY column_index",
    ):
        found[(str(catalog), str(schema), str(table))].append(
            (intern(str(name)), intern(str(type_)), None if nullable is None else bool(nullable), str(comment or ""))
        )
    return found


def _keys(
    connection: duckdb.DuckDBPyConnection, wanted: str
) -> tuple[dict[Place, tuple[str, ...]], dict[Place, list[ForeignKey]]]:
    primary: dict[Place, tuple[str, ...]] = {}
    foreign: dict[Place, list[ForeignKey]] = defaultdict(list)
    for catalog, schema, table, kind, names, target, target_names in run(
        connection,
        "SELECT database_name, schema_name, table_name, constraint_type, constraint_column_names, "
        "referenced_table, referenced_column_names FROM duckdb_constraints() "
        f"WHERE database_name IN ({wanted}) AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')",
    ):
        place = (str(catalog), str(schema), str(table))
        if kind == "PRIMARY KEY":
            primary[place] = _names(names)
        elif target and _names(target_names):
            foreign[place].append(ForeignKey(_names(names), str(target), _names(target_names)))
    return primary, foreign


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(v) for v in value) if isinstance(value, list | tuple) else ()


def _profile(connection: duckdb.DuckDBPyConnection, place: Place, *, counted: bool) -> Profile:
    """With its rows when `counted`: the catalogue's number has those that were deleted in it."""
    path = ".".join(quote(part) for part in place)
    rows = int(str(next(iter(run(connection, f"SELECT count(*) FROM {path}")))[0])) if counted else None
    return Profile(rows, _samples(connection, place))


def _samples(connection: duckdb.DuckDBPyConnection, place: Place) -> dict[str, tuple[str, ...]]:
    path = ".".join(quote(part) for part in place)
    table = connection.sql(
        f"SELECT left(CAST(COLUMNS(*) AS VARCHAR), {_SAMPLE_CHARS + 1}) FROM (FROM {path} LIMIT {_SAMPLED_ROWS})"
    ).to_arrow_table()
    samples = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = dict.fromkeys(v for v in column.to_pylist() if v)
        cut = (v if len(v) <= _SAMPLE_CHARS else v[:_SAMPLE_CHARS] + "…" for v in values)
        samples[name] = tuple(v for v, _ in zip(cut, range(_SAMPLES), strict=False))
    return samples
