"""What a conversation remembers between its turns."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from tabulaflow_core.agents.history import NO_ANSWER, repaired
from tabulaflow_core.agents.prompt import Told
from tabulaflow_core.models.contracts import AssistantMessage, Message
from tabulaflow_core.output.results import StoredResult


@dataclass(slots=True)
class Conversation:
    """Messages and what goes with them.

    Attributes:
        id: Stable; routes a provider to its warm prompt cache.
        told: What the model knows of the sources; None until the first turn, or the first after a history was given.
        said: Notices that were given once and are not repeated, also not in the session's next conversation.
        results: The latest results, for figures that a follow-up may repeat.
    """

    messages: list[Message] = field(default_factory=list)
    id: str = field(default_factory=lambda: uuid4().hex)
    told: Told | None = None
    said: set[str] = field(default_factory=set)
    results: list[StoredResult] = field(default_factory=list)

    @classmethod
    def of(cls, history: Sequence[Message]) -> Conversation:
        """Take up `history`, repaired where it broke off."""
        return cls(messages=repaired(history))

    def mark(self) -> Mark:
        """Return the state to go back to."""
        return Mark(copy.deepcopy(self.told), list(self.messages))

    def back_to(self, mark: Mark) -> None:
        """Forget what came after `mark`."""
        self.messages[:] = mark.messages
        self.told = mark.told

    def settle(self, in_flight: str = "") -> None:
        """Make the messages usable after a turn ended anyhow; `in_flight` is text that no message holds yet."""
        if in_flight.strip() and self.messages:
            self.messages[:] = repaired(self.messages)
            if self.messages[-1] == AssistantMessage(NO_ANSWER):
                self.messages.pop()
            self.messages.append(AssistantMessage(f"{in_flight.strip()} … (stopped)"))
        self.messages[:] = repaired(self.messages)


@dataclass(frozen=True, slots=True)
class Mark:
    """A state of a conversation."""

    told: Told | None
    messages: list[Message]
