"""What code puts right in a small model's SQL, case by case: SQL in, SQL out, and what the person is told."""

from __future__ import annotations

import pytest
import sqlglot

from tabulaflow_core.agents.mend import mend, mend_rejected, unknown_names
from tabulaflow_core.agents.mend.doubts import multiplied, unknown_subject
from tabulaflow_core.agents.sources import Source
from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, SourceSchema, TableSchema
from tests.agents.fakes import FakeConnector


def table(name: str, *columns: str, key: str = "", points: tuple[ForeignKey, ...] = ()) -> TableSchema:
    made = tuple(ColumnSchema(*column.rsplit(" ", 1)) for column in columns)
    return TableSchema(name, made, primary_key=(key,) if key else (), foreign_keys=points)


SHOP = SourceSchema(
    (
        table("customers", "customer_id INTEGER", "name TEXT", "country TEXT", key="customer_id"),
        table(
            "orders",
            "order_id INTEGER",
            "customer_id INTEGER",
            "order date TEXT",
            "total REAL",
            key="order_id",
            points=(ForeignKey(("customer_id",), "customers", ("customer_id",)),),
        ),
        table("items", "item_id INTEGER", "order_id INTEGER", "Unit Price REAL", "quantity INTEGER"),
        table("trips", "driver TEXT", "city TEXT", "km REAL"),
        table("inventory", "product TEXT", "on_hand INTEGER", "reorder_point INTEGER", "order TEXT"),
    )
)
STORED = {"country": ["Germany", "France", "United Kingdom", "UK"], "city": ["Wien", "Graz"], "driver": ["Ann", "Bo"]}


def source(dialect: str = "sqlite") -> Source:
    return Source("shop", dialect, SHOP, FakeConnector())


async def stored(sql: str) -> list[str] | None:
    column = sqlglot.parse_one(sql).expressions[0].name
    return STORED.get(column, [])


CASES = [
    # names
    ("SELECT nam FROM customers", "SELECT name FROM customers", "column 'nam' read as 'name'"),
    ("SELECT NAME FROM customer", "SELECT name FROM customers", "table 'customer' read as 'customers'"),
    ("SELECT unit_price FROM items", 'SELECT "Unit Price" FROM items', ""),
    ("SELECT Unit Price FROM items", 'SELECT "Unit Price" FROM items', ""),
    ("SELECT 'Unit Price' FROM items", "SELECT 'Unit Price' FROM items", ""),
    ("SELECT order FROM inventory", 'SELECT "order" FROM inventory', ""),
    ("SELECT c.nam FROM customers AS c", "SELECT c.name FROM customers AS c", "column 'nam' read as 'name'"),
    ("SELECT wholly_other FROM customers", "SELECT wholly_other FROM customers", ""),
    ("SELECT SUM(total) AS nam FROM orders ORDER BY nam", "SELECT SUM(total) AS nam FROM orders ORDER BY nam", ""),
    ("WITH t AS (SELECT total AS x FROM orders) SELECT x FROM t", None, ""),
    # joins
    (
        "SELECT name, SUM(total) FROM orders GROUP BY name",
        "SELECT customers.name, SUM(orders.total) FROM orders JOIN customers ON "
        "orders.customer_id = customers.customer_id GROUP BY customers.name",
        "joined 'customers'",
    ),
    (
        "SELECT country, SUM(quantity) FROM items GROUP BY country",
        "SELECT customers.country, SUM(items.quantity) FROM items JOIN orders ON items.order_id = orders.order_id "
        "JOIN customers ON orders.customer_id = customers.customer_id GROUP BY customers.country",
        "joined 'orders'|joined 'customers'",
    ),
    (
        "SELECT o.total FROM orders AS o WHERE customers.name = 'Ann'",
        "SELECT o.total FROM orders AS o JOIN customers ON o.customer_id = customers.customer_id "
        "WHERE customers.name = 'Ann'",
        "joined 'customers'",
    ),
    (
        "SELECT o.name FROM orders AS o JOIN customers AS c ON o.customer_id = c.customer_id WHERE o.country = 'UK'",
        "SELECT c.name FROM orders AS o JOIN customers AS c ON o.customer_id = c.customer_id WHERE c.country = 'UK'",
        "",
    ),
    ("SELECT km FROM customers", "SELECT km FROM customers", ""),  # nothing leads there
    # literals
    ("SELECT name FROM customers WHERE country = 'germany'",
     "SELECT name FROM customers WHERE country = 'Germany'", "'germany' read as 'Germany'"),
    ("SELECT name FROM customers WHERE country IN ('france', 'Kingdom')",
     "SELECT name FROM customers WHERE country IN ('France', 'United Kingdom')",
     "'france' read as 'France'|'Kingdom' read as 'United Kingdom'"),
    ("SELECT km FROM trips WHERE driver = 'wien'",
     "SELECT km FROM trips WHERE city = 'Wien'", "'wien' looked for in 'city', not 'driver'"),
    ("SELECT name FROM customers WHERE country = 'Atlantis'", None, ""),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "mended", "notes"), CASES, ids=[c[0][:60] for c in CASES])
async def test_mend(sql: str, mended: str | None, notes: str) -> None:
    result = await mend(sql, source(), "Q", values=stored)
    assert (result.sql, "|".join(result.notes)) == (mended or sql, notes)


async def test_postgres_folds_bare_names() -> None:
    schema = SourceSchema((table("gap", "lifeExp REAL"),))
    result = await mend("SELECT lifeExp FROM gap", Source("s", "postgres", schema, FakeConnector()), "Q")
    assert (result.sql, result.notes) == ('SELECT "lifeExp" FROM gap', ())


@pytest.mark.parametrize(
    ("question", "sql", "mended"),
    [
        (
            "How many units of each should I order?",
            "SELECT product, reorder_point - on_hand FROM inventory",
            "SELECT product, reorder_point - on_hand FROM inventory WHERE on_hand < reorder_point",
        ),
        (
            "How many of them do I need?",
            "SELECT product, on_hand - reorder_point AS n FROM inventory",
            "SELECT product, reorder_point - on_hand AS n FROM inventory WHERE on_hand < reorder_point",
        ),
        ("What is on hand for each product?", "SELECT product, on_hand FROM inventory", None),
        ("Are those none?", "SELECT product FROM inventory WHERE on_hand = 0", None),
        ("How long are those trips?", "SELECT km FROM trips", None),
    ],
)
async def test_a_follow_up_keeps_the_filters_it_means(question: str, sql: str, mended: str | None) -> None:
    before = "SELECT product FROM inventory WHERE on_hand < reorder_point"
    result = await mend(sql, source(), question, previous_sql=before)
    assert result.sql == (mended or sql)
    assert bool(result.notes) == (mended is not None)


@pytest.mark.parametrize(
    ("question", "sql", "mended"),
    [
        ("How many drivers are there?", "SELECT COUNT(*) FROM trips", "SELECT COUNT(DISTINCT driver) FROM trips"),
        ("How many trips are there?", "SELECT COUNT(*) FROM trips", None),
        ("How many orders are there?", "SELECT COUNT(*) FROM orders", None),
        (
            "How many drivers are there in Graz?",
            "SELECT COUNT(driver) FROM trips WHERE city = 'Graz'",
            "SELECT COUNT(DISTINCT driver) FROM trips WHERE city = 'Graz'",
        ),
        (
            "Which city has the most drivers?",
            "SELECT city FROM trips GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1",
            "SELECT city FROM trips GROUP BY city ORDER BY COUNT(DISTINCT driver) DESC LIMIT 1",
        ),
        ("How many drivers are called Ann?", "SELECT COUNT(*) FROM trips WHERE driver = 'Ann'", None),
        ("How many trips did each driver make?", "SELECT driver, COUNT(*) FROM trips GROUP BY driver", None),
        ("How many km were driven?", "SELECT COUNT(*) FROM trips", None),
    ],
)
async def test_things_are_counted_not_rows(question: str, sql: str, mended: str | None) -> None:
    result = await mend(sql, source(), question)
    assert result.sql == (mended or sql)


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("SELECT YEAR(d), COUNT(*) FROM t GROUP BY YEAR(d)", "CAST(STRFTIME('%Y', d) AS INTEGER)"),
        ("SELECT * FROM t WHERE EXTRACT(MONTH FROM d) = 3", "CAST(STRFTIME('%m', d) AS INTEGER) = 3"),
        ("SELECT TOP 5 x FROM t", "LIMIT 5"),
        ("SELECT DATEDIFF(a, b) FROM t", "CAST((JULIANDAY(a) - JULIANDAY(b)) AS INTEGER)"),
        ("SELECT x FROM t WHERE d >= CURRENT_DATE - INTERVAL '7 days'", "DATE(CURRENT_DATE, '-7 days')"),
    ],
)
def test_foreign_functions(sql: str, wanted: str) -> None:
    texts = [other.sql for other in mend_rejected(sql, source())]
    assert any(wanted in text for text in texts), texts


@pytest.mark.parametrize(
    ("question", "dialect", "sql", "mended"),
    [
        (
            "Which city has the longest trips?",
            "sqlite",
            "SELECT city FROM trips ORDER BY AVG(km) DESC LIMIT 1",
            "SELECT city FROM trips GROUP BY city ORDER BY AVG(km) DESC LIMIT 1",
        ),
        (
            "What is the average by city?",
            "duckdb",
            "SELECT city, AVG(km) AS a FROM trips",
            "SELECT city, AVG(km) AS a FROM trips GROUP BY city",
        ),
        ("Who drove farthest?", "sqlite", "SELECT driver, MAX(km) FROM trips", None),
        (
            "Who drove farthest?",
            "duckdb",
            "SELECT driver, MAX(km) FROM trips",
            "SELECT driver, km FROM trips ORDER BY km DESC LIMIT 1",
        ),
        ("How far?", "sqlite", "SELECT SUM(km) OVER (ORDER BY km), city FROM trips", None),
        ("How far?", "sqlite", "SELECT city, (SELECT MAX(km) FROM trips) FROM trips", None),
        ("Which cities are there?", "sqlite", "SELECT city FROM trips", "SELECT DISTINCT city FROM trips"),
        ("Show the lengths", "sqlite", "SELECT km FROM trips", None),
        ("Which customers are there?", "sqlite", "SELECT customer_id FROM customers", None),
        (
            "What is the share?",
            "sqlite",
            "SELECT COUNT(CASE WHEN km > 5 THEN 1 END) * 100 / COUNT(*) FROM trips",
            "SELECT 1.0 * (COUNT(CASE WHEN km > 5 THEN 1 END) * 100) / COUNT(*) FROM trips",
        ),
        ("What is the share?", "sqlite", "SELECT 100.0 * SUM(quantity) / COUNT(*) FROM items", None),
        ("By decade?", "sqlite", "SELECT quantity / 10 * 10 AS d, COUNT(*) FROM items GROUP BY d", None),
    ],
)
async def test_groups_duplicates_and_divisions(question: str, dialect: str, sql: str, mended: str | None) -> None:
    assert (await mend(sql, source(dialect), question)).sql == (mended or sql)


@pytest.mark.parametrize(
    ("dialect", "condition"),
    [
        ("sqlite", "STRFTIME('%Y', year) = '2007'"),
        ("sqlite", "CAST(STRFTIME('%Y', year) AS INTEGER) = 2007"),
        ("duckdb", "YEAR(year) = 2007"),
        ("postgres", "EXTRACT(YEAR FROM year) = 2007"),
    ],
)
async def test_a_year_is_a_year_already(dialect: str, condition: str) -> None:
    schema = SourceSchema((table("gap", "year BIGINT", "pop BIGINT", "born DATE"),))
    here = Source("s", dialect, schema, FakeConnector())
    result = await mend(f"SELECT SUM(pop) FROM gap WHERE {condition}", here, "Q")
    assert result.sql == "SELECT SUM(pop) FROM gap WHERE year = 2007"
    other = f"SELECT SUM(pop) FROM gap WHERE {condition.replace('year)', 'born)').replace(' year', ' born')}"
    assert (await mend(other, here, "Q")).notes == ()


async def test_what_cannot_be_parsed_is_left() -> None:
    assert (await mend("SELECT FROM WHERE (", source(), "Q")).sql == "SELECT FROM WHERE ("
    assert list(mend_rejected("SELECT FROM WHERE (", source())) == []
    assert unknown_names("SELECT FROM WHERE (", source()) == ()


def test_unknown_names() -> None:
    sql = "SELECT salary AS s, name, COUNT(*) FROM customers GROUP BY department ORDER BY s"
    assert unknown_names(sql, source()) == ("salary", "department")


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Which supplier is the cheapest?", "supplier"),
        ("Which products are below their reorder point?", ""),
        ("Which one is best?", ""),
        ("What is the average?", ""),
        ("How many customers are there?", ""),
        ("Which of them is cheap?", ""),
        ("How many penguins live there?", "penguins"),
    ],
)
def test_a_thing_that_the_data_does_not_know(question: str, subject: str) -> None:
    assert unknown_subject(question, source(), "SELECT 1") == subject


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("SELECT SUM(o.total) FROM orders o JOIN items i ON o.order_id = i.order_id", 1),
        ("SELECT SUM(i.quantity) FROM orders o JOIN items i ON o.order_id = i.order_id", 0),
        ("SELECT SUM(total) FROM orders", 0),
        ("SELECT SUM(quantity) FROM items JOIN orders ON items.order_id = orders.order_id", 0),
    ],
)
def test_a_join_that_multiplies_rows_is_told(sql: str, count: int) -> None:
    assert len(multiplied(sql, source())) == count


SALES = SourceSchema(
    (
        table(
            "sales",
            "order_date TEXT",
            "region TEXT",
            "product TEXT",
            "unit_price REAL",
            "units INTEGER",
            "revenue REAL",
        ),
        table("umsatz", "Produkt TEXT", "Umsatz REAL"),
        table("gapminder", "country TEXT", "year INTEGER", "pop INTEGER"),
    )
)
ADDED = "SELECT product, SUM(revenue) AS total_revenue FROM sales GROUP BY product ORDER BY total_revenue DESC LIMIT 5"
ROWS = "SELECT product, revenue FROM sales ORDER BY revenue DESC LIMIT 5"


async def _ranked(sql: str, question: str, listed: list[str] | None) -> tuple[str, tuple[str, ...]]:
    async def values(_: str) -> list[str] | None:
        return listed

    result = await mend(sql, Source("s", "sqlite", SALES, FakeConnector()), question, values=values)
    return result.sql, result.notes


@pytest.mark.parametrize(
    "question",
    [
        "What are the five products with the highest revenue?",
        "Show the top 5 products by revenue",
        "Welche fünf Produkte mit dem höchsten Umsatz gibt es?",
        "Die 5 Produkte mit den meisten Umsätzen",
        # As the page suggests it.
        "Which five products have the highest revenue?",
        "Which five Product values have the highest revenue?",
        "Welche fünf Produkte haben die höchsten Werte bei Umsatz?",
    ],
)
async def test_several_rows_of_a_thing_are_added_up(question: str) -> None:
    assert await _ranked(ROWS, question, ["A", "A", "B"]) == (ADDED, ("revenue added up per product",))


async def test_adding_up_keeps_filters_and_names() -> None:
    question = "Nenne die drei Produkte mit dem niedrigsten Umsatz"
    sql = "SELECT Umsatz AS u, Produkt FROM umsatz WHERE Umsatz > 0 ORDER BY u LIMIT 3"
    mended, notes = await _ranked(sql, question, ["A", "A"])
    assert mended == (
        "SELECT SUM(Umsatz) AS total_Umsatz, Produkt FROM umsatz WHERE Umsatz > 0 "
        "GROUP BY Produkt ORDER BY total_Umsatz LIMIT 3"
    )
    assert notes == ("Umsatz added up per Produkt",)


@pytest.mark.parametrize(
    ("sql", "question", "listed"),
    [
        (ROWS, "What are the five products with the highest revenue?", ["A", "B", "C"]),  # each row its own
        (ROWS, "What are the five products with the highest revenue?", None),  # it could not be looked at
        (ROWS, "What are the five sales with the highest revenue?", ["A", "A"]),  # rows are asked for
        (ROWS, "The five products with the highest single revenue", ["A", "A"]),
        (ROWS, "The five products with the highest average revenue", ["A", "A"]),
        (ROWS, "Which product has the highest revenue?", ["A", "A"]),
        (ROWS, "List the revenue of products", ["A", "A"]),
        (
            ROWS.replace("product, revenue", "product, region, revenue"),
            "The 5 products with the most revenue",
            ["A", "A"],
        ),
        (ROWS.replace("revenue", "unit_price"), "The 5 products with the highest unit price", ["A", "A"]),
        (
            "SELECT country, pop FROM gapminder ORDER BY pop DESC LIMIT 5",
            "The five countries with the highest population",
            ["A", "A"],
        ),
        (ADDED, "What are the five products with the highest revenue?", ["A", "A"]),
    ],
)
async def test_what_is_not_added_up(sql: str, question: str, listed: list[str] | None) -> None:
    assert await _ranked(sql, question, listed) == (sql, ())
