"""However SQL comes in, it passes the same guard: by hand, by a program, across sources, and as a table's name."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from tabulaflow_core.data import DataConnectorRegistry, SQLConnector
from tabulaflow_core.data.contracts import FailureKind, QueryFailure
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import Runtime

WRITING = [
    "DELETE FROM orders",
    "WITH gone AS (SELECT 1) DELETE FROM orders",
    "SELECT 1; DROP TABLE orders",
    "ATTACH '{file}' AS other",
    "VACUUM INTO '{file}'",
    "CREATE TABLE t AS SELECT 1",
    "COPY (SELECT 1) TO '{file}'",
    "SELECT writefile('{file}', 'x')",
    "SELECT load_extension('{file}')",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "orders.sqlite")) as database:
        database.execute("CREATE TABLE orders AS SELECT 1 AS id")
        database.commit()
    return tmp_path / "orders.sqlite"


def untouched(path: Path) -> bool:
    """The one row is there, and nothing lies beside it that a statement wrote."""
    with closing(sqlite3.connect(path)) as database:
        tables = database.execute("SELECT name FROM sqlite_master").fetchall()
        rows = database.execute("SELECT id FROM orders").fetchall()
    return tables == [("orders",)] and rows == [(1,)] and not (path.parent / "written").exists()


@pytest.mark.parametrize("sql", WRITING)
def test_sql_written_by_hand(rt: Runtime, path: Path, sql: str) -> None:
    rt.add_database(LOCAL_USER, "shop", f"sqlite:///{path}")
    outcome = rt.run_sql(LOCAL_USER, "shop", sql.format(file=path.parent / "written"))
    assert isinstance(outcome, QueryFailure)
    assert outcome.kind in (FailureKind.REFUSED, FailureKind.INVALID)
    assert untouched(path)


@pytest.mark.parametrize("name", ["orders; DROP TABLE orders", '"orders"; DROP TABLE orders', "orders WHERE 1=0"])
def test_a_name_of_a_table_is_a_name(rt: Runtime, path: Path, name: str) -> None:
    rt.add_database(LOCAL_USER, "shop", f"sqlite:///{path}")
    with pytest.raises(TabulaflowError):
        rt.preview(LOCAL_USER, "shop", name)
    assert untouched(path)


@pytest.fixture
async def registry(path: Path) -> AsyncIterator[DataConnectorRegistry]:
    """A program's sources, one of which it may write to by the method for that."""
    async with DataConnectorRegistry() as registry:
        registry.register("shop", await SQLConnector.from_url_async(f"sqlite+aiosqlite:///{path}", read_only=False))
        registry.register("two", await SQLConnector.from_url_async(f"sqlite+aiosqlite:///{path}"))
        yield registry


@pytest.mark.parametrize("sql", WRITING)
async def test_sql_of_a_program_even_where_it_may_write(registry: DataConnectorRegistry, path: Path, sql: str) -> None:
    written = sql.format(file=path.parent / "written")
    for outcome in (
        await registry.get("shop").run_query_async(written),
        await registry.query_across_async(written.replace("orders", "shop.orders")),
    ):
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind in (FailureKind.REFUSED, FailureKind.INVALID)
    assert untouched(path)
