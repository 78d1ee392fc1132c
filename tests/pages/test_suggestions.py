"""Questions to start with ask for groups that have several rows each."""

from __future__ import annotations

from dataclasses import replace

from streamlit.testing.v1 import AppTest

from pages.ui.suggestions import suggested_questions
from tabulaflow_core.data.schema import ColumnSchema, TableSchema
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime
from tabulaflow_core.samples import SAMPLE_QUESTIONS


def test_what_names_a_single_row_is_no_group(app: AppTest) -> None:
    app.run()
    source = get_runtime().sources(LOCAL_USER)[0]
    columns = [("order_id", "VARCHAR"), ("Order", "VARCHAR"), ("Region", "VARCHAR"), ("Amount", "DECIMAL(10,2)")]
    orders = TableSchema("orders", tuple(ColumnSchema(name, kind) for name, kind in columns))
    found = suggested_questions([replace(source, tables=(orders,))])
    assert found[:2] == ("What is the total Amount per Region?", "Which five Region values have the highest Amount?")
    lonely = replace(orders, columns=(*orders.columns[:2], orders.columns[3]))
    assert suggested_questions([replace(source, tables=(lonely,))])[0] == "What is the average Amount?"


def test_a_table_of_a_persons_own_with_a_samples_name_is_no_sample(app: AppTest) -> None:
    app.run()
    source = get_runtime().sources(LOCAL_USER)[0]
    assert suggested_questions([source]) == SAMPLE_QUESTIONS
    own = TableSchema("sales", (ColumnSchema("shop", "VARCHAR"), ColumnSchema("takings", "DECIMAL(10,2)")))
    assert suggested_questions([replace(source, tables=(own,))])[0] == "What is the total takings per shop?"
