"""Queries by hand: watched, stopped in the engine, and of their owner only."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from tabulaflow_core.errors import NotFound
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import Place, Runtime, SqlRun, last_good
from tests.runtime.conftest import drain

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def _ended(run: SqlRun) -> SqlRun:
    deadline = time.monotonic() + 60
    while run.state == "running" and time.monotonic() < deadline:
        time.sleep(0.01)
    return run


def test_a_result_is_stored(rt: Runtime, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    run = _ended(rt.start_sql(LOCAL_USER, "shop", "SELECT sum(amount) AS total FROM orders"))
    assert (run.state, run.message) == ("done", "")
    assert run.result is not None
    assert rt.result(LOCAL_USER, run.result.id).table.to_pylist() == [{"total": 60}]
    assert rt.sql_run(LOCAL_USER, run.id) is run


@pytest.mark.parametrize(
    ("sql", "words"), [("SELECT nothing FROM orders", "nothing"), ("DELETE FROM orders", "DELETE"), ("", "")]
)
def test_a_fault_is_a_sentence(rt: Runtime, shop: str, sql: str, words: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    run = _ended(rt.start_sql(LOCAL_USER, "shop", sql))
    assert run.state == "failed"
    assert run.message
    assert words in run.message
    assert run.result is None


def test_an_unknown_source_is_a_fault_of_the_run(rt: Runtime) -> None:
    assert "nowhere" in _ended(rt.start_sql(LOCAL_USER, "nowhere", "SELECT 1")).message


def test_stop_ends_it_in_the_engine(rt: Runtime, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    run = rt.start_sql(LOCAL_USER, "shop", ENDLESS)
    time.sleep(0.2)
    assert run.state == "running"
    run.cancel()
    run.cancel()
    assert _ended(run).state == "stopped"
    assert "stopped" in run.message
    assert _ended(rt.start_sql(LOCAL_USER, "shop", "SELECT 1")).state == "done"


def test_a_run_belongs_to_its_principal(rt: Runtime, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    run = rt.start_sql(LOCAL_USER, "shop", "SELECT 1")
    with pytest.raises(NotFound):
        rt.sql_run(Principal("bob"), run.id)
    _ended(run)


def test_two_sources_are_asked_together(rt: Runtime, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    rt.add_samples(LOCAL_USER)
    sql = "SELECT count(*) > 0 AS some FROM shop.orders o CROSS JOIN files.sales s"
    run = _ended(rt.start_sql(LOCAL_USER, "shop + files", sql))
    assert (run.state, run.message) == ("done", "")
    assert run.result is not None
    assert run.result.source == "shop + files"
    assert run.result.table.to_pylist() == [{"some": True}]
    assert "rows of shop.orders" in run.result.notes[-1]
    assert "nowhere" in _ended(rt.start_sql(LOCAL_USER, "shop + nowhere", sql)).message


def test_a_run_is_kept_under_its_answer(rt: Runtime, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    conversation = rt.new_conversation(LOCAL_USER)
    turn = rt.start_turn(LOCAL_USER, conversation.id, "Hello?")
    drain(turn)

    def kept() -> Mapping[str, JsonValue]:
        return rt.conversation(LOCAL_USER, conversation.id).choices[turn.id]["sql-r_1"]

    place = Place(turn.id, "sql-r_1")
    run = _ended(rt.start_sql(LOCAL_USER, "shop", "SELECT sum(amount) AS total FROM orders", keep=place))
    assert (kept()["state"], kept()["sql"]) == ("done", run.sql)
    assert rt.result(LOCAL_USER, str(kept()["result_id"])).table.to_pylist() == [{"total": 60}]
    run = rt.start_sql(LOCAL_USER, "shop", ENDLESS, keep=place)
    assert (kept()["state"], kept()["run"]) == ("running", run.id)
    run.cancel()
    _ended(run)
    assert kept()["state"] == "stopped"
    good = {"sql": "SELECT sum(amount) AS total FROM orders", "result_id": kept()["good"]["result_id"]}  # type: ignore[index,call-overload]
    assert last_good(kept()) == good
    _ended(rt.start_sql(LOCAL_USER, "shop", "SELECT prize FROM orders", keep=place))
    assert (kept()["state"], last_good(kept())) == ("failed", good)  # a second fault in a row loses nothing either
    assert rt.result(LOCAL_USER, str(good["result_id"])).table.to_pylist() == [{"total": 60}]
    with pytest.raises(NotFound):
        rt.start_sql(Principal("someone-else"), "shop", "SELECT 1", keep=place)
