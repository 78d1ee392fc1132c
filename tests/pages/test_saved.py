"""Saved questions on the pages, and what a replaced file makes of them and of tiles."""

from __future__ import annotations

import io
import time

from streamlit.testing.v1 import AppTest

from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime

QUESTION = "Which products are below their reorder point?"
OLD = "region,amount\nnorth,10\nsouth,20\n"


def texts(page: AppTest) -> str:
    parts = [*page.markdown, *page.caption, *page.warning, *page.success, *page.error, *page.subheader]
    return "\n".join(str(part.value) for part in parts)


def keyed(page: AppTest, start: str) -> list[str]:
    return [str(button.key) for button in page.button if str(button.key).startswith(start)]


def test_a_question_is_saved_asked_and_removed(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value(QUESTION).run()
    (turn,) = get_runtime().conversation(LOCAL_USER, "".join(app.query_params["c"])).turns
    app.button(key=f"{turn.id}-save").click().run()
    assert not app.exception
    assert "Saved, on the page of dashboards" in texts(app)
    (saved,) = get_runtime().saved_questions(LOCAL_USER)
    assert saved.question == QUESTION
    # At the start of a new conversation.
    fresh = app.button(key="new-conversation") if keyed(app, "new-conversation") else app.button(key="reset")
    fresh.click().run()
    app.button(key=f"ask-saved-{saved.id}").click().run()
    assert not app.exception
    assert "The saved query, run again without a model." in texts(app)
    assert len(app.dataframe) >= 1
    # And on the page of dashboards.
    app.switch_page("pages/dashboards.py").run()
    app.run()
    assert QUESTION in texts(app)
    app.button(key=f"remove-{saved.id}").click().run()
    assert get_runtime().saved_questions(LOCAL_USER) == ()


def waited(page: AppTest) -> None:
    for _ in range(100):
        page.run()
        assert not page.exception
        if "Looking at what uses it" not in texts(page) and page.expander:
            labels = [str(expander.label) for expander in page.expander]
            if any("Used by" in label for label in labels):
                return
        time.sleep(0.1)
    raise AssertionError(texts(page))


def test_a_replaced_file_lists_what_uses_it(app: AppTest) -> None:
    runtime = get_runtime()
    runtime.add_files(LOCAL_USER, [("sales.csv", io.BytesIO(OLD.encode()))])
    board = runtime.create_dashboard(LOCAL_USER, "Sales")
    for title, sql in (
        ("Total", "SELECT sum(amount) AS total FROM sales"),
        ("Rows", "SELECT count(*) AS n FROM sales"),
    ):
        result = runtime.run_sql(LOCAL_USER, "files", sql)
        assert isinstance(result, StoredResult)
        tile = QueryTile(show="table", source="files", dialect="duckdb", sql=sql)
        runtime.pin(LOCAL_USER, board.id, tile, title=title, result_id=result.id)
    new = b"region,total_amount\nnorth,10\nsouth,20\n"
    outcomes = runtime.add_files(LOCAL_USER, [("sales.csv", io.BytesIO(new))])
    waiting = next(outcome for outcome in outcomes if outcome.status == "waiting")
    runtime.answer_file(LOCAL_USER, waiting.name, "replace")
    page = app.switch_page("pages/data.py").run()
    page.session_state["tf_open_files"] = {"sales.csv"}
    waited(page)
    assert any("Used by 2 tiles and saved questions: 1 broken, 1 same" in str(e.label) for e in page.expander)
    assert "Tile **Total** on Sales · broken" in texts(page)
    assert "“amount” is “total_amount” now" in texts(page).replace("\\", "")
    assert "the same rows as before" in texts(page)
    (use,) = keyed(page, "uses-sales.csv-mend-")
    page.button(key=use).click().run()
    assert not page.exception
    assert "The mended query is in use." in texts(page)
    (total, _) = runtime.dashboard(LOCAL_USER, board.id).tiles
    assert total.fault == ""
    assert isinstance(total.content, QueryTile)
    assert "total_amount" in total.content.sql
