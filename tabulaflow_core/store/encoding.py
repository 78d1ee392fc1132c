"""Events as text for the database."""

from __future__ import annotations

import json
import re
from typing import Final

from pydantic_core import PydanticSerializationError

from tabulaflow_core.agents.events import Event

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
