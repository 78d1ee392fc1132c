"""A whole session against the real HTTP server, on either wire."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from tabulaflow_core.agents import ChatSession, Event, TurnResult
from tabulaflow_core.config import Limits
from tabulaflow_core.data.registry import DataConnectorRegistry
from tabulaflow_core.models.catalog import facts_for
from tabulaflow_core.models.contracts import ModelFacts
from tabulaflow_core.models.openai import OpenAIChatModel, OpenAIResponsesModel
from tests.agents.fakes import INVENTORY, FakeConnector, Ledger
from tests.modelserver import ModelServer

WIRES = ("chat", "responses")


def facts_on(wire: str, name: str = "", **more: object) -> ModelFacts:
    """Facts of a model that is spoken to over `wire`."""
    return replace(facts_for(name or ("azure:gpt-4o" if wire == "chat" else "openai:gpt-5.6-sol")), **more)  # type: ignore[arg-type]


@dataclass
class Talk:
    """A session, the server behind it and what was counted."""

    session: ChatSession
    server: ModelServer
    ledger: Ledger
    stock: FakeConnector

    async def ask(self, question: str = "Which products are below their reorder point?") -> TurnResult:
        """One turn to its end."""
        return await self.session.run(question)

    async def events(self, question: str = "Which?") -> list[Event]:
        """One turn's events."""
        return [event async for event in self.session.run_stream(question)]


@asynccontextmanager
async def talk(
    wire: str,
    *,
    facts: ModelFacts | None = None,
    server: ModelServer | None = None,
    silence_seconds: float = 5.0,
    limits: Limits | None = None,
    **tables: dict[str, list[object]],
) -> AsyncGenerator[Talk]:
    """Open a session on a server of its own, or on `server`."""
    stock = FakeConnector(**(tables or {"inventory": INVENTORY}))  # type: ignore[arg-type]
    registry = DataConnectorRegistry()
    registry.register("stock", stock)
    ledger = Ledger()
    with server or ModelServer() as running:
        make = OpenAIChatModel if wire == "chat" else OpenAIResponsesModel
        model = make(
            facts or facts_on(wire), base_url=running.url, api_key="sk-key-123456", silence_seconds=silence_seconds
        )
        session = ChatSession(registry=registry, model=model, model_permit=ledger, limits=limits)
        try:
            async with session:
                yield Talk(session, running, ledger, stock)
        finally:
            await model.close_async()
