"""DuckDB: files attached read-only to a locked instance in memory, one cursor a query."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeVar

import pyarrow as pa

from tabulaflow_core.config import Limits
from tabulaflow_core.data.contracts import FailureKind, QueryFailure, QueryOutcome
from tabulaflow_core.data.engines import duckdb_lock as locking
from tabulaflow_core.data.engines.base import STATEMENTS, Caps, EngineFault, Fetched, IfExists
from tabulaflow_core.data.engines.duckdb_fetch import fault_of, fetch
from tabulaflow_core.data.engines.duckdb_schema import Place, read_schema
from tabulaflow_core.data.engines.duckdb_views import (
    RefusedView,
    calls_macro,
    defining,
    hides_built_in,
    macros,
    refused_views,
    stored,
)
from tabulaflow_core.data.engines.duckdb_write import create_database, write_table
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.guard.bodies import StoredFunction, reading_functions
from tabulaflow_core.data.profile import Profiles
from tabulaflow_core.data.restricting import Restriction
from tabulaflow_core.data.schema import SourceSchema, TableKind
from tabulaflow_core.data.sql import SQLConnector
from tabulaflow_core.errors import SourceUnavailable

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")

#: Names that DuckDB gives to catalogs and schemas of its own.
_RESERVED: Final = frozenset({"main", "memory", "system", "temp", "information_schema", "pg_catalog", "duckdb"})
_HOME: Final = "memory"  # the catalog of the instance itself, which holds only views that rename tables


class DuckDBAdapter:
    """DuckDB files behind one locked instance.

    Args:
        databases: Files by the alias under which they are attached.
        names: Tables to show under another name: name -> (alias, table).
        read_only: Refuse `write_async`; the files must then exist.
        kind: What tables are called in the schema.
        functions: Macros of the files that views may call.
    """

    dialect: Final = "duckdb"
    left_running: Final = ""
    binds: Final = True

    def __init__(
        self,
        databases: Mapping[str, Path],
        *,
        names: Mapping[str, tuple[str, str]] | None = None,
        read_only: bool = True,
        kind: TableKind = "table",
        memory_mb: int | None = None,
        functions: Collection[str] = (),
    ) -> None:
        self._databases = dict(databases)
        self._names = dict(names or {})
        self._read_only = read_only
        self._kind = kind
        self._memory_mb = memory_mb
        self._functions = frozenset(functions)
        self._instance: duckdb.DuckDBPyConnection | None = None
        self._refused: list[RefusedView] = []
        self._macros: frozenset[str] = frozenset()
        self._stored: tuple[StoredFunction, ...] = ()
        self._reading: frozenset[str] = frozenset()
        self._hiding = False
        self._profiles = Profiles()
        self._turn = asyncio.Condition()
        self._room = asyncio.Semaphore(STATEMENTS)
        self._readers = 0
        self._writing = False
        self._closed = False

    @property
    def refused(self) -> tuple[RefusedView, ...]:
        """Views of the files that may not be queried."""
        return tuple(self._refused)

    @property
    def macros(self) -> frozenset[str]:
        """Names, in lower case, of the macros that the files define."""
        return self._macros

    @property
    def reading(self) -> frozenset[str]:
        """The macros whose own text only reads, `name` and `schema.name` in lower case."""
        return self._reading

    async def stored_functions_async(self, sql: str) -> tuple[StoredFunction, ...]:
        """The macros that only read."""
        return tuple(f for f in self._stored if f.name.lower() in self._reading)

    @property
    def notices(self) -> tuple[str, ...]:
        """The views that are left out, each with its reason."""
        return tuple(f"The view {v.name!r} is left out: {v.reason}" for v in self._refused)

    @property
    def unreadable(self) -> Mapping[str, str]:
        """None."""
        return {}

    async def open_async(self) -> None:
        """Attach the files, look at their views, then lock the instance."""
        instance = await run_blocking_async(self._opened, abandon=lambda instance: instance.close())
        self._instance = instance

    def _opened(self) -> duckdb.DuckDBPyConnection:
        if not self._read_only:
            for path in self._databases.values():
                create_database(path)
        instance = locking.open_locked(self._databases, memory_mb=self._memory_mb)
        try:
            own = defining(instance)
            looked_at = [alias for alias in self._databases if alias in own]
            self._stored = tuple(f for alias in looked_at for f in stored(instance, alias))
            # In a view no macro that reads a table: what a view shows must be seen in its own text.
            in_views = self._functions.union(reading_functions(self._stored, dialect="duckdb", tables=False))
            self._refused = [v for alias in looked_at for v in refused_views(instance, alias, functions=in_views)]
            self._reading = frozenset(
                reading_functions(self._stored, dialect="duckdb", closed={v.name.casefold() for v in self._refused})
            )
            self._macros = frozenset(m for alias in looked_at for m in macros(instance, alias))
            self._hiding = hides_built_in(instance, self._macros)
            for name, (alias, table) in self._names.items():
                source = f"{locking.quote(alias)}.main.{locking.quote(table)}"
                locking.run(instance, f"CREATE VIEW {_HOME}.main.{locking.quote(name)} AS SELECT * FROM {source}")
            locking.lock(instance)
        except BaseException:
            instance.close()
            raise
        return instance

    async def fetch_async(self, sql: str, caps: Caps, values: Sequence[str] = ()) -> Fetched:
        """Run `sql` on a cursor of its own."""
        return await self._with_cursor_async(lambda cursor: fetch(cursor, sql, caps, values))

    async def read_schema_async(self) -> SourceSchema:
        """Tables, views, keys, row counts and samples."""
        hidden: set[Place] = {(v.catalog, v.schema, v.name) for v in self._refused}
        hidden |= {(alias, "main", table) for alias, table in self._names.values()}
        catalogs = ([_HOME] if self._names else []) + list(self._databases)
        single = len(self._databases) == 1 and not self._hiding
        return await self._with_cursor_async(
            lambda cursor: read_schema(cursor, catalogs, self._profiles, hidden=hidden, kind=self._kind, single=single)
        )

    async def write_async(self, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
        """Write into the only file. Queries wait meanwhile: DuckDB opens a file to write or to read, not both."""
        (path,) = self._databases.values()

        def work() -> None:
            if self._instance is not None:
                self._instance.close()
                self._instance = None
            try:
                write_table(path, table, rows, if_exists=if_exists)
            finally:
                self._instance = self._opened()

        async with self._turn:
            await self._turn.wait_for(lambda: not self._readers and not self._writing)
            self._check_open()
            self._writing = True
        try:
            await _to_the_end_async(run_blocking_async(work))
        finally:
            async with self._turn:
                self._writing = False
                self._turn.notify_all()

    async def close_async(self) -> None:
        """Close the instance when the running statements have ended."""
        async with self._turn:
            self._closed = True
            await self._turn.wait_for(lambda: not self._readers and not self._writing)
            if self._instance is not None:
                self._instance.close()
                self._instance = None

    def _check_open(self) -> None:
        if self._closed or (self._instance is None and not self._writing):
            raise SourceUnavailable("This source is closed. Connect it again.")

    @asynccontextmanager
    async def _reading_async(self) -> AsyncIterator[duckdb.DuckDBPyConnection]:
        async with self._turn:
            await self._turn.wait_for(lambda: not self._writing)
            self._check_open()
            assert self._instance is not None
            self._readers += 1
            instance = self._instance
        try:
            yield instance
        finally:
            self._readers -= 1
            await _to_the_end_async(self._tell_async())

    async def _tell_async(self) -> None:
        async with self._turn:
            self._turn.notify_all()

    def _search_path(self) -> str:
        """Where unqualified names are looked for.

        A macro of a file hides a built-in function or operator of its name, unless DuckDB's own catalog comes first.
        It does not always come first because then the schemas of the file would need the catalog before them.
        """
        catalogs = ["system"] if self._hiding else []
        catalogs += [_HOME] if self._names else []
        return ",".join(f"{locking.quote(c)}.main" for c in [*catalogs, *self._databases])

    async def _with_cursor_async(self, work: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        run = _Run()
        path = self._search_path()

        def call() -> T:
            import duckdb

            with run.cursor(instance) as cursor:
                try:
                    locking.run(cursor, f"SET search_path = {locking.literal(path)}")
                    return work(cursor)
                except (duckdb.FatalException, duckdb.ConnectionException) as error:
                    raise SourceUnavailable(
                        "The DuckDB source stopped working. Connect it again.", detail=str(error)
                    ) from None
                except duckdb.Error as error:
                    raise fault_of(error) from None

        async with self._room, self._reading_async() as instance:
            return await run_blocking_async(call, interrupt=run.interrupt)


async def _to_the_end_async(work: Coroutine[object, object, None]) -> None:
    """Wait for `work` even when this task is cancelled meanwhile; the cancellation goes on afterwards."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


class _Run:
    """A cursor that may be interrupted from another thread, whenever that comes."""

    def __init__(self) -> None:
        self._guard = threading.Lock()  # interrupting a closed cursor would raise
        self._cursor: duckdb.DuckDBPyConnection | None = None
        self._stopped = False

    @contextmanager
    def cursor(self, instance: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._guard:
            if self._stopped:
                raise EngineFault(FailureKind.FAILED, "The query was stopped.")
            cursor = self._cursor = instance.cursor()
        try:
            yield cursor
        finally:
            with self._guard:
                self._cursor = None
                cursor.close()

    def interrupt(self) -> None:
        with self._guard:
            self._stopped = True
            if self._cursor is not None:
                self._cursor.interrupt()


class DuckDBConnector(SQLConnector):
    """A `DataConnector` over one or more DuckDB files. Made by `open_async`."""

    _adapter: DuckDBAdapter
    _folder: Path | None = None

    @classmethod
    async def open_async(
        cls,
        databases: Mapping[str, Path] | Path | None = None,
        *,
        read_only: bool = True,
        limits: Limits | None = None,
        functions: Collection[str] = (),
    ) -> Self:
        """Attach the files and read their tables, which resolve without a prefix and join with each other.

        Args:
            databases: One file, or files by alias; None for an empty database of this process.
            read_only: False allows `write_dataframe_async` into the only file, which is made when it is missing.
            limits: Bounds of a query.
            functions: Macros of the files that queries may call.

        Raises:
            SourceUnavailable: A file is missing, in use, or no DuckDB database.
        """
        folder = None
        if databases is None:
            folder = Path(tempfile.mkdtemp(prefix="tabulaflow-"))
            files, read_only_files = {"data": folder / "data.duckdb"}, False
        else:
            files = _aliased(databases)
            read_only_files = read_only
        if not read_only and len(files) != 1:
            raise ValueError("only a source of one DuckDB file can be written to")
        allowed = tuple(name.casefold() for name in functions)
        adapter = DuckDBAdapter(files, read_only=read_only_files, functions=allowed)
        connector = cls(adapter, read_only=read_only, limits=limits, functions=allowed)
        connector._folder = folder
        await connector._start_async()
        return connector

    async def _start_async(self) -> None:
        try:
            await self._adapter.open_async()
            await self.refresh_schema_async()
        except BaseException:
            await self.close_async()
            raise

    async def run_query_async(
        self,
        sql: str,
        *,
        limit: int | None = None,
        timeout: float | None = None,
        restrictions: Sequence[Restriction] = (),
    ) -> QueryOutcome:
        """Run one read-only query; views of the file that the guard would not run are refused by name."""
        functions = (*self._functions, *self._adapter.reading)
        if refused := {v.name.casefold(): v for v in self._adapter.refused}:
            from tabulaflow_core.data.guard import Allowed, check_statement

            verdict = check_statement(sql, dialect=self.dialect, functions=functions)
            if isinstance(verdict, Allowed):
                named = {re.split(r"\W*\.\W*", t)[-1].strip('"').casefold() for t in verdict.tables}
                if bad := sorted(named & refused.keys()):
                    view = refused[bad[0]]
                    return QueryFailure(
                        FailureKind.REFUSED, f"The view {view.name!r} may not be queried: {view.reason}", sql
                    )
        allowed = {name.rpartition(".")[2] for name in functions}
        if macro := calls_macro(sql, self._adapter.macros - allowed):
            return QueryFailure(
                FailureKind.REFUSED,
                f"The file defines a macro {macro!r}, and its text is more than a query that reads. If it is harmless, "
                "allow it by name: --function on the command line, functions= in a program.",
                sql,
            )
        return await super().run_query_async(sql, limit=limit, timeout=timeout, restrictions=restrictions)

    async def close_async(self) -> None:
        """Close the instance; a database of this process is gone with it."""
        await self._adapter.close_async()
        if self._folder is not None:
            folder, self._folder = self._folder, None
            await run_blocking_async(lambda: shutil.rmtree(folder))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {len(self.schema.tables)} tables>"


def _aliased(databases: Mapping[str, Path] | Path) -> dict[str, Path]:
    if isinstance(databases, Path | str):
        path = Path(databases)
        stem = re.sub(r"\W+", "_", path.stem.lower()).strip("_") or "db"
        return {f"{stem}_db" if stem in _RESERVED else stem: path.absolute()}
    for alias in databases:
        if alias.casefold() in _RESERVED:
            raise ValueError(f"{alias!r} is a name of DuckDB's own; choose another alias")
    return {alias: Path(path).absolute() for alias, path in databases.items()}
