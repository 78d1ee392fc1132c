"""Dashboards through the facade: pinned, arranged, refreshed, shared; on a real database, without a model."""

from __future__ import annotations

import inspect
import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tabulaflow_core.errors import ConfigurationError, NotFound, NotPermitted
from tabulaflow_core.models.scripted import ScriptedModel, text
from tabulaflow_core.output.dashboards import ChartChoice, QueryTile, RefreshPolicy, Sharing, TileOrigin
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import ChartSpec, MetricSpec
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import DashboardInfo, Runtime, TileData, TileView
from tabulaflow_core.runtime.dashboard_calls import DashboardCalls
from tabulaflow_core.runtime.dashboards import reading
from tests.runtime.conftest import MakeRuntime, drain

BOB = Principal("bob", "Bob")
SQL = "SELECT id, amount FROM orders ORDER BY id"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"


def content(sql: str = SQL, **more: Any) -> QueryTile:
    origin = TileOrigin(question="What was ordered?")
    return QueryTile(**{"show": "table", "source": "shop", "dialect": "sqlite", "sql": sql, "origin": origin, **more})


@pytest.fixture
def board(rt: Runtime, shop: str) -> DashboardInfo:
    rt.add_database(LOCAL_USER, "shop", shop)
    return rt.create_dashboard(LOCAL_USER, "  Shop  ")


def pinned(rt: Runtime, board: DashboardInfo, **more: Any) -> TileView:
    result = rt.run_sql(LOCAL_USER, "shop", more.get("sql", SQL))
    assert isinstance(result, StoredResult)
    return rt.pin(LOCAL_USER, board.id, content(**more), title="Orders", result_id=result.id)


def data(rt: Runtime, board: DashboardInfo, tile: TileView, who: Principal = LOCAL_USER) -> TileData:
    (found,) = rt.tile_data(who, board.id, [tile.id])
    return found


def refreshed(rt: Runtime, board: DashboardInfo) -> None:
    assert rt.refresh_dashboard(LOCAL_USER, board.id).wait(30)


def change(shop: str, sql: str) -> None:
    with sqlite3.connect(shop.removeprefix("sqlite:///")) as connection:
        connection.execute(sql)
    connection.close()


def test_what_is_pinned_shows_its_rows_at_once(rt: Runtime, board: DashboardInfo) -> None:
    assert board.title == "Shop"
    tile = pinned(rt, board)
    shown = data(rt, board, tile)
    assert shown.result is not None
    assert shown.result.table.num_rows == 3
    assert shown.fault == ""
    view = rt.dashboard(LOCAL_USER, board.id)
    assert [found.title for found in view.tiles] == ["Orders"]
    assert view.tiles[0].content == content()
    assert view.info.refreshed_at is not None


def test_a_refresh_says_what_changed(rt: Runtime, board: DashboardInfo, shop: str) -> None:
    tile = pinned(rt, board)
    change(shop, "UPDATE orders SET amount = 25 WHERE id = 2")
    change(shop, "INSERT INTO orders VALUES (4, 40)")
    refreshed(rt, board)
    (found,) = rt.dashboard(LOCAL_USER, board.id).tiles
    assert found.changes is not None
    assert found.changes.sentence == "1 value up, 1 row new."
    assert found.changes.counts == {"up": 1, "new": 1}
    assert found.changes.rows[0].key == "2"
    assert (found.changes.rows[0].before, found.changes.rows[0].after) == ("20", "25")
    shown = data(rt, board, tile)
    assert shown.result is not None
    assert shown.result.table.num_rows == 4
    refreshed(rt, board)
    (found,) = rt.dashboard(LOCAL_USER, board.id).tiles
    assert found.changes is not None
    assert found.changes.sentence == "No change."


def test_rows_of_earlier_refreshes_are_dropped_and_those_of_answers_stay(rt: Runtime, board: DashboardInfo) -> None:
    tile = pinned(rt, board)
    answered = tile.result_id
    copy = rt.duplicate_tile(LOCAL_USER, board.id, tile.id)
    refreshed(rt, board)
    first = rt.dashboard(LOCAL_USER, board.id).tiles[0].result_id
    assert rt.duplicate_tile(LOCAL_USER, board.id, tile.id).result_id == first
    rt.refresh_dashboard(LOCAL_USER, board.id, tile_ids=[tile.id]).wait(30)
    assert rt.result(LOCAL_USER, first), "the copy still shows them"
    refreshed(rt, board)
    with pytest.raises(NotFound):
        rt.result(LOCAL_USER, first)
    assert rt.result(LOCAL_USER, answered)
    assert copy.result_id == answered
    last = [found.result_id for found in rt.dashboard(LOCAL_USER, board.id).tiles]
    rt.delete_dashboard(LOCAL_USER, board.id)
    for result_id in last:
        with pytest.raises(NotFound):
            rt.result(LOCAL_USER, result_id)
    assert rt.result(LOCAL_USER, answered)


def test_a_tile_that_fails_keeps_its_last_good_rows(rt: Runtime, board: DashboardInfo, shop: str) -> None:
    tile = pinned(rt, board)
    good = pinned(rt, board, sql="SELECT 1 AS one")
    change(shop, "ALTER TABLE orders RENAME TO purchases")
    run = rt.refresh_dashboard(LOCAL_USER, board.id)
    assert run.wait(30)
    assert (run.done, run.total) == (2, 2)
    assert run.failed == {tile.id}
    shown = data(rt, board, tile)
    assert "orders" in shown.fault
    assert shown.result is not None
    assert shown.result.table.num_rows == 3
    assert data(rt, board, good).fault == ""
    change(shop, "ALTER TABLE purchases RENAME TO orders")
    refreshed(rt, board)
    assert data(rt, board, tile).fault == ""


def test_a_source_that_is_gone_is_said(rt: Runtime, board: DashboardInfo) -> None:
    tile = pinned(rt, board)
    rt.remove_source(LOCAL_USER, rt.sources(LOCAL_USER)[0].id)
    refreshed(rt, board)
    shown = data(rt, board, tile)
    assert "shop" in shown.fault
    assert shown.result is not None


@pytest.mark.parametrize("sql", ["DELETE FROM orders", "SELECT 1; DROP TABLE orders", "ATTACH 'x' AS y"])
def test_a_tile_passes_the_guard(rt: Runtime, board: DashboardInfo, shop: str, sql: str) -> None:
    tile = rt.pin(LOCAL_USER, board.id, content(sql), title="")
    refreshed(rt, board)
    assert data(rt, board, tile).fault
    assert data(rt, board, tile).result is None
    with sqlite3.connect(shop.removeprefix("sqlite:///")) as connection:
        assert connection.execute("SELECT count(*) FROM orders").fetchone() == (3,)
    connection.close()


def test_what_is_drawn(rt: Runtime, board: DashboardInfo) -> None:
    metric = pinned(rt, board, sql="SELECT sum(amount) AS total FROM orders", show="metric", label="total")
    assert data(rt, board, metric).spec == MetricSpec(table_id=metric.result_id, label="total", value="60")
    year = pinned(rt, board, sql="SELECT 2026 AS year", show="metric", label="year")
    assert data(rt, board, year).spec == MetricSpec(table_id=year.result_id, label="year", value="2026")
    rt.remove_tile(LOCAL_USER, board.id, year.id)
    chart = pinned(rt, board, show="chart", chart=ChartChoice(type="bar", x="id", y=("amount",)))
    spec = data(rt, board, chart).spec
    assert isinstance(spec, ChartSpec)
    assert spec.type == "bar"
    assert data(rt, board, chart).summary
    rt.change_tile(LOCAL_USER, board.id, chart.id, chart=ChartChoice(type="line", x="id", y=("amount",)), width=9)
    changed = rt.dashboard(LOCAL_USER, board.id).tiles[1]
    assert changed.width == 4
    spec = data(rt, board, chart).spec
    assert isinstance(spec, ChartSpec)
    assert spec.type == "line"


def test_tiles_are_arranged(rt: Runtime, board: DashboardInfo) -> None:
    words = rt.add_text_tile(LOCAL_USER, board.id, "Read me", title="First")
    tile = pinned(rt, board)
    rt.move_tile(LOCAL_USER, board.id, tile.id, 0)
    assert [found.id for found in rt.dashboard(LOCAL_USER, board.id).tiles] == [tile.id, words.id]
    copy = rt.duplicate_tile(LOCAL_USER, board.id, tile.id)
    assert [found.id for found in rt.dashboard(LOCAL_USER, board.id).tiles] == [tile.id, copy.id, words.id]
    rt.remove_tile(LOCAL_USER, board.id, copy.id)
    view = rt.dashboard(LOCAL_USER, board.id)
    assert [found.id for found in view.removed] == [copy.id]
    rt.restore_tile(LOCAL_USER, board.id, copy.id)
    assert [found.id for found in rt.dashboard(LOCAL_USER, board.id).tiles] == [tile.id, copy.id, words.id]
    with pytest.raises(ConfigurationError):
        rt.add_text_tile(LOCAL_USER, board.id, " \u200b ")
    for blank in ("   ", "\u200b"):
        with pytest.raises(ConfigurationError):
            rt.create_dashboard(LOCAL_USER, blank)


def test_a_refresh_of_one_tile_is_not_taken_for_that_of_all(rt: Runtime, board: DashboardInfo) -> None:
    slow = rt.pin(LOCAL_USER, board.id, content(ENDLESS), title="Endless")
    quick = rt.pin(LOCAL_USER, board.id, content(), title="Quick")
    one = rt.refresh_dashboard(LOCAL_USER, board.id, tile_ids=[slow.id])
    whole = rt.refresh_dashboard(LOCAL_USER, board.id)
    assert (one.total, whole.total) == (1, 2)
    until = time.monotonic() + 60
    while whole.is_waiting(quick.id) and time.monotonic() < until:
        time.sleep(0.01)
    one.cancel()
    whole.cancel()
    assert one.wait(30)
    assert whole.wait(30)
    assert data(rt, board, quick).result is not None


def test_whatever_goes_wrong_with_one_tile_the_others_are_refreshed(
    rt: Runtime, board: DashboardInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, good = pinned(rt, board), rt.pin(LOCAL_USER, board.id, content(), title="")

    def fail(before: StoredResult, after: StoredResult) -> None:
        raise ValueError("no such comparison")

    monkeypatch.setattr("tabulaflow_core.runtime.dashboards.refreshing.compare", fail)
    run = rt.refresh_dashboard(LOCAL_USER, board.id)
    assert run.wait(30)
    assert (run.done, run.failed) == (2, {broken.id})
    assert data(rt, board, good).result is not None


def test_rows_that_a_refresh_takes_away_meanwhile_are_read_anew(rt: Runtime, board: DashboardInfo) -> None:
    tile = pinned(rt, board)
    refreshed(rt, board)
    services = rt._services
    before = rt._call(services.store.dashboards.get_async(LOCAL_USER, board.id))
    refreshed(rt, board)
    read = reading.tiles_data_async(services, LOCAL_USER, before, before.tiles)
    (found,) = rt._call(read)
    assert found.tile_id == tile.id
    assert found.result is not None


def test_removed_tiles_do_not_pile_up(rt: Runtime, board: DashboardInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabulaflow_core.runtime.dashboards.book._REMOVED_KEPT", 2)
    monkeypatch.setattr("tabulaflow_core.runtime.dashboards.book.MOST_TILES", 3)
    tiles = [pinned(rt, board) for _ in range(3)]
    with pytest.raises(ConfigurationError, match="3 tiles are the most"):
        pinned(rt, board)
    refreshed(rt, board)
    shown = [found.result_id for found in rt.dashboard(LOCAL_USER, board.id).tiles]
    for tile in tiles:
        rt.remove_tile(LOCAL_USER, board.id, tile.id)
    assert [found.id for found in rt.dashboard(LOCAL_USER, board.id).removed] == [tiles[2].id, tiles[1].id]
    with pytest.raises(NotFound):
        rt.result(LOCAL_USER, shown[0])
    assert rt.result(LOCAL_USER, shown[1])
    for _ in range(3):
        rt.add_text_tile(LOCAL_USER, board.id, "Words")
    with pytest.raises(ConfigurationError, match="3 tiles are the most"):
        rt.restore_tile(LOCAL_USER, board.id, tiles[1].id)


def test_a_schedule_taken_away_while_it_runs_stays_away(rt: Runtime, board: DashboardInfo) -> None:
    slow = rt.pin(LOCAL_USER, board.id, content(ENDLESS), title="Endless")
    store = rt._services.store
    policy, now = RefreshPolicy(every_seconds=3600), datetime.now(UTC)
    rt._call(store.dashboards.schedule_async(LOCAL_USER, board.id, policy=policy, next_run_at=now))
    rt.start_schedules()
    until = time.monotonic() + 60
    while rt.running_refresh(LOCAL_USER, board.id) is None and time.monotonic() < until:
        time.sleep(0.02)
    run = rt.running_refresh(LOCAL_USER, board.id)
    assert run is not None
    rt.set_refreshing(LOCAL_USER, board.id, RefreshPolicy())
    assert run.is_waiting(slow.id)
    run.cancel()
    while rt._services.scheduler._running and time.monotonic() < until:
        time.sleep(0.02)
    assert rt.dashboard(LOCAL_USER, board.id).next_refresh_at is None


def test_stop_ends_the_statement_and_keeps_what_there_was(rt: Runtime, board: DashboardInfo) -> None:
    quick = pinned(rt, board)
    slow = rt.pin(LOCAL_USER, board.id, content(ENDLESS), title="Endless")
    run = rt.refresh_dashboard(LOCAL_USER, board.id)
    until = time.monotonic() + 60
    while run.done < 1 and time.monotonic() < until:
        time.sleep(0.01)
    assert run.is_waiting(slow.id)
    assert rt.refresh_dashboard(LOCAL_USER, board.id) is run, "one refresh at a time, which everybody watches"
    assert rt.refresh_dashboard(LOCAL_USER, board.id, tile_ids=[slow.id]) is run
    run.cancel()
    assert run.wait(30)
    assert run.stopped
    assert data(rt, board, quick).result is not None
    assert isinstance(rt.run_sql(LOCAL_USER, "shop", SQL), StoredResult)


def test_opening_refreshes_what_is_too_old(rt: Runtime, board: DashboardInfo) -> None:
    pinned(rt, board)
    assert rt.open_dashboard(LOCAL_USER, board.id).total == 0, "no age is set"
    rt.set_refreshing(LOCAL_USER, board.id, RefreshPolicy(max_age_seconds=3600))
    assert rt.open_dashboard(LOCAL_USER, board.id).total == 0, "it is new"
    never = rt.pin(LOCAL_USER, board.id, content(), title="")
    run = rt.open_dashboard(LOCAL_USER, board.id)
    assert run.total == 1
    assert run.wait(30)
    assert data(rt, board, never).result is not None


def test_a_viewer_sees_results_and_no_query(rt: Runtime, board: DashboardInfo, shop: str) -> None:
    tile = pinned(rt, board)
    rt.share_dashboard(LOCAL_USER, board.id, Sharing(visibility="chosen", people=("bob",)))
    view = rt.dashboard(BOB, board.id)
    assert (view.info.role, view.info.owner_name, view.sharing, view.show_sql) == ("viewer", "You", None, False)
    assert "runs with the data of You" in view.notice
    assert isinstance(view.tiles[0].content, QueryTile)
    assert (view.tiles[0].content.sql, view.tiles[0].content.origin) == ("", TileOrigin())
    shown = data(rt, board, tile, BOB)
    assert shown.result is not None
    assert (shown.result.sql, shown.result.notes, shown.result.table.num_rows) == ("", (), 3)
    with pytest.raises(NotFound):
        rt.result(BOB, tile.result_id)
    assert rt.refresh_dashboard(BOB, board.id).wait(30)
    assert not rt.sources(BOB)
    change(shop, "ALTER TABLE orders RENAME TO purchases")
    refreshed(rt, board)
    assert "orders" in data(rt, board, tile).fault
    assert data(rt, board, tile, BOB).fault == "Its query gave an error, which its owner sees."
    assert rt.dashboard(BOB, board.id).tiles[0].fault == data(rt, board, tile, BOB).fault
    rt.share_dashboard(LOCAL_USER, board.id, Sharing(visibility="team", show_sql=True))
    assert data(rt, board, tile, BOB).result is not None
    shown = data(rt, board, tile, BOB)
    assert shown.result is not None
    assert shown.result.sql == SQL
    rt.share_dashboard(LOCAL_USER, board.id, Sharing())
    with pytest.raises(NotFound):
        rt.dashboard(BOB, board.id)


CALLS = [name for name, member in vars(DashboardCalls).items() if inspect.isfunction(member) and name[0] != "_"]
READS = {"ask_about_tile", "dashboard", "tile_data", "refresh_dashboard", "open_dashboard", "running_refresh"} | {
    "filter_choices"
}
OWN = {"dashboards", "create_dashboard", "start_schedules", "run_due"}


@pytest.mark.parametrize("name", [name for name in CALLS if name not in OWN])
def test_each_call_looks_at_who_asks(rt: Runtime, board: DashboardInfo, name: str) -> None:
    tile = pinned(rt, board)
    given = {
        "dashboard_id": board.id,
        "tile_id": tile.id,
        "tile_ids": [tile.id],
        "title": "Mine",
        "text": "Mine",
        "content": content(),
        "position": 0,
        "filters": (),
        "filter_id": "region",
        "policy": RefreshPolicy(),
        "sharing": Sharing(visibility="team"),
    }
    call = getattr(rt, name)
    parameters = list(inspect.signature(call).parameters.values())
    assert parameters[0].name == "principal"
    arguments = {p.name: given[p.name] for p in parameters[1:] if p.default is p.empty}
    before = rt.dashboard(LOCAL_USER, board.id)
    with pytest.raises(NotFound, match="not shared with you"):
        call(BOB, **arguments)
    rt.share_dashboard(LOCAL_USER, board.id, Sharing(visibility="team"))
    if name in READS:
        call(BOB, **arguments)
    else:
        with pytest.raises(NotPermitted):
            call(BOB, **arguments)
    after = rt.dashboard(LOCAL_USER, board.id)
    assert (after.info.title, len(after.tiles), after.tiles[0].title) == (
        before.info.title,
        len(before.tiles),
        before.tiles[0].title,
    )


def test_a_conversation_about_a_tile_knows_its_rows(rt: Runtime, board: DashboardInfo, model: ScriptedModel) -> None:
    tile = pinned(rt, board)
    conversation = rt.ask_about_tile(LOCAL_USER, board.id, tile.id)
    assert "Orders" in conversation.title
    refreshed(rt, board)
    refreshed(rt, board)
    (turn,) = rt.conversation(LOCAL_USER, conversation.id).turns
    assert turn.result is not None
    assert turn.result.usage is None
    assert rt.result(LOCAL_USER, turn.result.artifacts[0].id).table.num_rows == 3  # type: ignore[union-attr]
    model.enqueue(text("The third is the largest."))
    drain(rt.start_turn(LOCAL_USER, conversation.id, "Which is the largest?"))
    said = [str(message) for message in model.requests[-1].messages]
    assert any("SELECT id, amount FROM orders" in message for message in said)
    assert any("3 | 30" in message or "3|30" in message.replace(" ", "") for message in said), said
    assert "Which is the largest?" in said[-1]


def test_a_viewer_asks_about_rows_and_sees_no_query(rt: Runtime, board: DashboardInfo, model: ScriptedModel) -> None:
    tile = pinned(rt, board)
    rt.share_dashboard(LOCAL_USER, board.id, Sharing(visibility="team"))
    conversation = rt.ask_about_tile(BOB, board.id, tile.id)
    model.enqueue(text("Sixty in all."))
    drain(rt.start_turn(BOB, conversation.id, "How much in all?"))
    said = str(model.requests[-1].messages)
    assert "30" in said
    assert "FROM orders" not in said
    assert "What was ordered?" not in said
    with pytest.raises(NotFound):
        rt.conversation(LOCAL_USER, conversation.id)
    empty = rt.pin(LOCAL_USER, board.id, content(), title="")
    with pytest.raises(ConfigurationError, match="Refresh it first"):
        rt.ask_about_tile(LOCAL_USER, board.id, empty.id)


def test_a_schedule_that_is_due_runs_once(
    rt: Runtime, make_runtime: MakeRuntime, board: DashboardInfo, shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned(rt, board)
    other = make_runtime()
    rt.set_refreshing(LOCAL_USER, board.id, RefreshPolicy(every_seconds=60))
    assert rt.run_due() == ()
    assert rt.dashboard(LOCAL_USER, board.id).next_refresh_at is not None
    monkeypatch.setattr("tabulaflow_core.runtime.dashboards.timing.SHORTEST_SECONDS", -60)
    rt.set_refreshing(LOCAL_USER, board.id, RefreshPolicy(every_seconds=-1))
    change(shop, "INSERT INTO orders VALUES (4, 40)")
    monkeypatch.setattr(
        "tabulaflow_core.runtime.dashboards.scheduler.next_run",
        lambda policy, after: after.replace(year=after.year + 1),
    )
    ran = (*other.run_due(), *rt.run_due(), *other.run_due())
    assert ran == (board.id,)
    (tile,) = rt.dashboard(LOCAL_USER, board.id).tiles
    assert tile.changes is not None
    assert tile.changes.sentence.startswith("1 row new")


@pytest.mark.parametrize("name", ["tile_data", "refresh_dashboard", "open_dashboard", "running_refresh"])
def test_each_can_be_the_first_call_of_a_process(
    rt: Runtime, make_runtime: MakeRuntime, board: DashboardInfo, name: str
) -> None:
    other = make_runtime()
    getattr(other, name)(LOCAL_USER, board.id, *([[]] if name == "tile_data" else []))
    make_runtime().start_schedules()


def test_nothing_of_a_dashboard_calls_a_model(rt: Runtime, board: DashboardInfo, tmp_path: Path) -> None:
    pinned(rt, board)
    refreshed(rt, board)
    assert rt.usage(LOCAL_USER) == ()
