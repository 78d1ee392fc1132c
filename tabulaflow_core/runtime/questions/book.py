"""Saved questions: an answer's query kept under its question, and asked again without a model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from tabulaflow_core.data.contracts import QueryFailure
from tabulaflow_core.errors import ConfigurationError, SourceError, TabulaflowError
from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.words import is_blank
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards import talk
from tabulaflow_core.runtime.dashboards.refreshing import query_async
from tabulaflow_core.store.questions import QuestionRecord
from tabulaflow_core.store.records import ConversationInfo

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

MOST_QUESTIONS: Final = 500
_CHARACTERS: Final = 2_000


class QuestionBook:
    """The saved questions of every principal. Belongs to the engine loop."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store

    async def save_async(
        self, principal: Principal, question: str, content: QueryTile, *, result_id: str
    ) -> QuestionRecord:
        """Save one; see `Runtime.save_question`."""
        words = " ".join(question.split())[:_CHARACTERS]
        if is_blank(words):
            raise ConfigurationError("A saved question needs words.")
        if result_id:
            await self._store.results.get_async(principal, result_id)
        if await self._store.questions.count_async(principal) >= MOST_QUESTIONS:
            raise ConfigurationError(f"{MOST_QUESTIONS} saved questions are the most. Remove one that is not asked.")
        return await self._store.questions.add_async(principal, words, content=content, result_id=result_id)

    async def change_async(self, principal: Principal, question_id: str, sql: str) -> QuestionRecord:
        """Give it another query, and run that."""
        there = await self._store.questions.get_async(principal, question_id)
        content = there.content.model_copy(update={"sql": sql})
        await self._store.questions.change_async(principal, question_id, content=content)
        await self.run_async(principal, question_id)
        return await self._store.questions.get_async(principal, question_id)

    async def remove_async(self, principal: Principal, question_id: str) -> None:
        """Forget it."""
        result_id = await self._store.questions.remove_async(principal, question_id)
        if result_id:
            await self._services.dashboards.drop_result_async(principal, result_id)

    async def run_async(self, principal: Principal, question_id: str) -> StoredResult | QueryFailure:
        """Run its query now and keep what it gives; a query that fails leaves the rows from before.

        Raises:
            NotFound: This principal has no such question.
            UnknownSource: Its source is gone.
            SourceUnavailable: Its source does not answer.
        """
        saved = await self._store.questions.get_async(principal, question_id)
        try:
            outcome = await query_async(self._services, principal, saved.content)
        except TabulaflowError as error:
            await self._store.questions.failed_async(principal, question_id, fault=error.user_message)
            raise
        if isinstance(outcome, QueryFailure):
            fault = f"{outcome.message} {outcome.hint}".strip()
            await self._store.questions.failed_async(principal, question_id, fault=fault)
            return outcome
        await self.keep_async(principal, question_id, outcome)
        return outcome

    async def keep_async(self, principal: Principal, question_id: str, result: StoredResult) -> None:
        """Keep rows that its query gave, in place of those before."""
        await self._store.results.put_async(principal, result)
        before = await self._store.questions.answered_async(principal, question_id, result_id=result.id)
        if before and before != result.id:
            await self._services.dashboards.drop_result_async(principal, before)

    async def ask_async(self, principal: Principal, question_id: str) -> ConversationInfo:
        """Begin a conversation whose first answer is what its query gives now; see `Runtime.ask_saved_question`."""
        saved = await self._store.questions.get_async(principal, question_id)
        outcome = await self.run_async(principal, question_id)
        if isinstance(outcome, QueryFailure):
            raise SourceError(f"The saved query does not run any more: {outcome.message} {outcome.hint}".strip())
        text = "The saved query, run again without a model."
        # A copy for the conversation: the question's own rows go when it is asked again.
        own = replace(outcome, id=f"r_{uuid4().hex[:16]}")
        return await talk.begin_async(self._services, principal, saved.question, text, own, saved.content)
