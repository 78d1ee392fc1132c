"""What new data makes of the tiles and saved questions that use it: each is run again and listed."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from tabulaflow_core.data.contracts import FailureKind, QueryFailure
from tabulaflow_core.data.renaming import proposals
from tabulaflow_core.data.workspace import TOGETHER
from tabulaflow_core.errors import NotFound, TabulaflowError
from tabulaflow_core.output.changes import compare
from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards.refreshing import BROKEN, keep_async, query_async
from tabulaflow_core.runtime.engine_loop import EngineLoop
from tabulaflow_core.store.dashboard_records import TileRecord
from tabulaflow_core.store.questions import QuestionRecord

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

_log = logging.getLogger(__name__)

Verdict = Literal["same", "changed", "broken"]
_AT_ONCE: Final = 4
#: Runs that are remembered, so that a page that is drawn again shows the same one.
_KEPT: Final = 200


@dataclass(frozen=True, slots=True)
class Mend:
    """A statement that runs in the place of a broken one.

    Attributes:
        names: What is called otherwise now, old name and new.
        sentence: What it is, and what it gave when it was tried.
    """

    sql: str
    names: tuple[tuple[str, str], ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Rechecked:
    """What became of a tile or of a saved question.

    Attributes:
        id: Of the tile or the question.
        dashboard_id: Where the tile stands; empty for a question.
        place: The dashboard's title; empty for a question.
        sentence: What changed, or why it does not run.
        sql: The statement as it is kept.
        mend: A statement that was tried and runs; None where none was found.
    """

    kind: Literal["tile", "question"]
    id: str
    title: str
    verdict: Verdict
    sentence: str
    sql: str
    dashboard_id: str = ""
    place: str = ""
    mend: Mend | None = None


@dataclass(frozen=True, slots=True)
class _Item:
    """One to be run."""

    content: QueryTile
    title: str
    result_id: str
    dashboard_id: str
    place: str
    record: TileRecord | QuestionRecord


class RecheckRun:
    """One look at what uses a source. Reading the attributes is safe from any thread.

    Attributes:
        total: How many are looked at; 0 until they are counted.
        items: Those that are done, in the order of dashboards and questions.
    """

    def __init__(self, loop: EngineLoop, source: str, tables: Collection[str] | None) -> None:
        self.source: Final = source
        self.tables: Final = None if tables is None else frozenset(name.casefold() for name in tables)
        self.total = 0
        self.fault = ""
        self._items: dict[int, Rechecked] = {}
        self._loop = loop
        self._ended = False
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return not self._ended

    @property
    def items(self) -> tuple[Rechecked, ...]:
        """Those that are done."""
        return tuple(item for _, item in sorted(self._items.items()))

    def cancel(self) -> None:
        """Stop the statements in the engines. Idempotent; comes back at once."""
        self._loop.soon(lambda: self._task.cancel() if self._task is not None else None)

    def begin(self, services: Services, principal: Principal) -> None:
        """Start; on the engine loop."""
        self._task = asyncio.create_task(self._run(services, principal))

    async def _run(self, services: Services, principal: Principal) -> None:
        room = asyncio.Semaphore(_AT_ONCE)

        async def one(at: int, item: _Item) -> None:
            async with room:
                self._items[at] = await _rechecked_async(services, principal, item)

        try:
            connector = await services.sources.connector_async(principal, self.source)
            await connector.refresh_schema_async()
            found = [item async for item in _items(services, principal) if self._touches(item)]
            self.total = len(found)
            async with asyncio.TaskGroup() as group:
                for at, item in enumerate(found):
                    group.create_task(one(at, item))
        except asyncio.CancelledError:
            self.fault = "It was stopped."
        except TabulaflowError as error:
            self.fault = error.user_message
        except Exception:
            _log.exception("what uses %s could not be looked at", self.source)
            self.fault = BROKEN
        finally:
            self._ended = True  # last: who sees it sees the rest

    def _touches(self, item: _Item) -> bool:
        if self.source not in item.content.source.split(TOGETHER):
            return False
        read = _tables_read(item.content)
        return self.tables is None or read is None or bool(read & self.tables)


def _tables_read(content: QueryTile) -> set[str] | None:
    """The names of the tables that a statement reads; None where the guard cannot tell."""
    from tabulaflow_core.data.guard import Allowed, check_statement

    verdict = check_statement(content.sql, dialect=content.dialect)
    if not isinstance(verdict, Allowed):
        return None
    return {name.casefold() for t in verdict.tables for name in (t, t.rpartition(".")[2])}


async def _items(services: Services, principal: Principal) -> AsyncIterator[_Item]:
    """The tiles of the principal's dashboards, and their saved questions."""
    for info in await services.store.dashboards.list_async(principal):
        if info.role != "owner":
            continue
        board = await services.store.dashboards.get_async(principal, info.id)
        for tile in board.tiles:
            if isinstance(tile.content, QueryTile) and tile.removed_at is None:
                yield _Item(tile.content, tile.title, tile.result_id, board.id, board.title, tile)
    for saved in await services.store.questions.list_async(principal):
        yield _Item(saved.content, saved.question, saved.result_id, "", "", saved)


async def _rechecked_async(services: Services, principal: Principal, item: _Item) -> Rechecked:
    before: StoredResult | None = None
    try:
        before = await services.store.results.get_async(principal, item.result_id) if item.result_id else None
    except NotFound:  # there is nothing to compare with
        before = None
    mend = None
    try:
        outcome = await query_async(services, principal, item.content)
        if not isinstance(outcome, QueryFailure):
            verdict, sentence = await asyncio.to_thread(_compared, before, outcome)
            await _keep_async(services, principal, item, outcome)
            return _listed(item, verdict, sentence)
        sentence = f"{outcome.message} {outcome.hint}".strip()
        if outcome.kind is FailureKind.INVALID:
            mend = await _mend_async(services, principal, item, before)
    except TabulaflowError as error:
        sentence = error.user_message
    except Exception:  # one fault, whatever it was, is not to end the others
        _log.exception("%s could not be looked at", item.record.id)
        sentence = BROKEN
    try:
        area = services.store.tiles if isinstance(item.record, TileRecord) else services.store.questions
        await area.failed_async(principal, item.record.id, fault=sentence)
    except TabulaflowError as error:  # removed meanwhile, or the store is away
        _log.info("what became of %s could not be kept: %s", item.record.id, error)
    return _listed(item, "broken", sentence, mend)


def _listed(item: _Item, verdict: Verdict, sentence: str, mend: Mend | None = None) -> Rechecked:
    return Rechecked(
        kind="tile" if isinstance(item.record, TileRecord) else "question",
        id=item.record.id,
        title=item.title,
        verdict=verdict,
        sentence=sentence,
        sql=item.content.sql,
        dashboard_id=item.dashboard_id,
        place=item.place,
        mend=mend,
    )


def _compared(before: StoredResult | None, after: StoredResult) -> tuple[Verdict, str]:
    if before is None:
        return "changed", "It runs; there are no rows from before to compare with."
    if before.table.equals(after.table):
        return "same", "No change."
    sentence = compare(before, after).sentence
    return ("same" if sentence == "No change." else "changed"), sentence


async def _keep_async(services: Services, principal: Principal, item: _Item, result: StoredResult) -> None:
    if isinstance(item.record, TileRecord):
        await keep_async(services, principal, item.record, result)
    else:
        await services.questions.keep_async(principal, item.record.id, result)


async def _mend_async(
    services: Services, principal: Principal, item: _Item, before: StoredResult | None
) -> Mend | None:
    """The nearest names, tried: one that gives the rows from before, else the likeliest that runs."""
    connector = await services.sources.connector_async(principal, item.content.source)
    tried: list[Mend] = []
    for proposal in await asyncio.to_thread(proposals, item.content.sql, connector.schema, connector.dialect):
        content = item.content.model_copy(update={"sql": proposal.sql})
        outcome = await query_async(services, principal, content)
        if isinstance(outcome, QueryFailure):
            continue
        if before is not None and before.table.column_names != outcome.table.column_names:
            continue
        verdict, sentence = await asyncio.to_thread(_compared, before, outcome)
        names = " and ".join(f"“{old}” is “{new}” now" for old, new in proposal.names)
        rows = outcome.table.num_rows
        gave = "it gives the same rows as before" if verdict == "same" else f"it gives {rows:,} rows. {sentence}"
        mend = Mend(proposal.sql, proposal.names, f"If {names}, {gave}{'' if gave.endswith('.') else '.'}")
        if verdict == "same":
            return mend
        tried.append(mend)
    return tried[0] if tried else None


class Rechecks:
    """The looks of this process. Belongs to the engine loop."""

    def __init__(self, loop: EngineLoop) -> None:
        self._loop = loop
        self._runs: OrderedDict[tuple[str, str, str], RecheckRun] = OrderedDict()

    def known(self, principal: Principal, source: str, version: str) -> RecheckRun | None:
        """The look at this version of a source, where one was begun."""
        return self._runs.get((principal.id, source, version))

    def start(
        self, services: Services, principal: Principal, source: str, tables: Collection[str] | None, version: str
    ) -> RecheckRun:
        """The look at this version of a source, begun where nobody did; comes back at once."""
        key = (principal.id, source, version)
        run = self._runs.get(key)
        if run is None or not version:
            run = self._runs[key] = RecheckRun(self._loop, source, tables)
            run.begin(services, principal)
            while len(self._runs) > _KEPT:
                self._runs.popitem(last=False)
        return run
