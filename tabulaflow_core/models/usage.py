"""Tokens, requests, seconds and cost of model calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PriceSource = Literal["genai-prices", "local", "unknown"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What one or several model calls used.

    Attributes:
        model: `provider:model`; empty when several models were called.
        input_tokens: All prompt tokens, cached ones included.
        cached_input_tokens: Of these, read from a prompt cache.
        output_tokens: All completion tokens, reasoning ones included.
        reasoning_tokens: Of these, spent on reasoning.
        api_cost_usd: US dollars; None when the price of any call is unknown. 0.0 only for a local model, or where every
            request was refused.
        price_source: Where the price comes from.
        seconds: Wall time spent waiting for models.
        estimated: Some of the tokens were counted here, because a provider did not say, or broke off before it could.
    """

    model: str = ""
    api_requests: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    api_cost_usd: float | None = 0.0
    price_source: PriceSource = "local"
    seconds: float = 0.0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        """The two together; an unknown price makes the sum unknown."""
        if not self.api_requests:
            return other
        if not other.api_requests:
            return self
        unknown = self.api_cost_usd is None or other.api_cost_usd is None
        sources = {self.price_source, other.price_source}
        source: PriceSource = "unknown" if unknown else "genai-prices" if "genai-prices" in sources else "local"
        return Usage(
            model=self.model if self.model == other.model else "",
            api_requests=self.api_requests + other.api_requests,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            api_cost_usd=None if unknown else (self.api_cost_usd or 0.0) + (other.api_cost_usd or 0.0),
            price_source=source,
            seconds=self.seconds + other.seconds,
            estimated=self.estimated or other.estimated,
        )
