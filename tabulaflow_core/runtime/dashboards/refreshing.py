"""The stored query of a tile run again: through the same guard as every other, and without a model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from pydantic import JsonValue

from tabulaflow_core.data.contracts import QueryFailure
from tabulaflow_core.data.restricting import Restriction
from tabulaflow_core.errors import NotFound, TabulaflowError
from tabulaflow_core.output.changes import compare
from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.ports import carried_out
from tabulaflow_core.store.dashboard_records import TileRecord

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

_log = logging.getLogger(__name__)

#: How the id of a result begins that a tile's refresh made; those of answers belong to their conversation.
TILE_RESULT: Final = "rt_"
BROKEN: Final = "It could not be refreshed, for a reason that only the server's log knows."


async def query_async(
    services: Services, principal: Principal, content: QueryTile, *, restrictions: Sequence[Restriction] = ()
) -> StoredResult | QueryFailure:
    """Run the query of a tile with the sources of `principal`; nothing is kept.

    Args:
        restrictions: Of its tables, only the rows that pass.

    Raises:
        UnknownSource: There is no such source.
        SourceUnavailable: The source does not answer.
    """
    connector = await services.sources.connector_async(principal, content.source)
    limits = (await services.preferences.get_async(principal)).limits(services.settings.limits)
    outcome = await connector.run_query_async(
        content.sql, limit=limits.result_rows, timeout=limits.query_seconds, restrictions=restrictions
    )
    if isinstance(outcome, QueryFailure):
        return outcome
    return StoredResult(
        id=f"{TILE_RESULT}{uuid4().hex[:16]}",
        source=content.source,
        dialect=connector.dialect,
        sql=outcome.sql,
        table=outcome.table,
        truncated=outcome.truncated,
        cut_by=outcome.cut_by,
        seconds=outcome.seconds,
        notes=outcome.notices,
    )


async def refresh_async(services: Services, principal: Principal, tile: TileRecord) -> str:
    """Run the query of the owner's tile and keep what it gives; a query that fails leaves the last good rows.

    Returns:
        Why it failed, empty when it did not.

    Raises:
        StoreUnavailable: What came of it cannot be kept.
        NotFound: The tile was removed for good meanwhile.
    """
    if not isinstance(tile.content, QueryTile):
        return ""
    try:
        outcome = await query_async(services, principal, tile.content)
    except TabulaflowError as error:
        fault = error.user_message
    except Exception:  # one tile's fault, whatever it was, is not to end the others
        _log.exception("the tile %s could not be refreshed", tile.id)
        fault = BROKEN
    else:
        if not isinstance(outcome, QueryFailure):
            await carried_out(keep_async(services, principal, tile, outcome))
            return ""
        fault = f"{outcome.message} {outcome.hint}".strip()
    await carried_out(services.store.tiles.failed_async(principal, tile.id, fault=fault))
    return fault


async def keep_async(services: Services, principal: Principal, tile: TileRecord, result: StoredResult) -> None:
    """Have a tile show rows that its query gave, and say what changed since those before."""
    store = services.store
    changes: dict[str, JsonValue] | None = None
    if tile.result_id and tile.refreshed_at is not None:
        try:
            before = await store.results.get_async(principal, tile.result_id)
        except NotFound:  # there is nothing to compare with
            pass
        else:
            found = await asyncio.to_thread(compare, before, result)
            rows: list[JsonValue] = [list(asdict(row).values()) for row in found.rows]
            changes = {
                "since": tile.refreshed_at.astimezone(UTC).isoformat(),
                "sentence": found.sentence,
                "rows": rows,
                "counts": dict(found.counts),
            }
    await store.results.put_async(principal, result)
    superseded = await store.tiles.refreshed_async(principal, tile.id, result_id=result.id, changes=changes)
    if superseded and superseded != result.id:
        await services.dashboards.drop_result_async(principal, superseded)


def age_seconds(tile: TileRecord) -> float:
    """How old the rows of a tile are; endless before the first."""
    if tile.refreshed_at is None:
        return float("inf")
    return (datetime.now(UTC) - tile.refreshed_at).total_seconds()
