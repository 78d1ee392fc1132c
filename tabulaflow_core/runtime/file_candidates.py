"""Uploads that were read, and what they may have to do with the files that are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.files.series import alike
from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.runtime.file_changes import Profiles, profiles
from tabulaflow_core.runtime.file_details import Details, KeptFile, Member, Reading
from tabulaflow_core.runtime.views import FileChoice


@dataclass(slots=True)
class Candidate:
    """An upload that was read, or that could not be.

    Attributes:
        fault: Why it could not be read; empty when it could.
        options: The choices that it was read with.
        told: Whether these were made for an earlier version of it.
        dialect: Of a database file, with its `schema`; empty for every other file.
        answered: The id of the waiting record that it comes from.
        settled: Whether its bytes belong to something kept by now.
    """

    member: Member
    reading: Reading = field(default_factory=Reading)
    fault: str = ""
    options: Details = field(default_factory=dict)
    told: bool = False
    dialect: str = ""
    schema: SourceSchema = field(default_factory=SourceSchema)
    answered: str = ""
    settled: bool = False

    @property
    def name(self) -> str:
        """The name that it was uploaded under."""
        return self.member.name

    @property
    def answers(self) -> tuple[str, ...]:
        """The waiting records that end with it."""
        return (self.answered,) if self.answered else ()


def find(kept: Sequence[KeptFile], name: str) -> KeptFile | None:
    """The loaded file of this name, or else the one whose table is made of a file of this name among others."""
    loaded = [each for each in kept if each.status == "loaded"]
    own = next((each for each in loaded if each.name == name), None)
    return own or next((each for each in loaded if any(m.name == name for m in each.members)), None)


def joined(target: KeptFile, candidate: Candidate, answer: FileChoice) -> tuple[tuple[Member, ...], str]:
    """The members of the table as answered (`replace` or `append`), and what is said of it."""
    table = ", ".join(t.name for t in target.reading.tables)
    if answer == "append":
        return (*target.members, candidate.member), f"The rows of {candidate.name} were added to {table}."
    if not target.several:
        return (candidate.member,), f"{candidate.name} was here already; this version replaces the earlier one."
    same = [at for at, member in enumerate(target.members) if member.name == candidate.name]
    members = list(target.members)
    members[same[0]] = candidate.member
    for at in reversed(same[1:]):
        del members[at]
    return tuple(members), f"The rows of {candidate.name} in {table} were replaced."


async def profiles_async(reading: Reading, *, file_column: bool = False) -> Profiles:
    """The columns of the tables of a reading; see `file_changes.profiles`."""
    return await run_blocking_async(lambda: profiles(reading, file_column=file_column))


async def series_async(kept: Sequence[KeptFile], names: Sequence[str]) -> list[tuple[KeptFile, Profiles]]:
    """The files of one table to which one of these could be added by its name."""
    return [
        (each, await profiles_async(each.reading, file_column=each.file_column))
        for each in kept
        if each.status == "loaded"
        and len(each.reading.tables) == 1
        and any(alike(name, member.name) for name in names for member in each.members)
    ]
