"""Tables of SQLite and DuckDB files."""

from __future__ import annotations

import datetime as dt
import gzip
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import ReadBounds, ReadOptions, Watch, read_file
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable
from tests.data.files.conftest import Reader
from tests.data.files.containers.conftest import ReadAll, read_all

__all__ = ["read_all"]


def sqlite(tmp_path: Path, *statements: str | tuple[str, Iterable[object]], wal: bool = False) -> bytes:
    path = tmp_path / "made.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'OFF'}")
        connection.execute("PRAGMA synchronous = OFF")
        for statement in statements:
            if isinstance(statement, str):
                connection.execute(statement)
            else:
                connection.execute("BEGIN")
                connection.executemany(statement[0], [(v,) for v in statement[1]])
                connection.execute("COMMIT")
    return path.read_bytes()


def one_column(tmp_path: Path, declared: str, values: Iterable[object]) -> bytes:
    return sqlite(tmp_path, f"CREATE TABLE t (v {declared})", ("INSERT INTO t VALUES (?)", values))


def duck(tmp_path: Path, *statements: str) -> bytes:
    path = tmp_path / "made.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement).fetchall()
    return path.read_bytes()


FEBRUARY = dt.datetime(2026, 2, 1)


@pytest.mark.parametrize(
    ("declared", "values", "kind", "rows"),
    [
        ("INTEGER", [1, None, 2**63 - 1], "integer", [1, None, 2**63 - 1]),
        ("REAL", [1.5, 2], "number", [1.5, 2.0]),
        ("", [1, 2.5], "number", [1.0, 2.5]),
        ("", [2**60 + 1, 0.5], "text", ["1152921504606846977", "0.5"]),
        ("TEXT", ["2026-01-31", "x"], "text", ["2026-01-31", "x"]),
        ("TEXT", ["2026-01-31", "2026-02-01"], "text", ["2026-01-31", "2026-02-01"]),
        ("TEXT", ["00123", "", "NA"], "text", ["00123", "", "NA"]),
        ("DATE", ["2026-01-31", None], "date", [dt.date(2026, 1, 31), None]),
        ("DATETIME", ["2026-01-31 10:00", "2026-02-01"], "datetime", [dt.datetime(2026, 1, 31, 10), FEBRUARY]),
        ("TIMESTAMP", ["2026-01-31T10:00:00+02:00"], "datetime", [dt.datetime(2026, 1, 31, 8, tzinfo=dt.UTC)]),
        ("DATE", ["31.01.2026", "2026-01-31"], "text", ["31.01.2026", "2026-01-31"]),
        ("DATE", [20260131], "integer", [20260131]),
        ("BOOLEAN", [1, 0, None], "boolean", [True, False, None]),
        ("BOOLEAN", [1, 2], "integer", [1, 2]),
        ("INTEGER", [1, "", "n/a", 3], "integer", [1, None, None, 3]),
        ("INTEGER", [1, 2, "two"], "text", ["1", "2", "two"]),
        ("BLOB", [b"\x00\xff", None], "other", [b"\x00\xff", None]),
        ("", [b"\xff", "a", 1], "text", ["0xff", "a", "1"]),
        ("REAL", [None, None], "number", [None, None]),
        ("REAL", [float("inf")], "number", [float("inf")]),
    ],
)  # fmt: skip
def test_a_type_holds_the_whole_column(
    read: Reader, tmp_path: Path, declared: str, values: list[object], kind: str, rows: list[object]
) -> None:
    seen = read(one_column(tmp_path, declared, values), "t.sqlite")
    assert (seen.types, seen.column("v")) == ([kind], rows)


def test_what_does_not_fit_is_listed(read: Reader, tmp_path: Path) -> None:
    seen = read(one_column(tmp_path, "INTEGER", [1, 2, "two", "", 3]), "t.db")
    assert [(m.line, m.value) for m in seen.report.misfits] == [(3, "two")]
    assert seen.told("“v”", "text (1) and numbers (3)")
    assert read(one_column(tmp_path, "INTEGER", [1, ""]), "t.db").told("1 text", "no value")


def test_text_that_is_no_utf8(read: Reader, tmp_path: Path) -> None:
    content = sqlite(tmp_path, "CREATE TABLE t (v TEXT)", "INSERT INTO t VALUES (CAST(x'61ff' AS TEXT))")
    seen = read(content, "t.sqlite")
    assert (seen.rows, seen.told("no UTF-8")) == ([("a\ufffd",)], True)


def test_tables_views_and_what_sqlite_keeps_for_itself(read_all: ReadAll, tmp_path: Path) -> None:
    content = sqlite(
        tmp_path,
        "CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, n TEXT)",
        "INSERT INTO orders (n) VALUES ('x')",
        "CREATE TABLE [My Table] (a)",
        "CREATE VIEW big AS SELECT id * 10 AS ten FROM orders",
        "CREATE VIRTUAL TABLE notes USING fts5(body)",
        "INSERT INTO notes VALUES ('hello')",
    )
    seen = read_all(gzip.compress(content), "shop.sqlite.gz")
    assert seen.tables == {"shop_orders": [(1, "x")], "shop_my_table": [], "shop_notes": [("hello",)]}
    assert seen.parts == {"orders": "read", "My Table": "read", "big": "off", "notes": "read"}
    assert seen.told("big", "Views are read only when they are named")
    assert seen.reading.tables[0].report is not None
    assert read_all(content, "shop.db", parts=("big",)).tables == {"shop": [(10,)]}
    with pytest.raises(FileUnreadable, match="holds no “x”"):
        read_all(content, "shop.db", parts=("x",))


def test_a_hostile_schema_is_harmless(read_all: ReadAll, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = sqlite(
        tmp_path,
        "CREATE TABLE good (a)",
        "INSERT INTO good VALUES (1)",
        "CREATE VIEW loads AS SELECT load_extension('/tmp/x') AS a",
        "CREATE TABLE wide (a, b AS (zeroblob(200000000)))",
        "INSERT INTO wide (a) VALUES (1)",
        "CREATE VIEW endless AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i FROM r",
        "PRAGMA writable_schema = ON",
        "INSERT INTO sqlite_schema VALUES ('table', 'odd', 'odd', 0, 'CREATE VIRTUAL TABLE odd USING absent(a)')",
    )
    seen = read_all(content, "t.sqlite")
    assert seen.tables == {"t_good": [(1,)]}
    assert seen.parts == {
        "good": "read", "loads": "off", "wide": "unreadable", "endless": "off", "odd": "unreadable",
    }  # fmt: skip
    assert "more than 64 MB" in seen.part("wide").message
    assert "extension of SQLite that is not here" in seen.part("odd").message
    with pytest.raises(FileUnreadable, match=r"No table of t.sqlite can be read\. loads: SQLite says"):
        read_all(content, "t.sqlite", parts=("loads",))
    monkeypatch.setattr("tabulaflow_core.data.files.formats.sqlite.VIEW_SECONDS", 0.2)
    with pytest.raises(FileUnreadable, match="its query took more than"):
        read_all(content, "t.sqlite", parts=("endless",))
    with pytest.raises(FileUnreadable, match="more bytes than may be unpacked"):
        read_all(content, "t.sqlite", parts=("good",), watch=Watch(bounds=ReadBounds(unpacked_bytes=1)))


def test_a_log_that_is_missing_is_said(read: Reader, tmp_path: Path) -> None:
    seen = read(sqlite(tmp_path, "CREATE TABLE t (a)", "INSERT INTO t VALUES (5)", wal=True), "t.sqlite")
    assert (seen.rows, seen.told("-wal", "not beside it")) == ([(5,)], True)


def test_a_database_in_use_is_read_with_its_log(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (5)")
        reading = read_file(path, storage=tmp_path / "s")
        assert (reading.tables[0].row_count, reading.report.notices) == (1, ())
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(FileUnreadable, match="Another program is writing"):
            read_file(path, storage=tmp_path / "s")


@pytest.mark.parametrize("name", ["t.sqlite", "t.db", "t.duckdb"])
def test_what_is_no_database(read: Reader, tmp_path: Path, name: str) -> None:
    with pytest.raises(FileUnreadable, match="encrypted or damaged"):
        read(bytes((i * 7919) % 251 for i in range(5000)), name)
    whole = sqlite(tmp_path, "CREATE TABLE t (a)")
    with pytest.raises(FileUnreadable, match="database without tables"):
        read(sqlite(tmp_path, "VACUUM", "CREATE TABLE t (a)", "DROP TABLE t"), name)
    with pytest.raises(FileUnreadable, match="t"):
        read(whole[:100] + bytes(4000), name)


def test_a_schema_that_is_no_text(read: Reader, tmp_path: Path) -> None:
    content = sqlite(tmp_path, "CREATE TABLE named (a)")
    with pytest.raises(FileUnreadable, match="its schema is damaged"):
        read(content.replace(b"named", b"\xff(((("), "t.sqlite")


def test_text_under_the_name_of_a_database(read: Reader) -> None:
    assert read("a,b\n1,x\n", "t.db").rows == [(1, "x")]


def test_duckdb_tables_keep_their_types(read_all: ReadAll, tmp_path: Path) -> None:
    content = duck(
        tmp_path,
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE TABLE t AS SELECT 170141183460469231731687303715884105727::HUGEINT AS h, 1.50::DECIMAL(5,2) AS d, "
        "'ok'::mood AS m, [1, 2] AS l, {'a': 1} AS s, MAP {'k': 1} AS p, DATE '2026-01-31' AS day, "
        "TIMESTAMPTZ '2026-01-31 10:00:00+00' AS z, INTERVAL 1 DAY AS i, '101'::BIT AS b, 'ab'::BLOB AS x, "
        "[1::HUGEINT] AS lh, NULL AS n",
        "CREATE SCHEMA other",
        "CREATE TABLE other.t (a INTEGER)",
        "CREATE VIEW v AS SELECT 1 AS one",
        "CREATE VIEW reads AS SELECT * FROM t UNION ALL SELECT * FROM t",
    )
    seen = read_all(content, "w.duckdb")
    assert seen.parts == {"t": "read", "other.t": "read", "v": "off", "reads": "off"}
    (row,) = seen.tables["w_t"]
    assert row[:7] == (2**127 - 1, Decimal("1.50"), "ok", [1, 2], {"a": 1}, {"k": 1}, dt.date(2026, 1, 31))
    assert row[8:12] == (dt.timedelta(days=1), "101", "ab", "[1]")
    assert seen.tables["w_other_t"] == []
    table = seen.reading.tables[0]
    assert table.types[:4] == ("integer", "number", "text", "other")
    assert read_all(content, "w.duckdb", parts=("v",)).tables == {"w": [(1,)]}


def test_a_view_of_duckdb_reaches_no_file(read_all: ReadAll, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    content = duck(tmp_path, f"CREATE VIEW v AS SELECT * FROM read_csv('{secret}')", "CREATE TABLE t (a INTEGER)")
    with pytest.raises(FileUnreadable, match="DuckDB says"):
        read_all(content, "w.duckdb", parts=("v",))


def test_a_view_of_duckdb_without_an_end(read_all: ReadAll, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabulaflow_core.data.files.formats.duckdb_file.VIEW_SECONDS", 0.2)
    content = duck(
        tmp_path, "CREATE VIEW v AS SELECT sum(hash(a.range + b.range)) FROM range(9999999) a, range(9999999) b"
    )
    with pytest.raises(FileUnreadable, match="its query took more than"):
        read_all(content, "w.duckdb", parts=("v",))


def test_duckdb_of_another_version(read: Reader, tmp_path: Path) -> None:
    content = bytearray(duck(tmp_path, "CREATE TABLE t (a INTEGER)"))
    content[12] = 250
    with pytest.raises(FileUnreadable, match=r"w\.duckdb"):
        read(bytes(content), "w.duckdb")
    with pytest.raises(FileUnreadable, match=r"w\.duckdb"):
        read(bytes(content)[:5000], "w.duckdb")


def test_stop(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    path.write_bytes(one_column(tmp_path, "INTEGER", range(50_000)))
    watch = Watch()
    watch.tell = lambda progress: watch.stop() if progress.stage == "reading" else None
    with pytest.raises(FileReadingStopped):
        read_file(path, storage=tmp_path / "s", watch=watch, options=ReadOptions())
    assert list((tmp_path / "s").iterdir()) == []
