"""What can be asked: connectors, registry, schema, files, and the read-only guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.lazy import lazy_names

if TYPE_CHECKING:
    from tabulaflow_core.data.contracts import (
        DataConnector,
        FailureKind,
        QueryFailure,
        QueryOutcome,
        QueryResult,
    )
    from tabulaflow_core.data.engines.duckdb import DuckDBConnector
    from tabulaflow_core.data.files import FilesConnector
    from tabulaflow_core.data.registry import DataConnectorRegistry
    from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, SourceSchema, TableSchema
    from tabulaflow_core.data.sql import SQLConnector
    from tabulaflow_core.data.urls import mask_url

__all__ = [
    "ColumnSchema",
    "DataConnector",
    "DataConnectorRegistry",
    "DuckDBConnector",
    "FailureKind",
    "FilesConnector",
    "ForeignKey",
    "QueryFailure",
    "QueryOutcome",
    "QueryResult",
    "SQLConnector",
    "SourceSchema",
    "TableSchema",
    "mask_url",
]

_HOMES = {
    "ColumnSchema": ".schema",
    "DataConnector": ".contracts",
    "DataConnectorRegistry": ".registry",
    "DuckDBConnector": ".engines.duckdb",
    "FailureKind": ".contracts",
    "FilesConnector": ".files",
    "ForeignKey": ".schema",
    "QueryFailure": ".contracts",
    "QueryOutcome": ".contracts",
    "QueryResult": ".contracts",
    "SQLConnector": ".sql",
    "SourceSchema": ".schema",
    "TableSchema": ".schema",
    "mask_url": ".urls",
}


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
