"""The two wires of the `openai` SDK; nothing else in the house imports that package."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabulaflow_core.models.openai.chat import OpenAIChatModel
    from tabulaflow_core.models.openai.client import make_client
    from tabulaflow_core.models.openai.responses import OpenAIResponsesModel

_WHERE = {"OpenAIChatModel": "chat", "OpenAIResponsesModel": "responses", "make_client": "client"}

__all__ = ["OpenAIChatModel", "OpenAIResponsesModel", "make_client"]


def __getattr__(name: str) -> object:
    """Import what is asked for, and no more."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
