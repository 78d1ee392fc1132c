"""Brings a store of any earlier version to the latest one, by itself and in one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

import tabulaflow_core.store.answer_tables  # noqa: F401 - its tables are part of what is made
from tabulaflow_core.errors import StoreUnavailable
from tabulaflow_core.store.dashboard_tables import dashboard_tables
from tabulaflow_core.store.database import Database
from tabulaflow_core.store.question_tables import question_table
from tabulaflow_core.store.tables import metadata, schema_version

Step = Callable[[AsyncConnection], Awaitable[None]]

#: Any number that no other program on the same server uses for its own lock.
_ADVISORY_LOCK: Final = 7_182_818_284


async def _to_2(connection: AsyncConnection) -> None:
    """A turn can be stopped by a process that does not run it."""
    await connection.execute(text("ALTER TABLE turns ADD COLUMN cancel_requested BOOLEAN NOT NULL DEFAULT false"))


async def _to_3(connection: AsyncConnection) -> None:
    """An upload can wait for an answer, and a database can be an uploaded file."""
    # Not the table of `tables`: that one is the latest version's.
    waiting = Table(
        "waiting_files",
        MetaData(),
        Column("id", String(64), primary_key=True),
        Column("owner", String(255), nullable=False),
        Column("name", Text, nullable=False),
        Column("sha256", String(64), nullable=False),
        Column("size", BigInteger, nullable=False),
        Column("details", Text, nullable=False),
        Column("created_at", Double, nullable=False),
        UniqueConstraint("owner", "name"),
    )
    await connection.run_sync(waiting.create)
    await connection.execute(text("ALTER TABLE databases ADD COLUMN upload TEXT NOT NULL DEFAULT ''"))


async def _to_4(connection: AsyncConnection) -> None:
    """An answer can be judged and changed by hand, a person can set things, and usage is counted by source."""
    made = MetaData()
    Table("turns", made, Column("id", String(64), primary_key=True))  # there already; named for the references to it

    def turn_id() -> Column[str]:
        return Column("turn_id", ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True)

    def owner(*, key: bool = False) -> Column[str]:
        return Column("owner", String(255), primary_key=key, nullable=False)

    new = (
        Table(
            "feedback",
            made,
            turn_id(),
            owner(),
            Column("verdict", String(8), nullable=False),
            Column("reason", Text, nullable=False),
            Column("updated_at", Double, nullable=False),
        ),
        Table(
            "choices",
            made,
            turn_id(),
            Column("place", String(96), primary_key=True),
            owner(),
            Column("body", Text, nullable=False),
            Column("updated_at", Double, nullable=False),
        ),
        Table(
            "preferences",
            made,
            owner(key=True),
            Column("name", String(64), primary_key=True),
            Column("body", Text, nullable=False),
        ),
        Table(
            "turn_sources",
            made,
            Column("turn_id", String(64), primary_key=True),
            owner(),
            Column("sources", Text, nullable=False),
            Index("ix_turn_sources_owner", "owner"),
        ),
    )
    for table in new:
        await connection.run_sync(table.create)


async def _to_5(connection: AsyncConnection) -> None:
    """Answers are pinned to dashboards."""
    for table in dashboard_tables(MetaData()):
        await connection.run_sync(table.create)


async def _to_6(connection: AsyncConnection) -> None:
    """Questions are saved with their queries."""
    await connection.run_sync(question_table(MetaData()).create)


#: Version n is reached from n-1 by `STEPS[n]`. A step is never changed once it was released.
STEPS: Final[dict[int, Step]] = {2: _to_2, 3: _to_3, 4: _to_4, 5: _to_5, 6: _to_6}
LATEST: Final = 6


async def migrate_async(database: Database) -> int:
    """Create the tables, or bring them to the latest version. The version found before comes back, 0 for none.

    Two processes that start at once are safe: the second waits for the first and finds nothing to do.

    Raises:
        StoreUnavailable: The store was written by a newer version of this program.
    """
    async with database.write() as connection:  # takes SQLite's write lock at once
        if database.backend == "postgresql":
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        found = await _version(connection)
        if found > LATEST:
            raise StoreUnavailable(
                f"The store has version {found}, made by a newer version of this program, which knows up to {LATEST}. "
                "Install the newer version, or set TABULAFLOW_DATA_DIR to another folder."
            )
        if found == 0:
            await connection.run_sync(metadata.create_all)
            await connection.execute(insert(schema_version).values(id=1, version=LATEST))
            return 0
        for version in range(found + 1, LATEST + 1):
            await STEPS[version](connection)
        if found < LATEST:
            await connection.execute(update(schema_version).values(version=LATEST))
        return found


async def _version(connection: AsyncConnection) -> int:
    there = await connection.run_sync(lambda sync: inspect(sync).has_table(schema_version.name))
    if not there:
        return 0
    return (await connection.execute(select(schema_version.c.version))).scalar_one_or_none() or 0
