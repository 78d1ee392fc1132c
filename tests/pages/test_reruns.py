"""What every click would pay again: nothing that sleeps, and nothing of a figure that was worked out before."""

from __future__ import annotations

import time

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import answer


def test_drawing_ended_answers_never_sleeps(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    slept: list[float] = []
    real = time.sleep

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        real(seconds)

    # `st.status` sleeps in this module, for each answer on the page.
    monkeypatch.setattr("streamlit.elements.lib.mutable_status_container.time.sleep", sleep)
    app.run()
    assert not app.exception
    assert any("How I got this" in box.label for box in app.expander)
    assert 0.05 not in slept


def test_a_figure_is_checked_once_and_keeps_its_own_colours() -> None:
    colours = ("#0f766e", "#d97706")
    plain = '{"data": [{"type": "bar", "x": ["a"], "y": [1]}], "layout": {}}'
    own = '{"data": [{"type": "bar", "x": ["a"], "y": [1]}], "layout": {"colorway": ["#000000"], "height": 99}}'
    first = answer._figure(plain, colours, 320)
    assert answer._figure(plain, colours, 320) is first
    assert first.layout.colorway == colours
    assert answer._figure(own, colours, 320).layout.colorway == ("#000000",)
    assert (first.layout.height, answer._figure(own, colours, 320).layout.height) == (320, 99)
