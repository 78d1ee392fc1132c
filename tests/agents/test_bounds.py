"""A turn is bounded in calls, tokens, time and money, and ends in an answer or a sentence, whatever the model does."""

from __future__ import annotations

import itertools

import pytest

from tabulaflow_core.config import Limits
from tabulaflow_core.errors import TurnLimitReached
from tabulaflow_core.models.contracts import ModelRequest
from tabulaflow_core.models.scripted import Rule, Step, call, delay, text
from tests.agents.helpers import BELOW, usable
from tests.agents.wires import WIRES, facts_on, talk
from tests.modelserver import ModelServer

both_wires = pytest.mark.parametrize("wire", WIRES)


def restless(*, obeys: bool, seconds: float = 0.0) -> Rule:
    """Ask something else each time, until it may no more; then answer, or not."""
    numbers = itertools.count(1)

    def answer(request: ModelRequest) -> list[Step]:
        wait = [delay(seconds)] if seconds else []
        if obeys and request.tool_choice == "none":
            return [*wait, text("That is all.")]
        return [*wait, call("run_query", sql=f"SELECT {next(numbers)} AS n")]

    return answer


@both_wires
@pytest.mark.parametrize("obeys", [True, False])
@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (Limits(model_calls=4), "all its steps"),
        (Limits(turn_tokens=7_000), "all its steps"),
        (Limits(turn_cost_usd=0.02), "all its steps"),
    ],
    ids=["calls", "tokens", "money"],
)
async def test_a_restless_model_is_brought_to_an_answer(wire: str, obeys: bool, limits: Limits, says: str) -> None:
    async with talk(wire, server=ModelServer(rule=restless(obeys=obeys)), limits=limits) as t:
        if obeys:
            result = await t.ask()
            assert (result.text, result.outcome) == ("That is all.", "answered")
        else:
            with pytest.raises(TurnLimitReached, match=says):
                await t.ask()
        assert t.session.last_result is not None
        used = t.session.last_result.usage
        assert used is not None
        assert 2 <= used.api_requests == len(t.server.requests) <= limits.model_calls
        # What was used is counted, what comes is estimated: over by a part of one call at most.
        assert used.input_tokens + used.output_tokens <= 1.1 * limits.turn_tokens
        assert used.api_cost_usd is not None
        assert used.api_cost_usd <= (limits.turn_cost_usd or 1.0)
        assert usable(t.session)
        t.server.enqueue(call("run_query", sql=BELOW)).enqueue(text("Two."))
        assert (await t.ask("And now?")).text == "Two."


@both_wires
@pytest.mark.parametrize(
    ("limits", "variable"),
    [
        (Limits(turn_tokens=300), "TABULAFLOW_TURN_TOKENS"),
        (Limits(turn_cost_usd=0.000_1), "TABULAFLOW_TURN_COST_USD"),
    ],
    ids=["tokens", "money"],
)
async def test_what_does_not_fit_at_all_is_not_sent(wire: str, limits: Limits, variable: str) -> None:
    async with talk(wire, limits=limits) as t:
        with pytest.raises(TurnLimitReached, match=variable):
            await t.ask()
        assert (t.server.requests, t.ledger.reserved) == ([], [])
        assert t.session.last_result is not None
        assert t.session.last_result.usage is None
        assert usable(t.session)


@both_wires
async def test_time_ends_a_turn(wire: str) -> None:
    server = ModelServer(rule=restless(obeys=True, seconds=0.2))
    async with talk(wire, server=server, limits=Limits(turn_seconds=0.7)) as t:
        with pytest.raises(TurnLimitReached, match="time for this turn"):
            await t.ask()
        assert t.session.last_result is not None
        assert t.session.last_result.seconds < 20
        assert usable(t.session)
        await t.server.settled()


async def test_a_price_that_nobody_knows_is_no_bound() -> None:
    facts = facts_on("chat", "compatible:some-model")
    async with talk("chat", facts=facts, limits=Limits(turn_cost_usd=0.000_1)) as t:
        t.server.enqueue(call("run_query", sql=BELOW)).enqueue(text("Two."))
        result = await t.ask()
        assert result.text == "Two."
        assert result.usage is not None
        assert result.usage.api_cost_usd is None
