"""Saved questions, and what new data makes of them and of tiles: on real files and databases, without a model."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from tabulaflow_core.errors import ConfigurationError, NotFound, SourceError
from tabulaflow_core.output.dashboards import ChartChoice, QueryTile
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import RecheckRun, Runtime, TileView
from tabulaflow_core.runtime.questions import book

BOB = Principal("bob", "Bob")
OLD = "region,amount,day\nnorth,10,2024-01-05\nsouth,20,2024-01-06\nsouth,5,2024-02-01\n"
TOTAL = "SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY region"
COUNT = "SELECT count(*) AS n FROM sales"
BY_MONTH = "SELECT strftime(day, '%Y-%m') AS month, sum(amount) AS total FROM sales GROUP BY 1 ORDER BY 1"


def tile(sql: str, **more: object) -> QueryTile:
    return QueryTile(**{"show": "table", "source": "files", "dialect": "duckdb", "sql": sql, **more})  # type: ignore[arg-type]


@pytest.fixture
def sales(rt: Runtime, tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_text(OLD)
    (outcome,) = rt.add_files(LOCAL_USER, [(path.name, path)])
    assert outcome.status == "loaded", outcome
    return path


def replaced(rt: Runtime, path: Path, text: str) -> None:
    path.write_text(text)
    outcomes = rt.add_files(LOCAL_USER, [(path.name, path)])
    waiting = next(outcome for outcome in outcomes if outcome.status == "waiting")
    assert waiting.question is not None
    rt.answer_file(LOCAL_USER, waiting.name, "replace")


def kept(rt: Runtime, sql: str, title: str, **more: object) -> TileView:
    boards = rt.dashboards(LOCAL_USER)
    board = boards[0] if boards else rt.create_dashboard(LOCAL_USER, "Sales")
    result = rt.run_sql(LOCAL_USER, "files", sql)
    assert isinstance(result, StoredResult), result
    return rt.pin(LOCAL_USER, board.id, tile(sql, **more), title=title, result_id=result.id)


def ended(run: RecheckRun) -> RecheckRun:
    until = time.monotonic() + 60
    while run.running and time.monotonic() < until:
        time.sleep(0.02)
    assert not run.running
    return run


def looked_at(rt: Runtime, **more: object) -> RecheckRun:
    run = ended(rt.recheck(LOCAL_USER, "files", **more))  # type: ignore[arg-type]
    assert run.fault == ""
    assert run.total == len(run.items)
    return run


def test_a_question_is_kept_asked_and_removed(rt: Runtime, sales: Path) -> None:
    result = rt.run_sql(LOCAL_USER, "files", TOTAL)
    assert isinstance(result, StoredResult)
    drawn = tile(TOTAL, show="chart", chart=ChartChoice(type="bar", x="region", y=("total",)))
    saved = rt.save_question(LOCAL_USER, "  Sales\nby region? ", drawn, result_id=result.id)
    assert saved.question == "Sales by region?"
    assert rt.save_question(LOCAL_USER, "Sales by region?", drawn).id == saved.id
    assert [found.id for found in rt.saved_questions(LOCAL_USER)] == [saved.id]
    assert rt.saved_questions(BOB) == ()
    begun = rt.ask_saved_question(LOCAL_USER, saved.id)
    assert "Sales by region?" in begun.title
    (turn,) = rt.conversation(LOCAL_USER, begun.id).turns
    assert turn.result is not None
    assert [spec.kind for spec in turn.result.artifacts] == ["table", "chart"]
    rows = rt.result(LOCAL_USER, turn.result.artifacts[0].id).table.to_pylist()  # type: ignore[union-attr]
    assert [(row["region"], int(row["total"])) for row in rows] == [("north", 10), ("south", 25)]
    assert rt.usage(LOCAL_USER) == ()
    # Asked again, the first conversation keeps its rows.
    rt.ask_saved_question(LOCAL_USER, saved.id)
    assert rt.result(LOCAL_USER, turn.result.artifacts[0].id).table.num_rows == 2  # type: ignore[union-attr]
    with pytest.raises(NotFound):
        rt.ask_saved_question(BOB, saved.id)
    with pytest.raises(NotFound):
        rt.remove_question(BOB, saved.id)
    with pytest.raises(NotFound):
        rt.change_question(BOB, saved.id, COUNT)
    rt.remove_question(LOCAL_USER, saved.id)
    assert rt.saved_questions(LOCAL_USER) == ()


def test_what_cannot_be_saved(rt: Runtime, sales: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="needs words"):
        rt.save_question(LOCAL_USER, " \n ", tile(COUNT))
    with pytest.raises(NotFound):
        rt.save_question(LOCAL_USER, "How many?", tile(COUNT), result_id="r_gone")
    monkeypatch.setattr(book, "MOST_QUESTIONS", 1)
    rt.save_question(LOCAL_USER, "How many?", tile(COUNT))
    with pytest.raises(ConfigurationError, match="are the most"):
        rt.save_question(LOCAL_USER, "How many more?", tile(COUNT))


def test_a_question_whose_query_broke_says_so(rt: Runtime, sales: Path) -> None:
    saved = rt.save_question(LOCAL_USER, "Gone?", tile("SELECT colour FROM sales"))
    with pytest.raises(SourceError, match="does not run any more"):
        rt.ask_saved_question(LOCAL_USER, saved.id)
    (found,) = rt.saved_questions(LOCAL_USER)
    assert "colour" in found.fault
    fixed = rt.change_question(LOCAL_USER, saved.id, COUNT)
    assert (fixed.fault, fixed.content.sql) == ("", COUNT)
    assert rt.result(LOCAL_USER, fixed.result_id).table.num_rows == 1


def test_same_data_changes_nothing(rt: Runtime, sales: Path) -> None:
    kept(rt, TOTAL, "By region")
    rt.save_question(LOCAL_USER, "How many?", tile(COUNT))
    items = looked_at(rt).items
    assert [(item.kind, item.verdict) for item in items] == [("tile", "same"), ("question", "changed")]
    assert [item.verdict for item in looked_at(rt).items] == ["same", "same"]


def test_new_rows_and_a_renamed_column(rt: Runtime, sales: Path) -> None:
    by_region, by_month = kept(rt, TOTAL, "By region"), kept(rt, BY_MONTH, "By month")
    count = rt.save_question(LOCAL_USER, "How many?", tile(COUNT))
    looked_at(rt)
    renamed = OLD.replace("region,amount,day", "region,total amount,day") + "west,7,2024-03-01\n"
    replaced(rt, sales, renamed)
    (board,) = rt.dashboards(LOCAL_USER)
    first, second, third = looked_at(rt, tables=["sales"]).items
    assert (first.id, first.title, first.place, first.dashboard_id) == (by_region.id, "By region", "Sales", board.id)
    assert first.verdict == second.verdict == "broken"
    assert "amount" in first.sentence
    assert first.mend is not None
    assert second.mend is not None
    assert first.mend.names[0][0] == "amount"
    assert "AS total" in first.mend.sql
    assert "3 rows" in first.mend.sentence
    assert (third.kind, third.id, third.verdict) == ("question", count.id, "changed")
    assert "3 → 4" in third.sentence
    # The broken tiles keep their last good rows and say why; nothing was changed unasked.
    view = rt.dashboard(LOCAL_USER, board.id)
    assert [bool(found.fault) for found in view.tiles] == [True, True]
    shown = rt.tile_data(LOCAL_USER, board.id, [by_region.id, by_month.id])
    assert [data.result.table.num_rows for data in shown if data.result is not None] == [2, 2]
    rt.use_mend(LOCAL_USER, first)
    rt.use_mend(LOCAL_USER, second)
    view = rt.dashboard(LOCAL_USER, board.id)
    assert [found.fault for found in view.tiles] == ["", ""]
    (data,) = rt.tile_data(LOCAL_USER, board.id, [by_region.id])
    assert data.result is not None
    assert [row["region"] for row in data.result.table.to_pylist()] == ["north", "south", "west"]
    assert [item.verdict for item in looked_at(rt).items] == ["same", "same", "same"]


def test_a_mend_that_gives_the_rows_from_before_is_preferred(rt: Runtime, sales: Path) -> None:
    kept(rt, "SELECT sum(amount) AS total FROM sales", "Total")
    replaced(rt, sales, "region,amount_gross,amount_net,day\nnorth,12,10,2024-01-05\nsouth,24,25,2024-01-06\n")
    (item,) = looked_at(rt).items
    assert item.mend is not None
    assert item.mend.names == (("amount", "amount_net"),)
    assert "the same rows as before" in item.mend.sentence


def test_only_what_reads_the_tables_is_run(rt: Runtime, sales: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    rt.add_files(LOCAL_USER, [(other.name, other)])
    kept(rt, TOTAL, "By region")
    kept(rt, "SELECT a FROM other", "Other")
    kept(rt, "SELECT o.a FROM other o, sales s", "Both")
    assert [item.title for item in looked_at(rt, tables=["SALES"]).items] == ["By region", "Both"]
    assert [item.title for item in looked_at(rt, tables=["other"]).items] == ["Other", "Both"]
    assert [item.title for item in looked_at(rt, tables=["nothing"]).items] == []
    assert len(looked_at(rt).items) == 3


def test_one_look_for_each_version(rt: Runtime, sales: Path) -> None:
    kept(rt, TOTAL, "By region")
    first = looked_at(rt, version="sales 2")
    assert rt.recheck(LOCAL_USER, "files", version="sales 2") is first
    assert rt.recheck(LOCAL_USER, "files", version="sales 3") is not first
    assert looked_at(rt) is not looked_at(rt)


def test_a_renamed_table_of_a_database(rt: Runtime, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    sql = "SELECT id, amount FROM orders ORDER BY id"
    saved = rt.save_question(LOCAL_USER, "Orders?", tile(sql, source="shop", dialect="sqlite"))
    rt.ask_saved_question(LOCAL_USER, saved.id)
    with sqlite3.connect(shop.removeprefix("sqlite:///")) as connection:
        connection.execute("ALTER TABLE orders RENAME TO shop_orders")
    connection.close()
    run = ended(rt.recheck(LOCAL_USER, "shop"))
    (item,) = run.items
    assert item.verdict == "broken"
    assert item.mend is not None
    assert item.mend.names == (("orders", "shop_orders"),)
    rt.use_mend(LOCAL_USER, item)
    assert rt.ask_saved_question(LOCAL_USER, saved.id).title


def test_another_schema_is_noticed_once(rt: Runtime, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    sql = "SELECT amount FROM orders ORDER BY id"
    rt.save_question(LOCAL_USER, "Amounts?", tile(sql, source="shop", dialect="sqlite"))
    assert rt.recheck_changed(LOCAL_USER, "shop") is None
    assert rt.recheck_changed(LOCAL_USER, "shop") is None
    with sqlite3.connect(shop.removeprefix("sqlite:///")) as connection:
        connection.execute("ALTER TABLE orders RENAME COLUMN amount TO total_amount")
    connection.close()
    rt._call(refreshed_schema(rt))
    run = rt.recheck_changed(LOCAL_USER, "shop")
    assert run is not None
    (item,) = ended(run).items
    assert item.verdict == "broken"
    assert item.mend is not None
    assert rt.recheck_changed(LOCAL_USER, "shop") is run, "drawn again, it is the same look"


async def refreshed_schema(rt: Runtime) -> None:
    connector = await rt._services.sources.connector_async(LOCAL_USER, "shop")
    await connector.refresh_schema_async()


def test_a_source_that_is_gone_is_a_sentence(rt: Runtime) -> None:
    run = ended(rt.recheck(LOCAL_USER, "nowhere"))
    assert "nowhere" in run.fault
    assert run.items == ()


def test_somebody_elses_are_not_touched(rt: Runtime, sales: Path) -> None:
    kept(rt, TOTAL, "By region")
    run = ended(rt.recheck(BOB, "files"))
    assert run.items == ()
