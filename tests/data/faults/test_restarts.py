"""Real servers that are ended, started again, and whose passwords change, between two questions and within one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.errors import SourceUnavailable
from tests.data.contract.boxes import BURNER
from tests.data.contract.generic_boxes import open_generic
from tests.data.faults.private import PrivateMariaDB, PrivatePostgres, PrivateServer, private_server

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def postgres() -> Iterator[PrivateServer]:
    with private_server(PrivatePostgres) as server:
        yield server


@pytest.fixture(scope="module")
def mariadb() -> Iterator[PrivateServer]:
    with private_server(PrivateMariaDB) as server:
        yield server


@pytest.fixture
def server(request: pytest.FixtureRequest, engine: str) -> PrivateServer:
    found = request.getfixturevalue(engine)
    assert isinstance(found, PrivateServer)
    return found


async def open_by(way: str, url: str) -> SQLConnector:
    return await (SQLConnector.from_url_async(url) if way == "native" else open_generic(url))


async def _answers(source: SQLConnector) -> bool:
    return isinstance(await source.run_query_async("SELECT 1 AS one"), QueryResult)


BOTH = pytest.mark.parametrize("engine", ["postgres", "mariadb"])
WAYS = pytest.mark.parametrize("way", ["native", "generic"])


@BOTH
@WAYS
async def test_a_restart(server: PrivateServer, way: str) -> None:
    async with await open_by(way, server.url) as source:
        assert all(await asyncio.gather(*(_answers(source) for _ in range(4))))  # several connections are kept
        await asyncio.to_thread(server.stop)
        for _ in range(2):  # it stays so, and is said again
            with pytest.raises(SourceUnavailable, match=r"(?i)nobody listens"):
                await _answers(source)
        await asyncio.to_thread(server.start)
        assert all(await asyncio.gather(*(_answers(source) for _ in range(8))))


@BOTH
@WAYS
async def test_a_restart_within_a_query(server: PrivateServer, way: str) -> None:
    async with await open_by(way, server.url) as source:
        running = asyncio.create_task(source.run_query_async(BURNER))
        await asyncio.sleep(0.3)
        await asyncio.to_thread(server.stop)
        await asyncio.to_thread(server.start)
        with pytest.raises(SourceUnavailable) as told:
            await asyncio.wait_for(running, 10)
        assert told.value.user_message
        assert await _answers(source)


@BOTH
@WAYS
async def test_the_connection_is_ended_within_a_query(server: PrivateServer, way: str) -> None:
    async with await open_by(way, server.url) as source:
        running = asyncio.create_task(source.run_query_async(BURNER))
        await asyncio.sleep(0.3)
        beside = asyncio.create_task(source.run_query_async(BURNER))
        await asyncio.sleep(0.2)
        await asyncio.to_thread(server.end_oldest)
        with pytest.raises(SourceUnavailable) as told:
            await asyncio.wait_for(running, 10)
        assert told.value.user_message
        assert not beside.done()  # nobody ended that one
        beside.cancel()
        await asyncio.gather(beside, return_exceptions=True)
        assert all(await asyncio.gather(*(_answers(source) for _ in range(6))))


@BOTH
@WAYS
async def test_a_password_that_changes(server: PrivateServer, way: str) -> None:
    await asyncio.to_thread(_make_reader, server, "first")
    old, new = (
        server.url.replace("root@", f"reader:{word}@").replace("postgres@", f"reader:{word}@")
        for word in ("first", "second")
    )
    async with await open_by(way, old) as source:
        assert all(await asyncio.gather(*(_answers(source) for _ in range(4))))
        await asyncio.to_thread(_change_password, server, "second")
        assert await _answers(source)  # who is in stays in
        await asyncio.to_thread(server.stop)
        await asyncio.to_thread(server.start)
        with pytest.raises(SourceUnavailable, match="password") as told:
            await _answers(source)
        assert "first" not in told.value.user_message
    async with await open_by(way, new) as source:
        assert await _answers(source)


def _make_reader(server: PrivateServer, password: str) -> None:
    if isinstance(server, PrivatePostgres):
        server.run("DROP ROLE IF EXISTS reader", f"CREATE ROLE reader LOGIN PASSWORD '{password}'")
    else:
        server.run(
            f"CREATE OR REPLACE USER reader@'127.0.0.1' IDENTIFIED BY '{password}'",
            "GRANT SELECT ON mysql.* TO reader@'127.0.0.1'",
        )


def _change_password(server: PrivateServer, password: str) -> None:
    if isinstance(server, PrivatePostgres):
        server.run(f"ALTER ROLE reader PASSWORD '{password}'")
    else:
        server.run(f"ALTER USER reader@'127.0.0.1' IDENTIFIED BY '{password}'")
