"""Reads one upload, or several as one table, in threads of the executor."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
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
from tabulaflow_core.runtime.file_reports import merged

_log = logging.getLogger(__name__)

T = TypeVar("T")

_BROKEN: Final = (
    "This file could not be read, for a reason that only the server's log knows. Save it as CSV and add that."
)


class Follower(Protocol):
    """Hears how a reading goes on."""

    watch: Watch

    def begins(self, name: str) -> None:
        """The file `name` is read from now on."""


class Nobody:
    """A follower for callers that only wait."""

    def __init__(self) -> None:
        self.watch = Watch()

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
        read = [
            await _read_one(member, folder, workshop, None, options.for_part(member.name), follower)
            for member in members
        ]
        return await _combined(members, read, folder, storage, workshop, table, options, file_column, follower)
    finally:
        await _blocking(lambda: shutil.rmtree(workshop, ignore_errors=True), "", follower.watch)


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
        raise FileUnreadable(
            f"{name} could not be stored: {error.strerror or error}. Make room on the server's disk."
        ) from error
    except Exception as error:  # a fault in a reader must not take the other files of the upload with it
        _log.exception("a file could not be read")
        raise FileUnreadable(_BROKEN) from error


async def _combined(
    members: Sequence[Member],
    read: list[FileReading],
    folder: Path,
    storage: Path,
    workshop: Path,
    table: str | None,
    options: ReadOptions,
    file_column: bool,
    follower: Follower,
) -> Reading:
    for member, reading in zip(members, read, strict=True):
        if len(reading.tables) != 1:
            raise FileUnreadable(
                f"{member.name} holds {len(reading.tables)} tables; only files of one table can be put together. "
                "Keep it apart."
            )
    parts = [combining.Member(m.name, r.tables[0]) for m, r in zip(members, read, strict=True)]
    columns = await _blocking(lambda: combining.plan(parts), members[0].name, follower.watch)
    again = {at: combining.to_be_text(columns, at, part.table) for at, part in enumerate(parts)}
    for at, names in again.items():
        if names:  # as it stands in the file, not as its number or date would be written
            own = options.for_part(members[at].name)
            told = replace(own, types={**own.types, **dict.fromkeys(names, "text")})
            read[at] = await _read_one(members[at], folder, workshop, None, told, follower)
            parts[at] = combining.Member(members[at].name, read[at].tables[0])
    if any(again.values()):
        said = [column.said for column in columns]
        columns = await _blocking(lambda: combining.plan(parts), members[0].name, follower.watch)
        columns = tuple(replace(c, said=c.said or s) for c, s in zip(columns, said, strict=True))
    name = table or parts[0].table.name

    def work() -> ReadTable:
        return combining.combine(
            parts, storage=storage, name=name, columns=columns, file_column=file_column, watch=follower.watch
        )

    follower.watch.advance("writing", 0, len(parts))
    written = await _blocking(work, members[0].name, follower.watch)
    reports: dict[str, Details] = {}
    for part, reading in zip(parts, read, strict=True):
        reports[_unused(part.file, reports)] = reading.report.to_json()
    return Reading((written,), merged(reports, written, columns), reports)


def _unused(name: str, taken: dict[str, Details]) -> str:
    """`name`, with a number when two uploads of one name are put together."""
    chosen, count = name, 2
    while chosen in taken:
        chosen, count = f"{name} ({count})", count + 1
    return chosen
