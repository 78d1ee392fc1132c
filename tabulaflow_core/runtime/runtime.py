"""The facade: what pages and commands call, from any thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Coroutine, Sequence
from datetime import datetime
from typing import Any, TypeVar

from tabulaflow_core.config import Settings
from tabulaflow_core.data.contracts import QueryFailure, QueryResult
from tabulaflow_core.errors import StoreUnavailable
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime import models, queries, warming
from tabulaflow_core.runtime.answer_calls import AnswerCalls
from tabulaflow_core.runtime.dashboard_calls import DashboardCalls
from tabulaflow_core.runtime.downloads import Download, Downloads
from tabulaflow_core.runtime.engine_loop import EngineLoop
from tabulaflow_core.runtime.file_calls import FileCalls
from tabulaflow_core.runtime.follower import FollowedTurn
from tabulaflow_core.runtime.preference_calls import PreferenceCalls
from tabulaflow_core.runtime.question_calls import QuestionCalls
from tabulaflow_core.runtime.services import Services
from tabulaflow_core.runtime.shared_reads import SharedReads
from tabulaflow_core.runtime.turns import Turn
from tabulaflow_core.runtime.views import ConversationView, ModelStatus, SampleState, SourceInfo
from tabulaflow_core.store.folders import owner_folder
from tabulaflow_core.store.records import ConversationInfo, UsageRow

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Runtime(AnswerCalls, DashboardCalls, QuestionCalls, PreferenceCalls, FileCalls):
    """One process's engine: a loop in a thread, the open sources, the running turns, the store.

    Every method is synchronous and thread-safe, filters by its principal, and raises `TabulaflowError`s only.

    Args:
        settings: By default those of the environment.
        model_factory: Makes the client of a model's name, for tests and for programs with models of their own.
    """

    def __init__(self, settings: Settings | None = None, *, model_factory: models.ModelFactory | None = None) -> None:
        self.settings = settings or Settings.from_env()
        self._factory = model_factory
        self._loop = EngineLoop()
        self._reads = SharedReads()
        self._opened: Services | None = None
        self._opening = threading.Lock()
        self._closed = False
        self._downloads = Downloads(self.settings)

    # Sources

    def sources(self, principal: Principal) -> tuple[SourceInfo, ...]:
        """All sources; one that cannot be opened is `broken` and says why."""
        read = self._services.sources.list_async
        return self._call(self._reads.get_async(("sources", principal), lambda: read(principal)))

    def first_visit(self, principal: Principal) -> bool:
        """True once for each principal, ever: what is given as a welcome does not come back after it was removed."""
        mark = owner_folder(self.settings.data_dir / "visitors", principal)
        try:
            mark.mkdir(parents=True)
        except OSError:  # there already, or a full or read-only disk, on which samples would not fit either
            return False
        return True

    def add_samples(self, principal: Principal, *, stay: bool = False) -> SourceInfo:
        """Add the sample files that ship; those that are there already stay as they are.

        They are put away by themselves when data of the person's own comes and no answer rests on files.

        Args:
            stay: They are wanted beside the person's own data, and stay.
        """
        services = self._services
        self._call(services.files.samples.bring_async(principal, stay=stay))
        return next(source for source in self._call(services.sources.list_async(principal)) if source.kind == "files")

    def samples(self, principal: Principal) -> SampleState:
        """Whether the samples are there, were put away, or were removed one by one."""
        return self._call(self._services.files.samples.state_async(principal))

    def put_samples_away(self, principal: Principal) -> None:
        """Take the samples away; those that were replaced or read in another way stay."""
        self._call(self._services.files.samples.put_away_async(principal))

    def test_database(self, principal: Principal, url: str, *, source_id: str | None = None) -> SourceInfo:
        """Connect once and look; nothing is kept.

        Args:
            source_id: A kept database, whose password stands for a `***` in the URL.

        Raises:
            NotFound: This principal has no such source.
            SourceError: The URL is malformed or not allowed, or the database does not answer.
        """
        sources = self._services.sources
        if source_id is not None:
            url = self._call(sources.with_kept_password_async(principal, source_id, url))
        return self._call(sources.test_async(url))

    def change_database(self, principal: Principal, source_id: str, url: str) -> SourceInfo:
        """Test, then give a kept database another address or password; its name stays, its id changes.

        Args:
            url: Where its password is `***`, the kept one is taken; another server or user needs a new one.

        Raises:
            NotFound: This principal has no such source.
            SourceError: As for `test_database`.
        """
        return self._call(self._services.sources.change_async(principal, source_id, url))

    def add_database(self, principal: Principal, alias: str, url: str) -> SourceInfo:
        """Test, then keep the database with its URL encrypted.

        Raises:
            SourceError: As for `test_database`, or the alias cannot be used or is taken.
        """
        return self._call(self._services.sources.add_async(principal, alias, url))

    def hide_columns(self, principal: Principal, alias: str, patterns: Sequence[str]) -> None:
        """Hide columns of a source from the model, from the next question on; the person still sees them.

        Args:
            patterns: Such as `email` or `customers.*`, in the place of those before; see `docs/databases.md`.
        """
        self._call(self._services.sources.hide_columns_async(principal, alias, patterns))

    def remove_source(self, principal: Principal, source_id: str) -> None:
        """Forget a source; `files` forgets all uploaded files.

        Raises:
            NotFound: This principal has no such source.
        """
        self._call(self._services.sources.remove_async(principal, source_id))

    def preview(self, principal: Principal, alias: str, table: str, *, limit: int = 100) -> QueryResult:
        """The first rows of a table, with what is to be said of them.

        Args:
            table: Its name, or `schema.name`.

        Raises:
            UnknownSource: There is no such source.
            NotFound: It has no such table.
            SourceError: The rows cannot be read; the message says why.
        """
        return self._call(queries.preview_async(self._services, principal, alias, table, limit=limit))

    def run_sql(self, principal: Principal, alias: str, sql: str) -> StoredResult | QueryFailure:
        """Run a query by hand, through the same guard; its result is stored.

        Raises:
            UnknownSource: There is no such source.
            SourceUnavailable: The source does not answer.
        """
        return self._call(queries.run_sql_async(self._services, principal, alias, sql))

    # Conversations

    def new_conversation(self, principal: Principal) -> ConversationInfo:
        """Begin a conversation; it is listed once it has a turn."""
        return self._call(self._services.store.conversations.create_async(principal))

    def conversations(self, principal: Principal, *, limit: int = 50, search: str = "") -> tuple[ConversationInfo, ...]:
        """Those with at least one turn, the newest first.

        Args:
            search: Words, all of which stand in the title or in the questions, in any case.
        """
        read = self._services.store.conversations.list_async
        key = ("conversations", principal, limit, search)
        return self._call(self._reads.get_async(key, lambda: read(principal, limit=limit, search=search)))

    def conversation(self, principal: Principal, conversation_id: str) -> ConversationView:
        """A conversation with its turns and their events.

        Raises:
            NotFound: This principal has no such conversation.
        """
        return self._call(self._services.conversation_async(principal, conversation_id))

    def rename_conversation(self, principal: Principal, conversation_id: str, title: str) -> ConversationInfo:
        """Give it another title; an empty one is ignored.

        Raises:
            NotFound: This principal has no such conversation.
        """
        return self._call(self._services.store.conversations.rename_async(principal, conversation_id, title))

    def delete_conversation(self, principal: Principal, conversation_id: str) -> None:
        """Delete it with its turns; a running one is stopped. What it used stays in the ledger.

        Raises:
            NotFound: This principal has no such conversation.
        """
        self._call(self._services.delete_conversation_async(principal, conversation_id))

    # Turns

    def start_turn(
        self, principal: Principal, conversation_id: str, question: str, *, model: str | None = None
    ) -> Turn:
        """Begin to answer `question`; comes back at once.

        Args:
            model: `provider:model`; None for the default.

        Raises:
            NotFound: This principal has no such conversation.
            TurnInProgress: A turn of it runs, here or in another process.
            ModelError: There is no such model, or none at all.
        """
        return self._call(self._services.start_turn_async(principal, conversation_id, question, model))

    def running_turn(self, principal: Principal, conversation_id: str) -> Turn | None:
        """The turn that runs in a conversation, of this process or followed through the store; None when none does.

        Raises:
            NotFound: This principal has no such conversation.
        """
        services = self._services
        if (live := services.live_turn(principal, conversation_id)) is not None:
            return live
        self._call(services.store.conversations.get_async(principal, conversation_id))
        record = self._call(services.store.turns.running_async(principal, conversation_id))
        if record is None:
            return None
        # It may have begun here between the two looks.
        return services.live.get(record.id) or FollowedTurn(self._loop, services.store.turns, principal, record)

    # Results, usage, models

    def result(self, principal: Principal, result_id: str) -> StoredResult:
        """A stored result.

        Raises:
            NotFound: This principal has no such result, or it was dropped to make room.
        """
        return self._call(self._services.store.results.get_async(principal, result_id))

    def usage(
        self, principal: Principal, *, since: datetime | None = None, until: datetime | None = None
    ) -> tuple[UsageRow, ...]:
        """What each turn used, the newest first."""
        return self._call(self._services.store.usage.rows_async(principal, since=since, until=until))

    def models(self, principal: Principal) -> tuple[ModelStatus, ...]:
        """The models that could answer, each with what it still needs."""
        read = self._services.models.statuses_async
        return self._call(self._reads.get_async(("models", principal), lambda: read(principal)))

    def default_model(self, principal: Principal) -> str | None:
        """The model used when none is named; None when there is none."""
        read = self._services.models.default_name_async
        return self._call(self._reads.get_async(("default model", principal), lambda: read(principal)))

    def download_model(self, principal: Principal) -> Download:
        """Fetch the embedded model's weights, or join the download that runs."""
        return self._downloads.start()

    def model_download(self, principal: Principal) -> Download | None:
        """The last download begun in this process; None before the first."""
        return self._downloads.current

    def warm(self, principal: Principal, conversation_id: str) -> None:
        """Load the embedded model and read the prompt's beginning, in the background; never raises."""
        try:
            self._loop.submit(warming.warm_async(self._services, principal, conversation_id))
        except Exception:  # a convenience that must not break a page
            _log.warning("the model could not be warmed", exc_info=True)

    def close(self) -> None:
        """End the running turns as interrupted and close everything, in two seconds at most; may be called again."""
        with self._opening:
            if self._closed:
                return
            self._closed = True
            services, self._opened = self._opened, None
        self._downloads.close()
        if services is not None:
            try:
                self._loop.call(services.close_async(), timeout=1.9)
            except TimeoutError:
                _log.warning("closing took too long and was given up")
        self._loop.close()

    @property
    def _services(self) -> Services:
        """The services, opened on first use; a store that was away is tried again by the next call."""
        if self._opened is None:
            with self._opening:
                if self._closed:
                    raise StoreUnavailable("The server is being shut down. Reload the page in a moment.")
                if self._opened is None:
                    work = Services.open_async(self.settings, self._loop, factory=self._factory)
                    self._opened = self._loop.call(work)
        return self._opened

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.call(work)
