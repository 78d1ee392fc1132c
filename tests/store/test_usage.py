"""The ledger: a row a call, summed by turn, kept when the conversation is gone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tabulaflow_core.models.usage import Usage
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import Store


async def one_call(store: Store, who: Principal, turn: str, model: str, cost: float | None) -> None:
    call = await store.usage.reserve_async(who, conversation_id="c_1", turn_id=turn, model=model, input_tokens=10)
    source = "unknown" if cost is None else "genai-prices"
    usage = Usage(model, 1, 100, 20, 30, 5, cost, source, 1.5)  # type: ignore[arg-type]
    await store.usage.settle_async(who, call, usage)


async def test_calls_of_a_turn_are_summed(store: Store, alice: Principal) -> None:
    conversation = await store.conversations.create_async(alice)
    turn = await store.turns.start_async(alice, conversation.id, question="Sales?", model="openai:a", runner="here")
    for cost in (0.25, 0.5):
        call = await store.usage.reserve_async(
            alice, conversation_id=conversation.id, turn_id=turn.id, model="openai:a", input_tokens=10
        )
        usage = Usage("openai:a", 1, 100, 20, 30, 5, cost, "genai-prices", 1.5)
        await store.usage.settle_async(alice, call, usage)
    (row,) = await store.usage.rows_async(alice)
    assert (row.question, row.conversation_title, row.model) == ("Sales?", "Sales?", "openai:a")
    assert (row.api_requests, row.input_tokens, row.cached_input_tokens, row.output_tokens) == (2, 200, 40, 60)
    assert (row.reasoning_tokens, row.api_cost_usd, row.price_source, row.seconds) == (10, 0.75, "genai-prices", 3.0)
    await store.conversations.delete_async(alice, conversation.id)
    (row,) = await store.usage.rows_async(alice)
    assert (row.question, row.conversation_title, row.api_cost_usd) == ("", "", 0.75)


async def test_an_unknown_price_makes_the_sum_unknown(store: Store, alice: Principal) -> None:
    await one_call(store, alice, "t_1", "openai:a", 0.25)
    await one_call(store, alice, "t_1", "compatible:b", None)
    (row,) = await store.usage.rows_async(alice)
    assert (row.model, row.api_cost_usd, row.price_source) == ("", None, "unknown")


async def test_a_call_whose_end_was_never_seen(store: Store, alice: Principal) -> None:
    for turn, model in (("t_1", "openai:a"), ("t_2", "local:b")):
        await store.usage.reserve_async(alice, conversation_id="c", turn_id=turn, model=model, input_tokens=10)
    by_turn = {row.turn_id: row for row in await store.usage.rows_async(alice)}
    assert (by_turn["t_1"].api_cost_usd, by_turn["t_1"].input_tokens) == (None, 10)
    assert (by_turn["t_2"].api_cost_usd, by_turn["t_2"].price_source) == (0.0, "local")


async def test_a_period(store: Store, alice: Principal) -> None:
    await one_call(store, alice, "t_1", "openai:a", 0.25)
    now = datetime.now(UTC)
    hour = timedelta(hours=1)
    assert len(await store.usage.rows_async(alice, since=now - hour, until=now + hour)) == 1
    assert await store.usage.rows_async(alice, since=now + hour) == ()
    assert await store.usage.rows_async(alice, until=now - hour) == ()
