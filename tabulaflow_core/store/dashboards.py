"""Dashboards with their tiles: changed by their owner only, seen by those whom they are shared with."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import uuid4

from sqlalchemy import ColumnElement, Select, and_, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from tabulaflow_core.errors import NotFound, NotPermitted
from tabulaflow_core.output.dashboards import DashboardFilter, RefreshPolicy, Sharing
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.conversations import tidy
from tabulaflow_core.store.dashboard_records import DashboardRecord, dashboard_of, filters_text, tile_of
from tabulaflow_core.store.dashboard_tables import dashboard_grants, dashboards, tiles
from tabulaflow_core.store.database import Database, epoch_now

_MISSING: Final = (
    "This dashboard is not here. It may have been deleted, or it is not shared with you: "
    "ask whoever sent you the link to share it."
)
_VIEWER: Final = "Only its owner can change this dashboard. Ask them, or make one of your own."


class Dashboards:
    """The dashboards of each principal, and those that are shared with them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_async(self, principal: Principal, *, title: str) -> DashboardRecord:
        """Make an empty, private one."""
        dashboard_id = f"d_{uuid4().hex}"
        async with self._database.write() as connection:
            await connection.execute(
                insert(dashboards).values(
                    id=dashboard_id,
                    owner=principal.id,
                    owner_name=tidy(principal.name),
                    title=tidy(title),
                    filters="[]",
                    refreshing=RefreshPolicy().model_dump_json(),
                    sharing=Sharing().model_dump_json(),
                    created_at=epoch_now(),
                    updated_at=epoch_now(),
                )
            )
            return await _one(connection, principal, dashboard_id)

    async def list_async(self, principal: Principal) -> tuple[DashboardRecord, ...]:
        """One's own and those shared with one, the last changed first; without their tiles."""
        query = _query().where(_seen_by(principal)).order_by(dashboards.c.updated_at.desc(), dashboards.c.id)
        async with self._database.read() as connection:
            return tuple(dashboard_of(row, reader=principal.id) for row in await connection.execute(query))

    async def get_async(self, principal: Principal, dashboard_id: str) -> DashboardRecord:
        """One with its tiles.

        Raises:
            NotFound: There is none, or this principal may not see it.
        """
        async with self._database.read() as connection:
            return await _one(connection, principal, dashboard_id)

    async def rename_async(self, principal: Principal, dashboard_id: str, *, title: str) -> DashboardRecord:
        """Give it another title.

        Raises:
            NotFound: As for `get_async`.
            NotPermitted: It is somebody else's.
        """
        async with self._database.write() as connection:
            await touch(connection, principal, dashboard_id)
            await connection.execute(update(dashboards).where(_own(principal, dashboard_id)).values(title=tidy(title)))
            return await _one(connection, principal, dashboard_id)

    async def delete_async(self, principal: Principal, dashboard_id: str) -> tuple[str, ...]:
        """Delete it with its tiles; the ids of the results that they showed come back.

        Raises:
            NotFound: As for `get_async`.
            NotPermitted: It is somebody else's.
        """
        async with self._database.write() as connection:
            await touch(connection, principal, dashboard_id)
            query = select(tiles.c.result_id).where(tiles.c.dashboard_id == dashboard_id, tiles.c.result_id != "")
            shown = tuple((await connection.execute(query)).scalars())
            await connection.execute(delete(dashboards).where(_own(principal, dashboard_id)))
            return shown

    async def filter_async(
        self, principal: Principal, dashboard_id: str, *, filters: tuple[DashboardFilter, ...]
    ) -> None:
        """Keep its filters, in place of those before.

        Raises:
            NotFound: As for `get_async`.
            NotPermitted: It is somebody else's.
        """
        async with self._database.write() as connection:
            await touch(connection, principal, dashboard_id)
            kept = update(dashboards).where(_own(principal, dashboard_id)).values(filters=tidy(filters_text(filters)))
            await connection.execute(kept)

    async def share_async(self, principal: Principal, dashboard_id: str, *, sharing: Sharing) -> None:
        """Keep who may see it, in place of who could before.

        Raises:
            NotFound: As for `get_async`.
            NotPermitted: It is somebody else's.
        """
        grants: list[tuple[str, str]] = []
        if sharing.visibility == "team":
            grants = [("team", "")]
        elif sharing.visibility == "chosen":
            grants = [("person", name) for name in dict.fromkeys(sharing.people)]
            grants += [("group", name) for name in dict.fromkeys(sharing.groups)]
        async with self._database.write() as connection:
            await touch(connection, principal, dashboard_id)
            await connection.execute(
                update(dashboards)
                .where(_own(principal, dashboard_id))
                .values(sharing=tidy(sharing.model_dump_json()), owner_name=tidy(principal.name))
            )
            await connection.execute(
                delete(dashboard_grants).where(
                    dashboard_grants.c.dashboard_id == dashboard_id, dashboard_grants.c.owner == principal.id
                )
            )
            for kind, name in grants:
                row = {"dashboard_id": dashboard_id, "owner": principal.id, "kind": kind, "name": tidy(name)}
                await connection.execute(insert(dashboard_grants).values(**row))

    async def schedule_async(
        self, principal: Principal, dashboard_id: str, *, policy: RefreshPolicy, next_run_at: datetime | None
    ) -> None:
        """Keep when it is refreshed.

        Args:
            next_run_at: When the schedule of `policy` fires first; None without one.

        Raises:
            NotFound: As for `get_async`.
            NotPermitted: It is somebody else's.
        """
        async with self._database.write() as connection:
            await touch(connection, principal, dashboard_id)
            await connection.execute(
                update(dashboards)
                .where(_own(principal, dashboard_id))
                .values(
                    refreshing=policy.model_dump_json(),
                    next_run_at=next_run_at.timestamp() if next_run_at is not None else None,
                )
            )


async def touch(connection: AsyncConnection, principal: Principal, dashboard_id: str) -> None:
    """Note that the principal changes a dashboard of theirs, within the transaction that changes it.

    Raises:
        NotFound: There is none, or this principal may not see it.
        NotPermitted: It is somebody else's.
    """
    changed = update(dashboards).where(_own(principal, dashboard_id)).values(updated_at=epoch_now())
    if (await connection.execute(changed)).rowcount:
        return
    seen = select(dashboards.c.id).where(dashboards.c.id == dashboard_id, _seen_by(principal))
    if (await connection.execute(seen)).first() is not None:
        raise NotPermitted(_VIEWER)
    raise NotFound(_MISSING)


async def _one(connection: AsyncConnection, principal: Principal, dashboard_id: str) -> DashboardRecord:
    found = await connection.execute(_query().where(dashboards.c.id == dashboard_id, _seen_by(principal)))
    row = found.one_or_none()
    if row is None:
        raise NotFound(_MISSING)
    order = select(tiles).where(tiles.c.dashboard_id == dashboard_id).order_by(tiles.c.position, tiles.c.id)
    made = tuple(tile_of(tile) for tile in await connection.execute(order))
    return dashboard_of(row, reader=principal.id, tiles=made)


def _query() -> Select[tuple[object, ...]]:
    standing = and_(tiles.c.dashboard_id == dashboards.c.id, tiles.c.removed_at.is_(None))
    count = select(func.count()).where(standing).scalar_subquery()
    oldest = select(func.min(tiles.c.refreshed_at)).where(standing).scalar_subquery()
    return select(dashboards, count.label("tile_count"), oldest.label("refreshed_at"))


def _own(principal: Principal, dashboard_id: str) -> ColumnElement[bool]:
    return and_(dashboards.c.id == dashboard_id, dashboards.c.owner == principal.id)


def _seen_by(principal: Principal) -> ColumnElement[bool]:
    """One's own, and those granted to everybody, to this person or to one of their groups."""
    grant = dashboard_grants.c
    to_them = or_(
        grant.kind == "team",
        and_(grant.kind == "person", grant.name == principal.id),
        and_(grant.kind == "group", grant.name.in_(principal.groups)),
    )
    granted = select(grant.dashboard_id).where(grant.dashboard_id == dashboards.c.id, to_them).exists()
    return or_(dashboards.c.owner == principal.id, granted)
