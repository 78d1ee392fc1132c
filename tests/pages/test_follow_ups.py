"""Follow-up questions under the newest answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tabulaflow_core.agents.readings import Reading
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import answer_calls, get_runtime


@pytest.mark.parametrize("small", [True, False])
def test_a_small_model_is_not_offered_what_it_fails_at(
    app: AppTest, monkeypatch: pytest.MonkeyPatch, small: bool
) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    app.chat_input[0].set_value("How many units of each should I order to reach those levels?").run()
    known = get_runtime().models(LOCAL_USER)
    monkeypatch.setattr(get_runtime(), "models", lambda who: tuple(replace(each, compact=small) for each in known))
    app.run()
    assert not app.exception
    assert any("share" in label for label in _follow(app)) is not small


def _follow(app: AppTest) -> list[str]:
    return [button.label for button in app.button if "-follow-" in str(button.key)]


def test_a_click_asks_it_and_it_is_not_proposed_again(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    assert not app.exception
    first = _follow(app)[0].replace("\\", "")
    next(button for button in app.button if "-follow-0" in str(button.key)).click().run()
    assert not app.exception
    assert [text.value for text in app.text] == ["Which products are below their reorder point?", first]
    assert first not in _follow(app)


def test_a_hidden_column_is_not_proposed(app: AppTest) -> None:
    """A question that names it would take its name to the model."""
    runtime = get_runtime()
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    assert _follow(app)
    source = runtime.sources(LOCAL_USER)[0]
    runtime.hide_columns(LOCAL_USER, source.alias, ("*",))
    app.run()
    assert not app.exception
    assert _follow(app) == []


def test_the_other_reading_is_one_click_away(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A click asks for the column that was not taken, by its name."""
    reading = Reading("on_hand", "reorder_point", "")
    monkeypatch.setattr(answer_calls, "other_reading", lambda *about: reading)
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    asked = reading.question("Which products are below their reorder point?")
    assert asked not in _follow(app)  # the answer does not name it
    monkeypatch.setattr(Reading, "sentence", lambda self, question: "HDMI")
    app.run()
    assert not app.exception
    assert _follow(app)[0] == asked
    assert asked == "Which products are below their reorder point (reorder point)?"
