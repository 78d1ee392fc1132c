"""What must be known of a source to hide columns: how its views are made, and which schema needs no name.

Asked of the source by its own catalogue, once for each reading of its schema. A view whose making cannot be read is
treated as one that shows what is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tabulaflow_core.data.contracts import DataConnector, QueryResult
from tabulaflow_core.data.hiding.patterns import DEFAULT_SCHEMAS

#: Three columns: schema, name, and the statement that made the view or its query.
_VIEWS: Final = {
    "postgres": (
        "SELECT schemaname, viewname, definition FROM pg_views "
        "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') "
        "UNION ALL SELECT schemaname, matviewname, definition FROM pg_matviews"
    ),
    "sqlite": "SELECT 'main', name, sql FROM sqlite_master WHERE type = 'view'",
    "duckdb": "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal",
    "mysql": "SELECT table_schema, table_name, view_definition FROM information_schema.views",
}
_DEFAULT: Final = {"postgres": "SELECT current_schema()", "mysql": "SELECT database()"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found.

    Attributes:
        dialect: In which the views are written.
        views: The text of each view by schema and name in lower case; those that are not there cannot be read.
        defaults: Names of the schema that a table without one stands in.
    """

    dialect: str
    views: Mapping[tuple[str, str], str] = field(default_factory=dict)
    defaults: tuple[str, ...] = DEFAULT_SCHEMAS

    def view(self, schema: str | None, name: str) -> str:
        """The text of a view; empty when it cannot be read or when two could be meant."""
        if schema is not None:
            return self.views.get((schema.casefold().rpartition(".")[2], name.casefold()), "")
        found = [self.views[key] for s in self.defaults if (key := (s.casefold(), name.casefold())) in self.views]
        return found[0] if len(found) == 1 else ""


async def facts_async(connector: DataConnector) -> Facts:
    """Ask `connector`.

    Raises:
        SourceUnavailable: Its connection is broken.
    """
    dialect = connector.dialect
    defaults: tuple[str, ...] = DEFAULT_SCHEMAS
    if sql := _DEFAULT.get(dialect):
        rows = await _rows(connector, sql)
        defaults = tuple(str(name) for (name,) in rows if name) or defaults
    views: dict[tuple[str, str], str] = {}
    if sql := _VIEWS.get(dialect):
        for schema, name, text in await _rows(connector, sql):
            key = (str(schema).casefold(), str(name).casefold())
            views[key] = "" if key in views else str(text or "")  # names that differ by case alone: neither is known
    return Facts(dialect, views, defaults)


async def _rows(connector: DataConnector, sql: str) -> list[tuple[object, ...]]:
    outcome = await connector.run_query_async(sql)
    if not isinstance(outcome, QueryResult):
        return []
    return list(zip(*(column.to_pylist() for column in outcome.table.columns), strict=True))
