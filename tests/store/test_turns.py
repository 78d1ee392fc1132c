"""Conversations, turns and their events: one running turn a conversation, and a lease that runs out."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import update

from tabulaflow_core.agents.events import (
    AnswerDelta,
    ErrorInfo,
    Event,
    Narration,
    TurnFailed,
    TurnFinished,
    TurnInterrupted,
    TurnResult,
    TurnStarted,
)
from tabulaflow_core.config import Settings
from tabulaflow_core.errors import NotFound, TurnInProgress
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import Store, TurnRecord, coalesce, partial_result
from tabulaflow_core.store.conversations import title_of
from tabulaflow_core.store.tables import events, turns

FINISHED = TurnFinished(result=TurnResult(text="12", outcome="answered"))


async def start(store: Store, who: Principal, conversation_id: str, runner: str = "here") -> TurnRecord:
    return await store.turns.start_async(who, conversation_id, question="How many?", model="scripted:x", runner=runner)


async def begin(store: Store, who: Principal) -> tuple[str, TurnRecord]:
    conversation = await store.conversations.create_async(who)
    return conversation.id, await start(store, who, conversation.id)


async def age(store: Store, turn_id: str, seconds: float) -> None:
    async with store._database.write() as connection:
        await connection.execute(
            update(turns).where(turns.c.id == turn_id).values(heartbeat_at=turns.c.heartbeat_at - seconds)
        )


async def test_a_turn_from_start_to_end(store: Store, alice: Principal) -> None:
    conversation_id, turn = await begin(store, alice)
    assert (turn.number, turn.state, turn.question) == (1, "running", "How many?")
    begun: list[Event] = [TurnStarted(question="How many?", model="scripted:x"), AnswerDelta(step=1, content="1")]
    assert not await store.turns.append_async(alice, turn.id, runner="here", first=0, new=begun)
    more = [AnswerDelta(step=1, content="2"), FINISHED]
    version = await store.turns.finish_async(
        alice, turn.id, runner="here", first=2, new=more, state="finished", history="[1]"
    )
    assert await store.turns.events_async(alice, turn.id) == [*begun, *more]
    assert await store.turns.events_from_async(alice, turn.id, first=3) == ([FINISHED], 4)
    assert await store.turns.events_from_async(alice, turn.id, first=4) == ([], 4)
    history = await store.conversations.history_async(alice, conversation_id)
    assert (history.body, history.through_turn, history.version) == ("[1]", 1, version)
    ended = await store.turns.get_async(alice, turn.id)
    assert ended.state == "finished"
    assert 0 <= ended.seconds < 60
    second = await start(store, alice, conversation_id)
    assert second.number == 2


async def test_one_running_turn_a_conversation(settings: Settings, store: Store, alice: Principal) -> None:
    conversation = await store.conversations.create_async(alice)
    others = [await Store.open_async(settings) for _ in range(3)]
    try:
        tries = await asyncio.gather(
            *(start(each, alice, conversation.id, f"p{i}") for i, each in enumerate([store, *others])),
            return_exceptions=True,
        )
    finally:
        for other in others:
            await other.close_async()
    assert sum(isinstance(result, TurnRecord) for result in tries) == 1
    assert sum(isinstance(result, TurnInProgress) for result in tries) == 3


async def test_a_dead_process_loses_its_turn(store: Store, alice: Principal) -> None:
    conversation_id, turn = await begin(store, alice)
    said: list[Event] = [
        AnswerDelta(step=1, content="Let me look."),
        Narration(step=1, content="Let me look."),
        AnswerDelta(step=2, content="There are "),
        AnswerDelta(step=2, content="12"),
    ]
    await store.turns.append_async(alice, turn.id, runner="here", first=0, new=said)
    await age(store, turn.id, 9)
    assert await store.turns.running_async(alice, conversation_id) is not None
    with pytest.raises(TurnInProgress):
        await start(store, alice, conversation_id, "there")
    await age(store, turn.id, 2)
    assert await store.turns.running_async(alice, conversation_id) is None
    assert (await store.turns.get_async(alice, turn.id)).state == "interrupted"
    *before, last = await store.turns.events_async(alice, turn.id)
    assert before == said
    assert isinstance(last, TurnInterrupted)
    assert last.reason == "The server stopped while this was being answered."
    assert (last.result.text, last.result.outcome) == ("There are 12", "interrupted")
    # A process that was only asleep finds out, and its late events change nothing.
    with pytest.raises(NotFound):
        await store.turns.append_async(alice, turn.id, runner="here", first=9, new=[FINISHED])
    with pytest.raises(NotFound):
        await store.turns.finish_async(
            alice, turn.id, runner="here", first=9, new=[FINISHED], state="finished", history="[]"
        )
    assert len(await store.turns.events_async(alice, turn.id)) == 5
    await start(store, alice, conversation_id, "there")


async def test_many_find_the_same_dead_turn_and_end_it_once(settings: Settings, store: Store, alice: Principal) -> None:
    conversation_id, turn = await begin(store, alice)
    await age(store, turn.id, 60)
    others = [await Store.open_async(settings) for _ in range(3)]
    try:
        await asyncio.gather(*(each.turns.list_async(alice, conversation_id) for each in [store, *others]))
    finally:
        for other in others:
            await other.close_async()
    assert [event.kind for event in await store.turns.events_async(alice, turn.id)] == ["turn_interrupted"]


async def test_a_stranger_cannot_write_into_a_turn(store: Store, alice: Principal) -> None:
    _, turn = await begin(store, alice)
    with pytest.raises(NotFound):
        await store.turns.append_async(alice, turn.id, runner="there", first=0, new=[FINISHED])


async def test_stop_from_another_process_reaches_the_runner(store: Store, alice: Principal) -> None:
    _, turn = await begin(store, alice)
    await store.turns.request_cancel_async(alice, turn.id)
    assert await store.turns.append_async(alice, turn.id, runner="here", first=0)


async def test_deleting_takes_everything_along(store: Store, alice: Principal) -> None:
    conversation_id, turn = await begin(store, alice)
    await store.turns.append_async(alice, turn.id, runner="here", first=0, new=[FINISHED])
    await store.conversations.delete_async(alice, conversation_id)
    assert await store.turns.events_async(alice, turn.id) == []
    with pytest.raises(NotFound):
        await store.turns.append_async(alice, turn.id, runner="here", first=1)


async def test_lists_leave_out_what_is_empty_and_begin_with_the_newest(store: Store, alice: Principal) -> None:
    first, turn = await begin(store, alice)
    second, _ = await begin(store, alice)
    await store.conversations.create_async(alice)
    assert [info.id for info in await store.conversations.list_async(alice)] == [second, first]
    failed = TurnFailed(error=ErrorInfo(type="ModelError", user_message="No."))
    await store.turns.finish_async(alice, turn.id, runner="here", first=0, new=[failed], state="failed", history=None)
    listed = await store.conversations.list_async(alice)
    assert [(info.id, info.turn_count, info.title) for info in listed] == [
        (first, 1, "How many?"),
        (second, 1, "How many?"),
    ]
    assert len(await store.conversations.list_async(alice, limit=1)) == 1


async def test_a_title_is_the_first_question_until_it_is_renamed(store: Store, alice: Principal) -> None:
    conversation_id, _ = await begin(store, alice)
    assert (await store.conversations.rename_async(alice, conversation_id, "  Sales\n2026 ")).title == "Sales 2026"
    assert (await store.conversations.rename_async(alice, conversation_id, "  ")).title == "Sales 2026"


def test_long_titles_end_between_words() -> None:
    title = title_of("word " * 40)
    assert len(title) <= 80
    assert title.endswith("word…")
    assert title_of("x" * 200) == "x" * 79 + "…"


async def test_odd_characters_are_kept_or_replaced(store: Store, alice: Principal) -> None:
    conversation = await store.conversations.create_async(alice)
    turn = await store.turns.start_async(
        alice, conversation.id, question="Wie\0viel \ud83d? 🙂", model="scripted:x", runner="here"
    )
    assert turn.question == "Wieviel ?? 🙂"
    delta = AnswerDelta(step=1, content="\0 🙂 \ud83d")
    await store.turns.append_async(alice, turn.id, runner="here", first=0, new=[delta])
    assert await store.turns.events_async(alice, turn.id) == [AnswerDelta(step=1, content="\0 🙂 \ufffd")]


def test_deltas_are_joined_within_a_step_only() -> None:
    said: list[Event] = [
        AnswerDelta(step=1, content="a"),
        AnswerDelta(step=1, content="b"),
        AnswerDelta(step=2, content="c"),
        Narration(step=2, content="c"),
        AnswerDelta(step=2, content="d"),
    ]
    assert [getattr(event, "content", None) for event in coalesce(said)] == ["ab", "c", "c", "d"]
    assert partial_result(said, seconds=1.0).text == "d"


async def test_an_event_of_another_version_is_left_out(store: Store, alice: Principal) -> None:
    conversation_id, turn = await begin(store, alice)
    said: list[Event] = [AnswerDelta(step=1, content="a"), AnswerDelta(step=2, content="b")]
    await store.turns.append_async(alice, turn.id, runner="here", first=0, new=said)
    async with store._database.write() as connection:
        strange = events.update().where(events.c.turn_id == turn.id, events.c.seq == 1)
        await connection.execute(strange.values(body='{"kind": "telepathy", "content": "b"}'))
    assert await store.turns.events_from_async(alice, turn.id, first=0) == (said[:1], 2)
    assert await store.turns.conversation_events_async(alice, conversation_id) == {turn.id: said[:1]}
