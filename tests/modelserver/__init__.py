"""A real HTTP server that speaks both wires and plays scripts, with faults.

    with ModelServer() as server:
        server.enqueue(call("run_query", sql="SELECT 1"))
        server.enqueue(text("One."))
        model = OpenAIChatModel(facts, base_url=server.url, api_key="k")

Steps are those of `tabulaflow_core.models.scripted` and, for faults of a wire, those of `tests.modelserver.steps`.
"""

from tabulaflow_core.models.scripted import call, delay, hang, raw_call, text, thinking
from tests.modelserver.server import ModelServer, Recorded
from tests.modelserver.steps import (
    drop,
    empty_first,
    end_early,
    error_event,
    finish,
    no_finish,
    no_id,
    no_index,
    no_usage,
    raw_event,
    refuse,
    status,
)

__all__ = [
    "ModelServer",
    "Recorded",
    "call",
    "delay",
    "drop",
    "empty_first",
    "end_early",
    "error_event",
    "finish",
    "hang",
    "no_finish",
    "no_id",
    "no_index",
    "no_usage",
    "raw_call",
    "raw_event",
    "refuse",
    "status",
    "text",
    "thinking",
]
