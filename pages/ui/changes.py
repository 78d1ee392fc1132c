"""What a person changed on one answer by hand, kept with the answer: found again by reload and by a second tab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st
from pydantic import JsonValue

from pages.ui import safe, state
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import ConversationView, Place, TurnView, get_runtime


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of one answer, each at its place in it.

    Attributes:
        turn: The answer; None where it is not known.
    """

    turn_id: str
    kept: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    conversation_id: str = ""
    turn: TurnView | None = None

    @classmethod
    def of(cls, view: ConversationView, turn_id: str) -> Changes:
        """Those of an answer of `view`."""
        turn = next((turn for turn in view.turns if turn.id == turn_id), None)
        return cls(turn_id, view.choices.get(turn_id, {}), view.id, turn)

    def at(self, name: str) -> Mapping[str, JsonValue] | None:
        """What was chosen at a place; None where everything is as answered."""
        return self.kept.get(name)

    def place(self, name: str) -> Place:
        """A place of this answer."""
        return Place(self.turn_id, name)


def keep(place: Place, choice: Mapping[str, JsonValue] | None) -> None:
    """Keep a choice, None to take it back; for callbacks, so a fault is a toast."""
    try:
        get_runtime().choose(state.principal(), place.turn_id, place.name, choice)
    except TabulaflowError as error:
        st.toast(safe.markdown(error.user_message), icon=":material/error:")
