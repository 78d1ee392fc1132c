"""A server that restarts, is full, ends a connection, or lets somebody in no more."""

from __future__ import annotations

import asyncio

import pytest

from tabulaflow_core.config import Limits
from tabulaflow_core.data import QueryFailure, QueryResult, SQLConnector
from tabulaflow_core.data.urls import parse_source_url
from tabulaflow_core.errors import SourceUnavailable
from tests.data.contract.boxes import BURNER, outside_postgres
from tests.data.faults.proxy import Proxy

pytestmark = pytest.mark.server


async def _answers(source: SQLConnector) -> bool:
    return isinstance(await source.run_query_async("SELECT count(*) AS n FROM customers"), QueryResult)


@pytest.mark.parametrize("engine", ["postgres", "mariadb"])
async def test_a_restart_between_two_questions(url: str) -> None:
    address = parse_source_url(url)
    assert address.port is not None
    proxy = Proxy(address.host, address.port)
    await proxy.start_async()
    through = url.replace(f":{address.port}/", f":{proxy.port}/")
    assert through != url
    async with await SQLConnector.from_url_async(through) as source:
        # More than one connection is kept, and all of them break.
        assert all(await asyncio.gather(*(_answers(source) for _ in range(4))))
        await proxy.stop_async()
        with pytest.raises(SourceUnavailable, match=r"nobody listens|Nobody listens"):
            await _answers(source)
        await proxy.start_async()
        assert all(await asyncio.gather(*(_answers(source) for _ in range(4))))
        # In the middle of a statement it is told, and the next one is answered.
        running = asyncio.create_task(source.run_query_async(BURNER))
        await asyncio.sleep(0.5)
        await proxy.stop_async()
        await proxy.start_async()
        with pytest.raises(SourceUnavailable):
            await running
        assert await _answers(source)
    await proxy.stop_async()


async def test_a_role_with_two_connections(postgres: str) -> None:
    name = f"few_{postgres.rpartition('/')[2]}"
    outside_postgres(
        postgres,
        f"CREATE ROLE {name} LOGIN CONNECTION LIMIT 2",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}",
    )
    try:
        address = parse_source_url(postgres)
        url = f"postgresql://{name}@{address.host}:{address.port}/{address.database}"
        async with await SQLConnector.from_url_async(url) as source:
            slow = [asyncio.create_task(source.run_query_async("SELECT count(*) FROM customers")) for _ in range(8)]
            found = await asyncio.gather(*slow, return_exceptions=True)
            for outcome in found:  # those within the limit are answered, the others say what it is
                assert isinstance(outcome, QueryResult | SourceUnavailable), outcome
                if isinstance(outcome, SourceUnavailable):
                    assert "connection" in outcome.user_message
            assert any(isinstance(outcome, QueryResult) for outcome in found)
            assert await _answers(source)
            outside_postgres(
                postgres,
                f"ALTER ROLE {name} NOLOGIN",
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{name}'",
            )
            with pytest.raises(SourceUnavailable) as told:
                await _answers(source)
            assert name not in str(told.value.__cause__)
            outside_postgres(postgres, f"ALTER ROLE {name} LOGIN")
            assert await _answers(source)
    finally:
        outside_postgres(postgres, f"DROP OWNED BY {name}", f"DROP ROLE {name}")


@pytest.mark.parametrize("engine", ["postgres", "mariadb"])
async def test_fifty_million_rows_are_cut(url: str, engine: str) -> None:
    rows = (
        "SELECT g AS n FROM generate_series(1, 50000000) AS g"
        if engine == "postgres"
        else "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 400) "
        "SELECT a.n FROM d a CROSS JOIN d b CROSS JOIN d c"
    )
    async with await SQLConnector.from_url_async(url, limits=Limits(result_rows=20_000)) as source:
        outcome = await source.run_query_async(rows)
        assert isinstance(outcome, QueryResult), outcome
        assert (outcome.table.num_rows, outcome.truncated, outcome.cut_by) == (20_000, True, "rows")
        assert outcome.table.nbytes < 1_000_000
        assert await _answers(source)


async def test_names_in_back_ticks_are_hinted_at(postgres: str) -> None:
    async with await SQLConnector.from_url_async(postgres) as source:
        outcome = await source.run_query_async("SELECT `Unit Price` FROM `Order Lines`")
        assert isinstance(outcome, QueryFailure)
        assert outcome.hint == 'Names are quoted as "name" here, not with back-ticks.'


async def test_a_colon_in_a_text_is_no_parameter(postgres: str) -> None:
    async with await SQLConnector.from_url_async(postgres) as source:
        outcome = await source.run_query_async(
            "SELECT 'see :abc' AS \"a:b\", a.id, b.id FROM customers a JOIN customers b ON true"
        )
        assert isinstance(outcome, QueryResult), outcome
        assert outcome.table.column_names == ["a:b", "id", "id"]
        assert outcome.table.column(0).to_pylist()[0] == "see :abc"
