"""Reading the static prompt before the first question is asked; matters where the model runs on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Protocol, runtime_checkable

from tabulaflow_core.agents.compact_prompt import compact_messages
from tabulaflow_core.agents.conversation import Conversation
from tabulaflow_core.agents.plan import TurnPlan
from tabulaflow_core.agents.sources import read_sources
from tabulaflow_core.models.contracts import ChatModel, Message, UserMessage


@runtime_checkable
class Warmable(Protocol):
    """A model that can read a prompt's beginning ahead of the question."""

    async def warm_async(self, messages: Sequence[Message]) -> None:
        """Load, and read `messages` into the cache."""


async def warm(plan: TurnPlan, model: ChatModel, conversation: Conversation) -> None:
    """Warm `model` for the next question of `conversation`."""
    if not isinstance(model, Warmable) or model.facts.profile != "compact":
        return
    sources = await read_sources(plan.registry, hidden_columns=plan.hidden_columns)
    if not sources:
        return
    history = [*conversation.messages, UserMessage("")]
    messages = compact_messages(history, sources, "", instructions=plan.instructions, today=date.today())
    await model.warm_async(messages[:-1])
