"""The two wires of the `openai` SDK; nothing else in the house imports that package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.lazy import lazy_names

if TYPE_CHECKING:
    from tabulaflow_core.models.openai.chat import OpenAIChatModel
    from tabulaflow_core.models.openai.client import make_client
    from tabulaflow_core.models.openai.responses import OpenAIResponsesModel

_HOMES = {"OpenAIChatModel": ".chat", "OpenAIResponsesModel": ".responses", "make_client": ".client"}

__all__ = ["OpenAIChatModel", "OpenAIResponsesModel", "make_client"]


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
