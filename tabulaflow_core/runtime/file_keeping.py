"""Files in the store and in the owner's folder: loaded, kept, named, and swept when nothing refers to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Final

from tabulaflow_core.config import Settings
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.files import ReadTable
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime import begun, uploads
from tabulaflow_core.runtime.file_details import (
    KeptFile,
    Member,
    Reading,
    WaitingFile,
    kept_file,
    upload_member,
    waiting_file,
)
from tabulaflow_core.store.folders import owner_folder
from tabulaflow_core.store.store import Store

#: Earlier versions whose originals stay.
_VERSIONS_KEPT: Final = 10


class FileKeeper:
    """What is kept of the files of every principal."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._root = settings.data_dir / "files"
        self._store = store

    def folder(self, principal: Principal) -> Path:
        """The principal's own folder."""
        return owner_folder(self._root, principal)

    def storage(self, principal: Principal) -> Path:
        """The folder of stored tables."""
        return self.folder(principal) / "tables"

    async def kept_async(self, principal: Principal) -> tuple[KeptFile, ...]:
        """All files, the oldest first."""
        storage = self.storage(principal)
        return tuple(kept_file(record, storage) for record in await self._store.sources.files_async(principal))

    async def waiting_async(self, principal: Principal) -> tuple[WaitingFile, ...]:
        """All uploads that wait for an answer, the oldest first."""
        storage = self.storage(principal)
        return tuple(waiting_file(record, storage) for record in await self._store.sources.waiting_async(principal))

    async def put_async(
        self, principal: Principal, kept: KeptFile, *, expected: str, answered: Sequence[str] = ()
    ) -> KeptFile | None:
        """Keep a file; None, and nothing changed, when the record is not `expected` any more."""
        last = kept.members[-1]
        kept = replace(kept, earlier=kept.earlier[-_VERSIONS_KEPT:])
        record = await self._store.sources.put_file_async(
            principal,
            kept.name,
            sha256=last.sha256,
            size=last.size,
            status=kept.status,
            message=kept.message,
            details=kept.details(),
            expected=expected,
            answered=answered,
        )
        return None if record is None else kept_file(record, self.storage(principal))

    async def put_waiting_async(self, principal: Principal, waiting: WaitingFile) -> WaitingFile:
        """Keep an upload until its question is answered."""
        member = waiting.member
        record = await self._store.sources.put_waiting_async(
            principal, waiting.name, sha256=member.sha256, size=member.size, details=waiting.details()
        )
        return waiting_file(record, self.storage(principal))

    async def remove_waiting_async(self, principal: Principal, waiting: Sequence[WaitingFile]) -> None:
        """Forget uploads that wait, with their bytes.

        Raises:
            NotFound: One was answered meanwhile.
        """
        await self._store.sources.remove_waiting_async(principal, [each.id for each in waiting])
        await self.discard_async(principal, [w.member for w in waiting], [w.reading for w in waiting])

    async def remove_async(self, principal: Principal, name: str) -> None:
        """Forget a file, with the bytes and the tables of all its versions.

        Raises:
            NotFound: This principal has no file of this name.
        """
        record = await self._store.sources.remove_file_async(principal, name)
        kept = kept_file(record, self.storage(principal))
        members = [*kept.members, *(member for _, each in kept.earlier for member in each)]
        await self.discard_async(principal, members, [kept.reading])

    async def discard_async(
        self, principal: Principal, members: Iterable[Member], readings: Iterable[Reading] = ()
    ) -> None:
        """Delete copies and tables that nothing refers to. Files of the server are nobody's to delete."""
        folder = self.folder(principal)
        paths = [member.place(folder) for member in members if not member.path]
        paths += [table.database for reading in readings for table in reading.tables]
        await run_blocking_async(lambda: uploads.unlink(paths))

    async def sweep_async(self, principal: Principal) -> None:
        """Delete versions that nothing refers to any more, and what killed processes left."""
        folder = self.folder(principal)
        kept, waiting = await self.kept_async(principal), await self.waiting_async(principal)
        readings = [*(each.reading for each in kept), *(each.reading for each in waiting)]
        files = {table.database for reading in readings for table in reading.tables}
        files |= {path for each in kept for path in each.copies(folder)}
        files |= {each.member.place(folder) for each in waiting}
        folders = {
            member.place(folder).parent
            for record in await self._store.sources.databases_async(principal)
            if (member := upload_member(record.upload)) is not None
        }
        await run_blocking_async(lambda: uploads.delete_old(folder, files, folders | begun.folders(folder)))


def taken_tables(kept: Iterable[KeptFile], *, besides: str = "") -> set[str]:
    """The names of the tables of all files but one, without case."""
    return {
        table.name.casefold()
        for each in kept
        if each.name != besides and each.status == "loaded"
        for table in each.reading.tables
    }


def table_of(kept: KeptFile) -> str:
    """The name of the one table of a file without parts; empty for every other file.

    The table of a part is named after the file and the part, so that its name is no beginning for others.
    """
    tables = kept.reading.tables
    return tables[0].name if len(tables) == 1 and not tables[0].part else ""


def named(reading: Reading, taken: set[str], *, before: Reading | None = None) -> Reading:
    """The reading with names of tables that no other file has, and with those of `before` for the same tables."""
    known = {} if before is None else _known_names(before.tables, reading.tables)
    tables: list[ReadTable] = []
    reports = dict(reading.reports)
    for table in reading.tables:
        name = free(known.get(table.table, table.name), taken)
        taken = taken | {name.casefold()}
        if name != table.name and len(reading.tables) > 1 and table.name in reports:
            reports[name] = reports.pop(table.name)
        tables.append(replace(table, name=name))
    return replace(reading, tables=tuple(tables), reports=reports)


def _known_names(before: Sequence[ReadTable], now: Sequence[ReadTable]) -> dict[str, str]:
    """The earlier name of each table that is the same one as before: the only one, or that of the same part."""
    if len(before) == len(now) == 1:
        return {now[0].table: before[0].name}
    out = {}
    for table in now:
        same = [old for old in before if (old.part, old.table) == (table.part, table.table)]
        if not same and table.part:
            same = [old for old in before if old.part == table.part]
            same = same if sum(each.part == table.part for each in now) == 1 else []
        if len(same) == 1:
            out[table.table] = same[0].name
    return out


def free(name: str, taken: Set[str]) -> str:
    """`name`, with a number when it is taken; names are equal without case."""
    chosen, count = name, 2
    while chosen.casefold() in taken:
        chosen, count = f"{name}_{count}", count + 1
    return chosen


def free_file(name: str, taken: Iterable[str]) -> str:
    """A name for a second file of this name, such as `sales (2).csv`."""
    names = {each.casefold() for each in taken}
    stem, dot, suffix = name.rpartition(".")
    chosen, count = name, 2
    while chosen.casefold() in names:
        chosen, count = (f"{stem} ({count}).{suffix}" if dot else f"{name} ({count})"), count + 1
    return chosen
