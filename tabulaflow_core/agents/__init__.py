"""How a question is answered: sessions, turns, tools, prompts and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.lazy import lazy_names

if TYPE_CHECKING:
    from tabulaflow_core.agents.events import AnswerDelta as AnswerDelta
    from tabulaflow_core.agents.events import Artifact as Artifact
    from tabulaflow_core.agents.events import CompactionFinished as CompactionFinished
    from tabulaflow_core.agents.events import CompactionStarted as CompactionStarted
    from tabulaflow_core.agents.events import ErrorInfo as ErrorInfo
    from tabulaflow_core.agents.events import Event as Event
    from tabulaflow_core.agents.events import Narration as Narration
    from tabulaflow_core.agents.events import Outcome as Outcome
    from tabulaflow_core.agents.events import SessionEvent as SessionEvent
    from tabulaflow_core.agents.events import ThinkingDelta as ThinkingDelta
    from tabulaflow_core.agents.events import ToolFinished as ToolFinished
    from tabulaflow_core.agents.events import ToolProgress as ToolProgress
    from tabulaflow_core.agents.events import ToolStarted as ToolStarted
    from tabulaflow_core.agents.events import TurnFailed as TurnFailed
    from tabulaflow_core.agents.events import TurnFinished as TurnFinished
    from tabulaflow_core.agents.events import TurnInterrupted as TurnInterrupted
    from tabulaflow_core.agents.events import TurnResult as TurnResult
    from tabulaflow_core.agents.events import TurnStarted as TurnStarted
    from tabulaflow_core.agents.events import UsageReport as UsageReport
    from tabulaflow_core.agents.events import UsageUpdated as UsageUpdated
    from tabulaflow_core.agents.events import event_from_json as event_from_json
    from tabulaflow_core.agents.history import messages_from_json as messages_from_json
    from tabulaflow_core.agents.history import messages_to_json as messages_to_json
    from tabulaflow_core.agents.ports import AllowAllModels as AllowAllModels
    from tabulaflow_core.agents.ports import ModelPermit as ModelPermit
    from tabulaflow_core.agents.session import ChatSession as ChatSession
    from tabulaflow_core.agents.session import TypedResult as TypedResult
    from tabulaflow_core.agents.stream import TurnStream as TurnStream

_HOMES = {
    "AllowAllModels": ".ports",
    "AnswerDelta": ".events",
    "Artifact": ".events",
    "ChatSession": ".session",
    "CompactionFinished": ".events",
    "CompactionStarted": ".events",
    "ErrorInfo": ".events",
    "Event": ".events",
    "ModelPermit": ".ports",
    "Narration": ".events",
    "Outcome": ".events",
    "SessionEvent": ".events",
    "ThinkingDelta": ".events",
    "ToolFinished": ".events",
    "ToolProgress": ".events",
    "ToolStarted": ".events",
    "TurnFailed": ".events",
    "TurnFinished": ".events",
    "TurnInterrupted": ".events",
    "TurnResult": ".events",
    "TurnStarted": ".events",
    "TurnStream": ".stream",
    "TypedResult": ".session",
    "UsageReport": ".events",
    "UsageUpdated": ".events",
    "event_from_json": ".events",
    "messages_from_json": ".history",
    "messages_to_json": ".history",
}

__all__ = [
    "AllowAllModels",
    "AnswerDelta",
    "Artifact",
    "ChatSession",
    "CompactionFinished",
    "CompactionStarted",
    "ErrorInfo",
    "Event",
    "ModelPermit",
    "Narration",
    "Outcome",
    "SessionEvent",
    "ThinkingDelta",
    "ToolFinished",
    "ToolProgress",
    "ToolStarted",
    "TurnFailed",
    "TurnFinished",
    "TurnInterrupted",
    "TurnResult",
    "TurnStarted",
    "TurnStream",
    "TypedResult",
    "UsageReport",
    "UsageUpdated",
    "event_from_json",
    "messages_from_json",
    "messages_to_json",
]


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
