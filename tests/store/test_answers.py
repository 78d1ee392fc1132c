"""Verdicts and choices are kept by answer, and the ledger tells the verdict and the sources."""

from __future__ import annotations

import pytest

from tabulaflow_core.agents.events import Artifact, TurnFinished, TurnResult
from tabulaflow_core.errors import NotFound
from tabulaflow_core.models.usage import Usage
from tabulaflow_core.output.specs import TableSpec
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import FeedbackRecord, Store


async def _turn(store: Store, who: Principal) -> tuple[str, str]:
    conversation = await store.conversations.create_async(who)
    turn = await store.turns.start_async(who, conversation.id, question="How many?", model="scripted:x", runner="me")
    return conversation.id, turn.id


async def test_a_verdict_is_replaced_and_taken_back(store: Store, alice: Principal) -> None:
    conversation, turn = await _turn(store, alice)
    await store.answers.judge_async(alice, turn, verdict="down", reason=" wrong year\0 ")
    assert (await store.answers.of_conversation_async(alice, conversation))[0] == {
        turn: FeedbackRecord("down", "wrong year")
    }
    await store.answers.judge_async(alice, turn, verdict="up")
    assert (await store.answers.of_conversation_async(alice, conversation))[0] == {turn: FeedbackRecord("up")}
    await store.answers.judge_async(alice, turn, verdict=None)
    assert (await store.answers.of_conversation_async(alice, conversation))[0] == {}


async def test_choices_stand_by_place(store: Store, alice: Principal) -> None:
    conversation, turn = await _turn(store, alice)
    await store.answers.choose_async(alice, turn, "chart-0", choice={"type": "bar"})
    await store.answers.choose_async(alice, turn, "sql-r_1", choice={"sql": "SELECT '½'"})
    await store.answers.choose_async(alice, turn, "chart-0", choice={"type": "pie"})
    assert await store.answers.chosen_async(alice, turn, "chart-0") == {"type": "pie"}
    assert await store.answers.chosen_async(alice, turn, "chart-1") is None
    _, kept = await store.answers.of_conversation_async(alice, conversation)
    assert kept == {turn: {"chart-0": {"type": "pie"}, "sql-r_1": {"sql": "SELECT '½'"}}}
    await store.answers.choose_async(alice, turn, "chart-0", choice=None)
    _, kept = await store.answers.of_conversation_async(alice, conversation)
    assert list(kept[turn]) == ["sql-r_1"]


async def test_nothing_is_kept_of_another_persons_answer(store: Store, alice: Principal, bob: Principal) -> None:
    _, turn = await _turn(store, alice)
    with pytest.raises(NotFound):
        await store.answers.judge_async(bob, turn, verdict="up")
    with pytest.raises(NotFound):
        await store.answers.choose_async(bob, turn, "chart-0", choice={})
    await store.answers.choose_async(alice, turn, "chart-0", choice={"type": "bar"})
    assert await store.answers.chosen_async(bob, turn, "chart-0") is None


async def test_the_ledger_tells_sources_and_verdict(store: Store, alice: Principal) -> None:
    conversation, turn = await _turn(store, alice)
    call = await store.usage.reserve_async(
        alice, conversation_id=conversation, turn_id=turn, model="openai:x", input_tokens=1
    )
    await store.usage.settle_async(alice, call, Usage(model="openai:x", api_requests=1))
    both = TableSpec(id="r_1", source="shop + files", sql="SELECT 1", columns=("a",), row_count=1)
    one = both.model_copy(update={"id": "r_2", "source": "shop"})
    await store.turns.finish_async(
        alice,
        turn,
        runner="me",
        first=0,
        new=[Artifact(spec=both), Artifact(spec=one), TurnFinished(result=TurnResult(text="1", outcome="answered"))],
        state="finished",
        history=None,
    )
    await store.answers.judge_async(alice, turn, verdict="up", reason="quick")
    (row,) = await store.usage.rows_async(alice)
    assert (row.sources, row.feedback) == ("shop + files", FeedbackRecord("up", "quick"))
    await store.conversations.delete_async(alice, conversation)
    (row,) = await store.usage.rows_async(alice)
    assert (row.sources, row.feedback) == ("shop + files", None)
