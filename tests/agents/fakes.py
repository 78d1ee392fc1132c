"""A source without an engine's door around it, and permits that keep a log."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from tabulaflow_core.data.contracts import FailureKind, QueryFailure, QueryOutcome, QueryResult
from tabulaflow_core.data.schema import ColumnSchema, SourceSchema, TableSchema
from tabulaflow_core.errors import SourceUnavailable
from tabulaflow_core.models.usage import Usage
from tabulaflow_core.principal import Principal

INVENTORY = {
    "product": ["HDMI cable", "USB-C dock", "Mouse"],
    "on_hand": [12, 3, 40],
    "reorder_point": [20, 10, 15],
}


class FakeConnector:
    """SQLite in memory, behind the protocol.

    Attributes:
        queries: What was run.
        hang: Queries wait until they are cancelled.
        broken: Its connection is gone.
        stopped: Queries that were cancelled.
        said: Notices of each result.
    """

    dialect = "sqlite"
    read_only = True
    notices: tuple[str, ...] = ()

    def __init__(self, **tables: Mapping[str, Sequence[Any]]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._tables: dict[str, TableSchema] = {}
        self.queries: list[str] = []
        self.hang = False
        self.broken = False
        self.slow = 0.0
        self.stopped = 0
        self.said: tuple[str, ...] = ()
        self.closed = False
        for name, columns in tables.items():
            self.add(name, columns)

    def add(self, name: str, columns: Mapping[str, Sequence[Any]]) -> None:
        """Add or replace a table."""
        self._db.execute(f'DROP TABLE IF EXISTS "{name}"')
        types = {c: "INTEGER" if v and isinstance(v[0], int) else "TEXT" for c, v in columns.items()}
        self._db.execute(f'CREATE TABLE "{name}" ({", ".join(f"{chr(34)}{c}{chr(34)} {t}" for c, t in types.items())})')
        marks = ", ".join("?" * len(columns))
        self._db.executemany(f'INSERT INTO "{name}" VALUES ({marks})', list(zip(*columns.values(), strict=True)))
        self._tables[name] = TableSchema(
            name,
            tuple(
                ColumnSchema(c, t, samples=tuple(map(str, columns[c][:3])) if t == "TEXT" else ())
                for c, t in types.items()
            ),
            row_count=len(next(iter(columns.values()))),
        )

    def drop(self, name: str) -> None:
        """Remove a table."""
        del self._tables[name]

    @property
    def schema(self) -> SourceSchema:
        return SourceSchema(tuple(self._tables.values()))

    async def refresh_schema_async(self, *, max_age: float = 0.0) -> SourceSchema:
        if self.broken:
            raise SourceUnavailable("The database does not answer.")
        return self.schema

    async def run_query_async(
        self, sql: str, *, limit: int | None = None, timeout: float | None = None
    ) -> QueryOutcome:
        self.queries.append(sql)
        if self.broken:
            raise SourceUnavailable("The database does not answer.")
        try:
            if self.hang:
                await asyncio.Event().wait()
            await asyncio.sleep(self.slow)
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        try:
            cursor = self._db.execute(sql)
        except sqlite3.Error as error:
            return QueryFailure(FailureKind.INVALID, str(error), sql, hint="nearest column: on_hand")
        names = [d[0] for d in cursor.description]
        rows = cursor.fetchall()
        table = pa.table([pa.array([r[i] for r in rows]) for i in range(len(names))], names=names)
        return QueryResult(table, sql, notices=self.said)

    async def close_async(self) -> None:
        self.closed = True

    async def __aenter__(self) -> FakeConnector:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_async()


class Ledger:
    """A model permit that notes what it allowed and what was settled."""

    def __init__(self, *, refuse: Exception | None = None) -> None:
        self.reserved: list[str] = []
        self.settled: list[tuple[str, Usage | None]] = []
        self.refuse = refuse

    async def reserve_async(self, principal: Principal, *, model: str, input_tokens: int) -> str:
        if self.refuse:
            raise self.refuse
        assert input_tokens > 0
        self.reserved.append(f"{principal.id}-{len(self.reserved)}")
        return self.reserved[-1]

    async def settle_async(self, principal: Principal, reservation: str, usage: Usage | None) -> None:
        self.settled.append((reservation, usage))


class QueryLog:
    """A query permit that notes what it was asked."""

    def __init__(self, *, refuse: Exception | None = None) -> None:
        self.asked: list[tuple[str, str]] = []
        self.refuse = refuse

    async def check_query_async(self, principal: Principal, *, source: str, sql: str) -> None:
        self.asked.append((source, sql))
        if self.refuse:
            raise self.refuse
