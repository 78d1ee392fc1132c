"""Queries of tiles that run for a look and are not kept in the store: filtered ones, and those with a viewer's sources.

Whoever looks at the same tile with the same choice shares one query and its rows. A look asks again and again until
the rows are there; what nobody asks for any more is stopped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.contracts import FailureKind, QueryFailure
from tabulaflow_core.data.restricting import Restriction
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards.refreshing import BROKEN, query_async

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

_log = logging.getLogger(__name__)

#: Queries that run at once, for all who look.
_AT_ONCE: Final = 6
#: Looks that are remembered, and the Arrow bytes of all of them; the longest unused go first.
_MOST: Final = 512
_MOST_BYTES: Final = 256 * 1024 * 1024
#: Seconds for which rows are good: as the tile's own they are as of a moment.
_GOOD_SECONDS: Final = 600.0
#: Seconds after which a query that failed, or that a filter did not hold for, is tried again.
_FAULT_SECONDS: Final = 10.0
#: Seconds after which a query is stopped that nobody asked for again.
_FORGOTTEN_SECONDS: Final = 10.0
_TICK: Final = 0.5
#: The version of a look with a viewer's own sources: the rows that the tile keeps are not theirs.
OWN: Final = "own"


@dataclass(frozen=True, slots=True)
class Wanted:
    """One restriction of a look.

    Attributes:
        filter_id: The filter that asks for it.
    """

    filter_id: str
    restriction: Restriction


@dataclass(frozen=True, slots=True)
class Look:
    """What is looked at.

    Attributes:
        runner: Whose sources answer.
        tile_id: Of which tile.
        version: Changes when the tile's own rows do.
    """

    runner: str
    tile_id: str
    version: str
    source: str
    sql: str
    wanted: tuple[Wanted, ...]


@dataclass(slots=True)
class LiveRead:
    """The query of a look.

    Attributes:
        result: Its rows; None while it runs, and when it failed.
        fault: Why it failed.
        by_engine: The fault is in the words of the source's engine, which tell of the query.
        untaken: Why a filter does not hold for the tile, by the filter's id.
        done: It has ended.
    """

    result: StoredResult | None = None
    fault: str = ""
    by_engine: bool = False
    untaken: dict[str, str] = field(default_factory=dict)
    done: bool = False
    asked_at: float = field(default_factory=time.monotonic)
    ended_at: float = 0.0
    task: asyncio.Task[None] | None = None


def _good_seconds(read: LiveRead) -> float:
    return _FAULT_SECONDS if read.fault or read.untaken else _GOOD_SECONDS


class LiveReads:
    """The reads of this process. Belongs to the engine loop."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._reads: OrderedDict[Look, LiveRead] = OrderedDict()

    async def ask_async(self, looks: list[tuple[Principal, Look, QueryTile]], *, seconds: float) -> list[LiveRead]:
        """The reads of looks, begun where nobody did; comes back when all ended, or after so many seconds."""
        reads = [self._read(runner, look, content) for runner, look, content in looks]
        running = {read.task for read in reads if read.task is not None and not read.done}
        if running:
            await asyncio.wait(running, timeout=seconds)
        self._bound(reads)
        return reads

    def forget(self, runner: str, tile_ids: set[str]) -> None:
        """Have the next look read anew."""
        for look in [look for look in self._reads if look.runner == runner and look.tile_id in tile_ids]:
            self._reads.pop(look)

    def _read(self, runner: Principal, look: Look, content: QueryTile) -> LiveRead:
        now = time.monotonic()
        read = self._reads.get(look)
        if read is None or (read.done and now - read.ended_at > _good_seconds(read)):
            read = self._reads[look] = LiveRead()
            read.task = asyncio.create_task(self._run(runner, look, content, read))
        read.asked_at = now
        self._reads.move_to_end(look)
        return read

    async def _run(self, runner: Principal, look: Look, content: QueryTile, read: LiveRead) -> None:
        work = asyncio.create_task(self._query(runner, look, content, read))
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=_TICK)
                if time.monotonic() - read.asked_at > _FORGOTTEN_SECONDS:
                    if self._reads.get(look) is read:
                        del self._reads[look]
                    return
        finally:
            work.cancel()
            await asyncio.wait({work})
            read.ended_at = time.monotonic()
            read.done = True  # last: who sees it sees the rest

    async def _query(self, runner: Principal, look: Look, content: QueryTile, read: LiveRead) -> None:
        async with self._room:
            try:
                await self._restricted(runner, look, content, read)
            except TabulaflowError as error:
                read.fault = error.user_message
            except Exception:  # one tile's fault, whatever it was, is not to end the others
                _log.exception("the tile %s could not be read", look.tile_id)
                read.fault = BROKEN

    async def _restricted(self, runner: Principal, look: Look, content: QueryTile, read: LiveRead) -> None:
        """Run it with the restrictions that it takes; one by one it says which it does not."""
        wanted = list(look.wanted)
        why: dict[str, str] = {}
        while True:
            restrictions = [each.restriction for each in wanted]
            outcome = await query_async(self._services, runner, content, restrictions=restrictions)
            if not isinstance(outcome, QueryFailure):
                read.result = outcome
                break
            refused = [each for each in wanted if each.restriction == outcome.untaken]
            if not refused and wanted and outcome.kind is FailureKind.INVALID:  # the engine cannot have it in this form
                refused = wanted
            if not refused:
                read.fault, read.by_engine = f"{outcome.message} {outcome.hint}".strip(), True
                break
            why |= {each.filter_id: outcome.message for each in refused}
            wanted = [each for each in wanted if each not in refused]
            if not wanted and not self._is_own(look):
                break  # nothing is left of the choice: the tile's own rows stand
        taken = {each.filter_id for each in wanted}
        read.untaken = {filter_id: reason for filter_id, reason in why.items() if filter_id not in taken}

    @staticmethod
    def _is_own(look: Look) -> bool:
        return look.version == OWN

    def _bound(self, used: list[LiveRead]) -> None:
        size = sum(read.result.table.nbytes for read in self._reads.values() if read.result is not None)
        for look, read in list(self._reads.items()):
            if len(self._reads) <= _MOST and size <= _MOST_BYTES:
                return
            if read.done and read not in used:
                del self._reads[look]
                size -= read.result.table.nbytes if read.result is not None else 0
