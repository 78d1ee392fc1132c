"""What becomes of uploads that were read: kept, or kept waiting with a question, or put into what is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final
from uuid import uuid4

from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.files.naming import table_name
from tabulaflow_core.data.files.series import common_name
from tabulaflow_core.errors import FileUnreadable, NotFound, SourceError
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime import file_outcomes, file_questions, read_choices
from tabulaflow_core.runtime.file_candidates import Candidate, find, joined, profiles_async, series_async
from tabulaflow_core.runtime.file_changes import Profiles, changes
from tabulaflow_core.runtime.file_details import Details, KeptFile, Member, Reading, WaitingFile
from tabulaflow_core.runtime.file_keeping import FileKeeper, free_file, named, taken_tables
from tabulaflow_core.runtime.file_reader import Follower, join_async, part_of, read_async
from tabulaflow_core.runtime.uploaded_databases import DatabaseUploads
from tabulaflow_core.runtime.views import FileChoice, FileOutcome, FileQuestion

#: Times that a change is tried again when another process was quicker.
_TRIES: Final = 5
_BUSY: Final = "Somebody else is changing the same file at this moment. Try again."


class Settling:
    """Puts candidates where they belong. One call at a time for each principal: the caller holds the lock."""

    def __init__(self, keeper: FileKeeper, databases: DatabaseUploads) -> None:
        self._keeper = keeper
        self._databases = databases

    async def settle_async(
        self,
        principal: Principal,
        candidates: Mapping[int, Candidate],
        choice: FileChoice | None,
        follower: Follower,
    ) -> dict[int, FileOutcome]:
        """What became of each, by their keys; files that became one table have one outcome, that of the first."""
        outcomes: dict[int, FileOutcome] = {}
        together: set[int] = set()
        for question, places in await self._groups(principal, candidates):
            group = [candidates[at] for at in places]
            if choice is None:
                token = uuid4().hex
                for at, candidate in zip(places, group, strict=True):
                    outcomes[at] = await self._ask(principal, candidate, question, group=token)
            elif file_questions.settled(question, choice) == "combine":
                try:
                    outcomes[places[0]] = await self.combine_async(principal, group, follower)
                    together |= set(places)
                except FileUnreadable:  # each by itself is still worth having
                    continue
        for at, candidate in candidates.items():
            if at not in outcomes and at not in together:
                outcomes[at] = await self._one(principal, candidate, choice, follower)
        return outcomes

    async def answer_async(
        self, principal: Principal, waiting: Sequence[WaitingFile], choice: FileChoice, follower: Follower
    ) -> list[FileOutcome]:
        """Settle what waits.

        Raises:
            NotFound: It was answered elsewhere.
            FileUnreadable: A file of which the table would be made cannot be read; it goes on waiting.
        """
        candidates = [await self._again(principal, each) for each in waiting]
        outcomes: list[FileOutcome] = []
        left = list(candidates)
        try:
            if choice == "combine":
                return [await self.combine_async(principal, candidates, follower)]
            for each, candidate in zip(waiting, candidates, strict=True):
                outcomes.append(await self._answer_one(principal, each, candidate, choice, follower))
                left.remove(candidate)
        except FileUnreadable:
            await self._still_waiting(principal, left)  # whoever was quicker has deleted what is not used
            raise
        return outcomes

    async def combine_async(
        self, principal: Principal, candidates: Sequence[Candidate], follower: Follower
    ) -> FileOutcome:
        """One table of several new files.

        Raises:
            NotFound: One was answered elsewhere.
            FileUnreadable: One cannot be read again.
        """
        names = [candidate.name for candidate in candidates]
        common = common_name(names)
        table = table_name(common)
        members = tuple(candidate.member for candidate in candidates)
        reading = await self._read(principal, members, table, {}, follower, file_column=True, candidates=candidates)
        message = f"{table} was made of {len(members)} files; its first column tells the file of each row."
        for _ in range(_TRIES):
            kept = await self._keeper.kept_async(principal)
            name = free_file(f"{common}{Path(names[0]).suffix}", [each.name for each in kept])
            own = named(reading, taken_tables(kept))
            made = KeptFile("", name, "loaded", members, own, message, file_column=True)
            answered = [answer for candidate in candidates for answer in candidate.answers]
            if (put := await self._keeper.put_async(principal, made, expected="", answered=answered)) is not None:
                await self._done(principal, candidates, used=False)
                return file_outcomes.of_kept(put)
            await self._still_waiting(principal, candidates, reading)
        await self._keeper.discard_async(principal, (), [reading])
        raise SourceError(_BUSY)

    async def _groups(
        self, principal: Principal, candidates: Mapping[int, Candidate]
    ) -> list[tuple[FileQuestion, list[int]]]:
        """The candidates that could be one table and have nothing to do with what is there."""
        kept = await self._keeper.kept_async(principal)
        series = await series_async(kept, [c.name for c in candidates.values()])
        free_ones: list[tuple[int, Profiles]] = []
        for at, candidate in candidates.items():
            if candidate.fault or candidate.dialect or find(kept, candidate.name) is not None:
                continue
            held = await profiles_async(candidate.reading)
            if file_questions.same_series(candidate.name, candidate.member.sha256, held, series) is None:
                free_ones.append((at, held))
        named_ones = [(candidates[at].name, held) for at, held in free_ones]
        found = file_questions.one_shape(named_ones, taken=taken_tables(kept))
        return [(question, [free_ones[place][0] for place in places]) for question, places in found]

    async def _one(
        self, principal: Principal, candidate: Candidate, choice: FileChoice | None, follower: Follower
    ) -> FileOutcome:
        for _ in range(_TRIES):
            try:
                outcome = await self._try_one(principal, candidate, choice, follower)
            except FileUnreadable as error:
                await self._done(principal, [candidate], used=False, drop=True)
                return FileOutcome(candidate.name, "message", f"{error.user_message} Nothing was changed.")
            if outcome is not None:
                return outcome
        raise SourceError(_BUSY)

    async def _try_one(
        self, principal: Principal, candidate: Candidate, choice: FileChoice | None, follower: Follower
    ) -> FileOutcome | None:
        """One candidate; None when another process was quicker."""
        if candidate.dialect:
            return await self._database(principal, candidate, choice)
        kept = await self._keeper.kept_async(principal)
        target = find(kept, candidate.name)
        if target is not None and any(member.same_as(candidate.member) for member in target.members):
            await self._done(principal, [candidate], used=False, drop=True)
            return file_outcomes.already_here(file_outcomes.of_kept(target), candidate.name)
        if candidate.fault:
            return await self._faulty(principal, candidate, kept, target)
        held = await profiles_async(candidate.reading)
        question: FileQuestion | None = None
        if target is not None:
            there = await profiles_async(target.reading, file_column=target.file_column)
            question = file_questions.same_name(candidate.name, held, target, there, told=candidate.told)
        else:
            series = await series_async(kept, [candidate.name])
            found = file_questions.same_series(candidate.name, candidate.member.sha256, held, series)
            if found is not None:
                question, target = found
        if question is None or target is None:
            return await self._new(principal, candidate, kept)
        if choice is None:
            return await self._ask(principal, candidate, question, target=target.name)
        answer = file_questions.settled(question, choice)
        return await self._apply(principal, candidate, answer, target, kept, follower)

    async def _answer_one(
        self,
        principal: Principal,
        waiting: WaitingFile,
        candidate: Candidate,
        choice: FileChoice,
        follower: Follower,
    ) -> FileOutcome:
        for _ in range(_TRIES):
            kept = await self._keeper.kept_async(principal)
            target = next((each for each in kept if each.name == waiting.target and each.status == "loaded"), None)
            if candidate.dialect:
                outcome = await self._database(principal, candidate, choice)
            else:
                outcome = await self._apply(principal, candidate, choice, target, kept, follower)
            if outcome is not None:
                return outcome
            await self._still_waiting(principal, [candidate])
        raise SourceError(_BUSY)

    async def _apply(
        self,
        principal: Principal,
        candidate: Candidate,
        answer: FileChoice,
        target: KeptFile | None,
        kept: Sequence[KeptFile],
        follower: Follower,
    ) -> FileOutcome | None:
        """Do as answered; None when another process was quicker."""
        if target is None or answer not in ("replace", "append"):
            return await self._new(principal, candidate, kept)
        members, message = joined(target, candidate, answer)
        if len(members) == 1 and not target.file_column:
            taken = taken_tables(kept, besides=target.name)
            reading, options = named(candidate.reading, taken, before=target.reading), candidate.options
        else:
            table, options = target.reading.tables[0].name, target.options
            reading = await self._read(
                principal,
                members,
                table,
                options,
                follower,
                file_column=target.file_column,
                target=target if answer == "append" else None,
                candidates=[candidate] if candidate.options == options else [],
            )
        said = await run_blocking_async(lambda: changes(target, reading))
        made = replace(
            target,
            members=members,
            reading=reading,
            message=message,
            options=options,
            version=target.version + 1,
            changes=said,
            earlier=(*target.earlier, (target.version, target.members)),
        )
        put = await self._keeper.put_async(principal, made, expected=target.id, answered=candidate.answers)
        used = reading.tables[0].database == candidate.reading.tables[0].database
        if put is None:
            if not used:
                await self._keeper.discard_async(principal, (), [reading])
            return None
        await self._done(principal, [candidate], used=used)
        return file_outcomes.of_kept(put)

    async def _new(self, principal: Principal, candidate: Candidate, kept: Sequence[KeptFile]) -> FileOutcome | None:
        """A file of its own; None when another process was quicker."""
        there = {each.name: each for each in kept}
        before = there.get(candidate.name)
        name, expected = candidate.name, ""
        if before is not None and before.status == "loaded":
            name = free_file(candidate.name, there)
        elif before is not None:
            expected = before.id
        reading = named(candidate.reading, taken_tables(kept, besides=name))
        message = f"{name} is read where it lies on the server; it was not copied." if candidate.member.path else ""
        made = KeptFile("", name, "loaded", (candidate.member,), reading, message, candidate.options)
        put = await self._keeper.put_async(principal, made, expected=expected, answered=candidate.answers)
        if put is None:
            return None
        candidate.settled = True
        return file_outcomes.of_kept(put)

    async def _faulty(
        self, principal: Principal, candidate: Candidate, kept: Sequence[KeptFile], target: KeptFile | None
    ) -> FileOutcome | None:
        if target is not None:
            await self._done(principal, [candidate], used=False, drop=True)
            return FileOutcome(candidate.name, "message", f"{candidate.fault} The version that was here before stays.")
        before = next((each for each in kept if each.name == candidate.name), None)
        made = KeptFile("", candidate.name, "message", (candidate.member,), message=candidate.fault)
        put = await self._keeper.put_async(principal, made, expected="" if before is None else before.id)
        if put is None:
            return None
        candidate.settled = True
        return file_outcomes.of_kept(put)

    async def _database(
        self, principal: Principal, candidate: Candidate, choice: FileChoice | None
    ) -> FileOutcome | None:
        there = await self._databases.find_async(principal, candidate.name)
        answer = choice
        if there is not None:
            question = await self._databases.question_async(principal, candidate.name, there, candidate.schema)
            if choice is None:
                return await self._ask(principal, candidate, question)
            answer = file_questions.settled(question, choice)
        outcome = await self._databases.keep_async(
            principal,
            candidate.member,
            candidate.dialect,
            candidate.schema,
            choice=answer,
            there=there,
            answered=candidate.answers,
        )
        candidate.settled = outcome is not None
        return outcome

    async def _ask(
        self, principal: Principal, candidate: Candidate, question: FileQuestion, *, target: str = "", group: str = ""
    ) -> FileOutcome:
        waiting = WaitingFile(
            "",
            candidate.name,
            candidate.member,
            candidate.reading,
            file_questions.to_json(question),
            target,
            group,
            candidate.options,
            candidate.dialect,
        )
        put = await self._keeper.put_waiting_async(principal, waiting)
        candidate.settled = True
        return file_outcomes.of_waiting(put)

    async def _again(self, principal: Principal, waiting: WaitingFile) -> Candidate:
        candidate = Candidate(
            waiting.member, waiting.reading, options=waiting.options, dialect=waiting.database, answered=waiting.id
        )
        if waiting.database:
            candidate.schema = await self._databases.look_async(principal, waiting.member, waiting.database)
        return candidate

    async def _still_waiting(
        self, principal: Principal, candidates: Sequence[Candidate], reading: Reading | None = None
    ) -> None:
        """See that nobody answered meanwhile; `reading` is of no use then."""
        ids = {waiting.id for waiting in await self._keeper.waiting_async(principal)}
        if any(not set(candidate.answers) <= ids for candidate in candidates):
            if reading is not None:
                await self._keeper.discard_async(principal, (), [reading])
            raise NotFound("No file of this name waits for an answer. It may have been answered elsewhere.")

    async def _done(
        self, principal: Principal, candidates: Sequence[Candidate], *, used: bool, drop: bool = False
    ) -> None:
        """The candidates are settled; their own tables are deleted unless they are used, their bytes when dropped."""
        for candidate in candidates:
            candidate.settled = True
        members = [candidate.member for candidate in candidates] if drop else []
        readings = [] if used else [candidate.reading for candidate in candidates]
        await self._keeper.discard_async(principal, members, readings)

    async def _read(
        self,
        principal: Principal,
        members: Sequence[Member],
        table: str,
        options: Details,
        follower: Follower,
        *,
        file_column: bool,
        target: KeptFile | None = None,
        candidates: Sequence[Candidate] = (),
    ) -> Reading:
        """One table of all members; what was read with these options before is not read again."""
        parts = [] if target is None else [part_of(target.members, target.reading, told=target.file_column)]
        parts += [part_of((c.member,), c.reading, told=False) for c in candidates if len(c.reading.tables) == 1]
        known = [member for part in parts for member in part.members]
        folder, storage = self._keeper.folder(principal), self._keeper.storage(principal)
        chosen = read_choices.parse(options)
        if known == list(members):
            return await join_async(
                parts,
                folder=folder,
                storage=storage,
                table=table,
                options=chosen,
                file_column=file_column,
                follower=follower,
            )
        return await read_async(
            members,
            folder=folder,
            storage=storage,
            table=table,
            options=chosen,
            file_column=file_column,
            follower=follower,
        )
