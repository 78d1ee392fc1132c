"""What is kept of a file's reading, as JSON in the store and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from tabulaflow_core.data.files import FileReading, ReadingReport, ReadTable
from tabulaflow_core.data.schema import ColumnSchema, TableSchema

Details = dict[str, JsonValue]


def to_json(read: Sequence[ReadTable], reading: ReadingReport) -> Details:
    """Tables and report as plain values."""
    return {
        "tables": [
            {
                "name": table.name,
                "columns": list(table.columns),
                "types": list(table.types),
                "row_count": table.row_count,
                "database": table.database.name,
                "table": table.table,
            }
            for table in read
        ],
        "report": cast("JsonValue", reading.to_json()),
    }


def tables(details: Mapping[str, JsonValue], storage: Path) -> tuple[ReadTable, ...]:
    """The stored tables of a file; `storage` is the owner's folder of databases, wherever it lies by now."""
    return tuple(
        ReadTable(
            name=item["name"],
            columns=tuple(item["columns"]),
            types=tuple(item["types"]),
            row_count=item["row_count"],
            database=storage / item["database"],
            table=item["table"],
        )
        for item in cast("list[dict[str, Any]]", details.get("tables", []))
    )


def reading(name: str, details: Mapping[str, JsonValue], storage: Path) -> FileReading:
    """What a connector needs of the reading of the file `name`: its tables, and what a person should know of them."""
    notices = tuple(str(notice) for notice in cast("list[JsonValue]", report(details).get("notices", [])))
    kept = ReadingReport(format=str(report(details).get("format", "")), notices=notices)
    return FileReading(name, tables(details, storage), kept)


def report(details: Mapping[str, JsonValue]) -> Details:
    """The reading report; empty for a file that could not be read."""
    return cast("Details", details.get("report", {}))


def schemas(details: Mapping[str, JsonValue]) -> tuple[TableSchema, ...]:
    """The tables as a page shows them."""
    reported = {column["name"]: column for column in cast("list[dict[str, Any]]", report(details).get("columns", []))}
    out = []
    for table in tables(details, Path()):
        columns = []
        for name, kind in zip(table.columns, table.types, strict=True):
            known = reported.get(name, {})
            header = str(known.get("header") or name)
            columns.append(
                ColumnSchema(name, str(known.get("engine_type") or kind), comment="" if header == name else header)
            )
        out.append(TableSchema(table.name, tuple(columns), kind="file", row_count=table.row_count))
    return tuple(out)
