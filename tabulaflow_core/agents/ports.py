"""What `agents` asks of a host, with the trivial answers that let the library work alone.

Where results go is `tabulaflow_core.output.ResultStore`; may a query run, and what is known about a source,
are in `tabulaflow_core.data.ports`.
"""

from __future__ import annotations

from typing import Protocol

from tabulaflow_core.models.usage import Usage
from tabulaflow_core.principal import Principal


class ModelPermit(Protocol):
    """May this principal call this model? Reserved before a call, settled after it."""

    async def reserve_async(self, principal: Principal, *, model: str, input_tokens: int) -> str:
        """Allow one call; the reservation's id comes back.

        Raises:
            NotPermitted: With a sentence that says why and until when.
        """

    async def settle_async(self, principal: Principal, reservation: str, usage: Usage | None) -> None:
        """The call ended; `usage` is None when nothing is known of what it used."""


class AllowAllModels:
    """Every call may be made, and nothing is counted."""

    async def reserve_async(self, principal: Principal, *, model: str, input_tokens: int) -> str:
        """Allow."""
        return ""

    async def settle_async(self, principal: Principal, reservation: str, usage: Usage | None) -> None:
        """Forget."""
