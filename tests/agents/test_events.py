"""Events: JSON both ways, frozen, nothing unknown."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tabulaflow_core.agents import Event, TurnStarted, event_from_json
from tabulaflow_core.models.scripted import ScriptedModel, call, text, thinking
from tests.agents.helpers import BELOW, New, events_of


async def test_json_both_ways(model: ScriptedModel, new_session: New) -> None:
    model.enqueue(thinking("Hm."), text("I look."), call("run_query", sql=BELOW))
    model.enqueue(call("run_query", sql="SELECT nope")).enqueue(text("Two."))
    events: list[Event] = await events_of(new_session())
    assert [event_from_json(event.model_dump_json()) for event in events] == events


def test_frozen_and_closed() -> None:
    event = TurnStarted(question="Q", model="m")
    with pytest.raises(ValidationError):
        event.question = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        event_from_json('{"kind": "turn_started", "question": "Q", "model": "m", "more": 1}')
    with pytest.raises(ValidationError):
        event_from_json('{"kind": "unheard_of"}')
