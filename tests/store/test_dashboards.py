"""Dashboards in the store: their tiles and order, who sees them, and schedules over several processes."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import NotFound, NotPermitted
from tabulaflow_core.output.dashboards import DashboardFilter, FilterColumn, QueryTile, RefreshPolicy, Sharing, TextTile
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import SCHEDULER, DashboardRecord, Store, TileRecord

CONTENT = QueryTile(show="table", source="shop", dialect="sqlite", sql="SELECT 1")


async def tile(store: Store, who: Principal, dashboard: DashboardRecord, title: str) -> TileRecord:
    return await store.tiles.add_async(
        who, dashboard.id, title=title, text="", width=2, height="medium", content=CONTENT
    )


async def titles(store: Store, who: Principal, dashboard: DashboardRecord) -> list[str]:
    found = (await store.dashboards.get_async(who, dashboard.id)).tiles
    return [tile.title for tile in found if tile.removed_at is None]


async def test_what_is_kept_comes_back(store: Store, alice: Principal) -> None:
    made = await store.dashboards.create_async(alice, title="Clinic\0")
    assert (made.title, made.role, made.tile_count, made.refreshed_at) == ("Clinic", "owner", 0, None)
    kept = (
        DashboardFilter(id="f", label="Day", kind="text", columns=(FilterColumn(source="s", table="t", column="c"),)),
    )
    await store.dashboards.filter_async(alice, made.id, filters=kept)
    words = await store.tiles.add_async(
        alice, made.id, title="", text="Words", width=4, height="small", content=TextTile()
    )
    assert words.content == TextTile()
    first = await tile(store, alice, made, "Visits")
    assert (first.content, first.refreshed_at, first.result_id) == (CONTENT, None, "")
    found = await store.dashboards.get_async(alice, made.id)
    assert found.filters == kept
    assert [t.id for t in found.tiles] == [words.id, first.id]
    assert (await store.dashboards.rename_async(alice, made.id, title="Ward")).title == "Ward"
    assert [(d.title, d.tile_count) for d in await store.dashboards.list_async(alice)] == [("Ward", 2)]
    changed = await store.tiles.change_async(alice, first.id, title="", width=1, content=TextTile())
    assert (changed.title, changed.width, changed.height, changed.content) == ("", 1, "medium", TextTile())
    await store.dashboards.delete_async(alice, made.id)
    with pytest.raises(NotFound):
        await store.dashboards.get_async(alice, made.id)
    with pytest.raises(NotFound):
        await store.tiles.change_async(alice, first.id, title="x")


async def test_tiles_keep_their_order(store: Store, alice: Principal) -> None:
    board = await store.dashboards.create_async(alice, title="B")
    a, b, c = [await tile(store, alice, board, name) for name in "abc"]
    await store.tiles.move_async(alice, c.id, position=0)
    assert await titles(store, alice, board) == ["c", "a", "b"]
    await store.tiles.move_async(alice, c.id, position=99)
    assert await titles(store, alice, board) == ["a", "b", "c"]
    await store.tiles.remove_async(alice, a.id)
    assert await titles(store, alice, board) == ["b", "c"]
    await store.tiles.move_async(alice, c.id, position=0)
    assert await titles(store, alice, board) == ["c", "b"]
    await store.tiles.remove_async(alice, a.id, back=True)
    assert await titles(store, alice, board) == ["c", "b", "a"]
    between = await store.tiles.add_async(
        alice, board.id, title="d", text="", width=1, height="small", content=CONTENT, position=1
    )
    assert between.position == 1
    assert await titles(store, alice, board) == ["c", "d", "b", "a"]
    assert b.dashboard_id == board.id


async def test_a_refresh_that_fails_leaves_the_last_good_rows(store: Store, alice: Principal) -> None:
    board = await store.dashboards.create_async(alice, title="B")
    shown = await tile(store, alice, board, "a")
    assert await store.tiles.refreshed_async(alice, shown.id, result_id="r_1") == ""
    assert await store.tiles.refreshed_async(alice, shown.id, result_id="r_2", changes={"up": 1}) == "r_1"
    await store.tiles.failed_async(alice, shown.id, fault="It is away.")
    (after,) = (await store.dashboards.get_async(alice, board.id)).tiles
    assert (after.result_id, after.fault, after.changes) == ("r_2", "It is away.", {"up": 1})
    assert after.refreshed_at is not None
    assert after.tried_at is not None
    assert after.tried_at >= after.refreshed_at
    (listed,) = await store.dashboards.list_async(alice)
    assert listed.refreshed_at == after.refreshed_at
    assert await store.dashboards.delete_async(alice, board.id) == ("r_2",)


@pytest.mark.parametrize(
    ("sharing", "seen_by"),
    [
        (Sharing(), set()),
        (Sharing(visibility="team"), {"bob", "carol", "dave"}),
        (Sharing(visibility="chosen", people=("bob",), groups=("sales",)), {"bob", "carol"}),
        (Sharing(visibility="private", people=("bob",), groups=("sales",)), set()),
    ],
)
async def test_who_sees_it(store: Store, alice: Principal, sharing: Sharing, seen_by: set[str]) -> None:
    board = await store.dashboards.create_async(alice, title="B")
    shown = await tile(store, alice, board, "a")
    people = {
        name: Principal(f"{name}-{alice.id}", groups=groups)
        for name, groups in (("bob", ()), ("carol", ("sales",)), ("dave", ("Sales", "sale")))
    }
    to = sharing.model_copy(update={"people": tuple(people[name].id for name in sharing.people)})
    await store.dashboards.share_async(alice, board.id, sharing=Sharing(visibility="team"))
    await store.dashboards.share_async(alice, board.id, sharing=to)  # in place of what was shared before
    for name, who in people.items():
        listed = {found.id for found in await store.dashboards.list_async(who)}
        assert (board.id in listed) == (name in seen_by)
        if name not in seen_by:
            with pytest.raises(NotFound, match="not shared with you"):
                await store.dashboards.get_async(who, board.id)
            with pytest.raises(NotFound):
                await store.dashboards.rename_async(who, board.id, title="Mine")
            continue
        assert (await store.dashboards.get_async(who, board.id)).role == "viewer"
        for change in (
            store.dashboards.rename_async(who, board.id, title="Mine"),
            store.dashboards.delete_async(who, board.id),
            store.dashboards.share_async(who, board.id, sharing=Sharing(visibility="team")),
            store.dashboards.filter_async(who, board.id, filters=()),
            store.dashboards.schedule_async(who, board.id, policy=RefreshPolicy(), next_run_at=None),
            store.tiles.add_async(who, board.id, title="", text="", width=1, height="small", content=CONTENT),
        ):
            with pytest.raises(NotPermitted, match="Only its owner"):
                await change
        with pytest.raises(NotFound):
            await store.tiles.remove_async(who, shown.id)


async def test_what_a_dashboard_shows_is_not_dropped_to_make_room(store: Store, alice: Principal) -> None:
    board = await store.dashboards.create_async(alice, title="B")
    results = [
        StoredResult(
            source="s", dialect="sqlite", sql="SELECT 1", table=pa.table({"n": list(range(n * 1000, (n + 1) * 1000))})
        )
        for n in range(4)
    ]
    await store.results.put_async(alice, results[0])
    await store.tiles.add_async(
        alice, board.id, title="", text="", width=1, height="small", content=CONTENT, result_id=results[0].id
    )
    store.results._max_bytes = 1
    for result in results[1:]:
        await store.results.put_async(alice, result)
    assert (await store.results.get_async(alice, results[0].id)).table.num_rows == 1000
    with pytest.raises(NotFound):
        await store.results.get_async(alice, results[1].id)


async def due(store: Store, who: Principal) -> list[str]:
    return [found for owner, found in await store.schedules.due_async(SCHEDULER) if owner.id == who.id]


async def test_a_schedule_is_taken_by_one(settings: Settings, store: Store, alice: Principal) -> None:
    now = datetime.now(UTC)
    board = await store.dashboards.create_async(alice, title="B")
    assert await due(store, alice) == []
    policy = RefreshPolicy(every_seconds=60)
    await store.dashboards.schedule_async(alice, board.id, policy=policy, next_run_at=now + timedelta(hours=1))
    assert await due(store, alice) == []
    await store.dashboards.schedule_async(alice, board.id, policy=policy, next_run_at=now - timedelta(hours=1))
    assert await due(store, alice) == [board.id]
    other = await Store.open_async(settings)
    try:
        took = await asyncio.gather(
            *(
                each.schedules.take_async(alice, board.id, holder=f"{n}")
                for n, each in enumerate((store, other, store, other))
            )
        )
        assert sorted(took) == [False, False, False, True]
        holder = str(took.index(True))
        assert await due(store, alice) == []
        assert await store.schedules.renew_async(alice, board.id, holder=holder)
        assert not await store.schedules.renew_async(alice, board.id, holder="another")
        await store.schedules.release_async(alice, board.id, holder="another", next_run_at=None)
        assert await due(store, alice) == []
        later = now + timedelta(hours=1)
        await other.schedules.release_async(alice, board.id, holder=holder, next_run_at=later)
        assert (await store.dashboards.get_async(alice, board.id)).next_run_at == later
        assert not await store.schedules.take_async(alice, board.id, holder="late"), "it is not due any more"
    finally:
        await other.close_async()


async def test_a_lease_runs_out(store: Store, alice: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    board = await store.dashboards.create_async(alice, title="B")
    await store.dashboards.schedule_async(alice, board.id, policy=RefreshPolicy(every_seconds=60), next_run_at=long_ago)
    monkeypatch.setattr("tabulaflow_core.store.schedules.LEASE_SECONDS", -1.0)
    assert await store.schedules.take_async(alice, board.id, holder="dead")
    assert await due(store, alice) == [board.id], "its lease has run out, and nothing was moved on"
    monkeypatch.undo()
    assert await store.schedules.take_async(alice, board.id, holder="next")
    assert not await store.schedules.renew_async(alice, board.id, holder="dead")
