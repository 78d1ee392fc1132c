"""Follow-up questions under the newest answer."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


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
