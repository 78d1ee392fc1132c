"""The filters of a dashboard: which columns its tiles offer, what can be chosen, and what a choice asks of a tile."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.contracts import DataConnector, QueryResult
from tabulaflow_core.data.restricting import Restriction
from tabulaflow_core.data.restricting.columns import ColumnKind, kind_of
from tabulaflow_core.data.restricting.conditions import ENGINES, takes
from tabulaflow_core.data.restricting.listing import other_days_sql, values_sql
from tabulaflow_core.data.schema import ColumnSchema, TableSchema
from tabulaflow_core.data.workspace import TOGETHER
from tabulaflow_core.errors import ConfigurationError, TabulaflowError
from tabulaflow_core.output.dashboards import DashboardFilter, FilterColumn, QueryTile
from tabulaflow_core.output.filter_values import TEST_OF, FilterValue, read_value
from tabulaflow_core.output.words import is_blank
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards.live import Wanted
from tabulaflow_core.runtime.dashboards.views import FilterableColumn, FilterChoices
from tabulaflow_core.store.dashboard_records import DashboardRecord

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

_MOST_FILTERS: Final = 12
_MOST_COLUMNS: Final = 50
_LABEL_CHARACTERS: Final = 60
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
#: Values to choose from; of a column with more, values are typed.
_MOST_CHOICES: Final = 50
_CHOICES_SECONDS: Final = 2.0
#: Seconds for which the values of a column are taken as known.
_CHOICES_AGE: Final = 300.0
_MOST_LISTS: Final = 200


async def columns_async(services: Services, owner: Principal, board: DashboardRecord) -> tuple[FilterableColumn, ...]:
    """The columns of the tables that a dashboard's tiles read, with the kinds of filter that each takes."""
    statements: dict[str, list[str]] = {}
    for tile in board.tiles:
        content = tile.content
        if tile.removed_at is None and isinstance(content, QueryTile) and TOGETHER not in content.source:
            statements.setdefault(content.source, []).append(content.sql)
    found: list[FilterableColumn] = []
    for source, sqls in statements.items():
        try:
            connector = await services.sources.connector_async(owner, source)
        except TabulaflowError:  # its tiles say so themselves
            continue
        if connector.dialect not in ENGINES:
            continue
        for table in await asyncio.to_thread(_tables_read, connector, sqls):
            for column in table.columns:
                kind = kind_of(column, connector.dialect)
                kinds = tuple(name for name, test in TEST_OF.items() if takes(kind, test))
                if kinds:
                    place = FilterColumn(source=source, table=table.qualified_name, column=column.name)
                    found.append(FilterableColumn(place, column.type, kinds))
    return tuple(found)


def _tables_read(connector: DataConnector, sqls: Sequence[str]) -> list[TableSchema]:
    """The tables that statements name, each once; those of a statement that the guard cannot judge are left out."""
    from tabulaflow_core.data.guard import Allowed, check_statement

    found: dict[str, TableSchema] = {}
    for sql in dict.fromkeys(sqls):
        verdict = check_statement(sql, dialect=connector.dialect)
        for name in verdict.tables if isinstance(verdict, Allowed) else ():
            table = connector.schema.table(name)
            if table is not None:
                found.setdefault(table.qualified_name, table)
    return list(found.values())


async def checked_async(
    services: Services, owner: Principal, board: DashboardRecord, filters: Sequence[DashboardFilter]
) -> tuple[DashboardFilter, ...]:
    """Filters that can be kept.

    Raises:
        ConfigurationError: One cannot, with the reason.
    """
    if len(filters) > _MOST_FILTERS:
        raise ConfigurationError(f"{_MOST_FILTERS} filters are the most on one dashboard.")
    if len({each.id for each in filters}) < len(filters) or any(not _ID.fullmatch(each.id) for each in filters):
        raise ConfigurationError("Each filter needs an id of its own, of a to z, digits and '-'.")
    offered = {offer.place: offer for offer in await columns_async(services, owner, board)}
    kept = []
    for each in filters:
        label = " ".join(each.label.split())[:_LABEL_CHARACTERS]
        if is_blank(label):
            raise ConfigurationError("A filter needs a name.")
        if not each.columns or len(each.columns) > _MOST_COLUMNS:
            raise ConfigurationError(f"{label} needs a column that it filters by, and {_MOST_COLUMNS} are the most.")
        if each not in board.filters:  # what was kept before stays, also while its source is away
            await _check_columns_async(services, owner, each, label, offered)
        if fault := read_value(each, each.default).fault:
            raise ConfigurationError(fault)
        kept.append(each.model_copy(update={"label": label}))
    return tuple(kept)


async def _check_columns_async(
    services: Services,
    owner: Principal,
    asked: DashboardFilter,
    label: str,
    offered: Mapping[FilterColumn, FilterableColumn],
) -> None:
    for place in asked.columns:
        offer = offered.get(place)
        if offer is None:
            raise ConfigurationError(f"No tile reads {place.column} of {place.table}. Choose a column that one reads.")
        if asked.kind not in offer.kinds:
            raise ConfigurationError(f"{label}: {place.column} is of the type {offer.type}, which this cannot filter.")
        if asked.kind != "date_range":
            continue
        connector, table, column = await _column_async(services, owner, place)
        if connector.dialect == "sqlite" and kind_of(column, "sqlite") is ColumnKind.DATE:
            outcome = await connector.run_query_async(other_days_sql(table, column), limit=1)
            if isinstance(outcome, QueryResult) and outcome.table.num_rows:
                shown = str(outcome.table.column(0)[0])[:40]
                raise ConfigurationError(
                    f"{label}: {place.column} holds {shown!r}, which is no day written as 2024-01-31, so days cannot "
                    "be compared there."
                )


async def _column_async(
    services: Services, owner: Principal, place: FilterColumn
) -> tuple[DataConnector, TableSchema, ColumnSchema]:
    connector = await services.sources.connector_async(owner, place.source)
    for table in connector.schema.tables:
        for column in table.columns if table.qualified_name == place.table else ():
            if column.name == place.column:
                return connector, table, column
    raise ConfigurationError(f"There is no column {place.column} of {place.table} any more.")


def wanted_of(board: DashboardRecord, content: QueryTile, values: Mapping[str, FilterValue]) -> tuple[Wanted, ...]:
    """What the chosen values ask of one tile: a restriction for each column of its source."""
    return tuple(
        Wanted(each.id, Restriction(place.table, place.column, value.test))
        for each in board.filters
        if (value := values[each.id]).test is not None
        for place in each.columns
        if place.source == content.source
    )


def values_of(board: DashboardRecord, chosen: Mapping[str, Sequence[str]] | None) -> dict[str, FilterValue]:
    """The value of each filter: as chosen, else its default.

    Args:
        chosen: Texts by the filter's id; a filter with an empty list there is not used.
    """
    given = chosen or {}
    return {each.id: read_value(each, given.get(each.id, each.default)) for each in board.filters}


def pairs_of(
    board: DashboardRecord, chosen: Mapping[str, Sequence[str]] | None
) -> list[tuple[DashboardFilter, FilterValue]]:
    """Each filter with its value."""
    values = values_of(board, chosen)
    return [(each, values[each.id]) for each in board.filters]


class Choices:
    """The values to choose from, of each filter, read once in a while. Belongs to the engine loop."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lists: dict[tuple[str, DashboardFilter], tuple[float, asyncio.Task[FilterChoices]]] = {}

    async def get_async(self, owner: Principal, asked: DashboardFilter) -> FilterChoices:
        """What is known; a list that is still being read is waiting."""
        key = (owner.id, asked)
        begun, task = self._lists.get(key, (0.0, None))
        if task is None or time.monotonic() - begun > _CHOICES_AGE:
            self._lists.pop(key, None)
            while len(self._lists) >= _MOST_LISTS:
                self._lists.pop(next(iter(self._lists)))
            task = asyncio.create_task(self._read(owner, asked))
            self._lists[key] = (time.monotonic(), task)
        await asyncio.wait({task}, timeout=0.2)
        return task.result() if task.done() else FilterChoices((), complete=False, waiting=True)

    async def _read(self, owner: Principal, asked: DashboardFilter) -> FilterChoices:
        values: set[str] = set()
        for place in asked.columns:
            try:
                connector, table, column = await _column_async(self._services, owner, place)
                sql = values_sql(table, column, connector.dialect, most=_MOST_CHOICES + 1)
                outcome = await connector.run_query_async(sql, limit=_MOST_CHOICES + 1, timeout=_CHOICES_SECONDS)
            except TabulaflowError:  # values are typed then
                return FilterChoices((), complete=False)
            if not isinstance(outcome, QueryResult) or outcome.table.num_rows > _MOST_CHOICES:
                return FilterChoices((), complete=False)
            # An empty text cannot be chosen: in the URL it stands for no choice.
            values |= {str(value) for value in outcome.table.column(0).to_pylist() if value != ""}
        complete = len(values) <= _MOST_CHOICES
        return FilterChoices(tuple(sorted(values)) if complete else (), complete=complete)
