"""A table that is to be replaced and cannot be: the old one is as it was, and nothing else is left."""

from __future__ import annotations

import pandas as pd
import pytest

from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.errors import SourceError
from tests.data.contract.generic_boxes import open_generic

pytestmark = pytest.mark.server

#: What the engine or its driver cannot take, which shows when most rows are there already.
BAD = {"postgres": "a\0b", "mariadb": float("inf")}
ROWS = 12_000


@pytest.mark.parametrize("engine", ["postgres", "mariadb"])
@pytest.mark.parametrize("way", ["native", "generic"])
async def test_the_old_table_stays(url: str, engine: str, way: str) -> None:
    source = await (
        SQLConnector.from_url_async(url, read_only=False) if way == "native" else open_generic(url, read_only=False)
    )
    async with source:
        await source.write_dataframe_async(pd.DataFrame({"old": [1, 2]}), "kept 100%", if_exists="replace")
        before = {table.name for table in source.schema.tables}
        good = 0.5 if engine == "mariadb" else "good"
        frame = pd.DataFrame({"new": range(ROWS), "value": [good] * (ROWS - 1) + [BAD[engine]]})
        for how, table in (("replace", "kept 100%"), ("fail", "never made")):
            with pytest.raises(SourceError, match="was not written"):
                await source.write_dataframe_async(frame, table, if_exists=how)  # type: ignore[arg-type]
        await source.refresh_schema_async()
        assert {table.name for table in source.schema.tables} == before
        await source.write_dataframe_async(frame.iloc[:-1], "kept 100%", if_exists="replace")
        assert {table.name for table in source.schema.tables} == before
        quoted = "`kept 100%`" if engine == "mariadb" else '"kept 100%"'
        outcome = await source.run_query_async(f"SELECT count(*) AS n, sum(new) AS s FROM {quoted}")
        assert isinstance(outcome, QueryResult), outcome
        assert [int(column[0].as_py()) for column in outcome.table.columns] == [ROWS - 1, (ROWS - 1) * (ROWS - 2) // 2]
