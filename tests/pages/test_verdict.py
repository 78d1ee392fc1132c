"""Thumbs under an answer, with a reason."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime
from tests.pages.conftest import APP


def test_a_verdict_with_its_reason_is_shown_again_and_stands_on_the_usage_page(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    (thumbs,) = app.get("feedback")
    thumbs.set_value(0).run()
    assert not app.exception
    (turn,) = get_runtime().conversation(LOCAL_USER, "".join(app.query_params["c"])).turns
    app.session_state[f"{turn.id}-why"] = True
    app.run()
    app.text_area(key=f"{turn.id}-reason").set_value("It forgot the *blue* ones")
    app.button(key=f"{turn.id}-why-save").click().run()
    assert not app.exception
    other = AppTest.from_file(str(APP), default_timeout=30)
    other.query_params["c"] = "".join(app.query_params["c"])
    other.run()
    assert other.get("feedback")[0].value == 0
    assert any("It forgot the \\*blue\\* ones" in caption.value for caption in other.caption)
    other.switch_page("pages/usage.py").run()
    assert list(other.dataframe[0].value["Verdict"]) == ["👎 It forgot the *blue* ones"]
    other.switch_page("pages/chat.py").run()


def test_a_verdict_can_be_taken_back(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    app.get("feedback")[0].set_value(1).run()
    conversation = "".join(app.query_params["c"])
    assert [kept.verdict for kept in get_runtime().conversation(LOCAL_USER, conversation).verdicts.values()] == ["up"]
    app.get("feedback")[0].set_value(None).run()
    assert not app.exception
    assert not get_runtime().conversation(LOCAL_USER, conversation).verdicts
