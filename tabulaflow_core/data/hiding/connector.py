"""`HidingConnector`: a source as a model may see it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tabulaflow_core.data.assumptions import assumptions_of
from tabulaflow_core.data.closing import Closing
from tabulaflow_core.data.contracts import DataConnector, FailureKind, QueryFailure, QueryOutcome
from tabulaflow_core.data.hiding.facts import Facts, facts_async
from tabulaflow_core.data.hiding.patterns import HiddenColumns
from tabulaflow_core.data.hiding.sight import Sight, sight_of
from tabulaflow_core.data.restricting import Restriction
from tabulaflow_core.data.schema import SourceSchema


@runtime_checkable
class AllowsFunctions(Protocol):
    """A connector whose queries may call functions of the user."""

    @property
    def functions(self) -> tuple[str, ...]:
        """Their names."""


class HidingConnector(Closing):
    """A `DataConnector` without the columns that `hidden` names: not in its schema, not in what its queries return.

    It does not own the connector inside: closing it closes nothing.
    """

    def __init__(self, inner: DataConnector, hidden: HiddenColumns) -> None:
        self._inner = inner
        self._hidden = hidden
        self._facts: Facts | None = None
        self._facts_of: SourceSchema | None = None
        self._sight: Sight | None = None

    @property
    def dialect(self) -> str:
        """The sqlglot name of its SQL."""
        return self._inner.dialect

    @property
    def read_only(self) -> bool:
        """False when the library's own write methods may be used."""
        return self._inner.read_only

    @property
    def schema(self) -> SourceSchema:
        """The tables as last read, without the hidden columns."""
        return self._look().schema

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of this connection."""
        return self._inner.notices

    def assumptions(self, sql: str) -> tuple[str, ...]:
        """What the result of `sql` rests on, without what names a hidden column."""
        names = self._look().names()
        return tuple(text for text in assumptions_of(self._inner, sql) if not _names_one(text, names))

    async def refresh_schema_async(self, *, max_age: float = 0.0) -> SourceSchema:
        """Read the tables again unless they were read less than `max_age` seconds ago."""
        await self._inner.refresh_schema_async(max_age=max_age)
        return (await self._look_async()).schema

    async def run_query_async(
        self,
        sql: str,
        *,
        limit: int | None = None,
        timeout: float | None = None,
        restrictions: Sequence[Restriction] = (),
    ) -> QueryOutcome:
        """Run one read-only query that does not see the hidden columns; one that names them is refused."""
        from tabulaflow_core.data.guard import Allowed, check_statement
        from tabulaflow_core.data.hiding.rewriting import Withheld, rewrite
        from tabulaflow_core.data.hints import quotes_hint

        sight = await self._look_async()
        if not sight.blind:
            return await self._inner.run_query_async(sql, limit=limit, timeout=timeout, restrictions=restrictions)
        functions = self._inner.functions if isinstance(self._inner, AllowsFunctions) else ()
        verdict = check_statement(sql, dialect=self.dialect, functions=functions)
        if not isinstance(verdict, Allowed):
            return QueryFailure(FailureKind.REFUSED, verdict.reason, sql, quotes_hint(sql, self.dialect))
        rewritten = rewrite(verdict, sight, dialect=self.dialect)
        if isinstance(rewritten, Withheld):
            return QueryFailure(FailureKind.REFUSED, rewritten.reason, sql)
        outcome = await self._inner.run_query_async(
            rewritten.sql, limit=limit, timeout=timeout, restrictions=restrictions
        )
        return self._told(outcome, sql, sight)

    def _told(self, outcome: QueryOutcome, sql: str, sight: Sight) -> QueryOutcome:
        """A fault in words that name nothing hidden but what the query named itself."""
        from tabulaflow_core.data.hiding.rewriting import hidden_reason
        from tabulaflow_core.data.hints import hint_for

        if not isinstance(outcome, QueryFailure):
            return outcome
        names = sight.names()
        asked = {name for name in names if _names_one(sql, frozenset({name}))}
        if outcome.kind is FailureKind.INVALID and (
            named := [n for n in sorted(asked) if n in outcome.message.lower()]
        ):
            return QueryFailure(FailureKind.REFUSED, hidden_reason(named[0]), sql, seconds=outcome.seconds)
        unasked = names - asked
        message, hint = outcome.message, outcome.hint
        if _names_one(message, unasked):
            message = "The query could not be run."
        if _names_one(hint, names):
            hint = hint_for(message, sight.schema, dialect=self.dialect)
        return QueryFailure(outcome.kind, message, sql, hint, outcome.seconds)

    async def _look_async(self) -> Sight:
        schema = self._inner.schema
        if self._facts is None or not _same(self._facts_of, schema):
            # Nothing has to be known of the views where nothing is hidden.
            blind = sight_of(schema, self._hidden, None).blind
            self._facts = await facts_async(self._inner) if blind else Facts(self.dialect)
            self._facts_of, self._sight = schema, None
        return self._look()

    def _look(self) -> Sight:
        schema = self._inner.schema
        if self._sight is None or not _same(self._sight.full, schema):
            self._sight = sight_of(schema, self._hidden, self._facts if _same(self._facts_of, schema) else None)
        return self._sight

    async def close_async(self) -> None:
        """Nothing: the connector inside belongs to somebody else."""

    def __repr__(self) -> str:
        return f"<HidingConnector of {self._inner!r}>"


def _same(one: SourceSchema | None, other: SourceSchema) -> bool:
    return one is other or one == other


def _names_one(text: str, names: frozenset[str]) -> bool:
    folded = text.casefold()
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", folded) is not None for name in names)
