"""What the first request costs, and that it holds what it must."""

from __future__ import annotations

import dataclasses

import pytest

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.agents.joins import inferred_joins
from tabulaflow_core.agents.retrieval import ranked, words
from tabulaflow_core.agents.schema_text import quoted, table_line
from tabulaflow_core.agents.sources import route
from tabulaflow_core.data.registry import DataConnectorRegistry
from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, SourceSchema, TableSchema
from tabulaflow_core.models.contracts import SystemMessage
from tabulaflow_core.models.scripted import DEMO, ScriptedModel, text
from tabulaflow_core.models.tokens import estimate_request_tokens
from tests.agents.fakes import FakeConnector
from tests.agents.helpers import New

TOPICS = ("customer", "invoice", "shipment", "employee", "machine", "sensor", "contract", "ticket", "route", "budget")


class Wide(FakeConnector):
    """A thousand tables."""

    @property
    def schema(self) -> SourceSchema:
        columns = ("id INTEGER", "name TEXT", "created_at TIMESTAMP", "amount DECIMAL(10,2)", "status TEXT")
        made = tuple(ColumnSchema(*c.split(" ")) for c in columns)
        names = [f"{topic}_{n:03d}" for topic in TOPICS for n in range(100)]
        names[377] = "penguin_sightings"
        return SourceSchema(tuple(TableSchema(name, made, row_count=1000) for name in names))


async def first_request(session: ChatSession, model: ScriptedModel, question: str) -> tuple[int, str]:
    model.enqueue(text("Fine?"))
    await session.run(question)
    request = model.requests[-1]
    assert isinstance(request.messages[0], SystemMessage)
    return estimate_request_tokens(request), request.messages[0].text


async def test_one_table_costs_little(model: ScriptedModel, new_session: New) -> None:
    tokens, system = await first_request(new_session(), model, "Which products are below their reorder point?")
    assert tokens <= 1200
    assert "inventory(product TEXT 'HDMI cable'|'USB-C dock'|'Mouse', on_hand INTEGER, reorder_point INTEGER)" in system


async def test_a_thousand_tables_cost_no_more_than_the_budget(model: ScriptedModel, new_session: New) -> None:
    registry = DataConnectorRegistry()
    registry.register("big", Wide())
    session = new_session(registry=registry)
    tokens, system = await first_request(session, model, "How many penguins were sighted last year?")
    assert tokens <= 4000
    assert "penguin_sightings(id INTEGER" in system
    assert "more" in system
    model.enqueue(text("Fine?"))
    await session.run("And how many invoice_042 are there?")
    assert model.requests[-1].messages[0].text == system
    assert any("invoice_042(" in m.text for m in model.requests[-1].messages[1:])
    assert estimate_request_tokens(model.requests[-1]) <= 5000


async def test_the_compact_profile_costs_less(new_session: New) -> None:
    facts = dataclasses.replace(DEMO, profile="compact", tools="text")
    small = ScriptedModel(facts=facts)
    tokens, system = await first_request(new_session(model=small), small, "Which products are below?")
    assert tokens <= 700
    assert "CREATE TABLE inventory (product TEXT, on_hand INTEGER, reorder_point INTEGER);" in system
    assert "SQLite" in system


async def test_instructions_and_notes_stand_in_the_prompt(model: ScriptedModel, new_session: New) -> None:
    class Known:
        async def notes_async(self, principal: object, *, source: str) -> str:
            return f"{source}: on_hand counts boxes."

    session = new_session(instructions="Revenue means net revenue.", knowledge=Known())
    _, system = await first_request(session, model, "Which?")
    assert "Revenue means net revenue." in system
    assert "Notes: stock: on_hand counts boxes." in system


@pytest.mark.parametrize(
    ("name", "dialect", "sql"),
    [
        ("plain_1", "sqlite", "plain_1"),
        ("Mixed", "sqlite", "Mixed"),
        ("Mixed", "postgres", '"Mixed"'),
        ("order", "duckdb", '"order"'),
        ("größe", "sqlite", '"größe"'),
        ("a b", "mysql", "`a b`"),
        ('say "x"', "sqlite", '"say ""x"""'),
        ("2fast", "sqlite", '"2fast"'),
        ("a]b", "tsql", "[a]]b]"),
        ("a b", "databricks", "`a b`"),
        ("a`b", "bigquery", "`a\\`b`"),
        ("Mixed", "redshift", '"Mixed"'),
        ("Mixed", "oracle", '"Mixed"'),
        ("orders", "snowflake", "orders"),
    ],
)
def test_names_are_quoted_where_sql_needs_it(name: str, dialect: str, sql: str) -> None:
    assert quoted(name, dialect) == sql


def test_keys_and_comments_stand_in_a_line() -> None:
    table = TableSchema(
        "orders",
        (
            ColumnSchema("id", "INTEGER"),
            ColumnSchema("customer id", "INTEGER", comment="who */ bought"),
            ColumnSchema("state", "TEXT", samples=("it's open", "paid")),
        ),
        primary_key=("id",),
        foreign_keys=(ForeignKey(("customer id",), "customers", ("id",)),),
    )
    assert table_line(table, "sqlite") == (
        'orders(id INTEGER PK, "customer id" INTEGER -> customers.id /* who bought */, '
        "state TEXT 'it''s open'|'paid')"
    )


def test_keys_into_another_schema_are_told_with_it() -> None:
    """Two schemas may have a table of one name: the key says which is meant."""
    column = ColumnSchema("id", "int")
    far = TableSchema("y", (column,), schema="b")
    near = TableSchema("y", (column,), schema="c")
    key = ForeignKey(("y_id",), "y", ("id",), "b")
    orders = TableSchema("orders", (column, ColumnSchema("y_id", "int")), schema="a", foreign_keys=(key,))
    assert table_line(orders, "postgres") == "a.orders(id int, y_id int -> b.y.id)"
    assert inferred_joins([orders, far, near], "postgres")[0] == "a.orders.y_id = b.y.id"
    assert [t.qualified_name for t in ranked([near, far, orders], "orders")] == ["a.orders", "b.y", "c.y"]


def test_joins_of_files_are_inferred() -> None:
    def of(name: str, *columns: str) -> TableSchema:
        return TableSchema(name, tuple(ColumnSchema(c, "INTEGER") for c in columns))

    tables = [
        of("customers", "id", "name"),
        of("orders", "order_id", "customer_id"),
        of("order_items", "order_id", "n"),
    ]
    assert inferred_joins(tables, "sqlite") == [
        "orders.customer_id = customers.id",
        "order_items.order_id = orders.order_id",
    ]


def test_retrieval_finds_stems_and_humps() -> None:
    def of(name: str, *columns: str) -> TableSchema:
        return TableSchema(name, tuple(ColumnSchema(c, "TEXT") for c in columns))

    tables = [of("a", "x"), of("ShipmentDelays", "hours"), of("b", "deliveryCity"), of("c", "y")]
    assert words("Which shipments were delayed?") == ["shipment", "delay"]
    assert ranked(tables, "shipments delayed")[0].name == "ShipmentDelays"
    assert ranked(tables, "deliveries by city")[0].name == "b"


def test_routing_without_sources_and_over_two() -> None:
    assert route((), "", "SELECT 1").source is None
