"""The part of the facade that is about what a person adds to an answer: verdicts, and choices made by hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import JsonValue

from tabulaflow_core.agents.readings import other_reading
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.manual import Place, SqlRun
from tabulaflow_core.runtime.services import Services
from tabulaflow_core.runtime.views import TurnView
from tabulaflow_core.store.records import Verdict

T = TypeVar("T")


class AnswerCalls(ABC):
    """Synchronous and thread-safe functions over `Store.answers`; mixed into `Runtime`."""

    @property
    @abstractmethod
    def _services(self) -> Services: ...

    @abstractmethod
    def _call(self, work: Coroutine[Any, Any, T]) -> T: ...

    def judge(self, principal: Principal, turn_id: str, verdict: Verdict | None, *, reason: str = "") -> None:
        """Keep what the person thinks of an answer; None takes it back.

        Args:
            reason: In the person's words, at most 2,000 characters are kept.

        Raises:
            NotFound: This principal has no such turn.
        """
        self._call(self._services.store.answers.judge_async(principal, turn_id, verdict=verdict, reason=reason))

    def choose(self, principal: Principal, turn_id: str, place: str, choice: Mapping[str, JsonValue] | None) -> None:
        """Keep what was chosen at a place of an answer, such as another kind of chart; None takes it back.

        Args:
            place: Names the part of the answer, at most 96 characters; given back by `ConversationView.choices`.

        Raises:
            NotFound: This principal has no such turn.
        """
        self._call(self._services.store.answers.choose_async(principal, turn_id, place, choice=choice))

    def other_question(self, turn: TurnView, result: StoredResult, tables: Sequence[TableSchema]) -> str:
        """The question that means the other column which the answer names; empty where it names none.

        Args:
            tables: Those of the result's source.
        """
        reading = other_reading(result.sql, turn.question, tables, result.dialect)
        told = reading is not None and turn.result is not None and reading.sentence(turn.question) in turn.result.text
        return reading.question(turn.question) if reading is not None and told else ""

    def start_sql(self, principal: Principal, alias: str, sql: str, *, keep: Place | None = None) -> SqlRun:
        """Run a query by hand without waiting: a run to watch and to stop, from any thread.

        Args:
            keep: The place of an answer under which the query and what it gave are kept for later visits.

        Raises:
            NotFound: This principal has no such turn to keep it under.
        """
        return self._call(self._services.manual.start_async(self._services, principal, alias, sql, keep=keep))

    def sql_run(self, principal: Principal, run_id: str) -> SqlRun:
        """A run begun by `start_sql` in this process.

        Raises:
            NotFound: This principal has no such run, or it was forgotten.
        """
        return self._services.manual.get(principal, run_id)
