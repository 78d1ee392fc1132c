"""`SQLConnector`: one database behind the guard, the engine's lock and the caps."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tabulaflow_core.config import Limits
from tabulaflow_core.data.arrow import load_converting
from tabulaflow_core.data.closing import Closing
from tabulaflow_core.data.contracts import FailureKind, QueryFailure, QueryOutcome, QueryResult
from tabulaflow_core.data.engines.base import Caps, EngineAdapter, EngineFault, IfExists
from tabulaflow_core.data.hints import hint_for, quotes_hint
from tabulaflow_core.data.restricting import Restriction
from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.data.unsaid import notices_of
from tabulaflow_core.data.urls import SourceUrl, parse_source_url
from tabulaflow_core.errors import MissingDriver, SourceError, WriteNotAllowed

if TYPE_CHECKING:
    import pandas as pd

    from tabulaflow_core.data.guard import Allowed, Refused


_EMPTY: Final = (
    "There is no table in it that this user may read. Check the database's name at the end of the URL, or ask its "
    "administrator for the right to read."
)
_TAKES_NO_WRITES: Final = (
    " The server takes no writes: it is a read-only copy, or set so. Connect to the primary server to write."
)


class SQLConnector(Closing):
    """A `DataConnector` over any SQL database. Made by `from_url_async`.

    Every query passes the guard, the engine's own read-only lock, and the caps, whatever `read_only` says;
    only `write_dataframe_async` writes.
    """

    def __init__(
        self,
        adapter: EngineAdapter,
        *,
        read_only: bool = True,
        limits: Limits | None = None,
        functions: Sequence[str] = (),
    ) -> None:
        self._adapter = adapter
        self._read_only = read_only
        self._limits = limits or Limits()
        self._functions = tuple(functions)
        self._schema = SourceSchema()
        self._schema_read_at: float | None = None
        self._schema_turn = asyncio.Lock()

    @classmethod
    async def from_url_async(
        cls,
        url: str,
        *,
        read_only: bool = True,
        limits: Limits | None = None,
        allowed_roots: Sequence[Path] | None = None,
        functions: Sequence[str] = (),
    ) -> SQLConnector:
        """Connect and read the schema.

        Args:
            url: `postgresql://`, `mysql://`, `mariadb://`, `sqlite:///` or `duckdb:///`, with or without `+driver`;
                or that of any engine in `docs/databases.md`, and from a program of any SQLAlchemy dialect installed.
            read_only: False allows `write_dataframe_async`.
            limits: Bounds of a query.
            allowed_roots: Folders that may hold database files; None, for programs, allows all.
            functions: User-defined functions that queries may call.

        Raises:
            SourceUrlError: The URL is malformed or not allowed.
            MissingDriver: The engine's driver is not installed.
            SourceUnavailable: The database does not answer or refuses the user.
        """
        source = parse_source_url(url, allowed_roots=allowed_roots)
        if source.dialect == "duckdb":
            return await _open_duckdb_async(source, read_only=read_only, limits=limits, functions=functions)
        adapter = _adapter_for(source, read_only=read_only)
        connector = cls(adapter, read_only=read_only, limits=limits, functions=functions)
        try:
            await adapter.open_async()
            await connector.refresh_schema_async()
        except BaseException:
            await adapter.close_async()
            raise
        return connector

    @property
    def dialect(self) -> str:
        """The sqlglot name of its SQL."""
        return self._adapter.dialect

    @property
    def read_only(self) -> bool:
        """False when `write_dataframe_async` may be used."""
        return self._read_only

    @property
    def functions(self) -> tuple[str, ...]:
        """User-defined functions that queries may call."""
        return self._functions

    @property
    def schema(self) -> SourceSchema:
        """The tables as last read."""
        return self._schema

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know, such as that the role is a superuser."""
        if self._read_only and self._schema_read_at is not None and not self._schema.tables:
            return (*self._adapter.notices, _EMPTY)
        return self._adapter.notices

    async def refresh_schema_async(self, *, max_age: float = 0.0) -> SourceSchema:
        """Read the tables again unless they were read less than `max_age` seconds ago."""
        async with self._schema_turn:
            read_at = self._schema_read_at
            if read_at is None or time.monotonic() - read_at >= max_age:
                self._schema = await self._adapter.read_schema_async()
                self._schema_read_at = time.monotonic()
        return self._schema

    async def run_query_async(
        self,
        sql: str,
        *,
        limit: int | None = None,
        timeout: float | None = None,
        restrictions: Sequence[Restriction] = (),
    ) -> QueryOutcome:
        """Run one read-only query; see `DataConnector`."""
        from tabulaflow_core.data.guard import Refused

        verdict, functions = await self._judged_async(sql)
        if isinstance(verdict, Refused):
            hint = quotes_hint(sql, self.dialect)
            return QueryFailure(kind=FailureKind.REFUSED, message=verdict.reason, sql=sql, hint=hint)
        unreadable = self._adapter.unreadable
        for table in verdict.tables if unreadable else ():
            if reason := unreadable.get(table.lower()):
                return QueryFailure(kind=FailureKind.REFUSED, message=reason, sql=sql)
        values: tuple[str, ...] = ()
        if restrictions:
            found = await asyncio.to_thread(self._restricted, verdict, restrictions, functions)
            if isinstance(found, QueryFailure):
                return found
            verdict, values = found
        caps = self._caps(limit, timeout)
        await asyncio.to_thread(load_converting)
        started = time.monotonic()
        try:
            async with asyncio.timeout(caps.seconds):
                fetched = await self._adapter.fetch_async(verdict.sql, caps, values)
        except TimeoutError:
            return QueryFailure(
                kind=FailureKind.TIMEOUT,
                message=f"The query was stopped after {caps.seconds:g} seconds."
                if not self._adapter.left_running
                else f"The answer did not come within {caps.seconds:g} seconds.{self._adapter.left_running}",
                sql=verdict.sql,
                hint="Ask for less: a shorter period, fewer columns, or an aggregate.",
                seconds=time.monotonic() - started,
            )
        except EngineFault as fault:
            return QueryFailure(
                kind=fault.kind,
                message=fault.message,
                sql=verdict.sql,
                hint=quotes_hint(sql, self.dialect)
                or hint_for(fault.message, self._schema, used=verdict.tables, dialect=self.dialect),
                seconds=time.monotonic() - started,
            )
        return QueryResult(
            table=fetched.table,
            sql=verdict.sql,
            truncated=fetched.cut_by is not None,
            cut_by=fetched.cut_by,
            seconds=time.monotonic() - started,
            notices=(*fetched.notices, *notices_of(sql, self._schema, used=verdict.tables, dialect=self.dialect)),
        )

    def _restricted(
        self, verdict: Allowed, restrictions: Sequence[Restriction], functions: Sequence[str]
    ) -> tuple[Allowed, tuple[str, ...]] | QueryFailure:
        """The statement that sees the rows only that pass, and the values for its marks."""
        from tabulaflow_core.data.restricting.rewriting import Untaken, restricted

        found = restricted(
            verdict,
            restrictions,
            schema=self._schema,
            dialect=self.dialect if self._adapter.binds else "",
            functions=functions,
        )
        if isinstance(found, Untaken):
            return QueryFailure(FailureKind.REFUSED, found.reason, verdict.sql, untaken=found.restriction)
        return found.verdict, found.values

    async def _judged_async(self, sql: str) -> tuple[Allowed | Refused, tuple[str, ...]]:
        """The guard's verdict, and the user's functions that it let pass; one passes when its own text only reads."""
        from tabulaflow_core.data.engines.base import StoresFunctions
        from tabulaflow_core.data.guard import RefusalCode, Refused, check_statement
        from tabulaflow_core.data.guard.bodies import reading_functions

        verdict = check_statement(sql, dialect=self.dialect, functions=self._functions)
        unknown = isinstance(verdict, Refused) and verdict.code is RefusalCode.FUNCTION
        if not unknown or not isinstance(self._adapter, StoresFunctions):
            return verdict, self._functions
        try:
            found = await self._adapter.stored_functions_async(sql)
        except EngineFault:
            return verdict, self._functions  # a role that may not look stays with what it is told
        reading = reading_functions(found, dialect=self.dialect, closed=self._adapter.unreadable)
        if not reading:
            return verdict, self._functions
        functions = (*self._functions, *reading)
        return check_statement(sql, dialect=self.dialect, functions=functions), functions

    def _caps(self, limit: int | None, timeout: float | None) -> Caps:
        limits = self._limits
        return Caps(
            rows=limits.result_rows if limit is None else max(0, min(limit, limits.result_rows)),
            bytes=limits.result_bytes,
            seconds=limits.query_seconds if timeout is None else min(timeout, limits.query_seconds),
        )

    async def write_dataframe_async(self, df: pd.DataFrame, table: str, *, if_exists: IfExists = "fail") -> None:
        """Write a DataFrame as a table, all or nothing; its index is left out, NaN and NaT become NULL.

        Args:
            table: Its name, without a schema.
            if_exists: What to do when there is such a table already.

        Raises:
            WriteNotAllowed: The connector was opened with `read_only=True`.
            SourceError: The table is there already, or the engine cannot hold the rows.
        """
        if self._read_only:
            raise WriteNotAllowed("This source is read-only. Open it with `read_only=False` to write to it.")
        if if_exists not in ("fail", "replace", "append"):
            raise ValueError(f"if_exists is {if_exists!r}; it takes 'fail', 'replace' or 'append'")
        if not table or "\0" in table:
            raise ValueError("a table needs a name")
        rows = _arrow_of(df)
        try:
            await self._adapter.write_async(table, rows, if_exists=if_exists)
        except EngineFault as fault:
            replica = _TAKES_NO_WRITES if fault.kind is FailureKind.REFUSED else ""
            raise SourceError(f"The table {table!r} was not written: {fault.message}.{replica}") from None
        await self.refresh_schema_async()

    async def close_async(self) -> None:
        """Close every connection; a second call does nothing."""
        await self._adapter.close_async()

    def __repr__(self) -> str:
        return f"<SQLConnector {self.dialect}{' read-only' if self._read_only else ''}>"


def _adapter_for(source: SourceUrl, *, read_only: bool) -> EngineAdapter:
    if source.driver:
        from tabulaflow_core.data.engines.generic.adapter import GenericAdapter

        return GenericAdapter(source)
    if source.dialect == "sqlite":
        from tabulaflow_core.data.engines.sqlite import SQLiteAdapter

        return SQLiteAdapter(source.path, read_only=read_only)
    if source.dialect == "postgres":
        from tabulaflow_core.data.engines.postgres import PostgresAdapter

        return PostgresAdapter(source)
    from tabulaflow_core.data.engines.mysql import MySQLAdapter

    return MySQLAdapter(source)


async def _open_duckdb_async(
    source: SourceUrl, *, read_only: bool, limits: Limits | None, functions: Sequence[str]
) -> SQLConnector:
    try:
        import duckdb  # noqa: F401
    except ImportError:
        raise MissingDriver("DuckDB needs a package that is not installed. Run `pip install duckdb`.") from None
    from tabulaflow_core.data.engines.duckdb import DuckDBConnector

    return await DuckDBConnector.open_async(source.path, read_only=read_only, limits=limits, functions=functions)


def _arrow_of(df: pd.DataFrame) -> pa.Table:
    """The frame's columns as Arrow, exactly; a column of mixed objects becomes text."""
    from tabulaflow_core.data.arrow import infer_array

    names = [str(name) for name in df.columns]
    folded = [name.casefold() for name in names]
    if repeated := sorted({name for name in names if folded.count(name.casefold()) > 1}):
        raise SourceError(f"The DataFrame has more than one column called {repeated}. Rename them first.")
    if not names:
        raise SourceError("The DataFrame has no columns.")
    arrays = []
    for position in range(len(names)):
        column = df.iloc[:, position]
        try:
            array = pa.Array.from_pandas(column)
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            array = infer_array(
                [None if missing else value for value, missing in zip(column, column.isna(), strict=True)]
            )
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        arrays.append(array)
    return pa.Table.from_arrays(arrays, names=names)
