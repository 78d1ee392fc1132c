"""A running answer on the page, drawn again and again while it grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tabulaflow_core.models.scripted import ScriptedModel, Step, delay, text
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime import ConversationView, Runtime
from tabulaflow_core.runtime.singleton import adopt, close_runtime
from tests.pages.conftest import APP


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """The model of the app, which answers as slowly as a real one."""
    monkeypatch.setenv("TABULAFLOW_MODEL", "scripted")
    close_runtime()
    made = ScriptedModel()
    adopt(Runtime(model_factory=lambda name: made))
    yield made
    close_runtime()


def slowly(*pieces: str) -> list[Step]:
    """Each piece with a pause behind it, so that the page draws what came before."""
    return [step for piece in pieces for step in (text(piece), delay(0.15))]


@pytest.mark.parametrize(
    "pieces",
    [
        ("One ", "two ", "three ", "four."),
        ("12 ", "שלום ", "עולם ", "34."),
        ("\u202a1 ", "a ", "ب ", "5."),
    ],
    ids=["left to right", "right to left", "mixed"],
)
def test_a_growing_answer_is_drawn_to_its_end(model: ScriptedModel, pieces: tuple[str, ...]) -> None:
    app = AppTest.from_file(str(APP), default_timeout=30).run()
    model.enqueue(*slowly(*pieces))
    app.chat_input[0].set_value("How many?").run()
    assert not app.exception
    assert any(pieces[-1] in str(shown.value) for shown in app.markdown)
    assert any(button.label == "Ask again" for button in app.button)


def test_a_second_answer_grows_below_the_first(model: ScriptedModel) -> None:
    app = AppTest.from_file(str(APP), default_timeout=30).run()
    for words in ("First ", "Second "):
        model.enqueue(*slowly(words, "of ", "two."))
        app.chat_input[0].set_value(f"{words}?").run()
        assert not app.exception
    assert len(app.chat_message) == 4


def test_an_answer_that_ends_while_the_page_is_read_is_shown(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = AppTest.from_file(str(APP), default_timeout=30).run()
    model.enqueue(text("Forty-two."))
    app.chat_input[0].set_value("How many?").run()
    whole, looks = Runtime.conversation, 0

    def conversation(self: Runtime, principal: Principal, conversation_id: str) -> ConversationView:
        nonlocal looks
        looks += 1
        view = whole(self, principal, conversation_id)
        if looks > 1:
            return view
        begun = replace(view.turns[-1], state="running", result=None, events=())
        return replace(view, turns=(*view.turns[:-1], begun))

    monkeypatch.setattr(Runtime, "conversation", conversation)
    app.run()
    assert looks == 2
    assert any("Forty-two." in str(shown.value) for shown in app.markdown)
