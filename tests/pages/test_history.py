"""The ended turns: how many are drawn, and that each is drawn from what is kept now."""

from __future__ import annotations

import time

from streamlit.testing.v1 import AppTest

from pages.ui import take_conversation
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime

_QUESTION = "Which products are below their reorder point?"


def _asked(*, turns: int) -> str:
    """A conversation of so many ended turns."""
    runtime = get_runtime()
    conversation = runtime.new_conversation(LOCAL_USER)
    for at in range(turns):
        turn = runtime.start_turn(LOCAL_USER, conversation.id, f"{_QUESTION} {at}")
        for _ in turn.attach():
            pass
        for _ in range(200):
            if runtime.running_turn(LOCAL_USER, conversation.id) is None:
                break
            time.sleep(0.02)
    return conversation.id


def _questions(app: AppTest) -> list[str]:
    return [message.children[0].value for message in app.chat_message if message.name == "user"]


def test_the_newest_turns_are_drawn_and_older_ones_a_few_at_a_press(app: AppTest) -> None:
    app.run()
    long, other = _asked(turns=17), _asked(turns=7)
    app.query_params["c"] = long
    app.run()
    assert _questions(app) == [f"{_QUESTION} {at}" for at in range(12, 17)]
    assert app.button(key="earlier").label == "Show 10 earlier"
    assert any(caption.value == "12 are above" for caption in app.caption)
    app.button(key="earlier").click().run()
    assert _questions(app) == [f"{_QUESTION} {at}" for at in range(2, 17)]
    assert app.button(key="earlier").label == "Show 2 earlier"
    app.button(key="earlier").click().run()
    assert len(_questions(app)) == 17
    assert not [button for button in app.button if button.key == "earlier"]
    app.query_params["c"] = other  # a short look at one conversation does not make another one slow
    app.run()
    assert len(_questions(app)) == 5
    assert app.button(key="earlier").label == "Show 2 earlier"
    assert not app.exception


def test_what_is_taken_away_is_the_conversation_at_the_click(app: AppTest) -> None:
    app.run()
    runtime = get_runtime()
    drawn = runtime.conversation(LOCAL_USER, _asked(turns=1))
    runtime.choose(LOCAL_USER, drawn.turns[0].id, "chart-0", {"type": "pie"})
    made = take_conversation._made_now(drawn, lambda view: str([dict(places) for places in view.choices.values()]))
    assert made == b"[{'chart-0': {'type': 'pie'}}]"
    runtime.delete_conversation(LOCAL_USER, drawn.id)
    assert take_conversation._made_now(drawn, lambda view: str(len(view.turns))) == b"1"
