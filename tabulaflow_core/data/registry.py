"""The sources of a session, by alias."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tabulaflow_core.data.closing import Closing
from tabulaflow_core.data.contracts import DataConnector, QueryOutcome
from tabulaflow_core.data.reserved import reserved_reason
from tabulaflow_core.errors import SourceError, UnknownSource

_ALIAS: Final = re.compile(r"[^\W\d][\w\-]{0,62}")


class DataConnectorRegistry(Closing):
    """Connectors by alias; owns them: closing the registry closes its connectors.

    A source registered later is known to the next turn; `version` grows with every change.
    """

    def __init__(self) -> None:
        self._connectors: dict[str, DataConnector] = {}
        self._hidden: dict[str, tuple[str, ...]] = {}  # with each source, and
        self._standing: dict[str, tuple[str, ...]] = {}  # by alias, whatever is registered there
        self._seen: dict[str, tuple[DataConnector, tuple[str, ...], DataConnector]] = {}
        self._version = 0

    @property
    def version(self) -> int:
        """Grows by one with every registration and removal."""
        return self._version

    @property
    def aliases(self) -> tuple[str, ...]:
        """All aliases, in the order of registration."""
        return tuple(self._connectors)

    def register(self, alias: str, connector: DataConnector, *, hidden_columns: Iterable[str] = ()) -> None:
        """Make `connector` known as `alias`.

        Args:
            hidden_columns: Patterns of columns that a model must not see; see `for_model`.

        Raises:
            ValueError: `alias` is not a letter or `_` followed by letters, digits, `_` and `-` (63 characters at
                most), is a name of the engines' own, or is taken.
        """
        if not _ALIAS.fullmatch(alias):
            raise ValueError(
                f"{alias[:80]!r} cannot be an alias: it takes a letter or '_', then letters, digits, '_' or '-', "
                "63 characters at most."
            )
        if reason := reserved_reason(alias):
            raise ValueError(reason)
        if alias in self._connectors:
            raise ValueError(f"There is already a source called {alias!r}. Remove it first, or choose another alias.")
        self._connectors[alias] = connector
        self._hidden[alias] = tuple(hidden_columns)
        self._version += 1

    def get(self, alias: str) -> DataConnector:
        """The connector called `alias`.

        Raises:
            UnknownSource: It names the ones there are.
        """
        try:
            return self._connectors[alias]
        except KeyError:
            raise self._unknown(alias) from None

    def hide(self, alias: str, patterns: Iterable[str]) -> None:
        """Set which columns of a source a model must not see, from its next turn on, besides those it came with.

        It holds for the alias: also for a source that is registered later, or in the place of this one.

        Args:
            patterns: Such as `email`, `customers.email` or `sales.customers.*`, without case; none to take it back.
        """
        self._standing[alias] = tuple(patterns)
        if not self._standing[alias]:
            del self._standing[alias]

    def for_model(self, alias: str, *, hidden_columns: Iterable[str] = ()) -> DataConnector:
        """The connector called `alias` as a model may see it: its hidden columns are not there.

        Args:
            hidden_columns: Patterns that hold besides those of the source.

        Raises:
            UnknownSource: It names the ones there are.
        """
        connector = self.get(alias)
        patterns = tuple(dict.fromkeys((*self._hidden[alias], *self._standing.get(alias, ()), *hidden_columns)))
        if not patterns:
            return connector
        seen = self._seen.get(alias)
        if seen is None or seen[0] is not connector or seen[1] != patterns:
            from tabulaflow_core.data.hiding import HiddenColumns, HidingConnector

            seen = (connector, patterns, HidingConnector(connector, HiddenColumns(alias, patterns)))
            self._seen[alias] = seen
        return seen[2]

    async def query_across_async(
        self, sql: str, *, limit: int | None = None, timeout: float | None = None
    ) -> QueryOutcome:
        """Run one read-only query over the tables of any of the sources, copying small tables together where needed.

        Args:
            sql: DuckDB's SQL. Tables are called `alias.table`, or by a name that one source alone has.
            limit: Rows at most; None for the default cap.
            timeout: Seconds at most; None for the default cap.

        Raises:
            SourceUnavailable: The connection of a source is broken.
        """
        from tabulaflow_core.data.workspace import AcrossConnector

        return await AcrossConnector(self._connectors).run_query_async(sql, limit=limit, timeout=timeout)

    async def unregister_async(self, alias: str) -> None:
        """Forget `alias` and close its connector.

        Raises:
            UnknownSource: There is none.
        """
        try:
            connector = self._connectors.pop(alias)
        except KeyError:
            raise self._unknown(alias) from None
        self._version += 1
        self._forget(alias)
        await connector.close_async()

    async def close_async(self) -> None:
        """Close and forget every connector; a second call does nothing.

        Raises:
            ExceptionGroup: The failures of those that could not be closed, each with a note that names its alias.
                The others are closed nevertheless.
        """
        failures: list[Exception] = []
        while self._connectors:
            alias, connector = self._connectors.popitem()
            self._version += 1
            self._forget(alias)
            try:
                await connector.close_async()
            except Exception as error:  # every other connector must still be closed; all are reported below
                error.add_note(f"while closing the source {alias!r}")
                failures.append(error)
        if failures:
            raise ExceptionGroup(f"{len(failures)} of the sources could not be closed", failures)

    def _forget(self, alias: str) -> None:
        self._hidden.pop(alias, None)
        self._seen.pop(alias, None)

    def _unknown(self, alias: str) -> SourceError:
        known = ", ".join(repr(name) for name in self._connectors) or "none"
        return UnknownSource(f"There is no source called {alias[:80]!r}. The sources are: {known}.")

    def __contains__(self, alias: object) -> bool:
        return alias in self._connectors

    def __len__(self) -> int:
        return len(self._connectors)

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._connectors))
