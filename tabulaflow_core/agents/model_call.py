"""One call of a model: allowed before, settled after, closed whatever happens, and never beyond the turn's deadline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from typing import Final

from tabulaflow_core.agents.ports import ModelPermit
from tabulaflow_core.errors import ModelError, ModelProtocolError, TurnLimitReached
from tabulaflow_core.models.contracts import ChatModel, DonePart, ModelRequest, StreamPart
from tabulaflow_core.models.prices import unsettled, usage_from
from tabulaflow_core.models.tokens import estimate_request_tokens, tokens_of
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
    charged, output = 1, 0
    try:
        stream = model.stream(request)
        while (part := await _next(stream, deadline)) is not None:
            if isinstance(part, DonePart):
                usage = part.usage if part.usage.seconds else replace(part.usage, seconds=loop.time() - started)
                meter.add(usage)
                part = replace(part, usage=usage)
            output += tokens_of(part)
            yield part
        if usage is None:
            raise ModelProtocolError(f"{name} ended its answer without saying so. Ask again.")
    except ModelError as error:
        charged = error.charged
        raise
    finally:
        if usage is None:
            seconds = loop.time() - started
            if charged:
                broken = unsettled(model.facts, request, requests=charged, output_tokens=output)
                meter.add(replace(broken, seconds=seconds))
            else:  # refused, so that nothing was used: that is known, and no price becomes unknown by it
                usage = usage_from(model.facts, input_tokens=0, output_tokens=0, seconds=seconds)
                meter.add(usage)
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
