"""The usage page: what each question cost, narrowed down and taken away."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from streamlit.testing.v1 import AppTest

from pages.ui.usage import usage_table, without_idle
from tabulaflow_core.models.usage import Usage
from tabulaflow_core.output import csv_bytes
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import UsageRow, get_runtime

FIRST, SECOND = "Which products are below their reorder point?", "How many rows does sales have?"


def _asked(app: AppTest) -> AppTest:
    app.run()
    for question in (FIRST, SECOND):
        app.button(key="new-conversation").click().run()
        app.chat_input[0].set_value(question).run()
    app.switch_page("pages/usage.py").run()
    assert not app.exception
    return app


def _questions(app: AppTest) -> list[str]:
    return list(app.dataframe[0].value["Question"])


def test_one_conversation_can_be_picked(app: AppTest) -> None:
    assert sorted(_questions(_asked(app))) == sorted([FIRST, SECOND])
    conversation = next(row.conversation_id for row in get_runtime().usage(LOCAL_USER) if row.question == FIRST)
    app.selectbox(key="usage-conversation").set_value(conversation).run()
    assert _questions(app) == [FIRST]
    assert next(metric.value for metric in app.metric if metric.label == "Questions") == "1"


def test_days_can_be_picked(app: AppTest) -> None:
    _asked(app)
    app.segmented_control(key="usage-period").set_value("Days of your choice").run()
    assert len(_questions(app)) == 2
    yesterday = datetime.now().date() - timedelta(days=1)
    app.date_input(key="usage-days-own").set_value((yesterday, yesterday)).run()
    assert not app.dataframe
    assert "No question was asked" in app.info[0].value


def test_the_conversation_says_what_it_cost(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value(FIRST).run()
    assert any("1 question" in caption.value and "free, runs here" in caption.value for caption in app.caption)


def test_questions_are_counted_by_source_and_say_what_is_cached_and_reasoned(app: AppTest) -> None:
    _asked(app)
    by_source = next(frame.value for frame in app.dataframe if "Source" in frame.value.columns[:1])
    assert dict(zip(by_source["Source"], by_source["Questions"], strict=True)) == {"files": 1, "none": 1}
    assert {"of these cached", "of these reasoning", "Cost"} <= set(by_source.columns)


def test_the_file_marks_an_unknown_price() -> None:
    usage = Usage(model="x:y", api_requests=1, input_tokens=10, output_tokens=2, api_cost_usd=None)
    row = UsageRow("t", "c", "Title", "=1+1", datetime(2026, 3, 1, tzinfo=UTC), usage)
    header, line = csv_bytes(usage_table([row])).decode().splitlines()
    assert header.startswith("started_at,question,conversation,")
    assert line.endswith(",,unknown")
    assert "2026-03-01T00:00:00+00:00,=1+1,Title,c,x:y,1,10,0,2,0," in line


def test_figures_that_nobody_has_leave_their_room_to_the_others() -> None:
    rows = [
        {"Question": "a", "of these cached": 0, "of these reasoning": 3, "Verdict": ""},
        {"Question": "b", "of these cached": 0, "of these reasoning": 0, "Verdict": ""},
    ]
    assert without_idle(rows) == [
        {"Question": "a", "of these reasoning": 3},
        {"Question": "b", "of these reasoning": 0},
    ]
