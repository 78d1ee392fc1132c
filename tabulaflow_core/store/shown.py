"""Which results are in use outside of their conversation: those stay when older ones are dropped for room."""

from __future__ import annotations

from sqlalchemy import CompoundSelect, select, union

from tabulaflow_core.principal import Principal
from tabulaflow_core.store.dashboard_tables import tiles
from tabulaflow_core.store.database import Database
from tabulaflow_core.store.question_tables import saved_questions


def shown_results(principal: Principal) -> CompoundSelect[tuple[str]]:
    """The query for the ids of the results that tiles, also removed ones, and saved questions of a principal have."""
    return union(
        *(
            select(table.c.result_id).where(table.c.owner == principal.id, table.c.result_id != "")
            for table in (tiles, saved_questions)
        )
    )


class ShownResults:
    """The results of each principal that are in use."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def has_async(self, principal: Principal, result_id: str) -> bool:
        """Whether a tile or a saved question of the principal's has these rows."""
        found = shown_results(principal).subquery()
        async with self._database.read() as connection:
            query = select(found.c.result_id).where(found.c.result_id == result_id).limit(1)
            return (await connection.execute(query)).first() is not None
