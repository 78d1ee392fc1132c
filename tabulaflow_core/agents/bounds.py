"""Bounds of a turn in tokens and money, looked at before each model call: what is spent cannot be taken back."""

from __future__ import annotations

from tabulaflow_core.config import Limits
from tabulaflow_core.models.contracts import ModelFacts, ModelRequest
from tabulaflow_core.models.prices import usage_from
from tabulaflow_core.models.tokens import estimate_request_tokens
from tabulaflow_core.models.usage import Usage


def used_up(limits: Limits, facts: ModelFacts, used: Usage | None, request: ModelRequest, *, times: int = 1) -> str:
    """Return why `request` is not sent any more, in a sentence for a person; empty when it may be sent.

    Args:
        used: What the turn used so far.
        times: How often a request of this size must still fit.
    """
    tokens = times * estimate_request_tokens(request)
    spent = 0 if used is None else used.input_tokens + used.output_tokens
    if spent + tokens > limits.turn_tokens:
        return (
            f"This question has used {spent:,} of its {limits.turn_tokens:,} tokens, and the next step does not fit. "
            "Ask a narrower question, or raise TABULAFLOW_TURN_TOKENS."
        )
    if limits.turn_cost_usd is None:
        return ""
    # The least that it can cost. What has no known price is bounded by its tokens alone.
    least = usage_from(facts, input_tokens=tokens, output_tokens=0).api_cost_usd or 0.0
    cost = 0.0 if used is None else used.api_cost_usd or 0.0
    if cost + least > limits.turn_cost_usd:
        return (
            f"This question has cost ${cost:,.4f} of the ${limits.turn_cost_usd:,.4f} it may cost, and the next step "
            "would cost more. Ask a narrower question, or raise TABULAFLOW_TURN_COST_USD."
        )
    return ""
