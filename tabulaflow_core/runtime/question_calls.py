"""The part of the facade that is about saved questions, and about what new data makes of them and of tiles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards.refreshing import refresh_async
from tabulaflow_core.runtime.questions import schema_watch
from tabulaflow_core.runtime.questions.rechecking import Rechecked, RecheckRun
from tabulaflow_core.runtime.services import Services
from tabulaflow_core.store.questions import QuestionRecord
from tabulaflow_core.store.records import ConversationInfo

T = TypeVar("T")


class QuestionCalls(ABC):
    """Synchronous and thread-safe functions over saved questions; mixed into `Runtime`."""

    @property
    @abstractmethod
    def _services(self) -> Services: ...

    @abstractmethod
    def _call(self, work: Coroutine[Any, Any, T]) -> T: ...

    def save_question(
        self, principal: Principal, question: str, content: QueryTile, *, result_id: str = ""
    ) -> QuestionRecord:
        """Keep a question with the query that answers it; saved a second time, the first one comes back.

        Args:
            result_id: The rows of the answer.

        Raises:
            NotFound: The rows are not there any more.
            ConfigurationError: There are no words, or too many questions.
        """
        return self._call(self._services.questions.save_async(principal, question, content, result_id=result_id))

    def saved_questions(self, principal: Principal) -> tuple[QuestionRecord, ...]:
        """One's own, the last saved first."""
        return self._call(self._services.store.questions.list_async(principal))

    def remove_question(self, principal: Principal, question_id: str) -> None:
        """Forget one.

        Raises:
            NotFound: This principal has no such question.
        """
        self._call(self._services.questions.remove_async(principal, question_id))

    def change_question(self, principal: Principal, question_id: str, sql: str) -> QuestionRecord:
        """Give one another query, which is run; what comes of it stands in the record.

        Raises:
            NotFound: This principal has no such question.
            SourceUnavailable: Its source does not answer.
        """
        return self._call(self._services.questions.change_async(principal, question_id, sql))

    def ask_saved_question(self, principal: Principal, question_id: str) -> ConversationInfo:
        """Begin a conversation whose first answer is what the query of a question gives now; no model is called.

        Raises:
            NotFound: This principal has no such question.
            SourceError: Its query does not run any more, or its source does not answer.
        """
        return self._call(self._services.questions.ask_async(principal, question_id))

    def recheck(
        self, principal: Principal, source: str, *, tables: Sequence[str] | None = None, version: str = ""
    ) -> RecheckRun:
        """Run every tile and saved question of one's own again that a source touches; comes back at once.

        Args:
            tables: Only those that read one of these tables.
            version: Names the state of the source: a second call for the same joins the first. Empty to look anew.
        """
        return self._call(_recheck_async(self._services, principal, source, tables, version))

    def recheck_changed(self, principal: Principal, source: str) -> RecheckRun | None:
        """The look at all that uses a source, begun when its tables changed since this was last asked; None before.

        Raises:
            UnknownSource: There is no such source.
            SourceUnavailable: It does not answer.
        """
        return self._call(schema_watch.changed_async(self._services, principal, source))

    def use_mend(self, principal: Principal, item: Rechecked) -> None:
        """Put the proposed statement in the place of the one that broke, and run it.

        Raises:
            NotFound: It was removed meanwhile.
            NotPermitted: It is somebody else's.
        """
        if item.mend is not None:
            self._call(_use_async(self._services, principal, item, item.mend.sql))


async def _recheck_async(
    services: Services, principal: Principal, source: str, tables: Sequence[str] | None, version: str
) -> RecheckRun:
    return services.rechecks.start(services, principal, source, tables, version)


async def _use_async(services: Services, principal: Principal, item: Rechecked, sql: str) -> None:
    if item.kind == "question":
        await services.questions.change_async(principal, item.id, sql)
        return
    await services.dashboards.requery_tile_async(principal, item.dashboard_id, item.id, sql)
    board = await services.store.dashboards.get_async(principal, item.dashboard_id)
    for tile in board.tiles:
        if tile.id == item.id:  # not as part of a refresh that may have begun with the broken statement
            await refresh_async(services, principal, tile)
