"""SQLite: the lock, hostile and broken files, and values of mixed type."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tabulaflow_core.config import Limits
from tabulaflow_core.data import FailureKind, QueryFailure, QueryResult, SQLConnector
from tabulaflow_core.data.engines.base import EngineFault
from tabulaflow_core.errors import SourceUnavailable
from tests.data.contract.boxes import BURNER, raw_of


def _make(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in ("BEGIN", *statements, "COMMIT"):
            connection.execute(statement)
    return path


async def _column(connector: SQLConnector, sql: str) -> list[object]:
    outcome = await connector.run_query_async(sql)
    assert isinstance(outcome, QueryResult), outcome
    return outcome.table.column(0).to_pylist()


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH '{folder}/new.db' AS other",
        "VACUUM INTO '{folder}/copy.db'",
        "VACUUM",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t (a)",
        "CREATE VIRTUAL TABLE v USING fts5(a)",
        "UPDATE kept SET a = 2",
        "UPDATE sqlite_master SET sql = 'CREATE TABLE kept (b)'",
        "DELETE FROM sqlite_master",
        "PRAGMA schema_version = 9",
        "SELECT * FROM pragma_user_version(5)",
        "PRAGMA writable_schema = ON",
        "PRAGMA journal_mode = WAL",
        "PRAGMA query_only = OFF",
        "PRAGMA user_version = 7",
        "PRAGMA trusted_schema = ON",
        "SELECT load_extension('{folder}/x')",
        "SAVEPOINT s",
        "BEGIN IMMEDIATE",
        "DETACH main",
        "ANALYZE",
        "REINDEX",
        "WITH x AS (SELECT 1) DELETE FROM kept",
        "INSERT INTO kept VALUES (3) RETURNING a",
    ],
)
async def test_the_lock_holds_without_the_guard(tmp_path: Path, sql: str) -> None:
    path = _make(tmp_path / "a.db", "CREATE TABLE kept (a)", "INSERT INTO kept VALUES (1)")
    before = path.read_bytes()
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        with pytest.raises(EngineFault) as caught:
            await raw_of(connector)(sql.format(folder=tmp_path))
        assert caught.value.kind in (FailureKind.REFUSED, FailureKind.INVALID)
        assert await _column(connector, "SELECT a FROM kept") == [1]
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.db"]


async def test_the_catalogue_can_be_read(tmp_path: Path) -> None:
    path = _make(tmp_path / "a.db", "CREATE TABLE kept (a, b)")
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        assert await _column(connector, "SELECT name FROM pragma_table_info('kept') ORDER BY cid") == ["a", "b"]
        assert await _column(connector, "PRAGMA user_version") == [0]
        assert await _column(connector, "SELECT value FROM json_each('[1,2]')") == [1, 2]
        assert await _column(connector, "EXPLAIN QUERY PLAN SELECT * FROM kept") != []
        with pytest.raises(EngineFault):
            await raw_of(connector)("SELECT file FROM pragma_database_list")


async def test_full_text_tables_can_be_asked(tmp_path: Path) -> None:
    path = _make(tmp_path / "a.db", "CREATE VIRTUAL TABLE f USING fts5(a)", "INSERT INTO f VALUES ('one two')")
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        assert [table.name for table in connector.schema.tables] == ["f"]
        assert await _column(connector, "SELECT a FROM f WHERE a = 'one two'") == ["one two"]


async def test_r_trees_can_be_asked(tmp_path: Path) -> None:
    path = _make(
        tmp_path / "a.db",
        "CREATE VIRTUAL TABLE boxes USING rtree(id, left, right)",
        "INSERT INTO boxes VALUES (1, 2, 3)",
    )
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as source:
        assert await _column(source, "SELECT id FROM boxes WHERE left < 5") == [1]
        columns = "SELECT p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.name = 'boxes'"
        assert sorted(await _column(source, columns), key=str) == ["id", "left", "right"]


async def test_a_search_in_one_long_text_for_another_ends(tmp_path: Path) -> None:
    path = _make(tmp_path / "a.db", "CREATE TABLE t AS SELECT 'a needle' AS a")
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as source:
        assert await _column(source, "SELECT instr(a, 'nee' || 'dle') FROM t") == [3]
        endless = (
            "WITH RECURSIVE r(a) AS (SELECT '00000000' UNION ALL SELECT a || a FROM r WHERE length(a) < 16000000) "
            "SELECT instr(x.a, y.a || '1') FROM r x, r y"
        )
        outcome = await source.run_query_async(endless)
        assert isinstance(outcome, QueryFailure)
        assert "too big" in outcome.message


async def test_memory_is_locked_for_queries_and_open_for_writing() -> None:
    import pandas as pd

    async with await SQLConnector.from_url_async("sqlite://", read_only=False) as connector:
        await connector.write_dataframe_async(pd.DataFrame({"a": [1]}), "kept")
        for sql in (
            "UPDATE kept SET a = 2",
            "DROP TABLE kept",
            "CREATE TEMP TABLE t (a)",
            "PRAGMA query_only = OFF",
            "UPDATE sqlite_master SET sql = 'x'",
        ):
            with pytest.raises(EngineFault):
                await raw_of(connector)(sql)
        await connector.write_dataframe_async(pd.DataFrame({"a": [5]}), "kept", if_exists="append")
        assert await _column(connector, "SELECT a FROM kept ORDER BY 1") == [1, 5]


async def test_mixed_columns_lose_nothing(tmp_path: Path) -> None:
    path = _make(
        tmp_path / "a.db",
        "CREATE TABLE m (v)",
        "INSERT INTO m VALUES (1), (2.5), ('x'), (NULL), (X'00FF'), (9223372036854775807)",
    )
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        assert await _column(connector, "SELECT v FROM m ORDER BY rowid") == [
            "1", "2.5", "x", None, "\\x00ff", "9223372036854775807",
        ]  # fmt: skip


async def test_a_late_change_of_type_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    _make(path, "CREATE TABLE m (v)")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO m VALUES (?)", [(n,) for n in range(30_000)] + [("n/a",)])
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        values = await _column(connector, "SELECT v FROM m ORDER BY rowid")
    assert values == [*map(str, range(30_000)), "n/a"]


async def test_text_that_is_not_utf8_is_kept(tmp_path: Path) -> None:
    path = _make(tmp_path / "a.db", "CREATE TABLE m (v TEXT)", "INSERT INTO m VALUES ('ok'), (CAST(X'ff41' AS TEXT))")
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        assert await _column(connector, "SELECT v FROM m ORDER BY rowid") == ["ok", "\\xff41"]
        assert await _column(connector, "SELECT count(*) FROM m") == [2]


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "no file"), (b"not a database at all, " * 100, "not an SQLite database"), ("folder", "folder")],
)
async def test_files_that_cannot_be_opened(tmp_path: Path, content: object, words: str) -> None:
    path = tmp_path / "a.db"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    with pytest.raises(SourceUnavailable, match=words) as caught:
        await SQLConnector.from_url_async(f"sqlite:///{path}")
    assert str(tmp_path) not in caught.value.user_message
    assert path.exists() is bool(content)


async def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    path = _make(tmp_path / "a.db", "CREATE TABLE m (v)", *["INSERT INTO m VALUES (hex(randomblob(500)))"] * 60)
    content = bytearray(path.read_bytes())
    content[8192:20000] = b"\xa5" * (20000 - 8192)
    path.write_bytes(bytes(content))
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        with pytest.raises(SourceUnavailable, match="damaged"):
            await connector.run_query_async("SELECT sum(length(v)) FROM m")


async def test_a_hostile_view_cannot_reach_out(tmp_path: Path) -> None:
    path = _make(
        tmp_path / "a.db",
        "CREATE TABLE m (v)",
        "CREATE VIEW harmless AS SELECT load_extension('/tmp/x.so') AS v",
        "CREATE VIEW broken AS SELECT * FROM gone",
    )
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        assert connector.schema.table("m") is not None
        outcome = await connector.run_query_async("SELECT * FROM harmless")
        assert isinstance(outcome, QueryFailure)


async def test_the_file_goes_and_comes_back(tmp_path: Path) -> None:
    path = _make(tmp_path / "a.db", "CREATE TABLE m (v)")
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        path.rename(tmp_path / "b.db")
        with pytest.raises(SourceUnavailable, match="no file"):
            await connector.run_query_async("SELECT * FROM m")
        (tmp_path / "b.db").rename(path)
        assert await _column(connector, "SELECT count(*) FROM m") == [0]


async def test_another_programs_lock_is_waited_for_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tabulaflow_core.data.engines import sqlite as engine

    monkeypatch.setattr(engine, "_BUSY_SECONDS", 0.2)
    path = _make(tmp_path / "a.db", "CREATE TABLE m (v)")
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            outcome = await connector.run_query_async("SELECT * FROM m")
            assert isinstance(outcome, QueryFailure)
            assert outcome.kind is FailureKind.FAILED
            assert "locked" in outcome.message
        assert await _column(connector, "SELECT count(*) FROM m") == [0]


async def test_a_wal_database_in_a_folder_for_reading_only(tmp_path: Path) -> None:
    folder = tmp_path / "ro"
    folder.mkdir()
    path = _make(folder / "a.db", "CREATE TABLE m (v)", "INSERT INTO m VALUES (1)")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    folder.chmod(0o555)
    try:
        async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
            assert await _column(connector, "SELECT v FROM m") == [1]
    finally:
        folder.chmod(0o755)


async def test_a_thousand_tables(tmp_path: Path) -> None:
    path = _make(tmp_path / "a.db", *(f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, a TEXT)" for n in range(1000)))
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        assert len(connector.schema.tables) == 1000


async def test_awkward_file_names(tmp_path: Path) -> None:
    path = _make(tmp_path / "100% größe #1.db", "CREATE TABLE m (v)")
    from urllib.parse import quote

    async with await SQLConnector.from_url_async(f"sqlite:///{quote(str(path))}") as connector:
        assert connector.schema.table("m") is not None


async def test_composite_and_implicit_keys(tmp_path: Path) -> None:
    path = _make(
        tmp_path / "a.db",
        "CREATE TABLE p (a INTEGER, b INTEGER, PRIMARY KEY (b, a))",
        "CREATE TABLE c (x INTEGER, y INTEGER, g INTEGER GENERATED ALWAYS AS (x + y), FOREIGN KEY (y, x) REFERENCES p)",
        "CREATE TABLE w (k TEXT PRIMARY KEY) WITHOUT ROWID",
    )
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        parent, child = connector.schema.table("p"), connector.schema.table("c")
    assert parent is not None
    assert child is not None
    assert parent.primary_key == ("b", "a")
    assert [(k.columns, k.target_table, k.target_columns) for k in child.foreign_keys] == [
        (("y", "x"), "p", ("b", "a"))
    ]
    assert [c.name for c in child.columns] == ["x", "y", "g"]


async def test_a_stopped_statement_leaves_the_processor(tmp_path: Path) -> None:
    import time

    path = _make(tmp_path / "a.db", "CREATE TABLE m (v)")
    async with await SQLConnector.from_url_async(f"sqlite:///{path}") as connector:
        outcome = await connector.run_query_async(BURNER, timeout=0.2)
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind is FailureKind.TIMEOUT
        before = time.process_time()
        await asyncio.sleep(0.3)
        assert time.process_time() - before < 0.15


async def test_huge_values_are_bounded(tmp_path: Path) -> None:
    path = _make(tmp_path / "a.db", "CREATE TABLE m (v)")
    limits = Limits(result_bytes=1_000_000)
    async with await SQLConnector.from_url_async(f"sqlite:///{path}", limits=limits) as connector:
        with pytest.raises(EngineFault):
            await raw_of_small(connector, "SELECT zeroblob(100000000)")


async def raw_of_small(connector: SQLConnector, sql: str) -> object:
    """Below the guard, under a small byte cap."""
    from tabulaflow_core.data.engines.base import Caps

    return await connector._adapter.fetch_async(sql, Caps(rows=10, bytes=1_000_000, seconds=5))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a folder that this user may not enter")
async def test_a_closed_folder_is_said(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    with pytest.raises(SourceUnavailable, match="may not be entered"):
        await SQLConnector.from_url_async(f"sqlite:///{closed}/x.db")
