"""Questions about tables and columns, and first questions that go on from nothing: answered without a model."""

from __future__ import annotations

import dataclasses
from typing import cast

import pytest

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.agents.openings import nothing_before
from tabulaflow_core.agents.schema_answers import schema_answer
from tabulaflow_core.agents.sources import Source
from tabulaflow_core.data.contracts import DataConnector
from tabulaflow_core.data.schema import ColumnSchema, SourceSchema, TableSchema
from tabulaflow_core.models.contracts import AssistantMessage, UserMessage
from tabulaflow_core.models.scripted import DEMO, ScriptedModel, text
from tests.agents.fakes import FakeConnector
from tests.agents.helpers import BELOW, New

SMALL = dataclasses.replace(DEMO, name="scripted:small", context_tokens=8192, tools="text", profile="compact")


def table(name: str, *columns: str, rows: int | None = 1200) -> TableSchema:
    return TableSchema(name, tuple(ColumnSchema(c, "TEXT") for c in columns), row_count=rows)


def source(alias: str, *tables: TableSchema, dialect: str = "sqlite") -> Source:
    return Source(alias, dialect, SourceSchema(tables), cast(DataConnector, FakeConnector()))


SHOP = source("shop", table("sales", "day", "region", "amount"), table("order_items", "id", "product", rows=1))
ALL = "shop has 2 tables:\n\n- sales (1,200 rows): day, region, amount\n- order_items (1 row): id, product"
ALL_DE = "shop hat 2 Tabellen:\n\n- sales (1200 Zeilen): day, region, amount\n- order_items (1 Zeile): id, product"
SALES = "sales has 3 columns (1,200 rows): day (TEXT), region (TEXT), amount (TEXT)."
SALES_DE = "sales hat 3 Spalten (1200 Zeilen): day (TEXT), region (TEXT), amount (TEXT)."


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which tables are there?", ALL),
        ("What tables does the shop have?", ALL),
        ("Show me all tables", ALL),
        ("How many tables are there in this database?", ALL),
        ("Describe the data", ALL),
        ("What data do you have?", ALL),
        ("What's in the database?", ALL),
        ("Which tables are there and what columns do they have?", ALL),
        ("What columns does sales have?", SALES),
        ("How many columns does the sales table have?", SALES),
        ("Describe the sales table", SALES),
        ("List the fields of Sales, please", SALES),
        (
            "Which columns does order items have?",
            "order_items has 2 columns (1 row): id (TEXT), product (TEXT).",
        ),
        ("What is the schema of sales?", SALES),
        ("Welche Daten habe ich?", ALL_DE),
        ("Wie heißen die Spalten von sales?", SALES_DE),
        ("Welche Tabellen gibt es?", ALL_DE),
        ("Welche Daten sind vorhanden?", ALL_DE),
        ("Welche Spalten hat sales?", SALES_DE),
        ("Beschreibe die Tabelle sales", SALES_DE),
    ],
)
def test_questions_about_the_schema(question: str, answer: str) -> None:
    assert schema_answer(question, (SHOP,)) == answer


@pytest.mark.parametrize(
    "question",
    [
        "Which tables seat four?",
        "Show me the sales table",
        "Show me the data",
        "Which columns are empty?",
        "Which column of sales has the highest value?",
        "How many rows does sales have?",
        "How many sales are there?",
        "What is the amount?",
        "Which tables have sales?",
        "What columns does customers have?",
        "How many tables were sold?",
        "Wie viele Tabellen wurden verkauft?",
        "Which products are there?",
        "What is in stock?",
        "What does the data say about the West?",
        "Which data is there for June?",
        "And which tables are there?",
        "Describe the trend of sales",
        "",
    ],
)
def test_other_questions_are_left_alone(question: str) -> None:
    assert schema_answer(question, (SHOP,)) == ""


def test_furniture_and_fields_of_the_data_are_no_schema() -> None:
    restaurant = source("restaurant", table("dining_tables", "table_no", "seats"))
    assert schema_answer("How many tables are there?", (restaurant,)) == ""
    assert schema_answer("What tables does the restaurant have?", (restaurant,)) == ""
    assert schema_answer("Which fields are there?", (source("farm", table("crops", "field", "crop")),)) == ""
    assert schema_answer("What columns are there?", (restaurant,)).startswith("restaurant has 1 table:")


def test_sources_that_are_named_and_sources_that_are_not() -> None:
    stock = source("stock", table("inventory", "product", rows=None), dialect="postgres")
    both = schema_answer("Which tables are there?", (SHOP, stock))
    assert both == f"{ALL}\n\nstock has 1 table:\n\n- inventory: product"
    assert schema_answer("Which tables are there in stock?", (SHOP, stock)).startswith("stock has 1 table:")
    counted = table("t", "a")
    for rows, shown in ((counted, "1,200"), (dataclasses.replace(counted, estimated=True), "~ 1,200")):
        here = source("pg", rows, dialect="postgres")
        assert schema_answer("Which tables are there?", (here,)) == f"pg has 1 table:\n\n- t ({shown} rows): a"


def test_a_file_whose_table_has_its_name_and_odd_names() -> None:
    data = source("data.csv", table("data", "a", "_b*"))
    assert schema_answer("Describe the data", (data,)) == "data.csv has 1 table:\n\n- data (1,200 rows): a, `_b*`"
    sales = source("sales", table("sales", "day"))
    assert schema_answer("What columns does sales have?", (sales,)).startswith("sales has 1 column (1,200 rows)")
    assert schema_answer("What columns does it have?", (sales,)).startswith("sales has 1 table")


def test_many_tables_are_named_without_columns_and_cut() -> None:
    many = source("big", *(table(f"t{i}", "a") for i in range(70)))
    lines = schema_answer("Which tables are there?", (many,)).splitlines()
    assert lines[0] == "big has 70 tables:"
    assert lines[2] == "- t0 (1,200 rows)"
    assert lines[-1] == "- and 10 more"
    wide = source("wide", table("w", *(f"c{i}" for i in range(70))))
    assert schema_answer("What columns does w have?", (wide,)) == ""  # one letter may be anything
    wide = source("wide", table("ww", *(f"c{i}" for i in range(70))))
    assert schema_answer("What columns does ww have?", (wide,)).endswith("c59 (TEXT) and 10 more.")


def test_a_source_without_tables_or_out_of_reach() -> None:
    assert schema_answer("Which tables are there?", (source("empty"),)) == "empty has no tables."
    lost = dataclasses.replace(SHOP, fault="It does not answer.")
    assert schema_answer("Which tables are there?", (lost,)).endswith("product\n\nIt does not answer.")
    assert schema_answer("Which tables are there?", ()) == ""


async def test_a_turn_without_model_and_query(new_session: New, stock: FakeConnector) -> None:
    session = new_session(model=ScriptedModel(facts=SMALL))
    result = await session.run("Which tables are there?")
    assert result.outcome == "answered"
    assert result.text == "stock has 1 table:\n\n- inventory (3 rows): product, on_hand, reorder_point"
    assert (result.usage, result.artifacts, stock.queries) == (None, (), [])
    assert session.history == (UserMessage("Which tables are there?"), AssistantMessage(result.text))


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("And on 30 June 2026?", "There is no earlier question in this conversation that “And on 30 June 2026” could"),
        ("And without Produktion?", "There is no earlier question"),
        ("What about the West?", "There is no earlier question"),
        ("How about last year?", "There is no earlier question"),
        ("Only Trans-Alp", "There is no earlier question"),
        ("Same for the North", "There is no earlier question"),
        ("Also the South", "There is no earlier question"),
        ("And for region West?", "There is no earlier question"),
        ("Und im Mai?", "In dieser Unterhaltung gibt es noch keine Frage"),
        ("Und ohne Produktion?", "In dieser Unterhaltung gibt es noch keine Frage"),
        ("Nur Trans-Alp", "In dieser Unterhaltung gibt es noch keine Frage"),
        ("Was ist mit dem Westen?", "In dieser Unterhaltung gibt es noch keine Frage"),
        ("¿Y en mayo?", "En esta conversación no hay ninguna pregunta anterior"),
        ("Et en mai ?", "Dans cette conversation, aucune question"),
    ],
)
def test_a_first_question_that_goes_on_from_nothing(question: str, begins: str) -> None:
    assert nothing_before(question, [UserMessage(question)], (SHOP,)).startswith(begins)


@pytest.mark.parametrize(
    "question",
    [
        "Only how many sales were above 100?",
        "And how many sales are there?",
        "Only sales in the West",
        "Only the total per region",
        "Also list the products",
        "What about sales in the West?",
        "Und wie viele gibt es?",
        "Nur die Anzahl der Kunden",
        "Nur Regionen mit Umsatz",
        "Andorra",
        "Nurses per ward",
        "Y a-t-il des clients ?",
        "Which region is the best?",
        "And",
        "Sales per region",
        "Only people in the North who came in the year 2025 and stayed for a week",
    ],
)
def test_ordinary_first_questions_are_not_caught(question: str) -> None:
    assert nothing_before(question, [UserMessage(question)], (SHOP,)) == ""


async def test_after_a_question_it_is_a_follow_up(new_session: New) -> None:
    small = ScriptedModel(facts=SMALL)
    session: ChatSession = new_session(model=small)
    first = await session.run("And on 30 June 2026?")
    assert (first.outcome, first.usage) == ("needs_clarification", None)
    small.enqueue(text(f"```sql\n{BELOW};\n```"))
    small.enqueue(text(f"```sql\n{BELOW} LIMIT 1;\n```"))
    await session.run("Which products are below?")
    await session.run("And without docks?")
    assert len(small.requests) == 2
    session.reset_conversation()
    assert (await session.run("Hello")).outcome == "needs_clarification"
    assert (await session.run("And in May?")).usage is None
