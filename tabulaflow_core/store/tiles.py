"""The tiles of dashboards: their order, what they show, and how their last refresh ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

from pydantic import JsonValue
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from tabulaflow_core.errors import NotFound
from tabulaflow_core.output.dashboards import QueryTile, TextTile, TileHeight
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.conversations import tidy
from tabulaflow_core.store.dashboard_records import TileRecord, content_text, tile_of
from tabulaflow_core.store.dashboard_tables import tiles
from tabulaflow_core.store.dashboards import touch
from tabulaflow_core.store.database import Database, epoch_now

_MISSING: Final = "This tile is not here. It may have been removed in another window; reload the page."


class Tiles:
    """The tiles of each principal's dashboards; every function changes one of the principal's own only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_async(
        self,
        principal: Principal,
        dashboard_id: str,
        *,
        title: str,
        text: str,
        width: int,
        height: TileHeight,
        content: QueryTile | TextTile,
        result_id: str = "",
        position: int | None = None,
    ) -> TileRecord:
        """Put a tile on a dashboard, by default behind the others.

        Args:
            result_id: Rows that it shows at once; they count as refreshed now.

        Raises:
            NotFound: There is no such dashboard, or this principal may not see it.
            NotPermitted: It is somebody else's.
        """
        tile_id = f"t_{uuid4().hex}"
        async with self._database.write() as connection:
            await touch(connection, principal, dashboard_id)
            last = select(func.coalesce(func.max(tiles.c.position), -1)).where(tiles.c.dashboard_id == dashboard_id)
            await connection.execute(
                insert(tiles).values(
                    id=tile_id,
                    dashboard_id=dashboard_id,
                    owner=principal.id,
                    position=(await connection.execute(last)).scalar_one() + 1,
                    title=tidy(title),
                    text=tidy(text),
                    width=width,
                    height=height,
                    content=tidy(content_text(content)),
                    result_id=result_id,
                    refreshed_at=epoch_now() if result_id else None,
                    tried_at=epoch_now() if result_id else None,
                    fault="",
                    changes="",
                )
            )
            if position is not None:
                await _move(connection, principal, dashboard_id, tile_id, position)
            return await _one(connection, principal, tile_id)

    async def change_async(
        self,
        principal: Principal,
        tile_id: str,
        *,
        title: str | None = None,
        text: str | None = None,
        width: int | None = None,
        height: TileHeight | None = None,
        content: QueryTile | TextTile | None = None,
    ) -> TileRecord:
        """Change what is given of a tile.

        Raises:
            NotFound: This principal has no such tile.
        """
        values: dict[str, Any] = {
            "title": None if title is None else tidy(title),
            "text": None if text is None else tidy(text),
            "width": width,
            "height": height,
            "content": None if content is None else tidy(content_text(content)),
        }
        given = {name: value for name, value in values.items() if value is not None}
        async with self._database.write() as connection:
            tile = await _one(connection, principal, tile_id)
            await touch(connection, principal, tile.dashboard_id)
            if given:
                await connection.execute(update(tiles).where(tiles.c.id == tile_id).values(**given))
            return await _one(connection, principal, tile_id)

    async def move_async(self, principal: Principal, tile_id: str, *, position: int) -> None:
        """Put it at `position` among the tiles that are not removed, 0 for the first.

        Raises:
            NotFound: This principal has no such tile.
        """
        async with self._database.write() as connection:
            tile = await _one(connection, principal, tile_id)
            await touch(connection, principal, tile.dashboard_id)
            await _move(connection, principal, tile.dashboard_id, tile_id, position)

    async def remove_async(self, principal: Principal, tile_id: str, *, back: bool = False) -> TileRecord:
        """Take a tile off, or bring it back.

        Raises:
            NotFound: This principal has no such tile.
        """
        async with self._database.write() as connection:
            tile = await _one(connection, principal, tile_id)
            await touch(connection, principal, tile.dashboard_id)
            removed = None if back else epoch_now()
            await connection.execute(update(tiles).where(tiles.c.id == tile_id).values(removed_at=removed))
            return await _one(connection, principal, tile_id)

    async def forget_removed_async(self, principal: Principal, dashboard_id: str, *, keep: int) -> tuple[str, ...]:
        """Forget removed tiles but the last `keep`; the ids of the results that the others showed come back."""
        query = (
            select(tiles.c.id, tiles.c.result_id)
            .where(tiles.c.dashboard_id == dashboard_id, tiles.c.owner == principal.id, tiles.c.removed_at.is_not(None))
            .order_by(tiles.c.removed_at.desc(), tiles.c.id)
            .offset(keep)
        )
        async with self._database.write() as connection:
            gone = (await connection.execute(query)).all()
            await connection.execute(delete(tiles).where(tiles.c.id.in_([row.id for row in gone])))
            return tuple(row.result_id for row in gone if row.result_id)

    async def refreshed_async(
        self, principal: Principal, tile_id: str, *, result_id: str, changes: Mapping[str, JsonValue] | None = None
    ) -> str:
        """Its query gave rows: show these. The id of those that it showed before comes back, empty for none.

        Raises:
            NotFound: This principal has no such tile.
        """
        async with self._database.write() as connection:
            before = await _one(connection, principal, tile_id)
            values: dict[str, Any] = {"result_id": result_id, "refreshed_at": epoch_now(), "tried_at": epoch_now()}
            values |= {"fault": "", "changes": json.dumps(changes) if changes is not None else ""}
            await connection.execute(update(tiles).where(tiles.c.id == tile_id).values(**values))
            return before.result_id

    async def failed_async(self, principal: Principal, tile_id: str, *, fault: str) -> None:
        """Its query gave none, and why; what it showed stays.

        Raises:
            NotFound: This principal has no such tile.
        """
        async with self._database.write() as connection:
            await _one(connection, principal, tile_id)
            values = {"tried_at": epoch_now(), "fault": tidy(fault)}
            await connection.execute(update(tiles).where(tiles.c.id == tile_id).values(**values))


async def _one(connection: AsyncConnection, principal: Principal, tile_id: str) -> TileRecord:
    found = await connection.execute(select(tiles).where(tiles.c.id == tile_id, tiles.c.owner == principal.id))
    row = found.one_or_none()
    if row is None:
        raise NotFound(_MISSING)
    return tile_of(row)


async def _move(
    connection: AsyncConnection, principal: Principal, dashboard_id: str, tile_id: str, position: int
) -> None:
    """Number the tiles anew, removed ones behind the others."""
    query = (
        select(tiles.c.id)
        .where(tiles.c.dashboard_id == dashboard_id, tiles.c.owner == principal.id)
        .order_by(tiles.c.removed_at.is_not(None), tiles.c.position, tiles.c.id)
    )
    order = [other for other in (await connection.execute(query)).scalars() if other != tile_id]
    order.insert(max(0, position), tile_id)
    for at, other in enumerate(order):
        await connection.execute(update(tiles).where(tiles.c.id == other).values(position=at))
