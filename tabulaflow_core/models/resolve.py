"""From a name to a model."""

from __future__ import annotations

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import NoModelAvailable, UnknownModel
from tabulaflow_core.models.contracts import ChatModel


def resolve_model(name: str | ChatModel | None, *, settings: Settings | None = None) -> ChatModel:
    """Return the model called `name` (thin)."""
    if name is not None and not isinstance(name, str):
        return name
    if name is None:
        raise NoModelAvailable("No language model is set up.")
    if name.partition(":")[0] == "scripted":
        from tabulaflow_core.models.scripted import ScriptedModel
        from tabulaflow_core.models.scripts import chat_sessions

        return ScriptedModel(rule=chat_sessions)
    raise UnknownModel(f"{name!r} is not known.")
