"""Stores for the tests: SQLite in a folder of the test's own, PostgreSQL in a database of the test process's own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from cryptography.fernet import Fernet

from tabulaflow_core.config import Settings
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import Store

SERVER = "postgresql://postgres@127.0.0.1:5432"


async def _administer(sql: str) -> None:
    import asyncpg

    connection = await asyncpg.connect(f"{SERVER}/postgres", timeout=3)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """An empty database that is dropped at the end."""
    name = f"tabulaflow_store_{os.getpid()}_{uuid4().hex[:8]}"
    try:
        asyncio.run(_administer(f"CREATE DATABASE {name}"))
    except (OSError, TimeoutError) as error:
        pytest.skip(f"no PostgreSQL on 127.0.0.1:5432: {error}")
    yield f"{SERVER}/{name}"
    asyncio.run(_administer(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.server)])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings of an empty store; on PostgreSQL it is shared by the tests of a process."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgresql" else ""
    return Settings(data_dir=tmp_path / "data", database_url=url, secret_keys=(Fernet.generate_key().decode(),))


@pytest.fixture
async def store(settings: Settings) -> AsyncIterator[Store]:
    """An open store."""
    opened = await Store.open_async(settings)
    yield opened
    await opened.close_async()


@pytest.fixture
def alice() -> Principal:
    """Somebody, another one in each test."""
    return Principal(f"alice-{uuid4().hex[:8]}", "Alice")


@pytest.fixture
def bob() -> Principal:
    """Somebody else."""
    return Principal(f"bob-{uuid4().hex[:8]}", "Bob")
