"""Files and databases in the store: replaced in one step or not at all, whoever is quicker."""

from __future__ import annotations

import asyncio

import pytest

from tabulaflow_core.errors import NotFound
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import FileRecord, Store


async def put(store: Store, who: Principal, name: str, **given: object) -> FileRecord | None:
    return await store.sources.put_file_async(who, name, sha256="0" * 64, size=1, status="loaded", **given)  # type: ignore[arg-type]


async def test_a_record_is_replaced_only_while_it_is_the_expected_one(store: Store, alice: Principal) -> None:
    first = await put(store, alice, "a.csv", expected="")
    assert first is not None
    assert await put(store, alice, "a.csv", expected="") is None, "there is one by now"
    second = await put(store, alice, "a.csv", expected=first.id, details={"n": 2})
    assert second is not None
    assert await put(store, alice, "a.csv", expected=first.id) is None
    (kept,) = await store.sources.files_async(alice)
    assert (kept.id, kept.details) == (second.id, {"n": 2})
    assert await put(store, alice, "a.csv") is not None, "whatever is there"


async def test_of_many_that_replace_at_once_one_does(store: Store, alice: Principal) -> None:
    first = await put(store, alice, "a.csv")
    assert first is not None
    done = await asyncio.gather(*(put(store, alice, "a.csv", expected=first.id) for _ in range(8)))
    assert len([record for record in done if record is not None]) == 1
    new = await asyncio.gather(*(put(store, alice, "b.csv", expected="") for _ in range(8)))
    assert len([record for record in new if record is not None]) == 1


async def test_an_answer_ends_the_waiting_in_the_same_step(store: Store, alice: Principal, bob: Principal) -> None:
    first = await put(store, alice, "a.csv")
    assert first is not None
    waiting = await store.sources.put_waiting_async(alice, "a.csv", sha256="1" * 64, size=2, details={"q": 1})
    assert (await store.sources.waiting_async(alice)) == (waiting,)
    assert waiting.details == {"q": 1}
    assert await put(store, alice, "a.csv", expected="f_other", answered=[waiting.id]) is None
    assert await store.sources.waiting_async(alice) == (waiting,), "nothing happened"
    assert await put(store, bob, "a.csv", expected="", answered=[waiting.id]) is None, "another's is not there"
    done = await asyncio.gather(
        *(put(store, alice, "a.csv", expected=first.id, answered=[waiting.id]) for _ in range(4)),
        *(put(store, alice, "b.csv", expected="", answered=[waiting.id]) for _ in range(4)),
    )
    assert len([record for record in done if record is not None]) == 1
    assert await store.sources.waiting_async(alice) == ()
    assert await store.sources.files_async(bob) == ()


async def test_a_newer_upload_waits_in_the_place_of_the_earlier_one(store: Store, alice: Principal) -> None:
    for sha256 in ("1" * 64, "2" * 64):
        await store.sources.put_waiting_async(alice, "a.csv", sha256=sha256, size=2, details={})
    (waiting,) = await store.sources.waiting_async(alice)
    assert waiting.sha256 == "2" * 64
    await store.sources.remove_waiting_async(alice, [waiting.id])
    with pytest.raises(NotFound, match="answered elsewhere"):
        await store.sources.remove_waiting_async(alice, [waiting.id])


async def test_of_several_that_wait_all_are_forgotten_or_none(store: Store, alice: Principal) -> None:
    waiting = await store.sources.put_waiting_async(alice, "a.csv", sha256="1" * 64, size=2, details={})
    with pytest.raises(NotFound):
        await store.sources.remove_waiting_async(alice, [waiting.id, "w_gone"])
    assert await store.sources.waiting_async(alice) == (waiting,)


async def test_the_file_of_a_database_can_be_replaced(store: Store, alice: Principal) -> None:
    given = {"dialect": "sqlite", "url_masked": "shop.db (uploaded)", "url_secret": ""}
    made = await store.sources.add_database_async(alice, "shop", **given, upload={"name": "shop.db", "n": 1})
    assert made.upload == {"name": "shop.db", "n": 1}
    waiting = await store.sources.put_waiting_async(alice, "shop.db", sha256="1" * 64, size=2, details={})
    changes = [
        store.sources.change_upload_async(alice, made.id, upload={"n": n}, answered=[waiting.id]) for n in range(4)
    ]
    assert sorted(await asyncio.gather(*changes)) == [False, False, False, True]
    (now,) = await store.sources.databases_async(alice)
    assert now.alias == "shop"
    assert now.id != made.id
    assert set(now.upload) == {"n"}
    assert (await store.sources.remove_database_async(alice, now.id)).upload == now.upload
    plain = await store.sources.add_database_async(alice, "plain", **given)
    assert plain.upload == {}
