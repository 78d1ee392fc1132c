"""A store of an earlier version is brought forward by itself, also when several processes start at once."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import inspect, select, text, update

from tabulaflow_core.agents.events import AnswerDelta
from tabulaflow_core.config import Settings
from tabulaflow_core.errors import ConfigurationError, StoreUnavailable
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.store import Store
from tabulaflow_core.store.migrations import LATEST, STEPS
from tabulaflow_core.store.tables import metadata, schema_version

VERSION_1 = Path(__file__).with_name("version_1.sql")


async def shape(store: Store) -> dict[str, object]:
    """Columns and indexes of every table, as the database tells them."""

    def look(connection: object) -> dict[str, object]:
        inspector = inspect(connection)
        return {
            table: (
                sorted((c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(table)),
                sorted(str(i["name"]) for i in inspector.get_indexes(table)),
            )
            for table in metadata.tables
        }

    async with store._database.read() as connection:
        found: dict[str, object] = await connection.run_sync(look)
    return found


async def version(store: Store) -> int:
    async with store._database.read() as connection:
        return int((await connection.execute(select(schema_version.c.version))).scalar_one())


def test_every_version_is_reached_by_a_step() -> None:
    assert sorted(STEPS) == list(range(2, LATEST + 1))


async def test_version_1_becomes_the_latest(tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    old = sqlite3.connect(folder / "tabulaflow.db")
    old.executescript(VERSION_1.read_text())
    old.close()
    opened = await asyncio.gather(*(Store.open_async(Settings(data_dir=folder)) for _ in range(4)))
    fresh = await Store.open_async(Settings(data_dir=tmp_path / "new"))
    try:
        assert await version(opened[0]) == LATEST
        assert await shape(opened[0]) == await shape(fresh)
        (conversation,) = await opened[1].conversations.list_async(LOCAL_USER)
        (turn,) = await opened[2].turns.list_async(LOCAL_USER, conversation.id)
        assert (conversation.title, turn.state, turn.cancel_requested) == ("Old question", "finished", False)
        events = await opened[3].turns.events_async(LOCAL_USER, turn.id)
        assert events == [AnswerDelta(step=1, content="Old answer")]
    finally:
        for store in (*opened, fresh):
            await store.close_async()


@pytest.mark.server
async def test_version_1_on_postgresql(postgres_url: str, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, database_url=postgres_url)
    store = await Store.open_async(settings)
    latest = await shape(store)
    async with store._database.write() as connection:
        await connection.execute(text("ALTER TABLE turns DROP COLUMN cancel_requested"))
        await connection.execute(text("ALTER TABLE databases DROP COLUMN upload"))
        for table in (
            "saved_questions",
            "tiles",
            "dashboard_grants",
            "dashboards",
            "waiting_files",
            "feedback",
            "choices",
            "preferences",
            "turn_sources",
        ):
            await connection.execute(text(f"DROP TABLE {table}"))
        await connection.execute(update(schema_version).values(version=1))
    await store.close_async()
    opened = await asyncio.gather(*(Store.open_async(settings) for _ in range(4)))
    try:
        assert await version(opened[0]) == LATEST
        assert await shape(opened[1]) == latest
    finally:
        for each in opened:
            await each.close_async()


async def test_several_processes_make_one_store(tmp_path: Path, alice: Principal) -> None:
    opened = await asyncio.gather(*(Store.open_async(Settings(data_dir=tmp_path / "new")) for _ in range(4)))
    try:
        conversation = await opened[0].conversations.create_async(alice)
        assert (await opened[3].conversations.get_async(alice, conversation.id)).id == conversation.id
    finally:
        for store in opened:
            await store.close_async()


async def test_a_store_that_another_process_makes_is_waited_for(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "tabulaflow.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # before it became WAL: SQLite refuses without its own waiting
    opening = asyncio.create_task(Store.open_async(Settings(data_dir=tmp_path)))
    await asyncio.sleep(0.3)
    assert not opening.done()
    other.execute("ROLLBACK")
    other.close()
    await (await opening).close_async()


async def test_a_newer_store_is_left_alone(settings: Settings, store: Store) -> None:
    async with store._database.write() as connection:
        await connection.execute(update(schema_version).values(version=LATEST + 1))
    try:
        with pytest.raises(StoreUnavailable, match="newer version"):
            await Store.open_async(settings)
    finally:
        async with store._database.write() as connection:
            await connection.execute(update(schema_version).values(version=LATEST))


@pytest.mark.parametrize("url", ["mysql://root@127.0.0.1/x", "nonsense", "postgresql", "postgresql://a@b/c?x=1"])
async def test_only_two_databases_can_be_the_store(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="TABULAFLOW_DATABASE_URL"):
        await Store.open_async(Settings(data_dir=tmp_path, database_url=url))


async def test_a_silent_server_is_said_without_the_password(tmp_path: Path) -> None:
    url = "postgresql://somebody:hunter2@127.0.0.1:1/nowhere"
    with pytest.raises(StoreUnavailable) as caught:
        await Store.open_async(Settings(data_dir=tmp_path, database_url=url))
    assert "hunter2" not in caught.value.user_message + str(caught.value.detail)
    assert "Try again" in caught.value.user_message
