"""What is kept: conversations, turns, results, sources, usage, preferences and secrets, each row with an owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tabulaflow_core.lazy import lazy_names

if TYPE_CHECKING:
    from tabulaflow_core.store.answers import Answers
    from tabulaflow_core.store.conversations import Conversations
    from tabulaflow_core.store.dashboard_records import DashboardRecord, TileRecord
    from tabulaflow_core.store.dashboards import Dashboards
    from tabulaflow_core.store.database import Database
    from tabulaflow_core.store.leases import STALE_SECONDS
    from tabulaflow_core.store.partial import coalesce, partial_result
    from tabulaflow_core.store.preferences import PreferenceShelf
    from tabulaflow_core.store.questions import QuestionRecord, Questions
    from tabulaflow_core.store.records import (
        ConversationInfo,
        DatabaseRecord,
        FeedbackRecord,
        FileRecord,
        History,
        TurnRecord,
        TurnState,
        UsageRow,
        Verdict,
        WaitingRecord,
    )
    from tabulaflow_core.store.results import Results
    from tabulaflow_core.store.schedules import LEASE_SECONDS, SCHEDULER, Schedules
    from tabulaflow_core.store.secrets import Secrets
    from tabulaflow_core.store.shown import ShownResults
    from tabulaflow_core.store.sources import Sources
    from tabulaflow_core.store.store import Store
    from tabulaflow_core.store.tiles import Tiles
    from tabulaflow_core.store.turns import Turns
    from tabulaflow_core.store.usage import UsageLedger

_HOMES: Final = {
    "Answers": ".answers",
    "ConversationInfo": ".records",
    "Conversations": ".conversations",
    "DashboardRecord": ".dashboard_records",
    "Dashboards": ".dashboards",
    "Database": ".database",
    "DatabaseRecord": ".records",
    "FeedbackRecord": ".records",
    "FileRecord": ".records",
    "WaitingRecord": ".records",
    "History": ".records",
    "PreferenceShelf": ".preferences",
    "QuestionRecord": ".questions",
    "Questions": ".questions",
    "Results": ".results",
    "ShownResults": ".shown",
    "LEASE_SECONDS": ".schedules",
    "SCHEDULER": ".schedules",
    "STALE_SECONDS": ".leases",
    "Schedules": ".schedules",
    "TileRecord": ".dashboard_records",
    "Tiles": ".tiles",
    "Secrets": ".secrets",
    "Sources": ".sources",
    "Store": ".store",
    "TurnRecord": ".records",
    "TurnState": ".records",
    "Turns": ".turns",
    "UsageLedger": ".usage",
    "UsageRow": ".records",
    "Verdict": ".records",
    "coalesce": ".partial",
    "partial_result": ".partial",
}

__all__ = [
    "LEASE_SECONDS",
    "SCHEDULER",
    "STALE_SECONDS",
    "Answers",
    "ConversationInfo",
    "Conversations",
    "DashboardRecord",
    "Dashboards",
    "Database",
    "DatabaseRecord",
    "FeedbackRecord",
    "FileRecord",
    "History",
    "PreferenceShelf",
    "QuestionRecord",
    "Questions",
    "Results",
    "Schedules",
    "Secrets",
    "ShownResults",
    "Sources",
    "Store",
    "TileRecord",
    "Tiles",
    "TurnRecord",
    "TurnState",
    "Turns",
    "UsageLedger",
    "UsageRow",
    "Verdict",
    "WaitingRecord",
    "coalesce",
    "partial_result",
]


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
