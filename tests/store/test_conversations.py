"""Finding, naming and deleting conversations."""

from __future__ import annotations

import pytest

from tabulaflow_core.errors import NotFound
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.store import Store


async def _asked(store: Store, who: Principal, *questions: str) -> str:
    conversation = await store.conversations.create_async(who, title=questions[0])
    for question in questions:
        record = await store.turns.start_async(
            who, conversation.id, question=question, model="scripted:demo", runner="test"
        )
        await store.turns.finish_async(who, record.id, runner="test", first=0, new=[], state="finished", history=None)
    return conversation.id


async def _found(store: Store, who: Principal, search: str) -> list[str]:
    return [info.title for info in await store.conversations.list_async(who, search=search)]


async def test_search_finds_words_of_titles_and_of_later_questions(
    store: Store, alice: Principal, bob: Principal
) -> None:
    await _asked(store, alice, "Sales by month", "And without Österreich?")
    await _asked(store, alice, "100% of the stock_levels")
    await _asked(store, bob, "Sales of Bob")
    assert await _found(store, alice, "SALES") == ["Sales by month"]
    assert await _found(store, alice, "month österreich") == ["Sales by month"]
    assert await _found(store, alice, "month stock") == []
    assert await _found(store, alice, "0% stock_") == ["100% of the stock_levels"]
    assert await _found(store, alice, "_") == ["100% of the stock_levels"]  # no wildcard
    assert len(await _found(store, alice, "  ")) == 2


async def test_rename_and_delete_are_for_the_owner_only(store: Store, alice: Principal, bob: Principal) -> None:
    conversation = await _asked(store, alice, "Sales by month")
    assert (await store.conversations.rename_async(alice, conversation, " Sales 2026 ")).title == "Sales 2026"
    assert (await store.conversations.rename_async(alice, conversation, "  ")).title == "Sales 2026"
    with pytest.raises(NotFound):
        await store.conversations.rename_async(bob, conversation, "Mine")
    with pytest.raises(NotFound):
        await store.conversations.delete_async(bob, conversation)
    await store.conversations.delete_async(alice, conversation)
    assert await _found(store, alice, "") == []
