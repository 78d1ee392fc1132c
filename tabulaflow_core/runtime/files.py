"""Uploaded files: copied, read once into immutable storage, and opened together so that they join."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final, cast

from pydantic import JsonValue

from tabulaflow_core.config import Settings
from tabulaflow_core.data.contracts import DataConnector
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.files.known import Known
from tabulaflow_core.data.files.naming import table_name
from tabulaflow_core.data.files.reader import stem
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable, NotFound, SourceError
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime import disk, file_outcomes, read_choices, server_files, uploads
from tabulaflow_core.runtime.begun import Note
from tabulaflow_core.runtime.cut_short import CutShortReadings
from tabulaflow_core.runtime.file_candidates import Candidate, find
from tabulaflow_core.runtime.file_changes import changes
from tabulaflow_core.runtime.file_details import Details, KeptFile, Member, WaitingFile, for_connector, kept_file
from tabulaflow_core.runtime.file_keeping import FileKeeper, free, named, table_of, taken_tables
from tabulaflow_core.runtime.file_reader import Follower, Nobody, read_async
from tabulaflow_core.runtime.file_settling import Settling
from tabulaflow_core.runtime.raw_text import raw_lines
from tabulaflow_core.runtime.sample_shop import SampleShop
from tabulaflow_core.runtime.shelf import Wanted
from tabulaflow_core.runtime.uploaded_databases import DatabaseUploads, dialect_of
from tabulaflow_core.runtime.views import FileChoice, FileOutcome
from tabulaflow_core.store.records import FileRecord
from tabulaflow_core.store.store import Store

FILES_ALIAS: Final = "files"

#: Files lie on this machine and are silent only while it is busy: who has just brought some shall see their rows.
_OPEN_SECONDS: Final = 60.0
_NO_FILE: Final = "This file is not here. It may have been removed."
_NOT_WAITING: Final = "No file of this name waits for an answer. It may have been answered elsewhere."


class FileBook:
    """The uploaded files of every principal. Coroutines belong to the engine loop; `take_…` to any thread."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store
        self._keeper = FileKeeper(settings, store)
        self.databases = DatabaseUploads(settings, store)
        self.cut_short = CutShortReadings(settings, self._keeper)
        self._settling = Settling(self._keeper, self.databases)
        self._locks: dict[str, asyncio.Lock] = {}
        self._known: dict[str, Known] = {}
        self.samples = SampleShop(self._keeper, store, alias=FILES_ALIAS, read=self._read_samples_async)

    def take_in(self, principal: Principal, given: Sequence[uploads.Given]) -> list[uploads.Upload | FileOutcome]:
        """Copy bytes that arrived, in the thread of the caller; an outcome stands for what could not be copied."""
        return [self._copy(principal, uploads.plain_name(name), place) for name, place in given]

    def take_by_path(self, principal: Principal, path: Path) -> uploads.Upload:
        """A file of the server, to be read where it lies; see `server_files.by_path`."""
        return server_files.by_path(self._settings, path)

    def note(self, principal: Principal, taken: Sequence[uploads.Upload | FileOutcome]) -> list[Note]:
        """Note that these are read from now on; see `cut_short`.

        Raises:
            NotFound: One of them is read elsewhere.
        """
        return self.cut_short.note(principal, taken)

    def _place(self, principal: Principal, member: Member) -> Path:
        """Where the bytes of a member are now.

        Raises:
            SourceError: It is a file of the server, and its folder or what its links lead to is closed by now.
        """
        path = member.place(self._keeper.folder(principal))
        if member.path:
            server_files.see_open(self._settings, path.resolve())
        return path

    async def add_async(
        self,
        principal: Principal,
        taken: Sequence[uploads.Upload | FileOutcome],
        *,
        choice: FileChoice | None = None,
        follower: Follower | None = None,
    ) -> tuple[FileOutcome, ...]:
        """Read each file; see `Runtime.add_files`.

        Raises:
            FileReadingStopped: The follower's watch was stopped; nothing was kept.
        """
        async with self.samples.room(principal) as came:
            came.extend(await self._add_async(principal, taken, choice, follower or Nobody()))
        return tuple(came)

    async def _add_async(
        self,
        principal: Principal,
        taken: Sequence[uploads.Upload | FileOutcome],
        choice: FileChoice | None,
        follower: Follower,
    ) -> tuple[FileOutcome, ...]:
        looked: list[Candidate | FileOutcome] = []
        try:
            for each in taken:
                looked.append(each if isinstance(each, FileOutcome) else await self._begin(principal, each, follower))
            follower.watch.advance("writing")
            candidates = {at: each for at, each in enumerate(looked) if isinstance(each, Candidate)}
            async with self._lock(principal):
                settled = await self._settling.settle_async(principal, candidates, choice, follower)
        except BaseException:
            await asyncio.shield(self._forget(principal, taken, looked, copies=not follower.leaves_copies))
            raise
        await self._keeper.sweep_async(principal)
        outcomes = {at: each for at, each in enumerate(looked) if isinstance(each, FileOutcome)} | settled
        return tuple(outcomes[at] for at in sorted(outcomes))

    async def answer_async(self, principal: Principal, name: str, choice: FileChoice) -> tuple[FileOutcome, ...]:
        """Settle what waits; see `Runtime.answer_file`."""
        async with self._lock(principal):
            waiting = await self._waiting(principal, name)
            question = file_outcomes.of_waiting(waiting[0]).question
            if question is None or choice not in question.choices:
                allowed = ", ".join(question.choices) if question else ""
                raise SourceError(f"{choice!r} is no answer to this question; the answers are {allowed}.")
            settled = await self._settling.answer_async(principal, waiting, choice, Nobody())
        await self._keeper.sweep_async(principal)
        return tuple(settled)

    async def dismiss_async(self, principal: Principal, name: str) -> None:
        """Forget what waits; see `Runtime.dismiss_file`."""
        await self._keeper.remove_waiting_async(principal, await self._waiting(principal, name))

    async def reread_async(self, principal: Principal, name: str, options: Mapping[str, JsonValue]) -> FileOutcome:
        """Read a file again with the choices of a person; see `Runtime.reread_file`."""
        parsed, chosen = read_choices.parse(options), read_choices.tidy(options)
        async with self._lock(principal):
            before = await self._current(principal, await self._kept(principal, name))
            others = taken_tables(await self._keeper.kept_async(principal), besides=before.name)
            wanted = table_of(before) or free(table_name(stem(before.members[0].name)), others)
            try:
                reading = await read_async(
                    before.members,
                    folder=self._keeper.folder(principal),
                    storage=self._keeper.storage(principal),
                    table=wanted,
                    options=parsed,
                    file_column=before.file_column,
                    follower=Nobody(),
                )
            except FileUnreadable as error:
                stays = " The earlier reading stays." if before.status == "loaded" else ""
                return FileOutcome(before.name, "message", f"{error.user_message}{stays}", options=before.options)
            reading = named(reading, others, before=before.reading)
            loaded = before.status == "loaded"
            said = await run_blocking_async(lambda: changes(before, reading)) if loaded else ()
            made = replace(
                before,
                status="loaded",
                reading=reading,
                options=chosen,
                message="",
                version=before.version + 1 if loaded else 1,
                changes=said,
                earlier=(*before.earlier, (before.version, before.members)) if loaded else (),
            )
            put = await self._keeper.put_async(principal, made, expected=before.id)
            if put is None:
                await self._keeper.discard_async(principal, (), [reading])
                raise SourceError(f"{before.name} was changed by somebody else meanwhile. Look at it again.")
        await self._keeper.sweep_async(principal)
        return file_outcomes.of_kept(put)

    async def options_async(self, principal: Principal, name: str) -> dict[str, JsonValue]:
        """The choices in force; see `Runtime.read_options`."""
        return dict((await self._kept(principal, name)).options)

    async def raw_async(
        self, principal: Principal, name: str, *, part: str, start: int, count: int
    ) -> tuple[tuple[int, str], ...]:
        """Lines of a file; see `Runtime.raw_lines`."""
        member, report = await self._member(principal, name)
        path, encoding = self._place(principal, member), _encoding(report)
        return await run_blocking_async(lambda: raw_lines(path, encoding=encoding, part=part, start=start, count=count))

    async def original_async(self, principal: Principal, name: str, *, version: int | None) -> Path:
        """The uploaded bytes; see `Runtime.original`."""
        if version is None:
            return _there(self._place(principal, (await self._member(principal, name))[0]))
        kept = await self._kept(principal, name)
        versions = {**dict(kept.earlier), kept.version: kept.members}
        if version not in versions:
            raise NotFound(f"{kept.name} has no version {version}, or it is too old to be kept.")
        return _there(self._place(principal, versions[version][-1]))

    async def list_async(self, principal: Principal) -> tuple[FileOutcome, ...]:
        """All files, the oldest first, then what waits."""
        kept, waiting = await self._keeper.kept_async(principal), await self._keeper.waiting_async(principal)
        return (*map(file_outcomes.of_kept, kept), *map(file_outcomes.of_waiting, waiting))

    async def remove_async(self, principal: Principal, name: str) -> None:
        """Forget a file and what waits under its name, with what was stored of them."""
        waiting = [each for each in await self._keeper.waiting_async(principal) if each.name == name]
        kept = await self._keeper.kept_async(principal)
        if waiting:
            await self._keeper.remove_waiting_async(principal, waiting)
        if not waiting or any(each.name == name for each in kept):
            await self._keeper.remove_async(principal, name)
        await self._keeper.sweep_async(principal)

    async def _read_samples_async(self, principal: Principal, files: Sequence[uploads.Given]) -> None:
        taken = await run_blocking_async(lambda: self.take_in(principal, files))
        await self._add_async(principal, taken, "separate", Nobody())

    def wanted(self, principal: Principal, records: Iterable[FileRecord]) -> Wanted | None:
        """The one source that all readable files form; None when there is none."""
        loaded = [record for record in records if record.status == "loaded"]
        if not loaded:
            return None
        storage = self._keeper.storage(principal)
        readings = [for_connector(kept_file(record, storage)) for record in loaded]

        known = self._known.setdefault(principal.id, Known())

        async def open_files() -> DataConnector:
            from tabulaflow_core.data.files import FilesConnector

            return await FilesConnector.open_async(readings, limits=self._settings.limits, known=known)

        token = " ".join(record.id for record in loaded)
        return Wanted(FILES_ALIAS, token, open_files, patience=_OPEN_SECONDS, limit=_OPEN_SECONDS, seamless=True)

    def _copy(self, principal: Principal, name: str, place: Path | str | BinaryIO) -> uploads.Upload | FileOutcome:
        folder = self._keeper.folder(principal)
        source = Path(place) if isinstance(place, str) else place
        most = self._settings.limits.upload_bytes
        try:
            disk.need_room(folder, min(uploads.size_of(source), most))
            return uploads.copy_in(source, folder, name, most=most)
        except uploads.TooLarge:
            message = (
                f"{name} is larger than {most / 2**20:g} MB, the limit of an upload. Split it, "
                "or ask the administrator to raise TABULAFLOW_MAX_UPLOAD_MB."
            )
        except disk.DiskFull as error:
            message = (
                f"There is not enough room on the server's disk for {name}: {error}. "
                "Remove files that are not needed any more, or ask the administrator for room."
            )
        except OSError as error:
            message = f"{name} could not be copied: {error.strerror or error}. Try again."
        return FileOutcome(name, "message", message)

    async def _begin(self, principal: Principal, upload: uploads.Upload, follower: Follower) -> Candidate | FileOutcome:
        """Read one upload; or what there is to say of it when the very same is here already."""
        follower.begins(upload.name)
        follower.watch.advance("reading")
        try:
            sha256 = upload.sha256 or await run_blocking_async(lambda: uploads.hash_of(upload.path, follower.watch))
        except OSError as error:
            return FileOutcome(upload.name, "message", f"{upload.name} cannot be read: {error.strerror or error}.")
        member = Member(upload.name, sha256, upload.size, upload.copy, "" if upload.copy else str(upload.path))
        if (same := await self._same(principal, member)) is not None:
            await self._keeper.discard_async(principal, [member])
            return same
        dialect = await run_blocking_async(lambda: dialect_of(upload.path))
        if dialect:
            try:
                schema = await self.databases.look_async(principal, member, dialect)
            except SourceError as error:
                await self._keeper.discard_async(principal, [member])
                return FileOutcome(member.name, "message", error.user_message)
            return Candidate(member, dialect=dialect, schema=schema)
        kept = await self._keeper.kept_async(principal)
        target = find(kept, member.name)
        options: Details = {} if target is None else target.options
        wanted = table_name(stem(member.name))
        if target is None:
            wanted = free(wanted, taken_tables(kept))
        elif not target.several:
            wanted = table_of(target) or wanted
        candidate = await self._read(principal, member, wanted, options, follower)
        if candidate.fault and options:  # choices for another content may not fit; the question comes all the same
            candidate = await self._read(principal, member, wanted, {}, follower)
        return candidate

    async def _read(
        self, principal: Principal, member: Member, table: str, options: Details, follower: Follower
    ) -> Candidate:
        try:
            reading = await read_async(
                [member],
                folder=self._keeper.folder(principal),
                storage=self._keeper.storage(principal),
                table=table,
                options=read_choices.parse(options).for_part(member.name),
                follower=follower,
            )
        except FileReadingStopped:
            raise
        except FileUnreadable as error:
            return Candidate(member, fault=error.user_message)
        return Candidate(member, reading, options=options, told=bool(options))

    async def _same(self, principal: Principal, member: Member) -> FileOutcome | None:
        for kept in await self._keeper.kept_async(principal):
            if kept.status == "loaded" and any(each.same_as(member) for each in kept.members):
                return file_outcomes.already_here(file_outcomes.of_kept(kept), member.name)
        for waiting in await self._keeper.waiting_async(principal):
            if waiting.member.same_as(member):
                return file_outcomes.already_here(file_outcomes.of_waiting(waiting), member.name)
        return await self.databases.same_async(principal, member)

    async def _forget(
        self,
        principal: Principal,
        taken: Sequence[uploads.Upload | FileOutcome],
        looked: Sequence[Candidate | FileOutcome],
        *,
        copies: bool,
    ) -> None:
        """Delete what was read, and with `copies` what was copied, and is not kept."""
        left = [c for c in looked if isinstance(c, Candidate) and not c.settled]
        members = [candidate.member for candidate in left]
        readings = [candidate.reading for candidate in left]
        for each in taken[len(looked) :]:
            if isinstance(each, uploads.Upload) and each.copy:
                members.append(Member(each.name, each.sha256, each.size, each.copy))
        await self._keeper.discard_async(principal, members if copies else (), readings)

    async def _kept(self, principal: Principal, name: str) -> KeptFile:
        for kept in await self._keeper.kept_async(principal):
            if kept.name == name:
                return kept
        raise NotFound(_NO_FILE)

    async def _current(self, principal: Principal, kept: KeptFile) -> KeptFile:
        """The file with what its members of the server hold now; one that is gone is left to the reader to tell.

        Raises:
            SourceError: The folder of one is closed by now.
        """

        def look(member: Member) -> Member:
            path = self._place(principal, member)
            if not member.path or not path.is_file():
                return member
            return replace(member, sha256=uploads.hash_of(path, Watch()), size=path.stat().st_size)

        members = await run_blocking_async(lambda: tuple(map(look, kept.members)))
        return replace(kept, members=members)

    async def _member(self, principal: Principal, name: str) -> tuple[Member, Details]:
        """The upload of this name with its report: a file's own, one of its several, or one that waits."""
        kept = await self._keeper.kept_async(principal)
        own = next((each for each in kept if each.name == name), None)
        if own is not None and not own.several:
            return own.members[-1], own.reading.report
        for each in kept if own is None else [own]:
            for member in reversed(each.members):
                if member.name == name or (own is not None and member is each.members[-1]):
                    return member, each.reading.reports.get(member.name, each.reading.report)
        for waiting in await self._keeper.waiting_async(principal):
            if waiting.name == name:
                return waiting.member, waiting.reading.report
        raise NotFound(_NO_FILE)

    async def _waiting(self, principal: Principal, name: str) -> list[WaitingFile]:
        """The upload that waits under this name, with those that one answer is about."""
        waiting = await self._keeper.waiting_async(principal)
        found = next((each for each in waiting if each.name == name), None)
        if found is None:
            raise NotFound(_NOT_WAITING)
        return [found] if not found.group else [each for each in waiting if each.group == found.group]

    def _lock(self, principal: Principal) -> asyncio.Lock:
        return self._locks.setdefault(principal.id, asyncio.Lock())


def _encoding(report: Details) -> str:
    decisions = report.get("decisions")
    for decision in cast("list[Details]", decisions if isinstance(decisions, list) else []):
        if decision.get("name") == "encoding":
            return str(decision.get("value", ""))
    return ""


def _there(path: Path) -> Path:
    if not path.is_file():
        raise NotFound(f"The original of {path.name} is not there any more.")
    return path
