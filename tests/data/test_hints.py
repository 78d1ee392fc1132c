"""Hints for unknown names, in each engine's words."""

from __future__ import annotations

import pytest

from tabulaflow_core.data.hints import hint_for, quotes_hint
from tabulaflow_core.data.schema import ColumnSchema, SourceSchema, TableSchema


def _table(name: str, *columns: str, schema: str | None = None) -> TableSchema:
    return TableSchema(name=name, schema=schema, columns=tuple(ColumnSchema(name=c, type="TEXT") for c in columns))


SCHEMA = SourceSchema(
    tables=(
        _table("Sales", "id", "Amount", "customer_id"),
        _table("customers", "id", "city"),
        _table("old", "x", schema="arc"),
    )
)


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("no such column: amout", "Nearest columns: Amount."),
        ("no such column: s.amout", "Nearest columns: Amount."),
        ('column "amout" does not exist', "Nearest columns: Amount."),
        ("column s.amout does not exist", "Nearest columns: Amount."),
        ("Unknown column 's.amout' in 'SELECT'", "Nearest columns: Amount."),
        ("no such column: city", "The column stands in customers.city."),
        ("no such column: zzz", "The columns of Sales are: id, Amount, customer_id."),
        ("no such table: custmers", "Nearest tables: customers."),
        ('relation "custmers" does not exist', "Nearest tables: customers."),
        ("Table 'shop.custmers' doesn't exist", "Nearest tables: customers."),
        ("no such table: olt", "Nearest tables: arc.old."),
        ("no such table: zzzzzz", "The tables are: Sales, customers, arc.old."),
        ("division by zero", ""),
        ("Invalid column name 'amout'.", "Nearest columns: Amount."),
        ('ORA-00904: "S"."AMOUT": invalid identifier', "Nearest columns: Amount."),
        ("SQL compilation error: error line 1 at position 7 invalid identifier 'AMOUT'", "Nearest columns: Amount."),
        ("Unrecognized name: amout; Did you mean Amount? at [1:8]", "Nearest columns: Amount."),
        (
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `amout` cannot be "
            "resolved. Did you mean one of the following?",
            "Nearest columns: Amount.",
        ),
        ("line 1:8: Column 'amout' cannot be resolved", "Nearest columns: Amount."),
        (
            "Code: 47. Unknown expression identifier `amout` in scope SELECT amout FROM sales.",
            "Nearest columns: Amount.",
        ),
        ("Code: 47. Missing columns: 'amout' while processing query", "Nearest columns: Amount."),
        ("Invalid object name 'dbo.custmers'.", "Nearest tables: customers."),
        ('ORA-00942: table or view "APP"."CUSTMERS" does not exist', "Nearest tables: customers."),
        ("Object 'DB.PUBLIC.CUSTMERS' does not exist or not authorized.", "Nearest tables: customers."),
        ("404 Not found: Table project:d.custmers was not found in location EU", "Nearest tables: customers."),
        (
            "[TABLE_OR_VIEW_NOT_FOUND] The table or view `main`.`d`.`custmers` cannot be found.",
            "Nearest tables: customers.",
        ),
        ("line 1:15: Table 'c.s.custmers' does not exist", "Nearest tables: customers."),
        ("Code: 60. Unknown table expression identifier 'd.custmers' in scope", "Nearest tables: customers."),
    ],
)
def test_hints(message: str, hint: str) -> None:
    assert hint_for(message, SCHEMA, used=("sales",)) == hint


def test_names_that_need_quotes_are_shown_with_them() -> None:
    schema = SourceSchema(tables=(_table("RiskItems", "Unit Price", "plain"), _table("Order Lines", "x")))
    unknown = 'relation "riskitems" does not exist'
    assert hint_for(unknown, schema, dialect="postgres") == 'Nearest tables: "RiskItems".'
    assert hint_for("no such table: riskitem", schema, dialect="sqlite") == "Nearest tables: RiskItems."
    column = 'column "unit_price" does not exist'
    assert hint_for(column, schema, used=("RiskItems",), dialect="postgres") == 'Nearest columns: "Unit Price".'
    assert hint_for("Table 'd.orderlines' doesn't exist", schema, dialect="mysql") == "Nearest tables: `Order Lines`."
    for dialect, written in (("tsql", "[Order Lines]"), ("bigquery", "`Order Lines`"), ("oracle", '"Order Lines"')):
        assert hint_for("no such table: orderlines", schema, dialect=dialect) == f"Nearest tables: {written}."


def test_back_ticks_where_the_engine_does_not_know_them() -> None:
    sql = "SELECT `a b` FROM t"
    assert quotes_hint(sql, "postgres") == 'Names are quoted as "name" here, not with back-ticks.'
    assert quotes_hint(sql, "tsql") == "Names are quoted as [name] here, not with back-ticks."
    assert [quotes_hint(sql, dialect) for dialect in ("mysql", "bigquery", "sqlite")] == ["", "", ""]
    assert quotes_hint("SELECT a", "postgres") == ""


def test_brackets_where_the_engine_does_not_know_them() -> None:
    sql = "SELECT avg([Unit Price]) FROM t"
    assert quotes_hint(sql, "postgres") == 'Names are quoted as "name" here, not with brackets.'
    assert quotes_hint(sql, "mysql") == "Names are quoted as `name` here, not with brackets."
    assert [quotes_hint(sql, dialect) for dialect in ("tsql", "sqlite")] == ["", ""]
    assert quotes_hint("SELECT tags[1], ARRAY[x], m[key] FROM t", "postgres") == ""


@pytest.mark.parametrize(
    "message",
    [
        "operator does not exist: bigint >= date (No operator matches the given name and argument types.)",
        "operator does not exist: timestamp without time zone < integer (No operator matches.)",
        "Binder Error: Cannot compare values of type BIGINT and type DATE - an explicit cast is required",
    ],
)
def test_a_number_compared_with_a_day(message: str) -> None:
    assert "to_timestamp(column)" in hint_for(message, SCHEMA)


def test_other_types_that_do_not_compare_get_no_such_hint() -> None:
    assert hint_for("operator does not exist: text = integer (No operator matches.)", SCHEMA) == ""
