"""One call of a model: allowed before, settled after, closed whatever happens, and never beyond the turn's deadline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from typing import Final

from tabulaflow_core.agents.ports import ModelPermit
from tabulaflow_core.errors import ModelProtocolError, TurnLimitReached
from tabulaflow_core.models.contracts import ChatModel, DonePart, ModelRequest, StreamPart
from tabulaflow_core.models.tokens import estimate_request_tokens
from tabulaflow_core.models.usage import Usage
from tabulaflow_core.principal import Principal

TIME_IS_UP: Final = "The time for this turn is used up. Ask a narrower question, or raise the limit in the settings."


class Meter:
    """What the model calls of one turn used.

    Attributes:
        calls: Calls begun.
        used: The sum so far, None before the first call.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.used: Usage | None = None

    def add(self, usage: Usage) -> None:
        """Count one call."""
        self.used = usage if self.used is None else self.used + usage


async def call_model(
    model: ChatModel,
    request: ModelRequest,
    *,
    permit: ModelPermit,
    principal: Principal,
    meter: Meter,
    deadline: float,
) -> AsyncGenerator[StreamPart]:
    """Stream the answer to `request`.

    Raises:
        NotPermitted: The permit said no; nothing was sent.
        TurnLimitReached: The deadline passed.
        ModelError: The model failed; see `ChatModel.stream`.
    """
    loop = asyncio.get_running_loop()
    name = model.facts.name
    reservation = await permit.reserve_async(principal, model=name, input_tokens=estimate_request_tokens(request))
    meter.calls += 1
    started = loop.time()
    usage: Usage | None = None
    stream: AsyncIterator[StreamPart] | None = None
    try:
        stream = model.stream(request)
        while (part := await _next(stream, deadline)) is not None:
            if isinstance(part, DonePart):
                usage = part.usage if part.usage.seconds else replace(part.usage, seconds=loop.time() - started)
                meter.add(usage)
                part = replace(part, usage=usage)
            yield part
        if usage is None:
            raise ModelProtocolError(f"{name} ended its answer without saying so. Ask again.")
    finally:
        if usage is None:
            meter.add(_unknown(model, loop.time() - started))
        try:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        finally:
            await permit.settle_async(principal, reservation, usage)


async def _next(stream: AsyncIterator[StreamPart], deadline: float) -> StreamPart | None:
    limit = asyncio.timeout_at(deadline)
    try:
        async with limit:
            return await anext(stream, None)
    except TimeoutError:
        if limit.expired():
            raise TurnLimitReached(TIME_IS_UP) from None
        raise


def _unknown(model: ChatModel, seconds: float) -> Usage:
    """A call that broke off: it was made, and nobody said what it used."""
    free = model.facts.price == "local"
    return Usage(
        model=model.facts.name,
        api_requests=1,
        api_cost_usd=0.0 if free else None,
        price_source="local" if free else "unknown",
        seconds=seconds,
    )
