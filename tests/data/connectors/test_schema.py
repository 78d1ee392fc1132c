"""What the catalogue tells: allowed values, inner keys, partitions, names that need quotes, and what changed since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.data.schema import SourceSchema
from tests.data.contract import boxes
from tests.data.contract.boxes import _run_sqlite, outside_mariadb, outside_postgres


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with boxes.postgres_database() as url:
        yield url


@pytest.fixture(scope="module")
def mariadb() -> Iterator[str]:
    with boxes.mariadb_database() as url:
        yield url


def _columns(schema: SourceSchema, table: str) -> list[str]:
    found = schema.table(table)
    return [] if found is None else [column.name for column in found.columns]


@pytest.mark.server
async def test_allowed_values_and_inner_keys(postgres: str) -> None:
    outside_postgres(
        postgres,
        "CREATE TYPE tier AS ENUM ('gold', 'silver', 'none yet')",
        """CREATE TABLE members (level tier, meta jsonb, tags text[], note tier)""",
        "COMMENT ON COLUMN members.note IS 'as of May'",
        """INSERT INTO members VALUES ('silver', '{"tier": "gold"}', '{a,b}', NULL)""",
    )
    async with await SQLConnector.from_url_async(postgres) as source:
        members = source.schema.table("members")
        assert members is not None
        level, meta, tags, note = members.columns
        # Also those that no row has.
        assert (level.type, level.samples) == ("tier", ("gold", "silver", "none yet"))
        assert level.comment == "one of: gold, silver, none yet"
        assert note.comment == "as of May"
        assert meta.samples == ('{"tier": "gold"}',)
        assert tags.samples == ("{a,b}",)


@pytest.mark.server
async def test_sixty_partitions_are_one_table(postgres: str) -> None:
    outside_postgres(
        postgres,
        "CREATE TABLE days (n int) PARTITION BY LIST (n)",
        *(f"CREATE TABLE days_{n} PARTITION OF days FOR VALUES IN ({n})" for n in range(60)),
        "INSERT INTO days SELECT generate_series(0, 59)",
    )
    async with await SQLConnector.from_url_async(postgres) as source:
        assert [t.name for t in source.schema.tables if t.name.startswith("days")] == ["days"]
        days = source.schema.table("days")
        assert days is not None
        assert (days.row_count, days.estimated) == (60, False)


@pytest.mark.server
async def test_names_that_differ_in_case_only(postgres: str) -> None:
    outside_postgres(postgres, 'CREATE TABLE "RiskItems" (a int)', "CREATE TABLE riskitems (b int)")
    async with await SQLConnector.from_url_async(postgres) as source:
        assert _columns(source.schema, "RiskItems") == ["a"]
        assert _columns(source.schema, "riskitems") == ["b"]
        assert isinstance(await source.run_query_async('SELECT a, b FROM "RiskItems", riskitems'), QueryResult)


@pytest.mark.server
async def test_columns_that_a_role_may_not_read_are_left_out(postgres: str) -> None:
    role = f"part_{postgres.rpartition('/')[2]}"
    outside_postgres(
        postgres,
        f"CREATE ROLE {role} LOGIN",
        "CREATE TABLE staff (name text, wage int)",
        f"GRANT SELECT (name) ON staff TO {role}",
    )
    try:
        async with await SQLConnector.from_url_async(postgres.replace("//postgres@", f"//{role}@")) as source:
            assert [table.name for table in source.schema.tables] == ["staff"]
            assert _columns(source.schema, "staff") == ["name"]
    finally:
        outside_postgres(postgres, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


@pytest.mark.server
async def test_changes_are_noticed_in_postgresql(postgres: str) -> None:
    async with await SQLConnector.from_url_async(postgres) as source:
        outside_postgres(postgres, "CREATE TABLE later (a text)", "INSERT INTO later VALUES ('x')")
        assert _columns(await source.refresh_schema_async(), "later") == ["a"]
        outside_postgres(postgres, "ALTER TABLE later ADD b int", "INSERT INTO later VALUES ('y', 1)")
        later = (await source.refresh_schema_async()).table("later")
        assert later is not None
        assert ([c.name for c in later.columns], later.row_count) == (["a", "b"], 2)
        assert sorted(later.columns[0].samples) == ["x", "y"]


@pytest.mark.server
async def test_changes_are_noticed_in_mariadb(mariadb: str) -> None:
    async with await SQLConnector.from_url_async(mariadb) as source:
        outside_mariadb(mariadb, "CREATE TABLE later (a text)", "INSERT INTO later VALUES ('x')")
        assert _columns(await source.refresh_schema_async(), "later") == ["a"]
        outside_mariadb(mariadb, "ALTER TABLE later ADD b int", "INSERT INTO later VALUES ('y', 1)")
        later = (await source.refresh_schema_async()).table("later")
        assert later is not None
        assert ([c.name for c in later.columns], later.row_count) == (["a", "b"], 2)


async def test_changes_are_noticed_in_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    _run_sqlite(path, "CREATE TABLE t (a TEXT)")
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as source:
        _run_sqlite(path, "ALTER TABLE t ADD b INTEGER", "INSERT INTO t VALUES ('x', 1)", "CREATE TABLE u (c)")
        schema = await source.refresh_schema_async()
        assert (_columns(schema, "t"), _columns(schema, "u")) == (["a", "b"], ["c"])
        table = schema.table("t")
        assert table is not None
        assert (table.row_count, table.columns[0].samples) == (1, ("x",))


async def test_a_large_table_is_estimated_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    _run_sqlite(
        path,
        "CREATE TABLE t (a TEXT)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000) "
        "INSERT INTO t SELECT 'x' FROM n",
        "DELETE FROM t WHERE rowid < 20000",
    )
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as source:
        table = source.schema.table("t")
        assert table is not None
        # The highest row number and not a count, which would read every page of it.
        assert (table.row_count, table.estimated, table.columns[0].samples) == (150_000, True, ())
