"""A MariaDB that takes no writes, as a replica does: it is connected to and read, and a refused write says why."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest

from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.errors import SourceError
from tests.data.contract.generic_boxes import open_generic
from tests.data.faults.private import PrivateMariaDB, private_server

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def replica() -> Iterator[str]:
    """The URL of a user who may write, were it not for the server."""
    with private_server(PrivateMariaDB) as server:
        server.run(
            "CREATE DATABASE shop",
            "CREATE TABLE shop.orders (id INT PRIMARY KEY)",
            "INSERT INTO shop.orders VALUES (1), (2)",
            "CREATE USER clerk@'127.0.0.1'",
            "GRANT ALL ON shop.* TO clerk@'127.0.0.1'",
            "SET GLOBAL read_only = 1",
        )
        yield server.url.replace("root@", "clerk@").replace("/mysql", "/shop")


@pytest.mark.parametrize("way", ["native", "generic"])
async def test_it_is_read_and_says_that_it_takes_no_writes(replica: str, way: str) -> None:
    source = await (
        SQLConnector.from_url_async(replica, read_only=False)
        if way == "native"
        else open_generic(replica, read_only=False)
    )
    async with source:
        for how, table in (("fail", "copied"), ("append", "orders"), ("replace", "orders")):
            with pytest.raises(SourceError) as told:
                await source.write_dataframe_async(pd.DataFrame({"id": [3]}), table, if_exists=how)  # type: ignore[arg-type]
            assert told.value.user_message.endswith(
                "The server takes no writes: it is a read-only copy, or set so. Connect to the primary server to write."
            )
        schema = await source.refresh_schema_async()
        assert [table.name for table in schema.tables] == ["orders"]
        outcome = await source.run_query_async("SELECT count(*) AS n FROM orders")
        assert isinstance(outcome, QueryResult), outcome
        assert outcome.table.column(0).to_pylist() == [2]
