"""Schedules of dashboards: which are due, and which process refreshes one, by a lease that runs out with it."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, or_, select, update

from tabulaflow_core.principal import Principal
from tabulaflow_core.store.dashboard_tables import dashboards
from tabulaflow_core.store.database import Database, epoch_now

#: Who asks for what is due of everybody's; nobody can sign in under this name.
SCHEDULER: Final = Principal("\u2063scheduler")
#: A process that did not renew its lease for so long is taken for dead.
LEASE_SECONDS: Final = 30.0


class Schedules:
    """When dashboards are refreshed by themselves."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def due_async(self, principal: Principal) -> tuple[tuple[Principal, str], ...]:
        """The owner and the id of each dashboard that is due and that nobody refreshes, the longest due first.

        Only the principal's own; all of them for `SCHEDULER`.
        """
        query = select(dashboards.c.owner, dashboards.c.owner_name, dashboards.c.id).where(
            dashboards.c.next_run_at <= epoch_now(), _is_free()
        )
        if principal != SCHEDULER:
            query = query.where(dashboards.c.owner == principal.id)
        async with self._database.read() as connection:
            rows = await connection.execute(query.order_by(dashboards.c.next_run_at, dashboards.c.id))
            return tuple((Principal(row.owner, row.owner_name), row.id) for row in rows)

    async def take_async(self, principal: Principal, dashboard_id: str, *, holder: str) -> bool:
        """Take the lease of a dashboard that is due, before another process does; False when that was quicker."""
        taken = (
            update(dashboards)
            .where(dashboards.c.id == dashboard_id, dashboards.c.owner == principal.id)
            .where(dashboards.c.next_run_at <= epoch_now(), _is_free())
            .values(lease_holder=holder, lease_until=epoch_now() + LEASE_SECONDS)
        )
        async with self._database.write() as connection:
            return (await connection.execute(taken)).rowcount == 1

    async def renew_async(self, principal: Principal, dashboard_id: str, *, holder: str) -> bool:
        """Say that the process lives; False when the lease is another's by now."""
        renewed = (
            update(dashboards)
            .where(dashboards.c.id == dashboard_id, dashboards.c.owner == principal.id)
            .where(dashboards.c.lease_holder == holder)
            .values(lease_until=epoch_now() + LEASE_SECONDS)
        )
        async with self._database.write() as connection:
            return (await connection.execute(renewed)).rowcount == 1

    async def release_async(
        self, principal: Principal, dashboard_id: str, *, holder: str, next_run_at: datetime | None
    ) -> None:
        """Give the lease back, and say when the schedule fires next; nothing happens when it is another's by now."""
        given = (
            update(dashboards)
            .where(dashboards.c.id == dashboard_id, dashboards.c.owner == principal.id)
            .where(dashboards.c.lease_holder == holder)
            .values(
                lease_holder=None,
                lease_until=None,
                next_run_at=next_run_at.timestamp() if next_run_at is not None else None,
            )
        )
        async with self._database.write() as connection:
            await connection.execute(given)


def _is_free() -> ColumnElement[bool]:
    return or_(dashboards.c.lease_until.is_(None), dashboards.c.lease_until < epoch_now())
