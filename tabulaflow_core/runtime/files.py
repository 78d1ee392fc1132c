"""Uploaded files: copied, read once into immutable storage, and opened together so that they join."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from tabulaflow_core.config import Settings
from tabulaflow_core.data.contracts import DataConnector
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.files import FileReading, ReadOptions, ReadTable, read_file
from tabulaflow_core.errors import FileUnreadable, NotFound, SourceError
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime import file_details
from tabulaflow_core.runtime.shelf import Wanted
from tabulaflow_core.runtime.views import FileOutcome
from tabulaflow_core.store.folders import owner_folder
from tabulaflow_core.store.records import FileRecord
from tabulaflow_core.store.store import Store

_log = logging.getLogger(__name__)

FILES_ALIAS: Final = "files"

#: A replaced version may still be asked by a running turn, here or in another process; none runs this long.
_GRACE_SECONDS: Final = 3600.0
_BLOCK: Final = 1 << 20
_BROKEN: Final = (
    "This file could not be read, for a reason that only the server's log knows. Save it as CSV and add that."
)


class FileBook:
    """The uploaded files of every principal."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store
        self._root = settings.data_dir / "files"

    async def add_async(self, principal: Principal, given: Sequence[tuple[str, Path]]) -> tuple[FileOutcome, ...]:
        """Read each file; see `Runtime.add_files`."""
        outcomes = [await self._add_one(principal, _plain_name(name), path) for name, path in given]
        await self._sweep(principal)
        return tuple(outcomes)

    async def reread_async(self, principal: Principal, name: str, options: Mapping[str, JsonValue]) -> FileOutcome:
        """Read a file again with the choices of a person; see `Runtime.reread_file`."""
        record = await self._record(principal, name)
        chosen = _options(options)
        original = self._original(principal, record.sha256, record.name)
        outcome = await self._read(principal, record.name, original, record.sha256, record.size, chosen)
        await self._sweep(principal)
        return outcome

    async def list_async(self, principal: Principal) -> tuple[FileOutcome, ...]:
        """All files, the oldest first."""
        return tuple(_outcome(record) for record in await self._store.sources.files_async(principal))

    async def remove_async(self, principal: Principal, name: str) -> None:
        """Forget a file and delete what was stored of it."""
        record = await self._store.sources.remove_file_async(principal, name)
        paths = [self._original(principal, record.sha256, record.name)]
        paths += [table.database for table in file_details.tables(record.details, self._storage(principal))]
        await run_blocking_async(lambda: _unlink(paths))
        await self._sweep(principal)

    async def add_samples_async(self, principal: Principal) -> None:
        """Add the sample files that are not there yet."""
        from tabulaflow_core.samples import SAMPLE_FILES

        there = {file.name for file in await self._store.sources.files_async(principal) if file.status == "loaded"}
        await self.add_async(principal, [(p.name, p) for p in SAMPLE_FILES.values() if p.name not in there])

    def wanted(self, principal: Principal, records: Iterable[FileRecord]) -> Wanted | None:
        """The one source that all readable files form; None when there is none."""
        loaded = [record for record in records if record.status == "loaded"]
        if not loaded:
            return None
        storage = self._storage(principal)
        tables = [table for record in loaded for table in file_details.tables(record.details, storage)]

        async def open_files() -> DataConnector:
            from tabulaflow_core.data.files import FilesConnector

            return await FilesConnector.open_async(tables, limits=self._settings.limits)

        return Wanted(FILES_ALIAS, " ".join(record.id for record in loaded), open_files)

    async def _add_one(self, principal: Principal, name: str, path: Path) -> FileOutcome:
        folder = owner_folder(self._root, principal)
        try:
            sha256, size = await run_blocking_async(lambda: _copy_in(path, folder, name))
        except OSError as error:
            return FileOutcome(name, "message", f"{name} could not be copied: {error.strerror or error}. Try again.")
        return await self._read(principal, name, self._original(principal, sha256, name), sha256, size, ReadOptions())

    async def _read(
        self, principal: Principal, name: str, path: Path, sha256: str, size: int, options: ReadOptions
    ) -> FileOutcome:
        storage = self._storage(principal)
        try:
            reading = await run_blocking_async(lambda: read_file(path, storage=storage, options=options))
        except FileUnreadable as error:
            return await self._unreadable(principal, name, sha256, size, error.user_message)
        except Exception:  # a fault in a reader must not take the other files of the upload with it
            _log.exception("a file could not be read")
            return await self._unreadable(principal, name, sha256, size, _BROKEN)
        return await self._keep(principal, name, sha256, size, reading)

    async def _keep(self, principal: Principal, name: str, sha256: str, size: int, reading: FileReading) -> FileOutcome:
        others = await self._store.sources.files_async(principal)
        before = next((file for file in others if file.name == name and file.status == "loaded"), None)
        taken = {
            table.name.casefold()
            for file in others
            if file.name != name and file.status == "loaded"
            for table in file_details.tables(file.details, self._storage(principal))
        }
        tables = _renamed(reading.tables, taken)
        message = "" if before is None else f"{name} was here already; this version replaces the earlier one."
        record = await self._store.sources.put_file_async(
            principal,
            name,
            sha256=sha256,
            size=size,
            status="loaded",
            message=message,
            details=file_details.to_json(tables, reading.report),
        )
        return _outcome(record)

    async def _unreadable(self, principal: Principal, name: str, sha256: str, size: int, message: str) -> FileOutcome:
        there = await self._store.sources.files_async(principal)
        if any(file.name == name and file.status == "loaded" for file in there):
            return FileOutcome(name, "message", f"{message} The version that was here before stays.")
        record = await self._store.sources.put_file_async(
            principal, name, sha256=sha256, size=size, status="message", message=message
        )
        return _outcome(record)

    async def _record(self, principal: Principal, name: str) -> FileRecord:
        for record in await self._store.sources.files_async(principal):
            if record.name == name:
                return record
        raise NotFound("This file is not here. It may have been removed.")

    def _storage(self, principal: Principal) -> Path:
        return owner_folder(self._root, principal) / "tables"

    def _original(self, principal: Principal, sha256: str, name: str) -> Path:
        return owner_folder(self._root, principal) / sha256[:32] / name

    async def _sweep(self, principal: Principal) -> None:
        """Delete versions that nothing refers to any more."""
        records = await self._store.sources.files_async(principal)
        kept = {
            table.database
            for record in records
            for table in file_details.tables(record.details, self._storage(principal))
        }
        kept |= {self._original(principal, record.sha256, record.name) for record in records}
        folder = owner_folder(self._root, principal)
        await run_blocking_async(lambda: _delete_old(folder, kept))


def _renamed(tables: Sequence[ReadTable], taken: set[str]) -> tuple[ReadTable, ...]:
    """`tables` with a number after each name that another file has already."""
    out: list[ReadTable] = []
    for table in tables:
        name, count = table.name, 2
        while name.casefold() in taken:
            name, count = f"{table.name}_{count}", count + 1
        taken.add(name.casefold())
        out.append(replace(table, name=name))
    return tuple(out)


def _outcome(record: FileRecord) -> FileOutcome:
    return FileOutcome(
        name=record.name,
        status=record.status,
        message=record.message,
        tables=file_details.schemas(record.details),
        report=file_details.report(record.details),
    )


def _options(given: Mapping[str, JsonValue]) -> ReadOptions:
    known = {field.name for field in fields(ReadOptions)}
    if unknown := sorted(set(given) - known):
        raise SourceError(f"There is no reading choice called {unknown[0]!r}; there are {', '.join(sorted(known))}.")
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return ReadOptions(**values)  # type: ignore[arg-type]


def _plain_name(name: str) -> str:
    """The last part of a path as a file name: no separators, no control characters, short enough for any disk."""
    last = re.split(r"[/\\]", name)[-1]
    clean = re.sub(r"[\x00-\x1f\x7f]", "", last).strip().lstrip(".") or "file"
    stem, dot, suffix = clean.rpartition(".")
    while len(clean.encode("utf-8", "replace")) > 200:
        stem = stem[:-1] if dot else ""
        clean = f"{stem}.{suffix}" if dot and stem else clean[:-1]
    return clean.encode("utf-8", "replace").decode()


def _copy_in(source: Path, folder: Path, name: str) -> tuple[str, int]:
    """Copy `source` to the folder of its hash; the hash and the size come back."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=folder)
    digest, size = hashlib.sha256(), 0
    try:
        with os.fdopen(descriptor, "wb") as target, source.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
                size += len(block)
                target.write(block)
        home = folder / digest.hexdigest()[:32]
        home.mkdir(mode=0o700, exist_ok=True)
        os.replace(draft, home / name)
    except BaseException:
        os.unlink(draft)
        raise
    return digest.hexdigest(), size


def _unlink(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _delete_old(folder: Path, kept: set[Path]) -> None:
    if not folder.is_dir():
        return
    deadline = time.time() - _GRACE_SECONDS
    for path in folder.glob("*/*"):
        if path not in kept and path.is_file() and path.stat().st_mtime < deadline:
            path.unlink(missing_ok=True)
