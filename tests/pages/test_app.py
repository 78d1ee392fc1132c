"""The pages without a browser, on the scripted model and the real runtime."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import get_runtime
from tests.pages.conftest import APP


def words(app: AppTest) -> str:
    """All that the page says."""
    kinds = (
        app.markdown,
        app.caption,
        app.title,
        app.header,
        app.subheader,
        app.info,
        app.success,
        app.warning,
        app.error,
    )
    return "\n".join(str(element.value) for elements in kinds for element in elements)


def test_the_first_visit_shows_the_sample_and_questions_to_ask(app: AppTest) -> None:
    app.run()
    assert not app.exception
    assert app.title[0].value == "Ask your data"
    assert "files" in words(app)
    assert "Which products are below their reorder point?" in [button.label for button in app.button]


def test_ask_then_follow_up_then_reset(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    assert not app.exception
    assert "HDMI cable" in words(app)
    assert app.query_params["c"]
    tables = [frame.value for frame in app.dataframe]
    assert any("HDMI cable" in table.to_string() for table in tables)
    assert any("SELECT" in code.value for code in app.code)
    app.chat_input[0].set_value("How many units of each should I order to reach those levels?").run()
    assert "8 HDMI cables" in words(app)
    assert len(app.chat_message) == 4
    app.button(key="reset").click().run()
    assert app.title[0].value == "Ask your data"
    assert len(app.chat_message) == 0
    assert "c" not in app.query_params


def test_usage_counts_the_question(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    app.switch_page("pages/usage.py").run()
    assert not app.exception
    figures = {metric.label: metric.value for metric in app.metric}
    assert figures["Questions"] == "1"
    assert figures["Cost"] == "free, runs here"


def test_a_conversation_that_is_not_there_is_said_and_replaced(app: AppTest) -> None:
    app.query_params["c"] = "c_nothing"
    app.run()
    assert not app.exception
    assert "does not exist" in words(app)


def test_another_persons_conversation_is_not_there(app: AppTest) -> None:
    theirs = get_runtime().new_conversation(Principal("someone-else"))
    app.query_params["c"] = theirs.id
    app.run()
    assert "does not exist" in words(app)


def test_every_page_runs_cold_through_the_shell(app: AppTest) -> None:
    for page in ("pages/data.py", "pages/usage.py", "pages/settings.py", "pages/chat.py"):
        app.switch_page(page).run()
        assert not app.exception
        assert [button for button in app.button if button.key == "new-conversation"], page


def test_a_wrong_url_gets_a_sentence_without_the_password(app: AppTest) -> None:
    app.switch_page("pages/data.py").run()
    app.text_input(key="database-name").set_value("shop")
    app.text_input(key="database-url").set_value("postgresql://reader:geheim@127.0.0.1:1/shop")
    next(button for button in app.button if button.label == "Connect").click().run()
    assert not app.exception
    (error,) = app.error
    assert "geheim" not in error.value


def test_our_own_data_folder_cannot_be_opened_as_a_database(app: AppTest) -> None:
    app.switch_page("pages/data.py").run()
    app.text_input(key="database-name").set_value("own")
    app.text_input(key="database-url").set_value(f"sqlite:///{get_runtime().settings.data_dir / 'tabulaflow.db'}")
    next(button for button in app.button if button.label == "Connect").click().run()
    assert len(app.error) == 1
    assert [source.alias for source in get_runtime().sources(LOCAL_USER)] == ["files"]


def test_no_key_and_no_model_offers_to_fetch_one(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABULAFLOW_MODEL")
    app.run()
    assert not app.exception
    assert "on this machine" in words(app)
    assert [button for button in app.button if button.key == "fetch-model"]
    assert app.chat_input[0].disabled


def test_earlier_conversations_open_from_every_page(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    conversation = "".join(app.query_params["c"])
    app.button(key="new-conversation").click().run()
    assert app.title[0].value == "Ask your data"
    assert "c" not in app.query_params
    app.switch_page("pages/usage.py").run()
    app.button(key=f"conversation-{conversation}").click().run()
    assert not app.exception
    assert "".join(app.query_params["c"]) == conversation
    assert "HDMI cable" in words(app)


def test_a_question_is_shown_as_typed(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("What is **a** * b in ![x](http://127.0.0.1:9/x.png) for $5 or $6?").run()
    assert app.text[0].value == "What is **a** * b in ![x](http://127.0.0.1:9/x.png) for $5 or $6?"


def test_the_sample_does_not_come_back_after_it_was_removed(app: AppTest) -> None:
    app.run()
    for file in get_runtime().files(LOCAL_USER):
        get_runtime().remove_file(LOCAL_USER, file.name)
    again = AppTest.from_file(str(APP), default_timeout=30).run()
    assert not get_runtime().sources(LOCAL_USER)
    assert "no data to ask" in words(again)
    again.button(key="samples").click().run()
    assert "Which products are below their reorder point?" in [button.label for button in again.button]


def test_a_question_that_is_too_long_is_given_back(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("why " * 1500).run()
    assert "6,000 characters" in app.error[0].value
    assert "why why" in app.code[0].value
    assert len(app.chat_message) == 0


def test_a_question_given_while_another_is_answered_waits_its_turn(app: AppTest) -> None:
    app.run()
    app.session_state["tf_pending_questions"] = ["Which products are below their reorder point?", "Hello there?"]
    app.run()
    assert not app.exception
    assert [text.value for text in app.text] == ["Which products are below their reorder point?", "Hello there?"]
    assert len(app.chat_message) == 4


def test_an_edited_question_closes_its_box(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    again = next(str(button.key) for button in app.button if button.label == "Ask again")
    key = again.removesuffix("-again")
    app.session_state[f"{key}-edit"] = True
    app.run()
    app.text_area(key=f"{key}-words").set_value("Hello there?")
    app.button(key=f"{key}-ask").click().run()
    assert not app.exception
    assert [text.value for text in app.text] == ["Which products are below their reorder point?", "Hello there?"]
    assert not app.session_state[f"{key}-edit"]


def test_a_question_can_be_asked_again(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    next(button for button in app.button if button.label == "Ask again").click().run()
    assert not app.exception
    assert len(app.chat_message) == 4
    assert len(get_runtime().usage(LOCAL_USER)) == 2


def test_an_empty_conversation_has_nothing_to_reset_and_the_line_below_is_short(app: AppTest) -> None:
    app.run()
    assert "reset" not in [button.key for button in app.button]
    below = next(caption for caption in app.caption if "Check its SQL" in caption.value)
    assert len(below.value.replace(":material/lock:", "")) < 45  # one line beside Reset on a phone
    assert "sometimes wrong" in below.help
