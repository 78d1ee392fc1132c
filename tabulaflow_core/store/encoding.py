"""Events as text for the database."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable
from typing import Final

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from tabulaflow_core.agents.events import Event, event_from_json

_log = logging.getLogger(__name__)

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def event_to_json(event: Event) -> str:
    """`event` as JSON.

    A model can send half of a surrogate pair, which no database takes: it becomes U+FFFD.
    """
    try:
        return event.model_dump_json()
    except PydanticSerializationError:
        text = json.dumps(event.model_dump(mode="python"), ensure_ascii=False)
        return _LONE_SURROGATE.sub("\ufffd", text)


def events_from_json(bodies: Iterable[str]) -> list[Event]:
    """The events in order; one that another version wrote and this one cannot read is left out and logged."""
    events: list[Event] = []
    for body in bodies:
        try:
            events.append(event_from_json(body))
        except ValidationError:
            _log.warning("an event of another version was left out")
    return events
