"""Uploaded files: copied, read once into immutable storage, and opened together so that they join."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from pydantic import JsonValue

from tabulaflow_core.config import Settings
from tabulaflow_core.data.contracts import DataConnector
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.files import FileReading, ReadOptions, ReadTable, read_file
from tabulaflow_core.data.files.naming import table_name
from tabulaflow_core.data.files.reader import stem
from tabulaflow_core.errors import FileUnreadable, NotFound, SourceError
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime import file_details, uploads
from tabulaflow_core.runtime.reading_jobs import Follower
from tabulaflow_core.runtime.shelf import Wanted
from tabulaflow_core.runtime.views import FileChoice, FileOutcome
from tabulaflow_core.store.folders import owner_folder
from tabulaflow_core.store.records import FileRecord
from tabulaflow_core.store.store import Store

_log = logging.getLogger(__name__)

FILES_ALIAS: Final = "files"

_BROKEN: Final = (
    "This file could not be read, for a reason that only the server's log knows. Save it as CSV and add that."
)


class FileBook:
    """The uploaded files of every principal."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store
        self._root = settings.data_dir / "files"

    def take_in(self, principal: Principal, given: Sequence[uploads.Given]) -> list[uploads.Upload | FileOutcome]:
        """Copy bytes that arrived, in the thread of the caller; an outcome stands for what could not be copied."""
        return [self._copy(principal, uploads.plain_name(name), place) for name, place in given]

    def take_by_path(self, principal: Principal, path: Path) -> uploads.Upload:
        """A file of the server, to be read where it lies.

        Raises:
            SourceError: It does not lie within the allowed folders, or is no file.
        """
        raise SourceError("Files of the server cannot be read yet.")

    async def add_async(
        self,
        principal: Principal,
        taken: Sequence[uploads.Upload | FileOutcome],
        *,
        choice: FileChoice | None = None,
        follower: Follower | None = None,
    ) -> tuple[FileOutcome, ...]:
        """Read each file; see `Runtime.add_files`."""
        outcomes = []
        for each in taken:
            if isinstance(each, FileOutcome):
                outcomes.append(each)
                continue
            if follower is not None:
                follower.begins(each.name)
            outcomes.append(await self._read(principal, each.name, each.path, each.sha256, each.size, ReadOptions()))
        await self._sweep(principal)
        return tuple(outcomes)

    async def answer_async(self, principal: Principal, name: str, choice: FileChoice) -> tuple[FileOutcome, ...]:
        """Settle what waits; see `Runtime.answer_file`."""
        raise NotFound("No file of this name waits for an answer. It may have been answered elsewhere.")

    async def dismiss_async(self, principal: Principal, name: str) -> None:
        """Forget what waits; see `Runtime.dismiss_file`."""
        raise NotFound("No file of this name waits for an answer. It may have been answered elsewhere.")

    async def options_async(self, principal: Principal, name: str) -> dict[str, JsonValue]:
        """The choices in force; see `Runtime.read_options`."""
        await self._record(principal, name)
        return {}

    async def raw_async(
        self, principal: Principal, name: str, *, part: str, start: int, count: int
    ) -> tuple[tuple[int, str], ...]:
        """Lines of a file; see `Runtime.raw_lines`."""
        path = await self.original_async(principal, name, version=None)
        with path.open(encoding="utf-8", errors="replace") as file:
            return tuple((at, line.rstrip("\n")) for at, line in enumerate(islice(file, start + count - 1), 1))[
                start - 1 :
            ]

    async def original_async(self, principal: Principal, name: str, *, version: int | None) -> Path:
        """The uploaded bytes; see `Runtime.original`."""
        record = await self._record(principal, name)
        return self._original(principal, record.sha256, record.name)

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
        await run_blocking_async(lambda: uploads.unlink(paths))
        await self._sweep(principal)

    async def add_samples_async(self, principal: Principal) -> None:
        """Add the sample files that are not there yet."""
        from tabulaflow_core.samples import SAMPLE_FILES

        there = {file.name for file in await self._store.sources.files_async(principal) if file.status == "loaded"}
        missing = [(path.name, path) for path in SAMPLE_FILES.values() if path.name not in there]
        taken = await run_blocking_async(lambda: self.take_in(principal, missing))
        await self.add_async(principal, taken, choice="separate")

    def wanted(self, principal: Principal, records: Iterable[FileRecord]) -> Wanted | None:
        """The one source that all readable files form; None when there is none."""
        loaded = [record for record in records if record.status == "loaded"]
        if not loaded:
            return None
        storage = self._storage(principal)
        readings = [file_details.reading(record.name, record.details, storage) for record in loaded]

        async def open_files() -> DataConnector:
            from tabulaflow_core.data.files import FilesConnector

            return await FilesConnector.open_async(readings, limits=self._settings.limits)

        return Wanted(FILES_ALIAS, " ".join(record.id for record in loaded), open_files)

    def _copy(self, principal: Principal, name: str, place: Path | str | BinaryIO) -> uploads.Upload | FileOutcome:
        folder = owner_folder(self._root, principal)
        source = Path(place) if isinstance(place, str) else place
        try:
            upload = uploads.copy_in(source, folder, name, most=self._settings.limits.upload_bytes)
            home = folder / upload.sha256[:32]
            home.mkdir(mode=0o700, exist_ok=True)
            return replace(upload, path=upload.path.replace(home / name))
        except uploads.TooLarge:
            most = self._settings.limits.upload_bytes / 2**20
            return FileOutcome(
                name,
                "message",
                f"{name} is larger than {most:g} MB, the limit of an upload. Split it, "
                "or ask the administrator to raise TABULAFLOW_MAX_UPLOAD_MB.",
            )
        except OSError as error:
            return FileOutcome(name, "message", f"{name} could not be copied: {error.strerror or error}. Try again.")

    async def _read(
        self, principal: Principal, name: str, path: Path, sha256: str, size: int, options: ReadOptions
    ) -> FileOutcome:
        storage = self._storage(principal)
        wanted = table_name(stem(name))
        taken = await self._taken(principal, name)
        free = None if wanted.casefold() not in taken else _free(wanted, taken)
        try:
            reading = await run_blocking_async(lambda: read_file(path, storage=storage, name=free, options=options))
        except FileUnreadable as error:
            return await self._unreadable(principal, name, sha256, size, error.user_message)
        except OSError as error:
            reason = f"{name} could not be stored: {error.strerror or error}. Make room on the server's disk."
            return await self._unreadable(principal, name, sha256, size, reason)
        except Exception:  # a fault in a reader must not take the other files of the upload with it
            _log.exception("a file could not be read")
            return await self._unreadable(principal, name, sha256, size, _BROKEN)
        return await self._keep(principal, name, sha256, size, reading)

    async def _keep(self, principal: Principal, name: str, sha256: str, size: int, reading: FileReading) -> FileOutcome:
        there = await self._store.sources.files_async(principal)
        before = next((file for file in there if file.name == name and file.status == "loaded"), None)
        tables = _renamed(reading.tables, await self._taken(principal, name))
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

    async def _taken(self, principal: Principal, name: str) -> set[str]:
        """The names of the tables of all files but `name`, without case."""
        storage = self._storage(principal)
        return {
            table.name.casefold()
            for file in await self._store.sources.files_async(principal)
            if file.name != name and file.status == "loaded"
            for table in file_details.tables(file.details, storage)
        }

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
        await run_blocking_async(lambda: uploads.delete_old(folder, kept))


def _renamed(tables: Sequence[ReadTable], taken: set[str]) -> tuple[ReadTable, ...]:
    """`tables` with a number after each name that another file has already, as the sheets of a workbook may."""
    out: list[ReadTable] = []
    for table in tables:
        name = _free(table.name, taken)
        taken = taken | {name.casefold()}
        out.append(replace(table, name=name))
    return tuple(out)


def _free(name: str, taken: set[str]) -> str:
    chosen, count = name, 2
    while chosen.casefold() in taken:
        chosen, count = f"{name}_{count}", count + 1
    return chosen


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
