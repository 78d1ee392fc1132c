"""Columns that a person hides from the model: kept, in force at the next question, and gone with the source."""

from __future__ import annotations

from tabulaflow_core.models.scripted import ScriptedModel, call, text
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import Runtime
from tests.runtime.conftest import MakeRuntime, drain

BO = Principal("bo")


def ask(rt: Runtime, model: ScriptedModel) -> str:
    model.enqueue(call("run_query", sql="SELECT * FROM orders")).enqueue(text("Done."))
    drain(rt.start_turn(LOCAL_USER, rt.new_conversation(LOCAL_USER).id, "List the orders"))
    return str(model.requests[-2:])


def test_hidden_columns_are_kept_and_hold_at_once(make_runtime: MakeRuntime, model: ScriptedModel, shop: str) -> None:
    rt = make_runtime()
    source = rt.add_database(LOCAL_USER, "shop", shop)
    rt.add_database(BO, "shop", shop)
    assert "amount" in ask(rt, model)
    rt.hide_columns(LOCAL_USER, "shop", ["orders.am*"])
    assert "amount" not in ask(rt, model)
    assert [info.hidden_columns for info in rt.sources(LOCAL_USER)] == [("orders.am*",)]
    assert [info.hidden_columns for info in rt.sources(BO)] == [()]
    by_hand = rt.run_sql(LOCAL_USER, "shop", "SELECT max(amount) AS m FROM orders")
    assert isinstance(by_hand, StoredResult)
    assert by_hand.table.to_pylist() == [{"m": 30}]

    again = make_runtime()
    assert "amount" not in ask(again, model)
    again.change_database(LOCAL_USER, source.id, shop)
    assert "amount" not in ask(again, model)
    again.hide_columns(LOCAL_USER, "shop", [])
    assert "amount" in ask(again, model)


def test_patterns_go_with_their_source(rt: Runtime, shop: str) -> None:
    first = rt.add_database(LOCAL_USER, "shop", shop)
    rt.hide_columns(LOCAL_USER, "shop", ["amount"])
    rt.remove_source(LOCAL_USER, first.id)
    assert rt.add_database(LOCAL_USER, "shop", shop).hidden_columns == ()
    assert rt.sources(LOCAL_USER)[0].hidden_columns == ()
