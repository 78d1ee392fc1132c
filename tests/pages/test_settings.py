"""The settings page: chosen once, in force from the next question on; a key is never shown again."""

from __future__ import annotations

import time

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import settings
from tabulaflow_core.models.contracts import ModelRequest
from tabulaflow_core.models.profiles import EndpointProfile, kept_profile
from tabulaflow_core.models.scripted import Step, call, text
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import Preferences, get_runtime
from tests.modelserver import ModelServer
from tests.pages.test_app import words

KEY = "sk-geheim-1234567890"


def _open(app: AppTest) -> AppTest:
    app.run()
    app.switch_page("pages/settings.py").run()
    assert not app.exception
    return app


def test_what_is_chosen_holds_for_the_next_question(app: AppTest) -> None:
    _open(app)
    app.segmented_control(key="settings-reasoning").set_value("high")
    app.number_input(key="settings-rows").set_value(1)
    app.button(key="settings-save").click().run()
    assert not app.exception
    chosen = get_runtime().preferences(LOCAL_USER)
    assert (chosen.reasoning, chosen.result_rows, chosen.query_seconds) == ("high", 1, None)
    app.switch_page("pages/chat.py").run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    (turn,) = get_runtime().conversation(LOCAL_USER, "".join(app.query_params["c"])).turns
    assert turn.result is not None
    (table,) = [spec for spec in turn.result.artifacts if spec.kind == "table"]
    assert (table.row_count, table.truncated) == (1, True)
    assert any("reasoning level" in sentence for sentence in turn.result.assumptions)
    assert any("cut at the limit" in markdown.value for markdown in app.markdown)


def test_a_model_of_no_known_provider_gets_a_sentence(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    _open(app)
    # The simulated box takes no words of one's own, as the real one does.
    monkeypatch.setattr(settings, "_MODEL", "typed-model")
    app.session_state["typed-model"] = "nonsense:x"
    app.button(key="settings-save").click().run()
    assert not app.exception
    assert "nonsense" in app.error[0].value
    assert get_runtime().preferences(LOCAL_USER).model == ""


def test_a_key_is_kept_and_not_shown_again(app: AppTest) -> None:
    _open(app)
    app.selectbox(key="endpoint-provider").set_value("compatible")
    app.text_input(key="endpoint-address").set_value("http://127.0.0.1:9/v1")
    app.text_input(key="endpoint-key").set_value(KEY)
    app.button(key="endpoint-save").click().run()
    assert not app.exception
    assert app.text_input(key="endpoint-key").value == ""
    assert "key kept, encrypted" in words(app)
    assert KEY not in words(app) + repr(app.session_state)
    (info,) = get_runtime().endpoints(LOCAL_USER)
    assert (info.provider, info.base_url, info.key) == ("compatible", "http://127.0.0.1:9/v1", "store")
    app.button(key="endpoint-remove-compatible").click().run()
    assert not get_runtime().endpoints(LOCAL_USER)


def test_a_wrong_address_is_said_and_the_key_goes(app: AppTest) -> None:
    _open(app)
    app.text_input(key="endpoint-address").set_value("no address")
    app.text_input(key="endpoint-key").set_value(KEY)
    app.button(key="endpoint-save").click().run()
    assert "not an address" in app.error[0].value
    assert app.text_input(key="endpoint-key").value == ""
    assert not get_runtime().endpoints(LOCAL_USER)


def test_the_model_is_tried(app: AppTest) -> None:
    _open(app)
    app.button(key="model-test").click().run()
    deadline = time.monotonic() + 60
    while app.session_state["tf_model_test"].state == "running" and time.monotonic() < deadline:
        time.sleep(0.05)
    app.run()
    assert not app.exception
    assert "ready" in app.success[0].value


def test_an_endpoint_is_tried_and_what_it_takes_is_kept(app: AppTest) -> None:
    def obliging(request: ModelRequest) -> list[Step]:
        if request.tools:
            return [call("run_query", sql="SELECT count(*) FROM orders")]
        return [text('{"capital": "Paris"}' if "JSON" in request.messages[-1].text else "OK then")]

    settings = get_runtime().settings
    with ModelServer(rule=obliging, models=["small"], refuses=["system"]) as server:
        get_runtime().set_endpoint(LOCAL_USER, "compatible", base_url=server.url, api_key=KEY)
        get_runtime().set_preferences(LOCAL_USER, Preferences(model="compatible:small"))
        _open(app)
        app.button(key="model-test").click().run()
        deadline = time.monotonic() + 60
        while app.session_state["tf_model_test"].state == "running" and time.monotonic() < deadline:
            time.sleep(0.05)
        app.run()
        assert not app.exception
        assert "It answers and can do all" in app.success[0].value
        assert "developer" in words(app)
        kept = kept_profile(settings, server.url, "small")
        assert kept == EndpointProfile(system_role="developer")
