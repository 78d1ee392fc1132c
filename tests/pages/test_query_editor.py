"""The query of an answer, changed by hand and run again."""

from __future__ import annotations

import time

from streamlit.testing.v1 import AppTest

from pages.ui.take_conversation import queries_of
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime
from tabulaflow_core.runtime.singleton import close_runtime
from tests.pages.conftest import APP


def words(app: AppTest) -> str:
    return "\n".join(str(e.value) for kind in (app.markdown, app.caption, app.info, app.error) for e in kind)


def _editing(app: AppTest) -> AppTest:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    next(button for button in app.button if button.label == "Edit and run").click().run()
    assert not app.exception
    return app


def _run(app: AppTest, sql: str) -> AppTest:
    app.text_area[0].set_value(sql)
    next(button for button in app.button if button.label == "Run").click().run()
    deadline = time.monotonic() + 60
    while any(button.label == "Stop" for button in app.button) and time.monotonic() < deadline:
        time.sleep(0.05)
        app.run()
    assert not app.exception
    return app


def test_a_changed_query_runs_without_a_model(app: AppTest) -> None:
    before = len(_editing(app).dataframe)
    asked = len(get_runtime().usage(LOCAL_USER))
    _run(app, "SELECT count(*) AS products FROM inventory")
    assert "Edited by hand" in words(app)
    assert len(app.dataframe) == before + 1
    assert app.dataframe[-1].value.to_dict("records") == [{"products": 12}]
    assert len(get_runtime().usage(LOCAL_USER)) == asked


def test_a_fault_is_said_and_the_old_result_stays(app: AppTest) -> None:
    before = [frame.value.to_dict() for frame in _editing(app).dataframe]
    _run(app, "SELECT prize FROM inventory")
    assert "prize" in app.error[0].value
    assert [frame.value.to_dict() for frame in app.dataframe] == before


def test_a_fault_leaves_the_last_good_query_and_its_rows(app: AppTest) -> None:
    _run(_editing(app), "SELECT count(*) AS products FROM inventory")
    for faulty in ("SELECT prize FROM inventory", "SELECT prise FROM inventory"):
        _run(app, faulty)
        assert "below" in app.error[0].value
        assert app.text_area[0].value == faulty
        assert "SELECT count(*) AS products FROM inventory" in [code.value for code in app.code]
        assert app.dataframe[-1].value.to_dict("records") == [{"products": 12}]
    view = get_runtime().conversation(LOCAL_USER, "".join(app.query_params["c"]))
    assert [query.sql for query in queries_of(view)][1:] == ["SELECT count(*) AS products FROM inventory"]


def test_a_writing_query_is_refused(app: AppTest) -> None:
    _run(_editing(app), "DELETE FROM inventory")
    assert "DELETE" in app.error[0].value
    _run(app, "SELECT count(*) AS products FROM inventory")
    assert app.dataframe[-1].value.to_dict("records") == [{"products": 12}]


def test_the_editor_can_be_closed(app: AppTest) -> None:
    _run(_editing(app), "SELECT 1 AS one")
    next(button for button in app.button if button.label == "Close").click().run()
    assert not app.text_area
    assert "Edited by hand" not in words(app)


def test_a_changed_query_is_there_after_a_restart_and_in_a_second_tab(app: AppTest) -> None:
    _run(_editing(app), "SELECT count(*) AS products FROM inventory")
    address = "".join(app.query_params["c"])
    close_runtime()
    other = AppTest.from_file(str(APP), default_timeout=30)
    other.query_params["c"] = address
    other.run()
    assert not other.exception
    assert other.text_area[0].value == "SELECT count(*) AS products FROM inventory"
    assert "Edited by hand" in words(other)
    assert other.dataframe[-1].value.to_dict("records") == [{"products": 12}]
    next(button for button in other.button if button.label == "Close").click().run()
    assert "Edited by hand" not in words(app.run())


def test_a_query_that_a_restart_cut_off_says_so(app: AppTest) -> None:
    _editing(app)
    turn = get_runtime().conversation(LOCAL_USER, "".join(app.query_params["c"])).turns[0]
    result = next(spec.id for spec in turn.result.artifacts if spec.kind == "table")
    lost = {"sql": "SELECT 1", "run": "q_gone", "state": "running"}
    get_runtime().choose(LOCAL_USER, turn.id, f"sql-{result}", lost)
    app.run()
    assert not app.exception
    assert "Run it again" in app.info[0].value
