"""A table that somebody else has locked: the query says what it waited for, and others are not kept waiting."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest

from tabulaflow_core.data import FailureKind, QueryFailure, QueryOutcome, QueryResult, SQLConnector
from tabulaflow_core.data.urls import parse_source_url
from tests.data.contract.boxes import outside_postgres

pytestmark = pytest.mark.server


def _says_what_it_waited_for(outcome: QueryOutcome) -> None:
    assert isinstance(outcome, QueryFailure)
    assert outcome.kind is FailureKind.TIMEOUT
    assert "waited for a lock" in outcome.message
    assert "another program" in outcome.message


async def test_postgresql(postgres: str) -> None:
    import asyncpg

    other = await asyncpg.connect(postgres)
    try:
        await other.execute("BEGIN; LOCK TABLE customers IN ACCESS EXCLUSIVE MODE")
        # Connecting looks into tables, but does not wait for those that are locked.
        async with await SQLConnector.from_url_async(postgres) as source:
            table = source.schema.table("customers")
            assert table is not None
            assert [column.name for column in table.columns] == ["id", "name", "city"]
            outcome, beside = await asyncio.gather(
                source.run_query_async("SELECT * FROM customers", timeout=2.0),
                source.run_query_async("SELECT count(*) FROM sales"),
            )
            _says_what_it_waited_for(outcome)
            assert isinstance(beside, QueryResult)
            assert outside_postgres(postgres, "SELECT count(*) FROM pg_locks WHERE NOT granted") == [[0]]
            await other.execute("ROLLBACK")
            assert isinstance(await source.run_query_async("SELECT * FROM customers"), QueryResult)
    finally:
        await other.close()


async def test_mariadb(mariadb: str) -> None:
    import pymysql

    address = parse_source_url(mariadb)
    with closing(
        pymysql.connect(
            host=address.host,
            port=address.port,
            user=address.user,
            password=address.password,
            database=address.database,
        )
    ) as other:
        with other.cursor() as cursor:
            cursor.execute("LOCK TABLES customers WRITE")
        async with await SQLConnector.from_url_async(mariadb) as source:
            assert source.schema.table("customers") is not None
            outcome, beside = await asyncio.gather(
                source.run_query_async("SELECT * FROM customers", timeout=4.0),
                source.run_query_async("SELECT count(*) FROM sales"),
            )
            _says_what_it_waited_for(outcome)
            assert isinstance(beside, QueryResult)
            with other.cursor() as cursor:
                cursor.execute("UNLOCK TABLES")
            assert isinstance(await source.run_query_async("SELECT * FROM customers"), QueryResult)
