"""Reads one upload, or several as one table, in threads of the executor."""

from __future__ import annotations

import errno
import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Final, Protocol, TypeVar
from uuid import uuid4

from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.files import FileReading, ReadOptions, read_file
from tabulaflow_core.data.files import combine as combining
from tabulaflow_core.data.files.report import ReadTable
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable
from tabulaflow_core.runtime import disk
from tabulaflow_core.runtime.file_details import Details, Member, Reading, reading_of
from tabulaflow_core.runtime.file_reports import merged, said_of

_log = logging.getLogger(__name__)

T = TypeVar("T")

_BROKEN: Final = (
    "This file could not be read, for a reason that only the server's log knows. Save it as CSV and add that."
)


class Follower(Protocol):
    """Hears how a reading goes on.

    Attributes:
        leaves_copies: Whether the copies stay when the reading is stopped, to be read again.
    """

    watch: Watch
    leaves_copies: bool

    def begins(self, name: str) -> None:
        """The file `name` is read from now on."""


class Nobody:
    """A follower for callers that only wait."""

    def __init__(self) -> None:
        self.watch = Watch()
        self.leaves_copies = False

    def begins(self, name: str) -> None:
        """Nothing."""


async def read_async(
    members: Sequence[Member],
    *,
    folder: Path,
    storage: Path,
    table: str | None,
    options: ReadOptions,
    file_column: bool = False,
    follower: Follower,
) -> Reading:
    """Read the members into `storage`; several, or one with a file column, become one table.

    Args:
        folder: The owner's, in which copies lie.
        table: The name of the table; None for one made from the file's name.
        file_column: Whether a column tells the file of each row.

    Raises:
        FileReadingStopped: The follower's watch was stopped; nothing was kept.
        FileUnreadable: A member cannot be read, with what to do; nothing was kept.
    """
    if len(members) == 1 and not file_column:
        return reading_of(await _read_one(members[0], folder, storage, table, options, follower))
    # A dot: what a killed process leaves here is swept with what its readings leave.
    workshop = storage / f".parts-{uuid4().hex}"
    try:
        parts = [await _part(member, folder, workshop, options.for_part(member.name), follower) for member in members]
        return await _together(parts, folder, storage, workshop, table, options, file_column, follower)
    finally:
        await _blocking(lambda: shutil.rmtree(workshop, ignore_errors=True), "", follower.watch)


@dataclass(frozen=True, slots=True)
class Part:
    """A stored table that becomes a part of another one.

    Attributes:
        members: The files that it was read from.
        reports: Their reading reports, by file.
        told: Whether its first column tells the file of each row.
        said: What was said of its columns when it was put together, by column.
    """

    members: tuple[Member, ...]
    table: ReadTable
    reports: Mapping[str, Details]
    told: bool = False
    said: Mapping[str, str] = field(default_factory=dict)


def part_of(members: tuple[Member, ...], reading: Reading, *, told: bool) -> Part:
    """The part that a kept reading of one table makes."""
    if len(members) == 1 and not told:
        return Part(members, reading.tables[0], {members[0].name: reading.report})
    return Part(members, reading.tables[0], reading.reports, told, said_of(reading.report))


async def join_async(
    parts: Sequence[Part],
    *,
    folder: Path,
    storage: Path,
    table: str,
    options: ReadOptions,
    file_column: bool,
    follower: Follower,
) -> Reading:
    """One table of tables that were read before with these options; files are read again only where they must be.

    Raises:
        FileReadingStopped: The follower's watch was stopped; nothing was kept.
        FileUnreadable: A file that must be read again cannot be; nothing was kept.
    """
    workshop = storage / f".parts-{uuid4().hex}"
    try:
        return await _together(list(parts), folder, storage, workshop, table, options, file_column, follower)
    finally:
        await _blocking(lambda: shutil.rmtree(workshop, ignore_errors=True), "", follower.watch)


async def _part(member: Member, folder: Path, workshop: Path, options: ReadOptions, follower: Follower) -> Part:
    read = await _read_one(member, folder, workshop, None, options, follower)
    if len(read.tables) != 1:
        raise FileUnreadable(
            f"{member.name} holds {len(read.tables)} tables; only files of one table can be put together. "
            "Keep it apart."
        )
    return Part((member,), read.tables[0], {member.name: read.report.to_json()})


async def _read_one(
    member: Member, folder: Path, storage: Path, table: str | None, options: ReadOptions, follower: Follower
) -> FileReading:
    path = member.place(folder)
    follower.begins(member.name)
    watch = follower.watch

    def work() -> FileReading:
        watch.advance("reading")
        if path.is_file():  # the reader says what is wrong otherwise
            disk.need_room_to_read(path, storage)
        reading = read_file(path, storage=storage, name=table, options=options, watch=watch)
        if watch.stopped:  # after its last look
            for read in reading.tables:
                read.database.unlink(missing_ok=True)
            raise FileReadingStopped
        return reading

    return await _blocking(work, member.name, watch)


async def _blocking(work: Callable[[], T], name: str, watch: Watch) -> T:
    """Run `work` in a thread; every fault of a reader becomes a sentence."""
    try:
        return await run_blocking_async(work, interrupt=watch.stop)
    except (FileUnreadable, FileReadingStopped):
        raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "Make room on the server's disk." if full else "Try again, or remove the file and add it once more."
        raise FileUnreadable(f"{name} could not be stored: {error.strerror or error}. {remedy}") from error
    except Exception as error:  # a fault in a reader must not take the other files of the upload with it
        _log.exception("a file could not be read")
        raise FileUnreadable(_BROKEN) from error


async def _together(
    parts: list[Part],
    folder: Path,
    storage: Path,
    workshop: Path,
    table: str | None,
    options: ReadOptions,
    file_column: bool,
    follower: Follower,
) -> Reading:
    columns = await _planned(parts, follower)
    said = [column.said for column in columns]
    again = {at: combining.to_be_text(columns, at, part.table) for at, part in enumerate(parts)}
    if any(again.values()):  # as it stands in the file, not as its number or date would be written
        fresh: list[Part] = []
        for at, part in enumerate(parts):
            if not again[at]:
                fresh.append(part)
                continue
            for member in part.members:
                own = _as_text(options.for_part(member.name), again[at])
                fresh.append(await _part(member, folder, workshop, own, follower))
        parts = fresh
        columns = await _planned(parts, follower)
    told: dict[str, str] = {}
    for part in parts:
        told |= part.said
    columns = [
        replace(c, said=c.said or s or told.get(c.name, "")) for c, s in zip_longest(columns, said[: len(columns)])
    ]
    name = table or parts[0].table.name
    members = [combining.Member(part.members[0].name, part.table, part.told) for part in parts]

    def work() -> ReadTable:
        return combining.combine(
            members, storage=storage, name=name, columns=columns, file_column=file_column, watch=follower.watch
        )

    follower.watch.advance("writing", 0, len(parts))
    written = await _blocking(work, members[0].file, follower.watch)
    reports: dict[str, Details] = {}
    for part in parts:
        for file, report in part.reports.items():
            reports[_unused(file, reports)] = report
    return Reading((written,), merged(reports, written, columns), reports)


async def _planned(parts: Sequence[Part], follower: Follower) -> list[combining.CombinedColumn]:
    members = [combining.Member(part.members[0].name, part.table, part.told) for part in parts]
    return list(await _blocking(lambda: combining.plan(members), members[0].file, follower.watch))


def _as_text(options: ReadOptions, columns: Sequence[str]) -> ReadOptions:
    return replace(options, types={**options.types, **dict.fromkeys(columns, "text")})


def _unused(name: str, taken: dict[str, Details]) -> str:
    """`name`, with a number when two uploads of one name are put together."""
    chosen, count = name, 2
    while chosen in taken:
        chosen, count = f"{name} ({count})", count + 1
    return chosen
