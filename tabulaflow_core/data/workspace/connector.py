"""`AcrossConnector`: several sources as one, for a query that needs more than one of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tabulaflow_core.config import Limits
from tabulaflow_core.data.closing import Closing
from tabulaflow_core.data.contracts import DataConnector, FailureKind, QueryFailure, QueryOutcome, QueryResult
from tabulaflow_core.data.engines.base import Caps, EngineFault, Fetched
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.guard.verdict import RefusalCode
from tabulaflow_core.data.hints import hint_for
from tabulaflow_core.data.restricting import Restriction
from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.data.workspace.copying import Copied, Copy, CopyLimits, copies
from tabulaflow_core.data.workspace.naming import Reading, Unresolved, joint_schema, resolve
from tabulaflow_core.data.workspace.rewriting import alone, joined

if TYPE_CHECKING:
    import pyarrow as pa

#: Stands between the aliases of sources that were asked together; no alias can hold it.
TOGETHER: Final = " + "
#: What the guard refuses by its scanner, whose rules these are in every dialect.
_UNPARSED: Final = frozenset({RefusalCode.EMPTY, RefusalCode.TOO_LONG, RefusalCode.TOO_DEEP})
_WORDS: Final = "DuckDB's SQL, since the query reads from more than one source"


@dataclass(frozen=True, slots=True)
class AcrossResult(QueryResult):
    """Rows of a query over several sources.

    Attributes:
        sources: The aliases, in the order in which the query names them.
        copied: What was brought together, complete.
    """

    sources: tuple[str, ...] = ()
    copied: tuple[Copied, ...] = ()

    @property
    def sentence(self) -> str:
        """What was brought together, for a person."""
        tables = [f"{c.rows:,} row{'' if c.rows == 1 else 's'} of {c.source}.{c.table}" for c in self.copied]
        return f"Brought together for this query: {_listed(tables)}, which is all that it needs."


class AcrossConnector(Closing):
    """A `DataConnector` over other connectors, which it does not own: closing it closes nothing.

    A query that needs one source alone runs there, in that source's dialect. Other queries are DuckDB's SQL.
    """

    dialect: Final = "duckdb"
    read_only: Final = True

    def __init__(
        self, sources: Mapping[str, DataConnector], *, limits: Limits | None = None, most: CopyLimits | None = None
    ) -> None:
        self._sources = dict(sources)
        self._limits = limits or Limits()
        self._most = most or CopyLimits()

    @property
    def schema(self) -> SourceSchema:
        """The tables of all sources, each in a schema called like its source."""
        return joint_schema(self._schemas())

    @property
    def notices(self) -> tuple[str, ...]:
        """Those of the sources."""
        return tuple(notice for source in self._sources.values() for notice in source.notices)

    def assumptions(self, sql: str) -> tuple[str, ...]:
        """Those of the sources; see `Assuming`."""
        from tabulaflow_core.data.assumptions import assumptions_of

        return tuple(dict.fromkeys(a for source in self._sources.values() for a in assumptions_of(source, sql)))

    async def refresh_schema_async(self, *, max_age: float = 0.0) -> SourceSchema:
        """Let every source look again."""
        for source in self._sources.values():
            await source.refresh_schema_async(max_age=max_age)
        return self.schema

    async def run_query_async(
        self,
        sql: str,
        *,
        limit: int | None = None,
        timeout: float | None = None,
        restrictions: Sequence[Restriction] = (),
    ) -> QueryOutcome:
        """Run one read-only query over the tables of one source or of several.

        Args:
            sql: Tables are called `alias.table`, or by a name that one source alone has.
            limit: Rows at most; None for the configured cap.
            timeout: Seconds at most, copying included; None for the configured cap.
            restrictions: None can be taken.

        Raises:
            SourceUnavailable: The connection of a source is broken.
        """
        from tabulaflow_core.data.guard import Refused, check_statement

        if restrictions:
            reason = "A query over several sources cannot be restricted."
            return QueryFailure(FailureKind.REFUSED, reason, sql, untaken=restrictions[0])
        started = time.monotonic()
        verdict = check_statement(sql, dialect=self.dialect)
        if isinstance(verdict, Refused) and verdict.code in _UNPARSED:  # before a parser without bounds sees it
            return QueryFailure(FailureKind.REFUSED, verdict.reason, sql)
        seconds = self._limits.query_seconds if timeout is None else min(timeout, self._limits.query_seconds)
        readings = list(self._readings(sql))
        read = [r for r in readings if isinstance(r, Reading) and r.found]
        if not read:
            return self._unresolved(sql, readings)
        first = read[0]
        if len(first.aliases) == 1:
            alias = first.aliases[0]
            source = self._sources[alias]
            text = alone(sql, first, source.dialect)
            return await source.run_query_async(text, limit=limit, timeout=timeout)
        try:
            async with asyncio.timeout(seconds):
                outcome = await self._across_async(sql, read, limit=limit, seconds=seconds, started=started)
        except TimeoutError:
            return QueryFailure(
                FailureKind.TIMEOUT,
                f"The query over {_listed(first.aliases)} was stopped after {seconds:g} seconds.",
                sql,
                "Ask for less: a shorter period, fewer columns, or one source at a time.",
                time.monotonic() - started,
            )
        return outcome

    async def _across_async(
        self, sql: str, readings: list[Reading], *, limit: int | None, seconds: float, started: float
    ) -> QueryOutcome:
        from tabulaflow_core.data.guard import Allowed, check_statement

        texts = [(reading, joined(sql, reading)) for reading in readings]
        verdicts = [(reading, check_statement(text, dialect=self.dialect)) for reading, text in texts]
        allowed = [(r, verdict.sql) for r, verdict in verdicts if isinstance(verdict, Allowed)]
        if not allowed:
            reasons = [verdict.reason for _, verdict in verdicts if not isinstance(verdict, Allowed)]
            return QueryFailure(FailureKind.REFUSED, reasons[0], sql)
        # What the first reading needs, the others need too: they are the same text.
        wanted = copies(allowed[0][0], {alias: source.dialect for alias, source in self._sources.items()})
        if len(wanted) > self._most.tables:
            return self._refused(sql, f"The query needs {len(wanted)} tables of several sources", "tables")
        tables: dict[tuple[str, str], pa.Table] = {}
        copied: list[Copied] = []
        notices: list[str] = []
        for copy in wanted:
            left = seconds - (time.monotonic() - started)
            outcome = await self._sources[copy.alias].run_query_async(
                copy.sql, limit=self._most.rows, timeout=max(left, 0.05)
            )
            if isinstance(outcome, QueryFailure):
                return QueryFailure(outcome.kind, f"{copy.alias}: {outcome.message}", copy.sql, outcome.hint)
            if outcome.truncated or outcome.table.nbytes > self._most.bytes:
                return self._too_large(sql, copy)
            tables[copy.alias, copy.place] = outcome.table
            notices += outcome.notices
            copied.append(
                Copied(copy.alias, copy.place, outcome.table.num_rows, outcome.table.num_columns, outcome.sql)
            )
            if sum(t.nbytes for t in tables.values()) > self._most.total_bytes:
                return self._too_large(sql, copy)
        caps = Caps(
            rows=self._limits.result_rows if limit is None else max(0, min(limit, self._limits.result_rows)),
            bytes=self._limits.result_bytes,
            seconds=seconds,
        )
        fault: EngineFault | None = None
        for text in dict.fromkeys(text for _, text in allowed):
            for dates in (False, True):
                try:
                    fetched = await _run_async(tables, text, caps, dates=dates)
                except EngineFault as error:
                    fault = fault or error
                    if error.kind is not FailureKind.INVALID:
                        break
                    continue
                return AcrossResult(
                    fetched.table,
                    text,
                    fetched.cut_by is not None,
                    fetched.cut_by,
                    time.monotonic() - started,
                    tuple(dict.fromkeys(notices)),
                    sources=tuple(dict.fromkeys(c.source for c in copied)),
                    copied=tuple(copied),
                )
        assert fault is not None  # there was at least one reading
        names = tuple(f"{c.source}.{c.table}" for c in copied)
        hint = hint_for(fault.message, self.schema, used=names, dialect=self.dialect)
        if fault.kind is FailureKind.INVALID:
            hint = f"{hint} It must be {_WORDS}.".strip()
        return QueryFailure(fault.kind, fault.message, sql, hint, time.monotonic() - started)

    def _readings(self, sql: str) -> Iterator[Reading | Unresolved]:
        """The query as DuckDB's SQL and as that of each source."""
        schemas = self._schemas()
        for dialect in dict.fromkeys([self.dialect, *(source.dialect for source in self._sources.values())]):
            yield resolve(sql, schemas, dialect=dialect)

    def _schemas(self) -> dict[str, SourceSchema]:
        return {alias: source.schema for alias, source in self._sources.items()}

    def _unresolved(self, sql: str, readings: list[Reading | Unresolved]) -> QueryFailure:
        from tabulaflow_core.data.guard import Refused, check_statement

        verdict = check_statement(sql, dialect=self.dialect)
        if isinstance(verdict, Refused):
            return QueryFailure(FailureKind.REFUSED, verdict.reason, sql)
        told = next((r for r in readings if isinstance(r, Unresolved)), None)
        if told is None:
            names = ", ".join(self._sources)
            return QueryFailure(
                FailureKind.INVALID, "The query names no table.", sql, f"Say which source it is for: {names}."
            )
        return QueryFailure(FailureKind.INVALID, told.message, sql, told.hint)

    def _too_large(self, sql: str, copy: Copy) -> QueryFailure:
        return self._refused(sql, f"{copy.alias}.{copy.place} is too large to be brought together with the other", "")

    def _refused(self, sql: str, what: str, counted: str) -> QueryFailure:
        most = self._most
        bound = (
            f"at most {most.tables} {counted} can be joined across sources"
            if counted
            else f"at most {most.rows:,} rows and {most.bytes // 1024 // 1024} MB of a table are copied, "
            "and a part of it would give wrong figures"
        )
        return QueryFailure(
            FailureKind.REFUSED,
            f"{what}: {bound}.",
            sql,
            "Ask for less of it: conditions on numbers or exact texts and fewer columns reduce what is copied. "
            "Or ask each source by itself, with totals instead of rows.",
        )

    async def close_async(self) -> None:
        """Nothing: the sources belong to somebody else."""

    def __repr__(self) -> str:
        return f"<AcrossConnector {TOGETHER.join(self._sources)}>"


async def _run_async(tables: Mapping[tuple[str, str], pa.Table], sql: str, caps: Caps, *, dates: bool) -> Fetched:
    from tabulaflow_core.data.workspace.engine import Workspace

    workspace = Workspace()
    return await run_blocking_async(
        lambda: workspace.run(tables, sql, caps, dates=dates), interrupt=workspace.interrupt
    )


def _listed(words: tuple[str, ...] | list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""
