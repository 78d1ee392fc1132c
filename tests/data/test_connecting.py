"""From a URL to a registered source, and what is said when a driver is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tabulaflow_core.data import DataConnector, DataConnectorRegistry, QueryResult, SQLConnector
from tabulaflow_core.errors import MissingDriver, SourceUrlError


async def test_the_library_from_end_to_end() -> None:
    stock = await SQLConnector.from_url_async("sqlite+aiosqlite:///:memory:", read_only=False)
    async with DataConnectorRegistry() as registry:
        registry.register("stock", stock)
        await stock.write_dataframe_async(pd.DataFrame({"product": ["nut", "bolt"], "units": [3, 40]}), "inventory")
        source = registry.get("stock")
        assert isinstance(source, DataConnector)
        table = source.schema.table("inventory")
        assert table is not None
        assert (table.row_count, [column.name for column in table.columns]) == (2, ["product", "units"])
        outcome = await source.run_query_async("SELECT product FROM inventory WHERE units < 10")
        assert isinstance(outcome, QueryResult)
        assert outcome.table.to_pylist() == [{"product": "nut"}]


@pytest.mark.parametrize(
    ("driver", "module", "url", "command"),
    [
        ("asyncpg", "postgres", "postgresql://u@127.0.0.1/d", "pip install asyncpg"),
        ("pymysql", "mysql", "mysql://u@127.0.0.1/d", "pip install pymysql"),
        ("duckdb", "duckdb", "duckdb:////nowhere.duckdb", "pip install duckdb"),
    ],
)
async def test_a_missing_driver_is_told_with_the_command(
    monkeypatch: pytest.MonkeyPatch, driver: str, module: str, url: str, command: str
) -> None:
    monkeypatch.setitem(sys.modules, driver, None)
    for name in [name for name in sys.modules if name.startswith(f"tabulaflow_core.data.engines.{module}")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingDriver, match=command):
        await SQLConnector.from_url_async(url)


async def test_allowed_roots_hold_for_duckdb_too(tmp_path: Path) -> None:
    with pytest.raises(SourceUrlError):
        await SQLConnector.from_url_async(f"duckdb:///{tmp_path}/a.duckdb", allowed_roots=())


def test_importing_brings_no_heavy_module() -> None:
    code = (
        "import sys, tabulaflow_core.data as d; d.SQLConnector; d.DataConnectorRegistry; "
        "print([m for m in ('pandas', 'sqlglot', 'sqlalchemy', 'asyncpg', 'pymysql', 'duckdb') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_public_names_are_all_there() -> None:
    import tabulaflow_core.data as data

    assert data.__all__ == sorted(data.__all__)
    for name in data.__all__:
        assert getattr(data, name) is not None
    with pytest.raises(AttributeError):
        data.not_there  # noqa: B018
