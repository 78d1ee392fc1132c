"""What an answer from a source rests on, where the source knows more of it than its rows tell."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from tabulaflow_core.data.contracts import DataConnector


@runtime_checkable
class Assuming(Protocol):
    """A connector that knows what was only guessed about its tables."""

    def assumptions(self, sql: str) -> tuple[str, ...]:
        """Sentences on what the result of `sql` rests on; empty when nothing was guessed."""


def assumptions_of(connector: DataConnector, sql: str) -> tuple[str, ...]:
    """What the result of `sql` rests on; most connectors have nothing to say."""
    return connector.assumptions(sql) if isinstance(connector, Assuming) else ()
