"""What is known about a source's tables, independent of the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

TableKind = Literal["table", "view", "materialized_view", "file"]


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column.

    Attributes:
        name: As the engine has it, unquoted.
        type: The engine's own type name, such as `INTEGER` or `DECIMAL(10,2)`.
        nullable: None when the engine does not tell.
        comment: The engine's comment, or the original header of a file's column when it was renamed.
        samples: A few distinct values as text, for a prompt; may be empty.
    """

    name: str
    type: str
    nullable: bool | None = None
    comment: str = ""
    samples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of this table point to `target_columns` of `target_table`.

    Attributes:
        target_schema: The namespace to write before the target, as in `TableSchema`.
        target_catalog: Its database, as in `TableSchema`.
    """

    columns: tuple[str, ...]
    target_table: str
    target_columns: tuple[str, ...]
    target_schema: str | None = None
    target_catalog: str | None = None

    @property
    def target_path(self) -> tuple[str, ...]:
        """The names to write in SQL for the target, each quoted by itself."""
        return _path(self.target_catalog, self.target_schema, self.target_table)


def _path(catalog: str | None, schema: str | None, name: str) -> tuple[str, ...]:
    if not schema:
        return (name,)
    return (catalog, schema.removeprefix(f"{catalog}."), name) if catalog else (schema, name)


@dataclass(frozen=True, slots=True)
class TableSchema:
    """One table or view.

    Attributes:
        schema: The namespace to write before the name, None when the name alone resolves.
        catalog: Where `schema` is `database.schema`, the database; names may have dots of their own.
        row_count: Exact or estimated rows, None when unknown.
        estimated: The row count is an estimate of the engine's.
    """

    name: str
    columns: tuple[ColumnSchema, ...]
    schema: str | None = None
    kind: TableKind = "table"
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    row_count: int | None = None
    comment: str = ""
    estimated: bool = False
    catalog: str | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """The names to write in SQL, each quoted by itself."""
        return _path(self.catalog, self.schema, self.name)

    @property
    def qualified_name(self) -> str:
        """The name for display, with its schema; not quoted for SQL."""
        return f"{self.schema}.{self.name}" if self.schema else self.name


@dataclass(frozen=True, slots=True)
class SourceSchema:
    """All tables of one source."""

    tables: tuple[TableSchema, ...] = field(default=())

    def table(self, name: str) -> TableSchema | None:
        """The table called `name` or `schema.name`; without case when no exact name fits."""
        for fold in (str, str.casefold):
            for table in self.tables:
                if fold(name) in (fold(table.name), fold(table.qualified_name)):
                    return table
        return None
