"""What a call cost: `genai-prices`, from the snapshot that is installed, never from the network."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tabulaflow_core.models.contracts import ModelFacts, ModelRequest
from tabulaflow_core.models.tokens import estimate_request_tokens
from tabulaflow_core.models.usage import PriceSource, Usage

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation


def usage_from(
    facts: ModelFacts,
    *,
    input_tokens: int | None,
    output_tokens: int | None,
    cached_input_tokens: int = 0,
    reasoning_tokens: int = 0,
    seconds: float = 0.0,
) -> Usage:
    """Return the usage of one call with its cost.

    Args:
        facts: The model that was called.
        input_tokens: As the provider counted; None when it said nothing, which makes the price unknown and the usage
            an estimate.
        output_tokens: Likewise.
        cached_input_tokens: The part of `input_tokens` read from a cache.
        reasoning_tokens: The part of `output_tokens` spent on reasoning.
        seconds: Wall time of the call.
    """
    counted = input_tokens is not None and output_tokens is not None
    cost, source = _cost(facts, input_tokens or 0, cached_input_tokens, output_tokens or 0, counted=counted)
    return Usage(
        model=facts.name,
        api_requests=1,
        input_tokens=input_tokens or 0,
        cached_input_tokens=cached_input_tokens,
        output_tokens=output_tokens or 0,
        reasoning_tokens=reasoning_tokens,
        api_cost_usd=cost,
        price_source=source,
        seconds=seconds,
        estimated=not counted,
    )


def unsettled(facts: ModelFacts, request: ModelRequest, *, requests: int, output_tokens: int = 0) -> Usage:
    """Return the usage of requests whose end was never seen: estimated, and at a price that nobody told.

    Args:
        request: What was sent, each time.
        requests: How often.
        output_tokens: What came before it broke off, of all together.
    """
    if not requests:
        return Usage(model=facts.name)
    free = facts.price == "local"
    return Usage(
        model=facts.name,
        api_requests=requests,
        input_tokens=requests * estimate_request_tokens(request),
        output_tokens=output_tokens,
        api_cost_usd=0.0 if free else None,
        price_source="local" if free else "unknown",
        estimated=True,
    )


def load_prices(facts: ModelFacts) -> None:
    """Read the table of prices ahead of the first call of the model."""
    _priced(facts.name, 1, 0, 1)


def _cost(
    facts: ModelFacts, input_tokens: int, cached: int, output_tokens: int, *, counted: bool
) -> tuple[float | None, PriceSource]:
    if facts.price == "local":
        return 0.0, "local"
    if facts.price == "unknown" or not counted:
        return None, "unknown"
    price = _priced(facts.name, input_tokens, min(cached, input_tokens), output_tokens)
    return (None, "unknown") if price is None else (price, "genai-prices")


@lru_cache(maxsize=256)
def _priced(name: str, input_tokens: int, cached: int, output_tokens: int) -> float | None:
    """Look the price up; None when the model or its price is not in the table."""
    provider, _, model = name.partition(":")
    calculation = _calculate(provider, model, input_tokens, cached, output_tokens)
    if calculation is None:
        return None
    unpriced = calculation.model_price
    if (input_tokens and unpriced.input_mtok is None) or (output_tokens and unpriced.output_mtok is None):
        return None
    return float(calculation.total_price)


def _calculate(
    provider: str, model: str, input_tokens: int, cached: int, output_tokens: int
) -> PriceCalculation | None:
    from genai_prices import Usage as PricedUsage
    from genai_prices import calc_price

    usage = PricedUsage(input_tokens=input_tokens, cache_read_tokens=cached, output_tokens=output_tokens)
    try:
        return calc_price(usage, model, provider_id=provider)
    except LookupError:
        return None
