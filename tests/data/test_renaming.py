"""Names that a statement's tables or columns have now: the likeliest first, and none where nothing is near."""

from __future__ import annotations

import pytest

from tabulaflow_core.data.renaming import alike, proposals
from tabulaflow_core.data.schema import ColumnSchema, SourceSchema, TableSchema


def table(name: str, *columns: str, schema: str | None = None) -> TableSchema:
    return TableSchema(name, tuple(ColumnSchema(column, "TEXT") for column in columns), schema=schema)


SHOP = SourceSchema(
    (
        table("orders", "id", "customer_id", "Total Amount", "order_date", "status"),
        table("customers", "id", "name", "region"),
        table("stock_items", "sku", "on_hand"),
        table("visits", "day", "n", schema="web"),
    )
)


@pytest.mark.parametrize(
    ("sql", "expected", "names"),
    [
        (
            "SELECT amount FROM orders",
            'SELECT "Total Amount" AS amount FROM orders',
            [("amount", "Total Amount")],
        ),
        (
            "SELECT sum(o.amount) AS s FROM orders o WHERE o.amount > 0",
            'SELECT sum(o."Total Amount") AS s FROM orders o WHERE o."Total Amount" > 0',
            [("amount", "Total Amount")],
        ),
        (
            "SELECT state, count(*) AS n FROM orders GROUP BY state ORDER BY state",
            'SELECT "status" AS state, count(*) AS n FROM orders GROUP BY "status" ORDER BY "status"',
            [("state", "status")],
        ),
        (
            "WITH t AS (SELECT customer, amount FROM orders) SELECT customer FROM t",
            'WITH t AS (SELECT "customer_id" AS customer, "Total Amount" AS amount FROM orders) SELECT customer FROM t',
            [("customer", "customer_id"), ("amount", "Total Amount")],
        ),
        ("SELECT on_hand FROM stock", 'SELECT on_hand FROM "stock_items" "stock"', [("stock", "stock_items")]),
        (
            "SELECT stock.on_hand FROM stock",
            'SELECT stock.on_hand FROM "stock_items" "stock"',
            [("stock", "stock_items")],
        ),
        ("SELECT v.n FROM visit v", 'SELECT v.n FROM "web"."visits" v', [("visit", "web.visits")]),
        (
            "SELECT name, region FROM clients",
            'SELECT name, region FROM "customers" "clients"',
            [("clients", "customers")],
        ),
        (
            "SELECT onhand FROM stock -- amount\n",
            'SELECT "on_hand" AS onhand FROM "stock_items" "stock" -- amount',
            [("stock", "stock_items"), ("onhand", "on_hand")],
        ),
    ],
)
def test_the_likeliest_comes_first(sql: str, expected: str, names: list[tuple[str, str]]) -> None:
    found = proposals(sql, SHOP, "postgres")
    assert found
    assert found[0].sql.strip() == expected
    assert list(found[0].names) == names


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM orders",
        "SELECT count(*) FROM orders",
        "SELECT colour FROM orders",
        "SELECT a FROM xyz",
        "SELECT a.x FROM aaa a JOIN bbb b ON a.x = b.x",
        "SELECT amount, colour FROM orders",
        "not a statement",
        "",
    ],
)
def test_nothing_is_proposed_where_nothing_is_near(sql: str) -> None:
    assert proposals(sql, SHOP, "postgres") == ()


def test_quotes_are_those_of_the_engine() -> None:
    (first, *_) = proposals("SELECT amount FROM orders", SHOP, "mysql")
    assert first.sql == "SELECT `Total Amount` AS amount FROM orders"


def test_other_candidates_follow() -> None:
    schema = SourceSchema((table("t", "amount_net", "amount_gross", "x"),))
    found = [p.names[0][1] for p in proposals("SELECT amount FROM t", schema, "duckdb")]
    assert sorted(found) == ["amount_gross", "amount_net"]


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("amount", "total_amount", True),
        ("customerId", "customer_id", True),
        ("on-hand", "on hand", True),
        ("region", "regions", True),
        ("region", "season", False),
        ("a", "zzz", False),
        ("Größe", "groesse", True),
    ],
)
def test_likeness(one: str, other: str, near: bool) -> None:
    assert (alike(one, other) >= 0.6) == near
