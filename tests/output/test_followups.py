"""Follow-up questions come from the rows and the tables, in the language of the question."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest

from tabulaflow_core.data.schema import ColumnSchema, TableSchema
from tabulaflow_core.output import StoredResult, follow_ups
from tabulaflow_core.output.follow_words import several

SALES = TableSchema(
    "sales",
    tuple(
        ColumnSchema(name, kind)
        for name, kind in (
            ("order_date", "DATE"),
            ("region", "VARCHAR"),
            ("product_name", "VARCHAR"),
            ("category", "VARCHAR"),
            ("customer_id", "VARCHAR"),
            ("revenue", "DECIMAL(10,2)"),
        )
    ),
)
STOCK = TableSchema("stock", (ColumnSchema("product", "VARCHAR"), ColumnSchema("on_hand", "INTEGER")))


def result(sql: str = "SELECT region, SUM(revenue) FROM sales GROUP BY 1", **columns: list[object]) -> StoredResult:
    return StoredResult(source="s", dialect="duckdb", sql=sql, table=pa.table(columns))


def test_totals_by_a_label() -> None:
    rows = result(region=["N", "S", "W"], total_revenue=[3.0, 2.0, 1.0])
    assert follow_ups(rows, question="What is the total revenue per region?", tables=[SALES, STOCK]) == (
        "What is the total revenue per month?",
        "What is the total revenue per category?",
        "What share of the total revenue in percent does each region have?",
    )


def test_the_language_of_the_question_is_kept() -> None:
    rows = result(region=["N", "S", "W"], revenue=[3.0, 2.0, 1.0])
    german = follow_ups(rows, question="Wie hoch ist der Umsatz pro Region und wer ist vorn?", tables=[SALES])
    assert german[0] == "Wie hoch ist die Summe von revenue pro Monat?"
    assert "pro category" in german[1]
    french = follow_ups(rows, question="Quel est le total des ventes par région dans la table ?", tables=[SALES])
    assert french[0] == "Quel est le total de revenue par mois ?"


def test_a_series_is_compared_with_the_period_before() -> None:
    months = [date(2026, month, 1) for month in (1, 2, 3)]
    rows = result("SELECT month, revenue FROM sales", month=months, revenue=[1.0, 2.0, 3.0])
    first, second, *_ = follow_ups(rows, question="Revenue by month", tables=[SALES])
    assert first == "By how much did the total revenue change from each month to the next?"
    assert second == "What is the total revenue per region?"


def test_a_small_model_is_not_asked_for_shares_or_differences() -> None:
    rows = result(region=["N", "S", "W"], total_revenue=[3.0, 2.0, 1.0])
    plain = follow_ups(rows, question="What is the total revenue per region?", tables=[SALES], plain=True)
    assert plain == ("What is the total revenue per month?", "What is the total revenue per category?")
    months = [date(2026, month, 1) for month in (1, 2, 3)]
    rows = result("SELECT month, revenue FROM sales", month=months, revenue=[1.0, 2.0, 3.0])
    plain = follow_ups(rows, question="Revenue by month", tables=[SALES], plain=True)
    assert plain[0] == "What is the total revenue per region?"


def test_a_made_column_whose_name_says_no_sum_is_quoted() -> None:
    rows = result("SELECT product, reorder_point - on_hand AS to_order FROM stock", product=["a", "b"], to_order=[8, 7])
    stock = TableSchema("stock", (*STOCK.columns, ColumnSchema("category", "VARCHAR")))
    asked = follow_ups(rows, question="How many should I order?", tables=[stock])
    assert asked[0] == "What is the total “to order” per category?"


def test_the_other_end_of_a_ranking() -> None:
    rows = result("SELECT product, on_hand FROM stock", product=list("abcdefg"), on_hand=[9, 8, 7, 6, 5, 4, 3])
    questions = follow_ups(rows, question="Show the products by what is on hand", tables=[STOCK])
    assert "Which five products have the lowest on_hand?" in questions


def test_averages_are_no_parts_of_a_whole() -> None:
    rows = result(region=["N", "S", "W"], avg_price=[3.0, 2.0, 1.0])
    assert not any("share" in text for text in follow_ups(rows, question="Average price per region", tables=[SALES]))


def test_several_dates_are_told_apart_and_ids_are_no_groups() -> None:
    table = TableSchema("sales", (*SALES.columns, ColumnSchema("shipped", "TIMESTAMP")))
    rows = result(region=["N", "S"], total_revenue=[3.0, 2.0])
    questions = follow_ups(rows, question="Revenue per region", tables=[table])
    assert questions[0] == "What is the total revenue per month of order_date?"
    assert not any("customer_id" in text or "product_name" in text for text in questions)


def test_nothing_is_proposed_twice_or_from_nothing() -> None:
    rows = result(region=["N", "S", "W"], total_revenue=[3.0, 2.0, 1.0])
    asked = ["what is the total revenue per MONTH"]
    assert "per month" not in " ".join(follow_ups(rows, question="Revenue per region", tables=[SALES], asked=asked))
    assert follow_ups(result(region=[]), question="Which?", tables=[SALES]) == ()
    assert follow_ups(result("SELECT 1", a=[1]), question="One?", tables=[SALES]) == ()


def test_names_of_any_kind() -> None:
    rows = result("SELECT 1 FROM sales", **{"a.b [c] $d$": ["x", "y"], "umsatz {netto}": [1, 2], "x" * 99: [1, 2]})
    for text in follow_ups(rows, question="Umsatz?", tables=[SALES]):
        assert "{netto}" in text or "a.b" in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("product", "products"),
        ("country", "countries"),
        ("day", "days"),
        ("status", "statuses"),
        ("branch", "branches"),
        ("customer_name", "customer_names"),
        ("Region", "Region values"),
        ("Größe", "Größe values"),
        ("unit price", "unit price values"),
        ("id", "id values"),
    ],
)
def test_several_things_of_a_column(name: str, words: str) -> None:
    assert several(name) == words
