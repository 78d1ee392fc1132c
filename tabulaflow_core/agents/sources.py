"""The registry as the loop sees it: which sources there are, what each holds, and which one a query means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from tabulaflow_core.data.contracts import DataConnector
from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.errors import SourceUnavailable


class Registry(Protocol):
    """What a session asks of `tabulaflow_core.data.DataConnectorRegistry`."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """The names under which sources are registered, in order."""

    def get(self, alias: str) -> DataConnector:
        """The connector, or `UnknownSource`."""

    def for_model(self, alias: str, *, hidden_columns: Iterable[str] = ()) -> DataConnector:
        """The connector without the columns that are hidden from a model, or `UnknownSource`."""


#: Stands between the aliases of sources that answered together; see `tabulaflow_core.data.workspace`.
TOGETHER: Final = " + "

#: Characters of a query that are parsed to see which source it means: the parser takes its time with more.
_LONGEST: Final = 50_000
_TOO_LONG: Final = "The query is too long to see which source it is for: name the source, or write less."

#: A schema younger than this is not read again when a turn begins, so that quick follow-ups cost nothing.
SCHEMA_MAX_AGE = 15.0


@dataclass(frozen=True, slots=True)
class Source:
    """One source at the beginning of a turn.

    Attributes:
        fault: Why its schema could not be read again, empty when it could.
    """

    alias: str
    dialect: str
    schema: SourceSchema
    connector: DataConnector
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Routed:
    """Where a query goes: a source, or the words that tell the model why there is none."""

    source: Source | None
    problem: str = ""


async def read_sources(registry: Registry, *, hidden_columns: Sequence[str] = ()) -> tuple[Source, ...]:
    """Look at every registered source; a source that does not answer is kept with its last schema and its fault.

    Args:
        hidden_columns: Patterns of columns that are hidden besides those that each source has.
    """
    out: list[Source] = []
    for alias in registry.aliases:
        connector = registry.for_model(alias, hidden_columns=hidden_columns)
        fault = ""
        try:
            schema = await connector.refresh_schema_async(max_age=SCHEMA_MAX_AGE)
        except SourceUnavailable as error:
            schema, fault = connector.schema, error.user_message
        out.append(Source(alias, connector.dialect, schema, connector, fault))
    return tuple(out)


def route(sources: tuple[Source, ...], alias: str, sql: str) -> Routed:
    """Find the source that `sql` means: the named one, the only one, or the one that has its tables."""
    if not sources:
        return Routed(None, "There is no data source. The person must add one first.")
    names = ", ".join(repr(s.alias) for s in sources)
    if alias:
        if (joint := joined(sources, tuple(alias.split(TOGETHER)))) is not None:
            return Routed(joint)
        for source in sources:
            if source.alias == alias or source.alias.casefold() == alias.casefold():
                return Routed(_over_several(sources, source, sql) or source)
        if len(sources) > 1:
            return Routed(None, f"There is no source {alias!r}. The sources are {names}.")
    if len(sources) == 1:
        return Routed(sources[0])
    return _route_by_tables(sources, sql, names)


def _route_by_tables(sources: tuple[Source, ...], sql: str, names: str) -> Routed:
    scored: list[tuple[int, Source]] = []
    for source in sources:
        tables = table_names(sql, source.dialect)
        found = sum(source.schema.table(t) is not None for t in tables)
        if found:
            scored.append((len(tables) - found, source))
    best = min((missing for missing, _ in scored), default=1)
    elsewhere = _resolved(sources, sql) if best else ""
    if isinstance(elsewhere, Source):
        return Routed(elsewhere)
    if not scored:
        return Routed(None, f"No source has these tables. Name the source, one of {names}.")
    winners = [source for missing, source in scored if missing == best]
    if len(winners) > 1:
        which = " and ".join(repr(s.alias) for s in winners)
        return Routed(None, f"The tables exist in {which}. Name the source.")
    if best:
        return Routed(
            None,
            f"No single source has all these tables; {winners[0].alias!r} has the most. "
            + (elsewhere or "Write source.table for the tables of each source."),
        )
    return Routed(winners[0])


def joined(sources: tuple[Source, ...], aliases: tuple[str, ...]) -> Source | None:
    """Return several sources as one, whose queries are DuckDB's SQL; None for fewer than two, or one that is not."""
    from tabulaflow_core.data.workspace import AcrossConnector

    parts = {s.alias: s for s in sources if s.alias in aliases}
    if len(aliases) < 2 or len(parts) != len(aliases):
        return None
    connector = AcrossConnector({alias: parts[alias].connector for alias in aliases})
    return Source(TOGETHER.join(aliases), connector.dialect, connector.schema, connector)


def _over_several(sources: tuple[Source, ...], named: Source, sql: str) -> Source | None:
    """The sources of a query that names tables of others than `named`, or writes its alias before them."""
    if len(sources) == 1 or all(named.schema.table(t) is not None for t in table_names(sql, named.dialect)):
        return None
    found = _resolved(sources, sql)
    return found if isinstance(found, Source) else None


def _resolved(sources: tuple[Source, ...], sql: str) -> Source | str:
    """The source, or the sources as one, in which all tables are found; else what would help."""
    from tabulaflow_core.data.workspace import AcrossConnector, Reading, resolve

    if len(sql) > _LONGEST:
        return _TOO_LONG
    schemas = {source.alias: source.schema for source in sources}
    problem = ""
    for dialect in dict.fromkeys(["duckdb", *(source.dialect for source in sources)]):
        reading = resolve(sql, schemas, dialect=dialect)
        if isinstance(reading, Reading):
            if len(reading.aliases) == 1:
                (only,) = (source for source in sources if source.alias == reading.aliases[0])
                return replace(only, connector=AcrossConnector({only.alias: only.connector}))
            return joined(sources, reading.aliases) or problem
        problem = problem or f"{reading.message} {reading.hint}".strip()
    return problem


def table_names(sql: str, dialect: str) -> tuple[str, ...]:
    """Return the tables that `sql` reads, CTEs left out; empty when it cannot be parsed, or is too long for that."""
    import sqlglot
    from sqlglot import exp

    if len(sql) > _LONGEST:
        return ()
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return ()
    ctes = {cte.alias_or_name.casefold() for cte in tree.find_all(exp.CTE)}
    names: dict[str, None] = {}
    for table in tree.find_all(exp.Table):
        if not table.name or (not table.db and table.name.casefold() in ctes):
            continue
        names[f"{table.db}.{table.name}" if table.db else table.name] = None
    return tuple(names)


def parses(sql: str, dialect: str) -> bool:
    """Say whether `sql` can be parsed in `dialect`."""
    import sqlglot

    try:
        sqlglot.parse_one(sql, read=dialect)
    except sqlglot.errors.SqlglotError:
        return False
    return True
