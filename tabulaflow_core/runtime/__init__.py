"""How a host runs the engine: one loop thread, turns as replayable logs, everything kept in the store.

rt = get_runtime()
conversation = rt.new_conversation(LOCAL_USER)
turn = rt.start_turn(LOCAL_USER, conversation.id, "What are our sales by month?")
for events in turn.attach():
    ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tabulaflow_core.lazy import lazy_names

if TYPE_CHECKING:
    from tabulaflow_core.runtime.begun import CutShort
    from tabulaflow_core.runtime.dashboards.runs import DashboardRun
    from tabulaflow_core.runtime.dashboards.views import (
        DashboardInfo,
        DashboardView,
        FilterableColumn,
        FilterChoices,
        TileChanges,
        TileData,
        TileView,
    )
    from tabulaflow_core.runtime.downloads import Download
    from tabulaflow_core.runtime.manual import Place, SqlRun, last_good
    from tabulaflow_core.runtime.model_tests import ModelTest
    from tabulaflow_core.runtime.preferences import EndpointInfo, KeyPlace, Preferences, ProviderInfo
    from tabulaflow_core.runtime.questions.rechecking import Mend, Rechecked, RecheckRun
    from tabulaflow_core.runtime.runtime import Runtime
    from tabulaflow_core.runtime.singleton import get_runtime
    from tabulaflow_core.runtime.turns import Turn
    from tabulaflow_core.runtime.views import (
        ConversationView,
        FileChoice,
        FileOutcome,
        FileQuestion,
        ModelStatus,
        ReadingJob,
        SampleState,
        SourceInfo,
        TurnView,
    )
    from tabulaflow_core.store.questions import QuestionRecord
    from tabulaflow_core.store.records import ConversationInfo, FeedbackRecord, UsageRow, Verdict

_HOMES: Final = {
    "ConversationInfo": "tabulaflow_core.store.records",
    "ConversationView": "tabulaflow_core.runtime.views",
    "CutShort": "tabulaflow_core.runtime.begun",
    "DashboardInfo": "tabulaflow_core.runtime.dashboards.views",
    "DashboardRun": "tabulaflow_core.runtime.dashboards.runs",
    "DashboardView": "tabulaflow_core.runtime.dashboards.views",
    "FilterChoices": "tabulaflow_core.runtime.dashboards.views",
    "FilterableColumn": "tabulaflow_core.runtime.dashboards.views",
    "TileChanges": "tabulaflow_core.runtime.dashboards.views",
    "TileData": "tabulaflow_core.runtime.dashboards.views",
    "TileView": "tabulaflow_core.runtime.dashboards.views",
    "Download": "tabulaflow_core.runtime.downloads",
    "EndpointInfo": "tabulaflow_core.runtime.preferences",
    "FeedbackRecord": "tabulaflow_core.store.records",
    "FileChoice": "tabulaflow_core.runtime.views",
    "FileOutcome": "tabulaflow_core.runtime.views",
    "FileQuestion": "tabulaflow_core.runtime.views",
    "Mend": "tabulaflow_core.runtime.questions.rechecking",
    "QuestionRecord": "tabulaflow_core.store.questions",
    "RecheckRun": "tabulaflow_core.runtime.questions.rechecking",
    "Rechecked": "tabulaflow_core.runtime.questions.rechecking",
    "ModelStatus": "tabulaflow_core.runtime.views",
    "KeyPlace": "tabulaflow_core.runtime.preferences",
    "ModelTest": "tabulaflow_core.runtime.model_tests",
    "Place": "tabulaflow_core.runtime.manual",
    "Preferences": "tabulaflow_core.runtime.preferences",
    "ProviderInfo": "tabulaflow_core.runtime.preferences",
    "ReadingJob": "tabulaflow_core.runtime.views",
    "SampleState": "tabulaflow_core.runtime.views",
    "Runtime": "tabulaflow_core.runtime.runtime",
    "SourceInfo": "tabulaflow_core.runtime.views",
    "SqlRun": "tabulaflow_core.runtime.manual",
    "Turn": "tabulaflow_core.runtime.turns",
    "TurnView": "tabulaflow_core.runtime.views",
    "UsageRow": "tabulaflow_core.store.records",
    "Verdict": "tabulaflow_core.store.records",
    "get_runtime": "tabulaflow_core.runtime.singleton",
    "last_good": "tabulaflow_core.runtime.manual",
}

__all__ = [
    "ConversationInfo",
    "ConversationView",
    "CutShort",
    "DashboardInfo",
    "DashboardRun",
    "DashboardView",
    "Download",
    "EndpointInfo",
    "FeedbackRecord",
    "FileChoice",
    "FileOutcome",
    "FileQuestion",
    "FilterChoices",
    "FilterableColumn",
    "KeyPlace",
    "Mend",
    "ModelStatus",
    "ModelTest",
    "Place",
    "Preferences",
    "ProviderInfo",
    "QuestionRecord",
    "ReadingJob",
    "RecheckRun",
    "Rechecked",
    "Runtime",
    "SampleState",
    "SourceInfo",
    "SqlRun",
    "TileChanges",
    "TileData",
    "TileView",
    "Turn",
    "TurnView",
    "UsageRow",
    "Verdict",
    "get_runtime",
    "last_good",
]


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
