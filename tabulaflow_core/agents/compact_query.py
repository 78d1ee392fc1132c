"""From the SQL that a small model wrote to the query that runs: which source, what is mended."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from tabulaflow_core.agents.compact_prompt import last_sql
from tabulaflow_core.agents.history import turns_of
from tabulaflow_core.agents.mend import mend, mend_rejected, unknown_names
from tabulaflow_core.agents.mend.doubts import multiplied, unknown_subject, wrong_way
from tabulaflow_core.agents.mend.literal_limits import MOST_VALUES, SECONDS
from tabulaflow_core.agents.readings import other_reading
from tabulaflow_core.agents.retrieval import words
from tabulaflow_core.agents.sources import Source, parses, route, table_names
from tabulaflow_core.agents.tools.run_query import query
from tabulaflow_core.agents.turn import Turn
from tabulaflow_core.data.contracts import QueryFailure, QueryResult
from tabulaflow_core.output.cells import column_values


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query as it will run."""

    sql: str
    source: Source
    notes: tuple[str, ...] = ()


def reads_data(turn: Turn, sql: str) -> bool:
    """Say whether `sql` reads any table: an answer from the model's own memory does not."""
    return any(table_names(sql, source.dialect) for source in turn.context.sources) or not any(
        parses(sql, source.dialect) for source in turn.context.sources
    )


async def prepared(turn: Turn, sql: str) -> Prepared:
    """Find the source that `sql` means and put right what code can."""
    best: Prepared | None = None
    for source in _candidates(turn, sql):
        fixed = await mend(sql, source, turn.question, values=_Values(turn, source), previous_sql=_previous_sql(turn))
        this = Prepared(fixed.sql, source, fixed.notes)
        known = all(source.schema.table(name) for name in table_names(this.sql, source.dialect))
        if known:
            return this
        best = best or this
    assert best is not None  # there is at least one source
    return best


def asked_for(turn: Turn, query: Prepared) -> tuple[str, ...]:
    """Return what the question asks for and the data does not have, by the columns that the query made up."""
    asked = set(words(turn.question))
    return tuple(name for name in unknown_names(query.sql, query.source) if asked & set(words(name)))


def doubts(turn: Turn) -> list[str]:
    """Return what the query that ran may have got wrong, each a sentence."""
    stored = turn.context.results[-1]
    source = route(turn.context.sources, stored.source, stored.sql).source
    if source is None:
        return []
    found = list(multiplied(stored.sql, source))
    if against := wrong_way(stored.sql, source, turn.question):
        found.append(against)
    if subject := unknown_subject(turn.question, source, stored.sql):
        found.append(f"Nothing in the data is called {subject!r}: check that the query means the same.")
    return found


async def not_held(turn: Turn) -> tuple[tuple[str, str], ...]:
    """Return the columns and values that the last query asked for and no row has, where that left nothing to tell."""
    from tabulaflow_core.agents.mend.literals import absent_values

    stored = turn.context.results[-1]
    source = route(turn.context.sources, stored.source, stored.sql).source
    cells = [value for column in stored.table.columns for value in column_values(column)]
    if source is None or any(value is not None and value != 0 for value in cells):
        return ()
    return tuple(await absent_values(stored.sql, source.schema, source.dialect, _Values(turn, source)))


async def other_meaning(turn: Turn) -> str:
    """Return the sentence on the other reading of the question, where it would give other rows; else empty."""
    stored = turn.context.results[-1]
    source = route(turn.context.sources, stored.source, stored.sql).source
    if source is None:
        return ""
    reading = other_reading(stored.sql, turn.question, source.schema.tables, source.dialect)
    if reading is None:
        return ""
    other = await query(source, reading.sql, turn.context, limit=stored.table.num_rows + 1)
    if isinstance(other, QueryFailure) or _same_values(other.table, stored.table):
        return ""
    return reading.sentence(turn.question)


def _same_values(one: pa.Table, other: pa.Table) -> bool:
    """Say whether the cells are the same, whatever the columns are called."""
    return [column_values(c) for c in one.columns] == [column_values(c) for c in other.columns]


def _candidates(turn: Turn, sql: str) -> tuple[Source, ...]:
    routed = route(turn.context.sources, "", sql)
    return (routed.source,) if routed.source is not None else turn.context.sources


def _previous_sql(turn: Turn) -> str:
    _, turns = turns_of(turn.conversation.messages)
    return last_sql(turns[-2]) if len(turns) > 1 else ""


async def rewritten(turn: Turn, failed: Prepared) -> Prepared | None:
    """Return what a query that did not compile means in another engine's SQL, None when nothing of it runs."""
    for other in mend_rejected(failed.sql, failed.source):
        if isinstance(await query(failed.source, other.sql, turn.context, limit=1), QueryResult):
            return Prepared(other.sql, failed.source, (*failed.notes, *other.notes))
    return None


class _Values:
    """Reads the different values of a column once a turn."""

    def __init__(self, turn: Turn, source: Source) -> None:
        self._turn = turn
        self._source = source
        self._known: dict[str, list[str] | None] = {}

    async def __call__(self, sql: str) -> list[str] | None:
        if sql not in self._known:
            self._known[sql] = await self._read(sql)
        return self._known[sql]

    async def _read(self, sql: str) -> list[str] | None:
        result = await query(self._source, sql, self._turn.context, limit=MOST_VALUES, seconds=SECONDS)
        if isinstance(result, QueryFailure) or result.table.num_rows >= MOST_VALUES:
            return None
        return [str(value) for value in column_values(result.table.column(0))]
