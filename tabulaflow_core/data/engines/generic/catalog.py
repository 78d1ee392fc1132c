"""The tables of any SQLAlchemy dialect, by its set-based methods: all tables' columns in one go, then keys, comments.

Row counts and samples come from the tables themselves, within a time bound, as for engines with their own connector.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tabulaflow_core.data.engines.generic.faults import mistake_of
from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, SourceSchema, TableKind, TableSchema

if TYPE_CHECKING:
    from sqlalchemy import Inspector
    from sqlalchemy.engine.interfaces import Dialect

    from tabulaflow_core.data.engines.generic.session import Session

#: Seconds spent on row counts and samples of all tables together.
_DETAIL_SECONDS: Final = 1.5
_SMALL_TABLE: Final = 100_000
_SAMPLES: Final = 3
_SAMPLE_LENGTH: Final = 60
_SAMPLED_COLUMNS: Final = 30
_SAMPLED_ROWS: Final = 1_000
#: Values of an enumeration that are told, in its own order.
_LABELS: Final = 20
#: Schemas of the engines themselves.
_SYSTEM: Final = frozenset(
    """
    information_schema pg_catalog pg_toast sys performance_schema mysql system db_owner db_accessadmin
    db_securityadmin db_ddladmin db_backupoperator db_datareader db_datawriter db_denydatareader db_denydatawriter
    guest xdb ctxsys mdsys ordsys outln dbsnmp appqossys gsmadmin_internal wmsys audsys dvsys lbacsys ojvmsys
    """.split()  # noqa: SIM905
)
#: What a dialect answers where it has no such thing.
_NOTHING: Final[Mapping[Any, Any]] = {}
#: Engines whose counting of a table is a query that costs money or minutes: there the rows are not counted.
_UNCOUNTED: Final = frozenset({"snowflake", "bigquery", "databricks", "trino", "redshift"})


def read_schema(session: Session) -> SourceSchema:
    """All tables and views that may be seen: those of the default schema by name, the others with their schema."""
    import sqlalchemy

    inspector = sqlalchemy.inspect(session.connection)
    default = inspector.default_schema_name
    tables: list[TableSchema] = []
    for schema in _schemas(inspector, default):
        tables += _tables(inspector, schema, default)
    if (listed := session.listed()) is not None:
        hidden = session.unreadable()
        tables = [
            table
            for table in tables
            if (table.schema or default or "", table.name) in listed
            and f"{table.schema or default}.{table.name}".lower() not in hidden
        ]
    if session.source.engine not in _UNCOUNTED:
        deadline = time.monotonic() + _DETAIL_SECONDS
        tables = [_detailed(session, table, default, deadline) for table in tables]
    return SourceSchema(tables=tuple(tables))


def _schemas(inspector: Inspector, default: str | None) -> list[str | None]:
    """None, for the default one, and the others by name."""
    names = _asked(inspector.get_schema_names, [])
    others = [name for name in names if name != default and name.lower() not in _SYSTEM]
    # Where schemas are databases of the same server, the URL's own is meant.
    alone = inspector.dialect.name in ("mysql", "mariadb", "sqlite", "clickhousedb")
    return [None] if alone else [None, *others]


def _tables(inspector: Inspector, schema: str | None, default: str | None) -> Iterator[TableSchema]:
    from sqlalchemy.engine.reflection import ObjectKind, ObjectScope

    every: dict[str, Any] = {"schema": schema, "kind": ObjectKind.ANY, "scope": ObjectScope.DEFAULT}
    columns = _asked(lambda: inspector.get_multi_columns(**every), None)
    if columns is None:
        columns = _one_by_one(inspector, schema)
    keys = _asked(lambda: inspector.get_multi_pk_constraint(**every), _NOTHING)
    foreign = _asked(lambda: inspector.get_multi_foreign_keys(**every), _NOTHING)
    comments = _asked(lambda: inspector.get_multi_table_comment(**every), _NOTHING)
    kinds: dict[str, TableKind] = dict.fromkeys(_asked(lambda: inspector.get_view_names(schema), []), "view")
    materialized = _asked(lambda: inspector.get_materialized_view_names(schema), [])
    kinds.update(dict.fromkeys(materialized, "materialized_view"))
    for place in sorted(columns, key=lambda place: place[1].casefold()):
        name = place[1]
        kind = kinds.get(name, "table")
        yield TableSchema(
            name=name,
            schema=schema,
            kind=kind,
            columns=tuple(_column(column, inspector.dialect, view=kind != "table") for column in columns[place]),
            primary_key=tuple((keys.get(place) or _NOTHING).get("constrained_columns") or ()),
            foreign_keys=tuple(_foreign_key(key, default) for key in foreign.get(place) or ()),
            comment=(comments.get(place) or _NOTHING).get("text") or "",
        )


def _one_by_one(inspector: Inspector, schema: str | None) -> dict[tuple[str | None, str], list[Any]]:
    """For a dialect whose set-based method fails at one table: the tables that can be looked at."""
    names = [
        *_asked(lambda: inspector.get_table_names(schema), []),
        *_asked(lambda: inspector.get_view_names(schema), []),
    ]
    found = {(schema, name): _asked(lambda name=name: inspector.get_columns(name, schema), []) for name in names}  # type: ignore[misc]
    return {place: columns for place, columns in found.items() if columns}


def _asked(ask: Callable[[], Any], otherwise: Any) -> Any:
    """What a dialect tells; `otherwise` where it does not implement it or may not look.

    Raises:
        Exception: The connection broke: that is not for a default.
    """
    import sqlalchemy

    try:
        return ask()
    except sqlalchemy.exc.DBAPIError as error:
        if error.connection_invalidated or mistake_of(error, connecting=False):
            raise
    except (NotImplementedError, sqlalchemy.exc.SQLAlchemyError, KeyError, AttributeError, TypeError):
        pass  # dialects of third parties know some of the questions only
    return otherwise


def _column(column: Mapping[str, Any], dialect: Dialect, *, view: bool) -> ColumnSchema:
    # A type of its own in PostgreSQL; other engines write the values into the type.
    labels = tuple(map(str, getattr(column["type"], "enums", ()))) if dialect.name == "postgresql" else ()
    comment = column.get("comment") or ""
    return ColumnSchema(
        name=str(column["name"]),
        type=_type_name(column["type"], dialect),
        nullable=None if view else column.get("nullable"),
        comment=f"one of: {', '.join(labels)}" if labels and not comment else comment,
        samples=labels[:_LABELS],
    )


def _type_name(kind: Any, dialect: Dialect) -> str:
    """The type as the engine writes it; lower case where the engine's own connector says so."""
    try:
        text = str(kind.compile(dialect=dialect))
    except Exception:  # types of third parties that cannot be written: their name says enough
        text = type(kind).__name__
    return text.lower() if dialect.name in ("postgresql", "mysql", "mariadb") else text


def _foreign_key(key: Mapping[str, Any], default: str | None) -> ForeignKey:
    schema = key.get("referred_schema")
    return ForeignKey(
        columns=tuple(key["constrained_columns"]),
        target_table=key["referred_table"],
        target_columns=tuple(key["referred_columns"]),
        target_schema=None if schema == default else schema,
    )


def _detailed(session: Session, table: TableSchema, default: str | None, deadline: float) -> TableSchema:
    """The table with its row count and samples; without them when the time is used up or it may not be read."""
    import sqlalchemy
    from sqlalchemy import func, select

    if time.monotonic() > deadline or table.kind == "view":
        return table
    columns: list[Any] = [sqlalchemy.column(column.name) for column in table.columns]
    relation = sqlalchemy.table(table.name, *columns, schema=table.schema or default)
    count: int | None = None
    samples: dict[str, tuple[str, ...]] = {}
    try:
        with session.connection.begin_nested():
            few: Any = select(sqlalchemy.literal_column("1").label("one")).select_from(relation).limit(_SMALL_TABLE + 1)
            count = int(session.connection.execute(select(func.count()).select_from(few.subquery())).scalar_one())
            told = [c for c in table.columns if not c.samples and (_is_text(c.type) or _is_json(c.type))]
            for column in told[:_SAMPLED_COLUMNS]:
                if time.monotonic() < deadline and count <= _SMALL_TABLE:
                    value: Any = relation.c[column.name]
                    if _is_json(column.type):  # which cannot be compared
                        value = sqlalchemy.cast(value, sqlalchemy.Text)
                    first = select(value.label("v")).limit(_SAMPLED_ROWS).subquery()
                    rows = session.connection.execute(
                        select(first.c.v).distinct().where(first.c.v != "").limit(_SAMPLES)
                    )
                    samples[column.name] = tuple(str(row[0])[:_SAMPLE_LENGTH] for row in rows if row[0] is not None)
    except sqlalchemy.exc.DBAPIError as error:
        if error.connection_invalidated:
            raise
        return table  # such as a table that the role may not read: it has no details, that is all
    return TableSchema(
        name=table.name,
        schema=table.schema,
        kind=table.kind,
        columns=_with_samples(table.columns, samples),
        primary_key=table.primary_key,
        foreign_keys=table.foreign_keys,
        row_count=count if count is not None and count <= _SMALL_TABLE else None,
        comment=table.comment,
    )


def _with_samples(columns: Sequence[ColumnSchema], samples: Mapping[str, tuple[str, ...]]) -> tuple[ColumnSchema, ...]:
    return tuple(
        ColumnSchema(
            name=column.name,
            type=column.type,
            nullable=column.nullable,
            comment=column.comment,
            samples=column.samples or samples.get(column.name, ()),
        )
        for column in columns
    )


def _is_json(name: str) -> bool:
    return name.lower() in ("json", "jsonb")


def _is_text(name: str) -> bool:
    folded = name.lower()
    return any(part in folded for part in ("char", "text", "string", "enum", "clob")) and "[]" not in folded
