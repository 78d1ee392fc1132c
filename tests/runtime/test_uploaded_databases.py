"""Uploaded SQLite and DuckDB files are sources of their own, and no way to any other private file."""

from __future__ import annotations

import io
import sqlite3
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.data.contracts import QueryFailure
from tabulaflow_core.errors import NotFound, SourceError, SourceUrlError, UnknownSource
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import Runtime
from tests.runtime.conftest import MakeRuntime


def sqlite_file(folder: Path, *, amount: int = 10, wal: bool = False, more: str = "") -> Path:
    path = folder / f"made-{amount}.sqlite"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    if wal:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);"
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers (id), amount INTEGER);"
        "CREATE VIEW big AS SELECT * FROM orders WHERE amount > 5;"
        "INSERT INTO customers VALUES (1, 'Ann');"
        f"INSERT INTO orders VALUES (1, 1, {amount});{more}"
    )
    connection.close()
    return path


def duckdb_file(folder: Path, name: str = "stock.duckdb") -> Path:
    connection = duckdb.connect(str(folder / name))
    connection.execute("CREATE TABLE stock (item VARCHAR, units INTEGER)")
    connection.execute("INSERT INTO stock VALUES ('a', 7)")
    connection.close()
    return folder / name


def one(rt: Runtime, alias: str, sql: str, who: Principal = LOCAL_USER) -> object:
    result = rt.run_sql(who, alias, sql)
    assert isinstance(result, StoredResult), result
    return result.table.column(0).to_pylist()[0]


def folders(rt: Runtime) -> list[str]:
    return [path.name for path in (rt.settings.data_dir / "files").rglob("*") if path.is_file()]


def test_a_sqlite_file_becomes_a_source_with_its_keys_and_views(rt: Runtime, tmp_path: Path) -> None:
    (outcome,) = rt.add_files(LOCAL_USER, [("Shop 2026.sqlite", sqlite_file(tmp_path))])
    assert (outcome.status, outcome.source) == ("loaded", "shop_2026")
    assert "is a SQLite database: it is the source shop_2026 now, with 3 tables:" in outcome.message
    (source,) = rt.sources(LOCAL_USER)
    assert (source.kind, source.alias, source.dialect, source.status) == ("database", "shop_2026", "sqlite", "ready")
    assert source.url_masked == "Shop 2026.sqlite (uploaded)"
    orders = next(table for table in source.tables if table.name == "orders")
    assert orders.foreign_keys[0].target_table == "customers"
    assert one(rt, "shop_2026", "SELECT amount FROM big") == 10
    assert isinstance(rt.run_sql(LOCAL_USER, "shop_2026", "DELETE FROM orders"), QueryFailure)
    assert rt.files(LOCAL_USER) == ()


def test_a_duckdb_file_too_whatever_its_name(rt: Runtime, tmp_path: Path) -> None:
    (outcome,) = rt.add_files(LOCAL_USER, [("stock.db", duckdb_file(tmp_path))])
    assert outcome.source == "stock"
    assert rt.sources(LOCAL_USER)[0].dialect == "duckdb"
    assert one(rt, "stock", "SELECT units FROM stock") == 7


def test_a_database_left_in_wal_mode_can_be_read(rt: Runtime, tmp_path: Path) -> None:
    rt.add_files(LOCAL_USER, [("shop.db", sqlite_file(tmp_path, wal=True))])
    assert one(rt, "shop", "SELECT count(*) FROM orders") == 1
    rt.remove_source(LOCAL_USER, rt.sources(LOCAL_USER)[0].id)
    assert folders(rt) == []


def test_it_survives_a_restart_and_the_data_folder_s_move(
    rt: Runtime, make_runtime: MakeRuntime, settings: Settings, tmp_path: Path
) -> None:
    rt.add_files(LOCAL_USER, [("shop.db", sqlite_file(tmp_path))])
    rt.close()
    settings.data_dir.rename(tmp_path / "moved")
    moved = make_runtime(replace(settings, data_dir=tmp_path / "moved"))
    assert one(moved, "shop", "SELECT amount FROM orders") == 10


def test_removal_deletes_the_copy(rt: Runtime, tmp_path: Path) -> None:
    given = sqlite_file(tmp_path)
    rt.add_files(LOCAL_USER, [("shop.db", given)])
    (source,) = rt.sources(LOCAL_USER)
    assert folders(rt) == ["shop.db"]
    rt.remove_source(LOCAL_USER, source.id)
    assert folders(rt) == []
    assert given.exists()
    with pytest.raises(UnknownSource):
        rt.run_sql(LOCAL_USER, "shop", "SELECT 1")


def test_the_same_file_again_and_another_of_its_name(rt: Runtime, tmp_path: Path) -> None:
    rt.add_files(LOCAL_USER, [("shop.db", sqlite_file(tmp_path))])
    (same,) = rt.add_files(LOCAL_USER, [("shop.db", sqlite_file(tmp_path))])
    assert "already" in same.message
    newer = sqlite_file(tmp_path, amount=99, more="CREATE TABLE stores (id INTEGER)")
    (asked,) = rt.add_files(LOCAL_USER, [("shop.db", newer)])
    assert asked.status == "waiting"
    assert asked.question is not None
    assert (asked.question.choices, asked.question.drift.new) == (("replace", "keep_both"), ("stores.id",))
    assert one(rt, "shop", "SELECT amount FROM orders") == 10
    (replaced,) = rt.answer_file(LOCAL_USER, "shop.db", "replace")
    assert replaced.source == "shop"
    assert one(rt, "shop", "SELECT amount FROM orders") == 99
    assert len(rt.sources(LOCAL_USER)) == 1
    third = sqlite_file(tmp_path, amount=7)
    (both,) = rt.add_files(LOCAL_USER, [("shop.db", third)], choice="keep_both")
    assert both.source == "shop_2"
    assert (one(rt, "shop", "SELECT amount FROM orders"), one(rt, "shop_2", "SELECT amount FROM orders")) == (99, 7)


@pytest.mark.parametrize(("name", "alias"), [("files.db", "files_db"), ("main.sqlite", "main_db"), ("7.db", "t_7")])
def test_names_that_no_source_can_have(rt: Runtime, tmp_path: Path, name: str, alias: str) -> None:
    (outcome,) = rt.add_files(LOCAL_USER, [(name, sqlite_file(tmp_path))])
    assert outcome.source == alias
    assert one(rt, alias, "SELECT amount FROM orders") == 10


def test_what_is_no_database_after_all_is_said_and_not_kept(rt: Runtime, tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    connection = sqlite3.connect(empty)
    connection.executescript("CREATE TABLE a (x); DROP TABLE a;")
    connection.close()
    torn = sqlite_file(tmp_path).read_bytes()[:3000]
    outcomes = rt.add_files(
        LOCAL_USER,
        [
            ("empty.db", empty),
            ("torn.db", io.BytesIO(torn)),
            ("fake.db", io.BytesIO(b"SQLite format 3\0" + b"rubbish" * 300)),
            ("fake.duckdb", io.BytesIO(bytes(8) + b"DUCK" + b"rubbish" * 3000)),
        ],
    )
    assert [outcome.status for outcome in outcomes] == ["message"] * 4
    assert "without any table" in outcomes[0].message
    assert rt.sources(LOCAL_USER) == ()
    assert folders(rt) == []


def test_the_place_of_uploads_stays_closed_to_urls(rt: Runtime, tmp_path: Path, settings: Settings) -> None:
    rt.add_files(LOCAL_USER, [("shop.db", sqlite_file(tmp_path))])
    (copy,) = (settings.data_dir / "files").rglob("shop.db")
    for url in (f"sqlite:///{copy}", f"sqlite:///{settings.data_dir}/tabulaflow.db"):
        with pytest.raises(SourceUrlError):
            rt.add_database(LOCAL_USER, "mine", url)


def test_two_principals_have_databases_of_their_own(rt: Runtime, tmp_path: Path) -> None:
    ann, bob = Principal("ann"), Principal("bob")
    rt.add_files(ann, [("shop.db", sqlite_file(tmp_path))])
    rt.add_files(bob, [("shop.db", sqlite_file(tmp_path, amount=44))])
    assert (one(rt, "shop", "SELECT amount FROM orders", ann), one(rt, "shop", "SELECT amount FROM orders", bob)) == (
        10,
        44,
    )
    with pytest.raises(NotFound):
        rt.remove_source(bob, rt.sources(ann)[0].id)


def test_a_file_of_the_server_is_read_where_it_lies(rt: Runtime, tmp_path: Path) -> None:
    path = tmp_path / "export" / "sales.csv"
    path.parent.mkdir()
    path.write_text("day,amount\n2026-01-05,10\n")
    (outcome,) = rt.add_server_file(LOCAL_USER, path)
    assert (outcome.status, outcome.name) == ("loaded", "sales.csv")
    assert "was not copied" in outcome.message
    assert folders(rt) != []
    assert "sales.csv" not in folders(rt)
    assert rt.original(LOCAL_USER, "sales.csv") == path
    path.write_text("day,amount\n2026-01-05,10\n2026-01-06,20\n")
    assert rt.reread_file(LOCAL_USER, "sales.csv", {}).tables[0].row_count == 2
    rt.remove_file(LOCAL_USER, "sales.csv")
    assert path.exists(), "nobody's to delete"
    database = sqlite_file(tmp_path)
    (made,) = rt.add_server_file(LOCAL_USER, str(database))
    assert one(rt, made.source, "SELECT amount FROM orders") == 10
    rt.remove_source(LOCAL_USER, rt.sources(LOCAL_USER)[0].id)
    assert database.exists()


def test_a_server_file_that_is_gone_is_said_and_the_table_stays(rt: Runtime, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("day,amount\n2026-01-05,10\n")
    rt.add_server_file(LOCAL_USER, path)
    path.unlink()
    failed = rt.reread_file(LOCAL_USER, "sales.csv", {})
    assert failed.status == "message"
    assert "stays" in failed.message
    assert one(rt, "files", "SELECT amount FROM sales") == 10
    with pytest.raises(NotFound):
        rt.original(LOCAL_USER, "sales.csv")


def test_only_allowed_folders_are_open(make_runtime: MakeRuntime, settings: Settings, tmp_path: Path) -> None:
    allowed, closed = tmp_path / "allowed", tmp_path / "closed"
    allowed.mkdir()
    closed.mkdir()
    (closed / "secret.csv").write_text("a,b\n1,2\n")
    (allowed / "link.csv").symlink_to(closed / "secret.csv")
    (allowed / "folder").mkdir()
    rt = make_runtime(replace(settings, file_roots=(allowed,)))
    said = set()
    for path in ("link.csv", "../closed/secret.csv", "nothing.csv", str(closed / "secret.csv"), "~", "a\0b"):
        with pytest.raises(SourceError) as error:
            rt.add_server_file(LOCAL_USER, allowed / path)
        said.add(error.value.user_message)
    assert len(said) == 1, "what is there is not told from what is not"
    with pytest.raises(SourceError, match="is no file"):
        rt.add_server_file(LOCAL_USER, allowed / "folder")
    inside = make_runtime(replace(settings, file_roots=(tmp_path,)))
    inside.sources(LOCAL_USER)
    with pytest.raises(SourceError, match="allowed"):
        inside.add_server_file(LOCAL_USER, settings.data_dir / "tabulaflow.db")
    assert rt.files(LOCAL_USER) == ()


def test_a_folder_that_was_closed_or_led_elsewhere_is_closed_to_rereading(
    rt: Runtime, make_runtime: MakeRuntime, settings: Settings, tmp_path: Path
) -> None:
    path = tmp_path / "open" / "sales.csv"
    path.parent.mkdir()
    path.write_text("day,amount\n2026-01-05,10\n")
    rt.add_server_file(LOCAL_USER, path)
    rt.close()
    closed = make_runtime(replace(settings, file_roots=(tmp_path / "other",)))
    linked = make_runtime(replace(settings, file_roots=(path.parent,)))
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    for runtime in (closed, linked):
        if runtime is linked:
            path.unlink()
            path.symlink_to(tmp_path / "secret.csv")
        with pytest.raises(SourceError, match="allowed"):
            runtime.reread_file(LOCAL_USER, "sales.csv", {})
        with pytest.raises(SourceError, match="allowed"):
            runtime.raw_lines(LOCAL_USER, "sales.csv")
        with pytest.raises(SourceError, match="allowed"):
            runtime.original(LOCAL_USER, "sales.csv")
        assert one(runtime, "files", "SELECT amount FROM sales") == 10


def test_a_server_file_as_a_job(rt: Runtime, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("day,amount\n2026-01-05,10\n")
    job_id = rt.start_adding_server_file(LOCAL_USER, tmp_path / "sales.csv")
    while not (done := [job for job in rt.reading_jobs(LOCAL_USER) if job.state != "running"]):
        continue
    assert (done[0].id, done[0].outcomes[0].status) == (job_id, "loaded")
