"""Queries that a person wrote: run on the engine loop, watched and stopped from any thread, without a model."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal
from uuid import uuid4

from pydantic import JsonValue

from tabulaflow_core.data.contracts import QueryFailure
from tabulaflow_core.errors import NotFound, TabulaflowError
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.engine_loop import EngineLoop
from tabulaflow_core.runtime.ports import carried_out
from tabulaflow_core.runtime.queries import run_sql_async

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

_log = logging.getLogger(__name__)

SqlState = Literal["running", "done", "failed", "stopped"]
#: Ended runs of one principal that are remembered; their results stay in the store in any case.
_KEPT: Final = 50
_BROKEN: Final = "The query could not be run, for a reason that only the server's log knows."
_STOPPED: Final = "You stopped this query."


@dataclass(frozen=True, slots=True)
class Place:
    """A part of an answer, under which a query by hand is kept."""

    turn_id: str
    name: str


def last_good(kept: Mapping[str, JsonValue] | None) -> dict[str, JsonValue] | None:
    """The `sql` and the `result_id` of the last run at a place that gave rows; None where none did.

    Args:
        kept: What is kept at the place. A run that fails, is stopped or is lost leaves the one before it standing.
    """
    if kept is None:
        return None
    good = kept if kept.get("state") == "done" else kept.get("good")
    if not isinstance(good, Mapping) or not isinstance(good.get("result_id"), str):
        return None
    return {"sql": good.get("sql"), "result_id": good["result_id"]}


class SqlRun:
    """One query by hand. Reading the attributes is safe from any thread.

    Attributes:
        state: `running` until it ends.
        message: Why it failed or was stopped, and what would help; empty otherwise.
        result: The stored result of a run that is done.
    """

    def __init__(self, loop: EngineLoop, source: str, sql: str, *, keep: Place | None = None) -> None:
        self.id: Final = f"q_{uuid4().hex}"
        self.source: Final = source
        self.sql: Final = sql
        self._keep: Final = keep
        self._good: JsonValue = None
        self.state: SqlState = "running"
        self.message = ""
        self.result: StoredResult | None = None
        self._loop = loop
        self._begun = time.monotonic()
        self._ended: float | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def seconds(self) -> float:
        """Wall time so far, or in all."""
        return (self._ended or time.monotonic()) - self._begun

    def cancel(self) -> None:
        """Stop the statement in the engine. Idempotent; comes back at once."""
        self._loop.soon(lambda: self._task.cancel() if self._task is not None else None)

    async def begin_async(self, services: Services, principal: Principal) -> None:
        """Start; on the engine loop.

        Raises:
            NotFound: The answer under which it is to be kept is not there.
        """
        if self._keep is not None:
            earlier = await services.store.answers.chosen_async(principal, self._keep.turn_id, self._keep.name)
            self._good = last_good(earlier)
        await self._save(services, principal, "running")
        self._task = asyncio.create_task(self._run(services, principal))

    async def _run(self, services: Services, principal: Principal) -> None:
        state: SqlState = "failed"
        try:
            outcome = await run_sql_async(services, principal, self.source, self.sql)
            if isinstance(outcome, QueryFailure):
                self.message = f"{outcome.message} {outcome.hint}".strip()
            else:
                self.result, state = outcome, "done"
        except asyncio.CancelledError:
            self.message, state = _STOPPED, "stopped"
        except TabulaflowError as error:
            self.message = error.user_message
        except Exception:  # whatever it was, the page must hear of its end
            _log.exception("a query by hand broke")
            self.message = _BROKEN
        finally:
            self._ended = time.monotonic()
            try:
                await carried_out(self._save(services, principal, state))
            except TabulaflowError as error:  # the answer was deleted meanwhile, or the store is away
                _log.info("a query by hand could not be kept: %s", error)
            self.state = state  # last: who sees the state sees the rest

    async def _save(self, services: Services, principal: Principal, state: SqlState) -> None:
        if self._keep is None:
            return
        kept: dict[str, JsonValue] = {
            "sql": self.sql,
            "run": self.id,
            "state": state,
            "message": self.message,
            "result_id": self.result.id if self.result is not None else None,
            "seconds": round(self.seconds, 3),
        }
        if state != "done":
            kept["good"] = self._good
        await services.store.answers.choose_async(principal, self._keep.turn_id, self._keep.name, choice=kept)


class SqlRuns:
    """The queries by hand of every principal, of this process. Belongs to the engine loop."""

    def __init__(self, loop: EngineLoop) -> None:
        self._loop = loop
        self._runs: dict[str, OrderedDict[str, SqlRun]] = {}

    async def start_async(
        self, services: Services, principal: Principal, source: str, sql: str, *, keep: Place | None = None
    ) -> SqlRun:
        """Begin a query; comes back at once.

        Raises:
            NotFound: The answer under which it is to be kept is not there.
        """
        run = SqlRun(self._loop, source, sql, keep=keep)
        await run.begin_async(services, principal)
        mine = self._runs.setdefault(principal.id, OrderedDict())
        mine[run.id] = run
        ended = [key for key, other in mine.items() if other.state != "running"]
        for key in ended[: max(0, len(mine) - _KEPT)]:
            del mine[key]
        return run

    def get(self, principal: Principal, run_id: str) -> SqlRun:
        """One run.

        Raises:
            NotFound: This principal has no such run, or it was forgotten.
        """
        run = self._runs.get(principal.id, OrderedDict()).get(run_id)
        if run is None:
            raise NotFound("This query is not known any more. Run it again.")
        return run
