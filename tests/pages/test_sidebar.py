"""The list of conversations: found again, renamed and deleted."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from pages.ui.sidebar import fitting
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime


def _titles(app: AppTest) -> list[str]:
    return [button.label for button in app.sidebar.button if str(button.key).startswith("conversation-")]


def _asked(app: AppTest, *questions: str) -> AppTest:
    app.run()
    for question in questions:
        app.button(key="new-conversation").click().run()
        app.chat_input[0].set_value(question).run()
    assert not app.exception
    return app


def test_rename_shows_the_new_title(app: AppTest) -> None:
    _asked(app, "Which products are below their reorder point?")
    app.session_state["open-menu"] = True
    app.sidebar.text_input[0].set_value("Low stock")
    app.button(key="rename-conversation").click().run()
    assert not app.exception
    assert not app.session_state["open-menu"]
    assert _titles(app) == ["Low stock"]


def test_delete_opens_an_empty_conversation_and_keeps_the_cost(app: AppTest) -> None:
    _asked(app, "Which products are below their reorder point?")
    app.button(key="delete-conversation").click().run()
    assert not app.exception
    assert _titles(app) == []
    assert app.title[0].value == "Ask your data"
    assert "c" not in app.query_params
    assert len(get_runtime().usage(LOCAL_USER)) == 1


def test_search_finds_and_says_when_nothing_is_found(app: AppTest) -> None:
    _asked(app, *(f"How many rows are in part {n}?" for n in range(6)))
    search = next(box for box in app.sidebar.text_input if box.label == "Search conversations")
    search.set_value("PART 3").run()
    assert len(_titles(app)) == 1
    assert "part 3" in _titles(app)[0]
    next(box for box in app.sidebar.text_input if box.label == "Search conversations").set_value("nowhere").run()
    assert _titles(app) == []
    assert "No conversation holds these words." in [caption.value for caption in app.sidebar.caption]


def test_a_title_is_cut_by_the_room_that_its_letters_take() -> None:
    assert fitting("Low stock", room=22) == "Low stock"
    assert fitting("Which products are below their reorder point?", room=22) == "Which products are b…"
    assert fitting("SUMME ALLER WARENWERTE IM LAGER", room=22) == "SUMME ALLER WAR…"
    assert fitting("各地区的总收入是多少请按月份分别列出来", room=22) == "各地区的总收入是多少…"
