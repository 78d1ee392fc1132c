"""Uploaded SQLite and DuckDB files: each a source of its own over its copy, which is only ever read."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tabulaflow_core.config import Limits, Settings
from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.contracts import DataConnector
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.files.drift import ColumnShape, Drift, compare
from tabulaflow_core.data.files.naming import table_name
from tabulaflow_core.data.files.reader import stem
from tabulaflow_core.data.reserved import reserved_reason
from tabulaflow_core.data.schema import SourceSchema, TableSchema
from tabulaflow_core.errors import SourceError, SourceUnavailable
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.file_details import Member, upload_member
from tabulaflow_core.runtime.views import FileChoice, FileOutcome, FileQuestion
from tabulaflow_core.store.folders import owner_folder
from tabulaflow_core.store.records import DatabaseRecord
from tabulaflow_core.store.store import Store

_LABELS: Final = {"sqlite": "a SQLite database", "duckdb": "a DuckDB database"}
#: Tables named in a sentence.
_NAMED: Final = 8


def dialect_of(path: Path) -> str:
    """`sqlite` or `duckdb` by the first bytes; empty for every other file, and for one that cannot be read."""
    with suppress(OSError), path.open("rb") as file:
        head = file.read(16)
        if head.startswith(b"SQLite format 3\0"):
            return "sqlite"
        if head[8:12] == b"DUCK":
            return "duckdb"
    return ""


async def open_async(path: Path, dialect: str, limits: Limits) -> DataConnector:
    """Open one database file read-only.

    The place is the caller's to judge: no URL is looked at, since the folder of uploads is closed to URLs.

    Raises:
        SourceUnavailable: It is missing, damaged, locked by a password, or of a version that cannot be read.
    """
    if dialect == "duckdb":
        from tabulaflow_core.data.engines.duckdb import DuckDBConnector

        return await DuckDBConnector.open_async(path, read_only=True, limits=limits)
    from tabulaflow_core.data.engines.sqlite import SQLiteAdapter

    adapter = SQLiteAdapter(path, read_only=True)
    connector = SQLConnector(adapter, read_only=True, limits=limits)
    try:
        await adapter.open_async()
        await connector.refresh_schema_async()
    except BaseException:
        await adapter.close_async()
        raise
    return connector


class DatabaseUploads:
    """The uploaded database files of every principal."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store

    def place(self, principal: Principal, record: DatabaseRecord) -> Path | None:
        """Where the file of a database lies; None for a database that a URL names.

        Raises:
            SourceUnavailable: It is a file of the server outside of the folders that are allowed now.
        """
        member, path = upload_member(record.upload), self._place(principal, record)
        if member is None or path is None:
            return None
        if member.path and not any(path.resolve().is_relative_to(r.resolve()) for r in self._settings.file_roots):
            raise SourceUnavailable(
                f"{member.name} lies outside of the folders that the administrator allows (`TABULAFLOW_FILE_ROOTS`)."
            )
        return path

    def _place(self, principal: Principal, record: DatabaseRecord) -> Path | None:
        member = upload_member(record.upload)
        return None if member is None else member.place(owner_folder(self._settings.data_dir / "files", principal))

    async def open_kept_async(self, principal: Principal, record: DatabaseRecord) -> DataConnector | None:
        """Open the file of a record; None for a database that a URL names.

        Raises:
            SourceUnavailable: It cannot be opened.
        """
        path = self.place(principal, record)
        return None if path is None else await open_async(path, record.dialect, self._settings.limits)

    async def discard_async(self, principal: Principal, record: DatabaseRecord) -> None:
        """Delete the copy of a database that was removed, with what the engine left beside it."""
        member, path = upload_member(record.upload), self._place(principal, record)
        if member is not None and path is not None and not member.path:
            home = path.parent
            await run_blocking_async(lambda: shutil.rmtree(home, ignore_errors=True))

    async def find_async(self, principal: Principal, name: str) -> DatabaseRecord | None:
        """The source that was made of the latest file of this name."""
        found = None
        for record in await self._store.sources.databases_async(principal):
            member = upload_member(record.upload)
            if member is not None and member.name == name:
                found = record
        return found

    async def same_async(self, principal: Principal, member: Member) -> FileOutcome | None:
        """What there is to say when the very same file is here already."""
        for record in await self._store.sources.databases_async(principal):
            there = upload_member(record.upload)
            if there is not None and there.same_as(member):
                message = f"{member.name} is here already with the same content, as the source {record.alias}. "
                return FileOutcome(member.name, "loaded", f"{message}Nothing was changed.", source=record.alias)
        return None

    async def look_async(self, principal: Principal, member: Member, dialect: str) -> SourceSchema:
        """The tables of a file that has just arrived.

        Raises:
            SourceError: It cannot be opened, or has no tables.
        """
        path = member.place(owner_folder(self._settings.data_dir / "files", principal))
        connector = await open_async(path, dialect, self._settings.limits)
        try:
            schema = connector.schema
        finally:
            await connector.close_async()
        if not schema.tables:
            raise SourceError(f"{member.name} is {_LABELS[dialect]} without any table. Choose another file.")
        return schema

    async def question_async(
        self, principal: Principal, name: str, there: DatabaseRecord, schema: SourceSchema
    ) -> FileQuestion:
        """Ask what to do with a file of the name of one that is there with other bytes."""
        try:
            connector = await self.open_kept_async(principal, there)
            before = _shapes(connector.schema.tables) if connector is not None else ()
            if connector is not None:
                await connector.close_async()
            changed = compare(before, _shapes(schema.tables)) if before else Drift()
        except SourceError:  # what is there cannot be opened: all the better that a new one comes
            changed = Drift()
        sentence = (
            f"{name} is here already with another content, as the source {there.alias}. "
            "Replace that database, or keep both?"
        )
        return FileQuestion("same_name", there.alias, (name,), changed, ("replace", "keep_both"), sentence)

    async def keep_async(
        self,
        principal: Principal,
        member: Member,
        dialect: str,
        schema: SourceSchema,
        *,
        choice: FileChoice | None = None,
        there: DatabaseRecord | None = None,
        answered: Sequence[str] = (),
    ) -> FileOutcome | None:
        """Make a source of the file; None when another process was quicker.

        Args:
            choice: `replace` puts it in the place of `there`.
        """
        upload = member.to_json()
        if choice == "replace" and there is not None:
            if not await self._store.sources.change_upload_async(principal, there.id, upload=upload, answered=answered):
                return None
            return _outcome(member, dialect, there.alias, schema.tables, "It took the place of the earlier version.")
        if answered:
            await self._store.sources.remove_waiting_async(principal, answered)
        records = await self._store.sources.databases_async(principal)
        alias = _alias(member.name, {record.alias.casefold() for record in records})
        await self._store.sources.add_database_async(
            principal, alias, dialect=dialect, url_masked=f"{member.name} (uploaded)", url_secret="", upload=upload
        )
        return _outcome(member, dialect, alias, schema.tables)


def _alias(name: str, taken: set[str]) -> str:
    base = table_name(stem(name))[:50]
    if reserved_reason(base) or base.casefold() == "files":
        base = f"{base}_db"
    alias, count = base, 2
    while alias.casefold() in taken:
        alias, count = f"{base}_{count}", count + 1
    return alias


def _outcome(member: Member, dialect: str, alias: str, tables: tuple[TableSchema, ...], more: str = "") -> FileOutcome:
    names = [table.name for table in tables]
    listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    count = "one table" if len(names) == 1 else f"{len(names)} tables"
    where = "It is read where it lies on the server." if member.path else ""
    message = f"{member.name} is {_LABELS[dialect]}: it is the source {alias} now, with {count}: {listed}."
    return FileOutcome(
        member.name, "loaded", " ".join(part for part in (message, more, where) if part), tables, source=alias
    )


def _shapes(tables: tuple[TableSchema, ...]) -> tuple[ColumnShape, ...]:
    return tuple(ColumnShape(f"{t.qualified_name}.{c.name}", c.type) for t in tables for c in t.columns)
