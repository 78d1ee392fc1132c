"""A chart of one's own choice."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from pages.ui.chart_form import Choice
from tabulaflow_core.output import ChartSpec, StoredResult, choose_chart
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime


def test_the_order_that_was_asked_for() -> None:
    import pyarrow as pa

    table = pa.table({"region": ["b", "c", "a"], "units": [2, 9, 5]})
    result = StoredResult(source="s", dialect="sqlite", sql="", table=table)

    def places(order: str) -> list[str]:
        spec = choose_chart(result, type="bar", order=order)  # type: ignore[arg-type]
        assert isinstance(spec, ChartSpec)
        (bars,) = json.loads(spec.plotly)["data"]
        return list(bars["x"])

    assert places("largest") == ["c", "a", "b"]
    assert places("smallest") == ["b", "a", "c"]
    assert places("name") == ["a", "b", "c"]
    assert places("rows") == ["b", "c", "a"]


def _figures(app: AppTest) -> list[dict]:
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


def test_a_choice_is_drawn_from_the_stored_rows_and_taken_back(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    assert not app.exception
    (before,) = _figures(app)
    turn = get_runtime().conversation(LOCAL_USER, get_runtime().conversations(LOCAL_USER)[0].id).turns[0]
    key = f"{turn.id}-chart-0"
    app.session_state["tf_charts"] = {key: Choice("pie", y=("stock",))}
    app.run()
    (changed,) = _figures(app)
    assert not app.exception
    assert changed["data"][0]["type"] == "pie"
    app.session_state["tf_charts"] = {key: Choice("histogram")}
    app.run()
    assert not app.exception
    assert any("cannot be drawn as distribution" in warning.value for warning in app.warning)
    assert _figures(app) == [before]
    app.session_state["tf_charts"] = {}
    app.run()
    assert _figures(app) == [before]
