"""What `data` and the layers beside it ask of a host, with the trivial answers that let the library work alone."""

from __future__ import annotations

from typing import Protocol

from tabulaflow_core.principal import Principal


class QueryPermit(Protocol):
    """May this principal run this statement on this source?"""

    async def check_query_async(self, principal: Principal, *, source: str, sql: str) -> None:
        """Return to allow.

        Raises:
            NotPermitted: With a sentence for the person.
        """


class SourceKnowledge(Protocol):
    """What is known about a source beyond its schema: notes that a person or a profile wrote."""

    async def notes_async(self, principal: Principal, *, source: str) -> str:
        """Plain text for the prompt; empty when nothing is known."""


class AllowAllQueries:
    """Every query may run."""

    async def check_query_async(self, principal: Principal, *, source: str, sql: str) -> None:
        """Allow."""


class NoKnowledge:
    """Nothing is known."""

    async def notes_async(self, principal: Principal, *, source: str) -> str:
        """Nothing."""
        return ""
