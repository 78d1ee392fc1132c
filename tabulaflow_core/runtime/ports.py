"""The ports of a session, over the store: model calls go into the ledger, results are kept.

They run inside the turn's task, which Stop cancels at any moment. A transaction that is cut off costs its connection,
so each is carried to its end before the cancellation goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tabulaflow_core.models.usage import Usage
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.results import Results
from tabulaflow_core.store.usage import UsageLedger

T = TypeVar("T")


async def carried_out(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end, also when the awaiting task is cancelled meanwhile; the cancellation then goes on."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # looked at: the turn is over, nobody else will
        raise


class LedgerPermit:
    """Allows every call and counts it. Implements `tabulaflow_core.agents.ports.ModelPermit`.

    Attributes:
        turn_id: The turn that runs; set by the host before each turn.
    """

    def __init__(self, ledger: UsageLedger, conversation_id: str) -> None:
        self._ledger = ledger
        self._conversation_id = conversation_id
        self.turn_id = ""

    async def reserve_async(self, principal: Principal, *, model: str, input_tokens: int) -> str:
        """Write the call down before it is made."""
        return await carried_out(
            self._ledger.reserve_async(
                principal,
                conversation_id=self._conversation_id,
                turn_id=self.turn_id,
                model=model,
                input_tokens=input_tokens,
            )
        )

    async def settle_async(self, principal: Principal, reservation: str, usage: Usage | None) -> None:
        """Write down what it used; a call of which nothing is known keeps its estimate and has no price."""
        if usage is not None:
            await carried_out(self._ledger.settle_async(principal, reservation, usage))


class KeptResults:
    """Results of a turn, in the store. Implements `tabulaflow_core.output.ResultStore`."""

    def __init__(self, results: Results) -> None:
        self._results = results

    async def put_async(self, principal: Principal, result: StoredResult) -> None:
        """Keep `result` for `principal`."""
        await carried_out(self._results.put_async(principal, result))

    async def get_async(self, principal: Principal, result_id: str) -> StoredResult:
        """The result, or `NotFound`."""
        return await carried_out(self._results.get_async(principal, result_id))
