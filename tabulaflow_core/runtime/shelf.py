"""The open connectors of one principal, made to agree with what the store has."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tabulaflow_core.data import DataConnectorRegistry
from tabulaflow_core.data.contracts import DataConnector
from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.errors import SourceUnavailable, TabulaflowError
from tabulaflow_core.runtime.lingering import Lingering

_log = logging.getLogger(__name__)

#: A source that could not be opened is not tried again sooner: each try can take as long as its server is silent.
_RETRY_SECONDS: Final = 60.0
#: Nor is one that stopped answering asked for its tables at each run of a page.
_SICK_SECONDS: Final = 15.0
#: Long enough for a database across the world, short enough for a question that needs another source.
OPEN_SECONDS: Final = 15.0
#: So long a page or a question waits for a source that opens slowly; the other sources are there by then.
_PATIENCE_SECONDS: Final = 4.0
#: Seconds that are waited for a connector to close; a query that still runs in it goes on, and it is closed after that.
_CLOSING_SECONDS: Final = 1.0
_CONNECTING: Final = "It is still being opened, which takes longer than usual. Look again in a moment."


@dataclass(frozen=True, slots=True)
class Wanted:
    """A source that should be open.

    Attributes:
        token: Changes whenever what it opens changes.
        open: Opens it.
        patience: So many seconds a page or a question waits for it; None for the usual few.
        limit: After so many seconds it counts as one that does not answer; None for the usual bound.
        seamless: Whether what was open under the alias before stays until this is.
    """

    alias: str
    token: str
    open: Callable[[], Awaitable[DataConnector]]
    patience: float | None = None
    limit: float | None = None
    seamless: bool = False


@dataclass(slots=True)
class _Fault:
    token: str
    message: str
    at: float


@dataclass(slots=True)
class _Opening:
    token: str
    task: asyncio.Task[None]
    until: float


class Shelf:
    """Connectors by alias, opened when they are first needed and kept open. Belongs to the engine loop."""

    def __init__(self) -> None:
        self.registry = DataConnectorRegistry()
        self._tokens: dict[str, str] = {}
        self._faults: dict[str, _Fault] = {}
        self._sick: dict[str, _Fault] = {}
        self._opening: dict[str, _Opening] = {}
        self._wanted: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # also those that opened what was changed meanwhile
        self._lock = asyncio.Lock()
        self._turns = 0
        self._used = time.monotonic()
        self._retired: list[DataConnector] = []
        self._closing: set[asyncio.Task[None]] = set()

    def hold(self) -> None:
        """A turn begins: until `release_async`, connectors that are replaced or removed stay open for it."""
        self._turns += 1

    async def release_async(self) -> None:
        """The turn is over: close what was only kept for turns, unless another one runs."""
        self._turns -= 1
        if self._turns == 0:
            self._close_retired()
            await self._closed_async()

    async def rest_async(self, *, idle: float) -> None:
        """Close everything when nobody has asked for `idle` seconds and no turn runs; the next sync opens it again."""
        if self._turns or self._lock.locked() or time.monotonic() - self._used < idle:
            return
        async with self._lock:
            for alias in self.registry.aliases:
                self._tokens.pop(alias, None)
                await self.registry.unregister_async(alias)
        await self._closed_async()

    async def _retire(self, connector: DataConnector) -> None:
        """Take a connector that is not wanted any more. Without waiting: a query by hand may still run in it."""
        self._retired.append(connector)
        if self._turns == 0:
            self._close_retired()

    def _close_retired(self) -> None:
        while self._retired:
            task = asyncio.create_task(_close(self._retired.pop()))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _closed_async(self) -> None:
        if self._closing:
            await asyncio.wait(set(self._closing), timeout=_CLOSING_SECONDS)

    def fault(self, alias: str) -> str:
        """Why `alias` could not be opened; empty when it is open."""
        fault = self._faults.get(alias)
        if fault is not None:
            return fault.message
        return _CONNECTING if alias in self._opening else ""

    async def sync_async(self, wanted: Sequence[Wanted]) -> None:
        """Open what is new, close what is gone, and open again what changed; a fault is kept, not raised.

        A source that is slow to open is waited for a few seconds only; it joins the others when it is open.
        """
        self._used = time.monotonic()
        self._wanted = {source.alias: source.token for source in wanted}
        async with self._lock:
            seamless = {source.alias for source in wanted if source.seamless}
            for alias in [a for a, token in self._tokens.items() if self._wanted.get(a) != token]:
                if alias not in seamless:
                    await self._drop(alias)
        for alias in [a for a in self._faults if a not in self._wanted]:
            del self._faults[alias]
        for source in wanted:
            under_way = self._opening.get(source.alias)
            if self._tokens.get(source.alias) == source.token or not self._is_due(source):
                continue
            if under_way is None or under_way.token != source.token:
                task = asyncio.create_task(self._open(source))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
                patience = _PATIENCE_SECONDS if source.patience is None else source.patience
                self._opening[source.alias] = _Opening(source.token, task, time.monotonic() + patience)
        if self._opening:
            waits = [self._wait(opening) for opening in self._opening.values()]
            await asyncio.gather(*waits)

    @staticmethod
    async def _wait(opening: _Opening) -> None:
        await asyncio.wait({opening.task}, timeout=max(0.0, opening.until - time.monotonic()))

    async def _open(self, source: Wanted) -> None:
        result = await _opened(source)
        mine = self._opening.get(source.alias)
        if mine is not None and mine.token == source.token:
            del self._opening[source.alias]
        if self._wanted.get(source.alias) != source.token or self._tokens.get(source.alias) == source.token:
            if not isinstance(result, TabulaflowError):  # removed or changed meanwhile
                await result.close_async()
            return
        if source.alias in self._tokens:  # nothing waits between this and the new one: nobody finds none
            await self._drop(source.alias)
        if isinstance(result, TabulaflowError):
            self._faults[source.alias] = _Fault(source.token, result.user_message, time.monotonic())
        else:
            self._faults.pop(source.alias, None)
            self.registry.register(source.alias, Lingering(result, self._retire))
            self._tokens[source.alias] = source.token

    async def _drop(self, alias: str) -> None:
        del self._tokens[alias]
        self._sick.pop(alias, None)
        await self.registry.unregister_async(alias)  # retires it

    def _is_due(self, source: Wanted) -> bool:
        fault = self._faults.get(source.alias)
        return fault is None or fault.token != source.token or time.monotonic() - fault.at > _RETRY_SECONDS

    async def schema_async(self, alias: str, *, max_age: float) -> SourceSchema:
        """The tables of an open source; of one that just failed to answer, its fault without asking again.

        Raises:
            UnknownSource: It is not open.
            SourceUnavailable: It does not answer.
        """
        connector = self.registry.get(alias)
        sick = self._sick.get(alias)
        if sick is not None and time.monotonic() - sick.at < _SICK_SECONDS:
            raise SourceUnavailable(sick.message)
        try:
            schema = await connector.refresh_schema_async(max_age=max_age)
        except SourceUnavailable as error:
            self._sick[alias] = _Fault(self._tokens.get(alias, ""), error.user_message, time.monotonic())
            raise
        self._sick.pop(alias, None)
        return schema

    async def close_async(self) -> None:
        """Close every connector."""
        self._wanted = {}
        for task in self._tasks:
            task.cancel()
        self._opening.clear()
        async with self._lock:
            self._tokens.clear()
            self._turns = 0
            await self.registry.close_async()
            self._close_retired()
            await self._closed_async()


async def _close(connector: DataConnector) -> None:
    try:
        await connector.close_async()
    except (TabulaflowError, OSError):
        _log.warning("a source could not be closed", exc_info=True)


async def _opened(source: Wanted) -> DataConnector | TabulaflowError:
    limit = OPEN_SECONDS if source.limit is None else source.limit
    try:
        async with asyncio.timeout(limit):
            return await source.open()
    except TabulaflowError as error:
        return error
    except TimeoutError:
        return SourceUnavailable(
            f"The source {source.alias!r} did not answer within {limit:g} seconds. "
            "See that its server runs and can be reached from here."
        )
    except Exception:  # a driver's own fault must not take the other sources with it
        _log.exception("the source %r could not be opened", source.alias)
        return SourceUnavailable(f"The source {source.alias!r} could not be opened. The server's log says why.")
