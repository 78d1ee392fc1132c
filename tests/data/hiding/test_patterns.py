"""Which columns a pattern names."""

from __future__ import annotations

import pytest

from tabulaflow_core.data.hiding import HiddenColumns, patterns_of
from tabulaflow_core.data.schema import ColumnSchema, TableSchema

CUSTOMERS = TableSchema("Customers", tuple(ColumnSchema(n, "TEXT") for n in ("id", "E-Mail", "email_hash", "a.b")))
SALES = TableSchema("customers", (ColumnSchema("email", "TEXT"), ColumnSchema("id", "INT")), schema="lake.sales")


@pytest.mark.parametrize(
    ("pattern", "hidden"),
    [
        ("e-mail", {"E-Mail"}),
        ("*MAIL*", {"E-Mail", "email_hash"}),
        ("customers.id", {"id"}),
        ("cust*.e*", {"E-Mail", "email_hash"}),
        ("cust*", set()),
        ("main.customers.id", {"id"}),
        ("shop.customers.id", {"id"}),
        ("shop.main.customers.id", {"id"}),
        ("other.customers.id", set()),
        ("a.b", {"a.b"}),
        ("customers.a.b", {"a.b"}),
        ("id, E?Mail", {"id", "E-Mail"}),
    ],
)
def test_a_pattern_is_compared_part_by_part(pattern: str, hidden: set[str]) -> None:
    assert HiddenColumns("shop", patterns_of(pattern)).of(CUSTOMERS) == hidden


@pytest.mark.parametrize("pattern", ["sales.customers.email", "lake.sales.customers.email", "x.sales.customers.email"])
def test_a_schema_may_stand_before_the_table(pattern: str) -> None:
    assert HiddenColumns("x", (pattern,)).of(SALES) == {"email"}
    assert HiddenColumns("x", ("other.customers.email",)).of(SALES) == frozenset()


def test_a_list_has_commas_or_lines() -> None:
    assert patterns_of(" a, b\n c ,,\n") == ("a", "b", "c")
