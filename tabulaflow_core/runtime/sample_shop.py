"""The sample shop: there for the first question, and out of the way once a person has data of their own."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.errors import NotFound
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.file_details import KeptFile
from tabulaflow_core.runtime.file_keeping import FileKeeper
from tabulaflow_core.runtime.views import FileOutcome, SampleState
from tabulaflow_core.store.store import Store

#: Under this name the preferences keep what became of the samples: `away`, or `wanted` beside a person's own data.
_MARK: Final = "samples"


class SampleShop:
    """Whether the samples of each principal are there. Belongs to the engine loop.

    Args:
        alias: Of the source that all files form.
        read: Reads and keeps files, each a name and a path.
    """

    def __init__(
        self,
        keeper: FileKeeper,
        store: Store,
        *,
        alias: str,
        read: Callable[[Principal, list[tuple[str, Path]]], Awaitable[object]],
    ) -> None:
        self._keeper = keeper
        self._store = store
        self._alias = alias
        self._read = read

    async def state_async(self, principal: Principal) -> SampleState:
        """What became of them."""
        if await self._there_async(principal):
            return "here"
        mark = (await self._store.preferences.all_async(principal)).get(_MARK)
        return "away" if mark == "away" else "none"

    async def bring_async(self, principal: Principal, *, stay: bool = False) -> None:
        """Add the sample files that are not there under their names.

        Args:
            stay: They are wanted beside a person's own data, and are not put away by themselves again.
        """
        there = {file.name for file in await self._keeper.kept_async(principal) if file.status == "loaded"}
        await self._read(principal, [(path.name, path) for path in _files() if path.name not in there])
        await self._store.preferences.set_async(principal, _MARK, "wanted" if stay else None)

    async def put_away_async(self, principal: Principal) -> bool:
        """Take the samples away, as far as they are as they came; whether there were any."""
        found = await self._there_async(principal)
        for kept in found:
            with suppress(NotFound):  # removed elsewhere at this moment
                await self._keeper.remove_async(principal, kept.name)
        if found:
            await self._store.preferences.set_async(principal, _MARK, "away")
        return bool(found)

    async def make_room_async(self, principal: Principal) -> bool:
        """Data of a person's own comes: put the samples away unless an answer rests on them; whether it did."""
        if (await self._store.preferences.all_async(principal)).get(_MARK) == "wanted":
            return False
        if await self._store.turns.rests_on_async(principal, self._alias):
            return False  # a conversation would go on without its tables
        return await self.put_away_async(principal)

    @asynccontextmanager
    async def room(self, principal: Principal) -> AsyncGenerator[list[FileOutcome]]:
        """Make room before files are read, so that none is taken for a newer sample or named around one.

        What is yielded takes the outcomes; where nothing came that can be asked, the samples are brought back.
        """
        came: list[FileOutcome] = []
        away = await self.make_room_async(principal)
        try:
            yield came
        finally:
            if away and all(outcome.status == "message" for outcome in came):
                await asyncio.shield(self.bring_async(principal))

    async def _there_async(self, principal: Principal) -> list[KeptFile]:
        hashes = await run_blocking_async(_hashes)
        return [kept for kept in await self._keeper.kept_async(principal) if _untouched(kept, hashes)]


def _untouched(kept: KeptFile, hashes: dict[str, str]) -> bool:
    """Whether it is a sample that nobody replaced, extended or read in another way."""
    one = len(kept.members) == 1 and kept.version == 1 and not kept.options
    return one and kept.members[0].sha256 == hashes.get(kept.name)


def _files() -> list[Path]:
    from tabulaflow_core.samples import SAMPLE_FILES

    return list(SAMPLE_FILES.values())


@cache
def _hashes() -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in _files()}
