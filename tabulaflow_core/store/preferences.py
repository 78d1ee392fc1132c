"""What a person has set for themselves: a few texts by name, some of them encrypted by the host."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from tabulaflow_core.principal import Principal
from tabulaflow_core.store.answer_tables import preferences
from tabulaflow_core.store.database import Database


class PreferenceShelf:
    """The preferences of each principal."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all_async(self, principal: Principal) -> dict[str, str]:
        """Everything that is set, by name."""
        query = select(preferences.c.name, preferences.c.body).where(preferences.c.owner == principal.id)
        async with self._database.read() as connection:
            return {row.name: row.body for row in await connection.execute(query)}

    async def set_async(self, principal: Principal, name: str, body: str | None) -> None:
        """Keep `body` under `name` in place of what was there; None takes it away."""
        async with self._database.write() as connection:
            await connection.execute(
                delete(preferences).where(preferences.c.owner == principal.id, preferences.c.name == name)
            )
            if body is not None:
                await connection.execute(insert(preferences).values(owner=principal.id, name=name, body=body))
