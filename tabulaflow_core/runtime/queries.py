"""Queries by hand: previews and SQL that a person wrote, without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.data.contracts import QueryFailure, QueryResult
from tabulaflow_core.data.statements import first_rows
from tabulaflow_core.data.workspace import AcrossResult
from tabulaflow_core.errors import NotFound, SourceError
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services


async def preview_async(services: Services, principal: Principal, alias: str, table: str, *, limit: int) -> QueryResult:
    """The first `limit` rows of `table`; see `Runtime.preview`."""
    connector = await services.sources.connector_async(principal, alias)
    found = connector.schema.table(table)
    if found is None:
        raise NotFound(f"The source {alias!r} has no table {table!r}.")
    outcome = await connector.run_query_async(first_rows(found, connector.dialect, limit=limit), limit=limit)
    if isinstance(outcome, QueryFailure):
        raise SourceError(f"The table {table!r} cannot be shown: {outcome.message}")
    return outcome


async def run_sql_async(services: Services, principal: Principal, alias: str, sql: str) -> StoredResult | QueryFailure:
    """Run `sql` and store its result; see `Runtime.run_sql`."""
    connector = await services.sources.connector_async(principal, alias)
    limits = (await services.preferences.get_async(principal)).limits(services.settings.limits)
    outcome = await connector.run_query_async(sql, limit=limits.result_rows, timeout=limits.query_seconds)
    if isinstance(outcome, QueryFailure):
        return outcome
    result = StoredResult(
        source=alias,
        dialect=connector.dialect,
        sql=outcome.sql,
        table=outcome.table,
        truncated=outcome.truncated,
        cut_by=outcome.cut_by,
        seconds=outcome.seconds,
        notes=(*outcome.notices, *((outcome.sentence,) if isinstance(outcome, AcrossResult) else ())),
    )
    await services.store.results.put_async(principal, result)
    return result
