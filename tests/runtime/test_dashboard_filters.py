"""Filters of dashboards through the facade: on a real database, by owner and viewer, without a model."""

from __future__ import annotations

import io
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tabulaflow_core.errors import ConfigurationError, NotPermitted
from tabulaflow_core.output.dashboards import DashboardFilter, FilterColumn, FilterKind, QueryTile, Sharing
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import DashboardInfo, Runtime, TileData, TileView
from tabulaflow_core.runtime.dashboards import filtering, live

BOB = Principal("bob", "Bob")
ROWS = [
    (1, "north", "2024-01-31", 10.5, "first"),
    (2, "south", "2024-02-01", 20.0, "second"),
    (3, "south", "2024-02-29", 30.0, None),
    (4, None, None, None, "100% 'sure'"),
]
SUM = "SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY region"


def make(path: Path, rows: Sequence[tuple[object, ...]] = ROWS) -> str:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE sales (id INTEGER PRIMARY KEY, region TEXT, day DATE, amount REAL, note TEXT)")
    connection.executemany("INSERT INTO sales VALUES (?, ?, ?, ?, ?)", rows)
    connection.execute("CREATE TABLE others (n INTEGER, odd_day DATE)")
    connection.execute("INSERT INTO others VALUES (7, 45000)")
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


@pytest.fixture
def board(rt: Runtime, tmp_path: Path) -> DashboardInfo:
    rt.add_database(LOCAL_USER, "shop", make(tmp_path / "sales.db"))
    return rt.create_dashboard(LOCAL_USER, "Sales")


def pinned(rt: Runtime, board: DashboardInfo, sql: str = SUM) -> TileView:
    content = QueryTile(show="table", source="shop", dialect="sqlite", sql=sql)
    tile = rt.pin(LOCAL_USER, board.id, content, title="By region")
    assert rt.refresh_dashboard(LOCAL_USER, board.id).wait(30)
    return tile


def made(kind: FilterKind, column: str, table: str = "sales", **more: object) -> DashboardFilter:
    columns = (FilterColumn(source="shop", table=table, column=column),)
    return DashboardFilter(id=column.replace("_", "-"), label=column.title(), kind=kind, columns=columns, **more)  # type: ignore[arg-type]


def look(
    rt: Runtime,
    board: DashboardInfo,
    tile: TileView,
    chosen: Mapping[str, Sequence[str]] | None,
    who: Principal = LOCAL_USER,
) -> TileData:
    (found,) = rt.tile_data(who, board.id, [tile.id], chosen=chosen, seconds=20)
    assert not found.waiting
    return found


def rows(data: TileData) -> list[list[object]]:
    assert data.result is not None, data
    return [list(row.values()) for row in data.result.table.to_pylist()]


ALL = [
    made("choice", "region"),
    made("date_range", "day"),
    made("number", "amount"),
    made("text", "note"),
]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, [[None, None], ["north", 10.5], ["south", 50.0]]),
        ({"region": ["south"]}, [["south", 50.0]]),
        ({"region": ["south", "north"]}, [["north", 10.5], ["south", 50.0]]),
        ({"day": ["2024-02-01..2024-02-28"]}, [["south", 20.0]]),
        ({"amount": ["20.."]}, [["south", 50.0]]),
        ({"note": ["SECOND"]}, [["south", 20.0]]),
        ({"note": ["100% 'sure'"]}, [[None, None]]),
        ({"region": ["south"], "day": ["2024-02-29"], "amount": ["..99"]}, [["south", 30.0]]),
        ({"region": ["'; DROP TABLE sales; --"]}, []),
        ({"unknown": ["x"]}, [[None, None], ["north", 10.5], ["south", 50.0]]),
    ],
)
def test_a_choice(
    rt: Runtime, board: DashboardInfo, chosen: dict[str, list[str]], expected: list[list[object]]
) -> None:
    tile = pinned(rt, board)
    rt.set_filters(LOCAL_USER, board.id, ALL)
    found = look(rt, board, tile, chosen)
    assert rows(found) == expected
    assert found.filtered == (bool(chosen) and "unknown" not in chosen)
    assert found.unapplied == ()
    # The rows of the tile itself stay, and no model was called.
    assert rows(look(rt, board, tile, None)) == [[None, None], ["north", 10.5], ["south", 50.0]]
    assert rt.usage(LOCAL_USER) == ()


def test_a_choice_on_files(rt: Runtime) -> None:
    csv = "region,day,amount\nnorth,2024-01-31,10.5\nsouth,2024-02-01,20\nsouth,2024-02-29,30\n"
    rt.add_files(LOCAL_USER, [("sold.csv", io.BytesIO(csv.encode()))])
    board = rt.create_dashboard(LOCAL_USER, "Files")
    content = QueryTile(show="table", source="files", dialect="duckdb", sql="SELECT sum(amount) AS total FROM sold")
    tile = rt.pin(LOCAL_USER, board.id, content, title="Total")
    offered = {offer.place.column: offer for offer in rt.filter_columns(LOCAL_USER, board.id)}
    assert "date_range" in offered["day"].kinds
    assert "number" in offered["amount"].kinds
    days = DashboardFilter(id="day", label="Day", kind="date_range", columns=(offered["day"].place,))
    region = DashboardFilter(id="region", label="Region", kind="choice", columns=(offered["region"].place,))
    rt.set_filters(LOCAL_USER, board.id, [days, region])
    (total,) = rows(look(rt, board, tile, {"day": ["2024-02-01.."], "region": ["south", "'"]}))
    assert [float(str(value)) for value in total] == [50.0]


def test_a_default_holds_until_it_is_chosen_away(rt: Runtime, board: DashboardInfo) -> None:
    tile = pinned(rt, board)
    rt.set_filters(LOCAL_USER, board.id, [made("choice", "region", default=("north",))])
    assert rows(look(rt, board, tile, None)) == [["north", 10.5]]
    assert len(rows(look(rt, board, tile, {"region": []}))) == 3


def test_what_a_tile_cannot_take_is_said(rt: Runtime, board: DashboardInfo) -> None:
    tile, other = pinned(rt, board), pinned(rt, board, "SELECT n FROM others")
    rowid = pinned(rt, board, "SELECT rowid FROM sales")
    rt.set_filters(LOCAL_USER, board.id, ALL)
    chosen = {"region": ["south"], "amount": ["..25"]}
    found = rt.tile_data(LOCAL_USER, board.id, [tile.id, other.id, rowid.id], chosen=chosen, seconds=20)
    assert [len(rows(data)) for data in found] == [1, 1, 4]
    assert [data.filtered for data in found] == [True, False, False]
    assert found[0].unapplied == ()
    assert [text.partition(".")[0] for text in found[1].unapplied] == [
        "Region does not apply here",
        "Amount does not apply here",
    ]
    assert "does not read sales" in found[1].unapplied[0]
    assert len(found[2].unapplied) == 2


def test_a_value_that_cannot_be_used_restricts_nothing(rt: Runtime, board: DashboardInfo) -> None:
    tile = pinned(rt, board)
    rt.set_filters(LOCAL_USER, board.id, ALL)
    found = look(rt, board, tile, {"day": ["soon"], "amount": ["1e999"], "note": ["a\0b"]})
    assert len(rows(found)) == 3
    assert not found.filtered


def test_a_removed_tile_is_nothing_to_a_viewer(rt: Runtime, board: DashboardInfo) -> None:
    tile = pinned(rt, board)
    rt.set_filters(LOCAL_USER, board.id, ALL)
    rt.share_dashboard(LOCAL_USER, board.id, Sharing(visibility="team"))
    rt.remove_tile(LOCAL_USER, board.id, tile.id)
    assert rt.tile_data(BOB, board.id, [tile.id]) == ()
    assert rt.tile_data(BOB, board.id, [tile.id], chosen={"region": ["north"]}, seconds=5) == ()
    with pytest.raises(ConfigurationError):
        rt.ask_about_tile(BOB, board.id, tile.id)


def test_what_can_be_filtered(rt: Runtime, board: DashboardInfo) -> None:
    assert rt.filter_columns(LOCAL_USER, board.id) == ()
    pinned(rt, board)
    found = {offer.place.column: set(offer.kinds) for offer in rt.filter_columns(LOCAL_USER, board.id)}
    assert found == {
        "id": {"choice", "number", "text"},
        "region": {"choice", "text"},
        "day": {"date_range", "choice", "text"},
        "amount": {"choice", "number", "text"},
        "note": {"choice", "text"},
    }


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ([made("choice", "n", "others")], "No tile reads n of others"),
        ([made("number", "region")], "which this cannot filter"),
        ([made("choice", "region").model_copy(update={"label": "  "})], "needs a name"),
        ([made("choice", "region").model_copy(update={"columns": ()})], "needs a column"),
        ([made("choice", "region"), made("choice", "region")], "id of its own"),
        ([made("choice", "region").model_copy(update={"id": "A b"})], "id of its own"),
        ([made("date_range", "day", default=("soon",))], "Days are written"),
        ([made("choice", "region").model_copy(update={"id": f"f{n}"}) for n in range(13)], "12 filters"),
    ],
)
def test_a_filter_that_cannot_be(rt: Runtime, board: DashboardInfo, filters: list[DashboardFilter], words: str) -> None:
    pinned(rt, board)
    with pytest.raises(ConfigurationError, match=words):
        rt.set_filters(LOCAL_USER, board.id, filters)
    assert rt.dashboard(LOCAL_USER, board.id).filters == ()


def test_days_that_are_not_written_as_days(rt: Runtime, board: DashboardInfo) -> None:
    pinned(rt, board, "SELECT * FROM others")
    with pytest.raises(ConfigurationError, match="holds '45000', which is no day"):
        rt.set_filters(LOCAL_USER, board.id, [made("date_range", "odd_day", "others")])


def test_choices(rt: Runtime, board: DashboardInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    pinned(rt, board)
    rt.set_filters(LOCAL_USER, board.id, [made("choice", "region"), made("choice", "amount"), made("text", "note")])

    def choices(name: str, who: Principal = LOCAL_USER) -> tuple[tuple[str, ...], bool]:
        until = time.monotonic() + 20
        while (found := rt.filter_choices(who, board.id, name)).waiting and time.monotonic() < until:
            time.sleep(0.05)
        return found.values, found.complete

    assert choices("region") == (("north", "south"), True)
    assert choices("note") == ((), False)
    assert choices("gone") == ((), False)
    monkeypatch.setattr(filtering, "_MOST_CHOICES", 2)
    assert choices("amount") == ((), False)
    rt.share_dashboard(LOCAL_USER, board.id, Sharing(visibility="team"))
    assert choices("region", BOB) == (("north", "south"), True)


def test_a_viewer_filters_with_the_owners_source_and_sees_no_sql(rt: Runtime, board: DashboardInfo) -> None:
    tile, other = pinned(rt, board), pinned(rt, board, "SELECT n FROM others")
    rt.set_filters(LOCAL_USER, board.id, ALL)
    rt.share_dashboard(LOCAL_USER, board.id, Sharing(visibility="team"))
    with pytest.raises(NotPermitted):
        rt.set_filters(BOB, board.id, [])
    with pytest.raises(NotPermitted):
        rt.filter_columns(BOB, board.id)
    view = rt.dashboard(BOB, board.id)
    assert [each.columns for each in view.filters] == [()] * 4
    found = look(rt, board, tile, {"region": ["north"]}, BOB)
    assert rows(found) == [["north", 10.5]]
    assert found.result is not None
    assert found.result.sql == ""
    assert look(rt, board, other, {"region": ["north"]}, BOB).unapplied == ("Region does not apply here.",)
    asked = rt.ask_about_tile(BOB, board.id, tile.id, chosen={"region": ["north"]})
    (turn,) = rt.conversation(BOB, asked.id).turns
    assert turn.result is not None
    assert "Region: north" in turn.result.text
    assert "10.5" in str(rt.result(BOB, turn.result.artifacts[0].id).table.to_pylist())  # type: ignore[union-attr]


def test_a_source_that_fails_under_a_choice_keeps_all_rows_and_says_so(
    rt: Runtime, board: DashboardInfo, tmp_path: Path
) -> None:
    tile = pinned(rt, board)
    rt.set_filters(LOCAL_USER, board.id, ALL)
    with sqlite3.connect(tmp_path / "sales.db") as connection:
        connection.execute("ALTER TABLE sales RENAME TO sold")
    connection.close()
    found = look(rt, board, tile, {"region": ["north"]})
    assert len(rows(found)) == 3
    assert not found.filtered
    assert "These are all rows" in found.fault or found.unapplied


def test_one_query_for_all_who_look(rt: Runtime, board: DashboardInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    tile = pinned(rt, board)
    rt.set_filters(LOCAL_USER, board.id, ALL)
    rt.share_dashboard(LOCAL_USER, board.id, Sharing(visibility="team"))
    run, begun = live.query_async, []

    async def counted(*args: object, **more: object) -> object:
        begun.append(args)
        return await run(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(live, "query_async", counted)
    people = [LOCAL_USER, BOB, Principal("eve", "Eve")] * 4
    chosen = {"region": ["south"]}
    threads = [threading.Thread(target=look, args=(rt, board, tile, chosen, who)) for who in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(begun) == 1
    look(rt, board, tile, {"region": ["north"]})
    assert len(begun) == 2
    # New rows of the tile, and the choice is read anew.
    assert rt.refresh_dashboard(LOCAL_USER, board.id).wait(30)
    look(rt, board, tile, chosen)
    assert len(begun) == 3


def test_what_is_kept_is_bounded(rt: Runtime, board: DashboardInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    tile = pinned(rt, board)
    rt.set_filters(LOCAL_USER, board.id, ALL)
    monkeypatch.setattr(live, "_MOST", 5)
    for n in range(20):
        look(rt, board, tile, {"note": [f"word {n}"]})
    assert len(rt._services.live_reads._reads) <= 5


def test_a_query_that_nobody_waits_for_is_stopped(
    rt: Runtime, board: DashboardInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_FORGOTTEN_SECONDS", 0.3)
    monkeypatch.setattr(live, "_TICK", 0.05)
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT sum(i) FROM n WHERE i > (SELECT count(*) FROM sales)"
    )
    content = QueryTile(show="table", source="shop", dialect="sqlite", sql=endless)
    tile = rt.pin(LOCAL_USER, board.id, content, title="Endless")
    rt.set_filters(LOCAL_USER, board.id, ALL)
    (found,) = rt.tile_data(LOCAL_USER, board.id, [tile.id], chosen={"region": ["north"]})
    assert found.waiting
    until = time.monotonic() + 20
    while rt._services.live_reads._reads and time.monotonic() < until:
        time.sleep(0.05)
    assert not rt._services.live_reads._reads


def test_a_viewers_own_sources(rt: Runtime, board: DashboardInfo, tmp_path: Path) -> None:
    tile = pinned(rt, board)
    rt.set_filters(LOCAL_USER, board.id, [made("choice", "region")])
    rt.share_dashboard(LOCAL_USER, board.id, Sharing(visibility="team", runs_with="viewer"))
    view = rt.dashboard(BOB, board.id)
    assert view.own_sources
    assert "your own sources" in view.notice
    assert view.tiles[0].result_id == ""
    assert view.info.refreshed_at is None
    without = look(rt, board, tile, None, BOB)
    assert without.result is None
    assert "shop" in without.fault
    assert not rt.refresh_dashboard(BOB, board.id).running
    rt.add_database(BOB, "shop", make(tmp_path / "own.db", [(1, "west", "2024-05-01", 7.0, "his")]))
    assert rt.refresh_dashboard(BOB, board.id).wait(5)
    assert rows(look(rt, board, tile, None, BOB)) == [["west", 7.0]]
    assert rows(look(rt, board, tile, {"region": ["north"]}, BOB)) == []
    assert rt.filter_choices(BOB, board.id, "region").values in ((), ("west",))
    # What the engine says of the owner's query is not for a viewer, whose source has other columns.
    with sqlite3.connect(tmp_path / "own.db") as connection:
        connection.execute("ALTER TABLE sales RENAME COLUMN amount TO price")
    connection.close()
    rt.refresh_dashboard(BOB, board.id)
    broken = look(rt, board, tile, None, BOB)
    assert broken.result is None
    assert "amount" not in broken.fault
    assert "which its owner sees" in broken.fault
    with sqlite3.connect(tmp_path / "own.db") as connection:
        connection.execute("ALTER TABLE sales RENAME COLUMN price TO amount")
    connection.close()
    rt.refresh_dashboard(BOB, board.id)
    # The owner goes on with what the owner has.
    assert len(rows(look(rt, board, tile, None))) == 3
    assert rt.open_dashboard(BOB, board.id).total == 0
    asked = rt.ask_about_tile(BOB, board.id, tile.id)
    (turn,) = rt.conversation(BOB, asked.id).turns
    assert turn.result is not None
    assert rt.result(BOB, turn.result.artifacts[0].id).table.to_pylist() == [{"region": "west", "total": 7.0}]  # type: ignore[union-attr]
