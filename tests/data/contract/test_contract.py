"""The contract, run against every connector."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.data.contract import boxes, generic_boxes
from tests.data.contract.boxes import Box
from tests.data.contract.connector_cases import ConnectorContract


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with boxes.postgres_database() as url:
        yield url


@pytest.fixture(scope="module")
def mariadb_url() -> Iterator[str]:
    with boxes.mariadb_database() as url:
        yield url


class TestSQLite(ConnectorContract):
    @pytest.fixture
    async def box(self, tmp_path: Path) -> AsyncIterator[Box]:
        box = await boxes.sqlite_box(tmp_path)
        yield box
        await box.connector.close_async()


class TestSQLiteInMemory(ConnectorContract):
    @pytest.fixture
    async def box(self, tmp_path: Path) -> AsyncIterator[Box]:
        box = await boxes.memory_box(tmp_path)
        yield box
        await box.connector.close_async()


class TestDuckDB(ConnectorContract):
    @pytest.fixture
    async def box(self, tmp_path: Path) -> AsyncIterator[Box]:
        box = await boxes.duckdb_box(tmp_path)
        yield box
        await box.connector.close_async()


@pytest.mark.server
class TestPostgreSQL(ConnectorContract):
    @pytest.fixture
    async def box(self, postgres_url: str) -> AsyncIterator[Box]:
        box = await boxes.postgres_box(postgres_url)
        yield box
        await box.connector.close_async()


@pytest.mark.server
class TestMariaDB(ConnectorContract):
    @pytest.fixture
    async def box(self, mariadb_url: str) -> AsyncIterator[Box]:
        box = await boxes.mariadb_box(mariadb_url)
        yield box
        await box.connector.close_async()


class TestGenericSQLite(ConnectorContract):
    @pytest.fixture
    async def box(self, tmp_path: Path) -> AsyncIterator[Box]:
        box = await generic_boxes.generic_sqlite_box(tmp_path)
        yield box
        await box.connector.close_async()


@pytest.mark.server
class TestGenericPostgreSQL(ConnectorContract):
    @pytest.fixture
    async def box(self, postgres_url: str) -> AsyncIterator[Box]:
        box = await generic_boxes.generic_postgres_box(postgres_url)
        yield box
        await box.connector.close_async()


@pytest.mark.server
class TestGenericMariaDB(ConnectorContract):
    @pytest.fixture
    async def box(self, mariadb_url: str) -> AsyncIterator[Box]:
        box = await generic_boxes.generic_mariadb_box(mariadb_url)
        yield box
        await box.connector.close_async()
