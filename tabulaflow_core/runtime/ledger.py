"""The model permit of a conversation: writes every call into the usage ledger."""

from __future__ import annotations

from tabulaflow_core.models.usage import Usage
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.usage import UsageLedger


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
        return await self._ledger.reserve_async(
            principal,
            conversation_id=self._conversation_id,
            turn_id=self.turn_id,
            model=model,
            input_tokens=input_tokens,
        )

    async def settle_async(self, principal: Principal, reservation: str, usage: Usage | None) -> None:
        """Write down what it used; a call of which nothing is known keeps its estimate and has no price."""
        if usage is not None:
            await self._ledger.settle_async(principal, reservation, usage)
