"""What is kept: conversations, turns, results, sources, usage, preferences and secrets, each row with an owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tabulaflow_core.lazy import lazy_names

if TYPE_CHECKING:
    from tabulaflow_core.store.answers import Answers
    from tabulaflow_core.store.conversations import Conversations
    from tabulaflow_core.store.database import Database
    from tabulaflow_core.store.leases import STALE_SECONDS
    from tabulaflow_core.store.partial import coalesce, partial_result
    from tabulaflow_core.store.preferences import PreferenceShelf
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
    from tabulaflow_core.store.secrets import Secrets
    from tabulaflow_core.store.sources import Sources
    from tabulaflow_core.store.store import Store
    from tabulaflow_core.store.turns import Turns
    from tabulaflow_core.store.usage import UsageLedger

_HOMES: Final = {
    "Answers": ".answers",
    "ConversationInfo": ".records",
    "Conversations": ".conversations",
    "Database": ".database",
    "DatabaseRecord": ".records",
    "FeedbackRecord": ".records",
    "FileRecord": ".records",
    "WaitingRecord": ".records",
    "History": ".records",
    "PreferenceShelf": ".preferences",
    "Results": ".results",
    "STALE_SECONDS": ".leases",
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
    "STALE_SECONDS",
    "Answers",
    "ConversationInfo",
    "Conversations",
    "Database",
    "DatabaseRecord",
    "FeedbackRecord",
    "FileRecord",
    "History",
    "PreferenceShelf",
    "Results",
    "Secrets",
    "Sources",
    "Store",
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
