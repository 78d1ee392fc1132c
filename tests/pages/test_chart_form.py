"""A chart of one's own choice."""

from __future__ import annotations

import json
from dataclasses import asdict

from streamlit.testing.v1 import AppTest

from pages.ui.chart_form import Choice, choice_of
from tabulaflow_core.output import ChartSpec, StoredResult, choose_chart
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime
from tabulaflow_core.runtime.singleton import close_runtime
from tests.pages.conftest import APP


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
    runtime = get_runtime()
    turn = runtime.conversation(LOCAL_USER, runtime.conversations(LOCAL_USER)[0].id).turns[0]
    pie = asdict(Choice("pie", y=("stock",)))
    runtime.choose(LOCAL_USER, turn.id, "chart-0", {**pie, "y": ["stock"]})
    app.run()
    (changed,) = _figures(app)
    assert not app.exception
    assert changed["data"][0]["type"] == "pie"
    runtime.choose(LOCAL_USER, turn.id, "chart-0", {"type": "histogram"})
    app.run()
    assert not app.exception
    assert any("cannot be drawn as distribution" in warning.value for warning in app.warning)
    assert _figures(app) == [before]
    runtime.choose(LOCAL_USER, turn.id, "chart-0", None)
    app.run()
    assert _figures(app) == [before]


def test_the_form_keeps_its_choice_for_a_second_tab_and_a_restart(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    (turn,) = get_runtime().conversation(LOCAL_USER, "".join(app.query_params["c"])).turns
    key = f"{turn.id}-chart-0"
    app.session_state[f"{key}-form"] = True
    app.run()
    app.selectbox(key=f"{key}-type").set_value("pie")
    app.multiselect(key=f"{key}-y").set_value(["on_hand"])
    app.button(key=f"{key}-apply").click().run()
    assert not app.exception
    assert _figures(app)[0]["data"][0]["type"] == "pie"
    address = "".join(app.query_params["c"])
    close_runtime()
    other = AppTest.from_file(str(APP), default_timeout=30)
    other.query_params["c"] = address
    other.run()
    assert not other.exception
    assert _figures(other)[0]["data"][0]["type"] == "pie"


def test_what_another_version_kept_is_passed_over() -> None:
    assert choice_of({"type": "sunburst"}) is None
    assert choice_of({"nonsense": 1}) is None
    assert choice_of({"type": "bar", "y": ["a"]}) == Choice("bar", y=("a",))
