"""Functions of the user: those whose own text only reads run without being allowed by name; no other does."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from tabulaflow_core.data import DataConnectorRegistry, FailureKind, QueryFailure, QueryResult, SQLConnector
from tests.data.contract import boxes
from tests.data.contract.boxes import outside_mariadb, outside_postgres

_POSTGRES = (
    "CREATE TABLE orders (id integer, amount numeric(10,2), secret text)",
    "INSERT INTO orders VALUES (1, 10, 'nightingale'), (2, 30, 'x')",
    "CREATE TABLE ledger (what text)",
    "CREATE SEQUENCE ticket",
    "CREATE TYPE size AS ENUM ('small', 'large')",
    "CREATE FUNCTION vat(x numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT round($1 * 1.2, 2)'",
    "CREATE FUNCTION twice(x numeric) RETURNS numeric LANGUAGE sql AS 'SELECT vat(x) * 2;'",
    "CREATE FUNCTION large(floor_amount numeric) RETURNS TABLE (id integer, amount numeric) LANGUAGE sql AS "
    "$$ SELECT id, amount FROM orders WHERE amount >= floor_amount $$",
    "CREATE FUNCTION half(x numeric) RETURNS numeric RETURN x / 2",
    "CREATE FUNCTION plus(x integer, y integer DEFAULT 5) RETURNS integer LANGUAGE sql AS 'SELECT x + y'",
    "CREATE FUNCTION sized(s size) RETURNS text LANGUAGE sql AS 'SELECT upper(s::text)'",
    "CREATE FUNCTION told() RETURNS text LANGUAGE sql AS 'SELECT max(secret) FROM orders'",
    # What must not run.
    "CREATE FUNCTION write(t text) RETURNS text LANGUAGE sql AS 'INSERT INTO ledger VALUES (t) RETURNING what'",
    "CREATE FUNCTION drawn() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''ticket'')'",
    "CREATE FUNCTION by_default(x bigint DEFAULT nextval('ticket')) RETURNS bigint LANGUAGE sql AS 'SELECT x'",
    "CREATE FUNCTION deep() RETURNS bigint LANGUAGE sql AS 'SELECT drawn() + 1'",
    "CREATE FUNCTION slurp(p text) RETURNS text LANGUAGE sql AS 'SELECT pg_read_file(p)'",
    "CREATE FUNCTION hashes() RETURNS text LANGUAGE sql AS 'SELECT max(rolpassword) FROM pg_authid'",
    "CREATE FUNCTION as_owner() RETURNS integer LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
    "CREATE FUNCTION pathed() RETURNS integer LANGUAGE sql SET search_path = public AS 'SELECT 1'",
    "CREATE FUNCTION coded() RETURNS integer LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
    "CREATE FUNCTION two() RETURNS integer LANGUAGE sql AS 'SELECT 1; SELECT 2'",
    "CREATE FUNCTION mixed(x integer) RETURNS integer LANGUAGE sql AS 'SELECT x'",
    "CREATE FUNCTION mixed(x text) RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''ticket'')'",
    "CREATE FUNCTION checked(i integer) RETURNS boolean LANGUAGE sql AS 'SELECT drawn() > 0'",
    "CREATE DOMAIN odd AS integer CHECK (checked(VALUE))",
    "CREATE FUNCTION to_odd(x odd) RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "CREATE FUNCTION cast_odd(x integer) RETURNS integer LANGUAGE sql AS 'SELECT x::odd::integer'",
    "CREATE FUNCTION quoted(x text) RETURNS text LANGUAGE sql AS 'SELECT $$1$$ || nextval(''ticket'')::text || $$1$$'",
    "CREATE FUNCTION \"Vat2\"(x numeric) RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''ticket'')'",
    "CREATE FUNCTION vat2(x numeric) RETURNS numeric LANGUAGE sql AS 'SELECT x'",
    "CREATE SCHEMA app",
    "CREATE FUNCTION app.tax(x numeric) RETURNS numeric LANGUAGE sql AS 'SELECT x * 0.2'",
)
_MARIADB = (
    "CREATE TABLE orders (id int, amount decimal(10,2), secret varchar(40))",
    "INSERT INTO orders VALUES (1, 10, 'nightingale'), (2, 30, 'x')",
    "CREATE TABLE ledger (what varchar(40))",
    "CREATE SEQUENCE ticket",
    "CREATE FUNCTION vat(x decimal(10,2)) RETURNS decimal(10,2) DETERMINISTIC NO SQL RETURN round(x * 1.2, 2)",
    "CREATE FUNCTION twice(x decimal(10,2)) RETURNS decimal(10,2) BEGIN RETURN vat(x) * 2; END",
    "CREATE FUNCTION told() RETURNS varchar(40) READS SQL DATA RETURN (SELECT max(secret) FROM orders)",
    # What must not run.
    "CREATE FUNCTION `write`(t varchar(40)) RETURNS int MODIFIES SQL DATA BEGIN INSERT INTO ledger VALUES (t); "
    "RETURN 1; END",
    "CREATE FUNCTION lying(t varchar(40)) RETURNS int NO SQL BEGIN INSERT INTO ledger VALUES (t); RETURN 1; END",
    "CREATE FUNCTION drawn() RETURNS bigint RETURN nextval(ticket)",
    "CREATE FUNCTION deep() RETURNS bigint RETURN drawn() + 1",
    "CREATE FUNCTION slurp(p varchar(40)) RETURNS text RETURN load_file(p)",
    "CREATE FUNCTION hashes() RETURNS text RETURN (SELECT max(authentication_string) FROM mysql.user)",
    "CREATE FUNCTION waits() RETURNS int RETURN sleep(9)",
    "CREATE FUNCTION kept() RETURNS int RETURN (@a := 1)",
)
_DUCKDB = (
    "CREATE TABLE orders (id INTEGER, amount DECIMAL(10,2), secret VARCHAR)",
    "INSERT INTO orders VALUES (1, 10, 'nightingale'), (2, 30, 'x')",
    "CREATE SEQUENCE ticket",
    "CREATE MACRO vat(x) AS round(x * 1.2, 2)",
    "CREATE MACRO twice(x) AS vat(x) * 2",
    "CREATE MACRO large(floor_amount) AS TABLE SELECT id, amount FROM orders WHERE amount >= floor_amount",
    "CREATE MACRO told() AS (SELECT max(secret) FROM orders)",
    "CREATE VIEW taxed AS SELECT id, vat(amount) AS v FROM orders",
    "CREATE VIEW telling AS SELECT told() AS t",
    # What must not run.
    "CREATE MACRO drawn() AS nextval('ticket')",
    "CREATE MACRO deep() AS drawn() + 1",
    "CREATE MACRO slurp(p) AS TABLE SELECT content FROM read_text(p)",
    "CREATE MACRO asked(q) AS TABLE FROM query(q)",
    "CREATE MACRO mixed(x) AS x, (x, y) AS nextval('ticket')",
    "CREATE MACRO lower(x) AS nextval('ticket')",
    "CREATE MACRO small(x) AS lower(x)",
    "CREATE VIEW reading AS SELECT content FROM read_text('/etc/hostname')",
    "CREATE MACRO viewed() AS TABLE FROM reading",
)


@pytest.fixture(
    params=[
        "duckdb",
        pytest.param("postgres", marks=pytest.mark.server),
        pytest.param("mariadb", marks=pytest.mark.server),
    ],
    scope="module",
)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    match request.param:
        case "duckdb":
            path = tmp_path_factory.mktemp("macros") / "x.duckdb"
            with duckdb.connect(str(path)) as file:
                for statement in _DUCKDB:
                    file.execute(statement)
            yield f"duckdb:///{path}"
        case "postgres":
            with boxes.postgres_database() as address:
                outside_postgres(address, *_POSTGRES)
                yield address
        case _:
            with boxes.mariadb_database() as address:
                outside_mariadb(address, *_MARIADB)
                yield address


def _engine(url: str) -> str:
    return url.partition(":")[0].partition("+")[0].replace("mysql", "mariadb").replace("postgresql", "postgres")


_READ: dict[str, tuple[tuple[str, list[str]], ...]] = {
    "postgres": (
        ("SELECT vat(10)", ["12.00"]),
        ("SELECT public.vat(10) + 1", ["13.00"]),
        ("SELECT vat(amount) FROM orders ORDER BY id", ["12.00", "36.00"]),
        ("SELECT twice(10)", ["24.00"]),
        ("SELECT id FROM large(20)", ["2"]),
        ("SELECT half(5)::numeric(4,1)", ["2.5"]),
        ("SELECT plus(1)", ["6"]),
        ("SELECT sized('large')", ["LARGE"]),
        ("SELECT app.tax(10)::numeric(4,1)", ["2.0"]),
        ("SELECT told()", ["x"]),
    ),
    "mariadb": (
        ("SELECT vat(10)", ["12.00"]),
        ("SELECT vat(amount) FROM orders ORDER BY id", ["12.00", "36.00"]),
        ("SELECT twice(10)", ["24.00"]),
        ("SELECT told()", ["x"]),
    ),
    "duckdb": (
        ("SELECT vat(10)", ["12.0"]),
        ("SELECT vat(amount) FROM orders ORDER BY id", ["12.00", "36.00"]),
        ("SELECT twice(10)", ["24.0"]),
        ("SELECT id FROM large(20)", ["2"]),
        ("SELECT told()", ["x"]),
        ("SELECT v FROM taxed ORDER BY id", ["12.00", "36.00"]),
        ("SELECT lower('ABC')", ["abc"]),
    ),
}
_REFUSED: dict[str, tuple[str, ...]] = {
    "postgres": (
        "SELECT write('x')",
        "SELECT drawn()",
        "SELECT by_default()",
        "SELECT deep()",
        "SELECT slurp('/etc/hostname')",
        "SELECT hashes()",
        "SELECT as_owner()",
        "SELECT pathed()",
        "SELECT coded()",
        "SELECT two()",
        "SELECT mixed(1)",
        "SELECT to_odd(1)",
        "SELECT cast_odd(1)",
        "SELECT quoted('x')",
        "SELECT vat2(1)",
        'SELECT "Vat2"(1)',
        "SELECT tax(1)" + " FROM pg_read_file('/etc/hostname')",
        "SELECT vat(nextval('ticket'))",
        "SELECT vat(1), drawn()",
    ),
    "mariadb": (
        "SELECT `write`('x')",
        "SELECT lying('x')",
        "SELECT drawn()",
        "SELECT deep()",
        "SELECT slurp('/etc/hostname')",
        "SELECT hashes()",
        "SELECT waits()",
        "SELECT kept()",
        "SELECT vat(sleep(9))",
        "SELECT vat(1), drawn()",
    ),
    "duckdb": (
        "SELECT drawn()",
        "SELECT deep()",
        "FROM slurp('/etc/hostname')",
        "FROM asked('SELECT 1')",
        "SELECT mixed(1)",
        "SELECT small('A')",
        "SELECT main.lower('A')",
        "SELECT 'A'.lower()",
        "FROM viewed()",
        "FROM reading",
        "SELECT vat(1) FROM reading",
        "SELECT vat(nextval('ticket'))",
        # What a view shows must be seen in its own text.
        "FROM telling",
    ),
}


async def test_what_only_reads_runs(url: str) -> None:
    async with await SQLConnector.from_url_async(url) as connector:
        for sql, values in _READ[_engine(url)]:
            answer = await connector.run_query_async(sql)
            assert isinstance(answer, QueryResult), (sql, answer)
            assert [str(value) for value in answer.table.column(0).to_pylist()] == values, sql


async def test_everything_else_is_refused(url: str) -> None:
    async with await SQLConnector.from_url_async(url) as connector:
        for sql in _REFUSED[_engine(url)]:
            answer = await connector.run_query_async(sql)
            assert isinstance(answer, QueryFailure), (sql, answer)
            assert answer.kind is FailureKind.REFUSED, (sql, answer)


async def test_one_that_is_changed_between_two_questions_is_looked_at_again(url: str) -> None:
    if _engine(url) == "duckdb":
        pytest.skip("a file that is open cannot be changed")
    outside = outside_postgres if _engine(url) == "postgres" else outside_mariadb
    kind = "bigint LANGUAGE sql AS '{}'" if _engine(url) == "postgres" else "bigint {}"
    reads, draws = ("SELECT 7", "SELECT nextval(''ticket'')") if _engine(url) == "postgres" else (
        "RETURN 7", "RETURN nextval(ticket)")  # fmt: skip
    async with await SQLConnector.from_url_async(url) as connector:
        outside(url, f"CREATE OR REPLACE FUNCTION moody() RETURNS {kind.format(reads)}")
        assert isinstance(await connector.run_query_async("SELECT moody()"), QueryResult)
        outside(url, f"CREATE OR REPLACE FUNCTION moody() RETURNS {kind.format(draws)}")
        assert isinstance(await connector.run_query_async("SELECT moody()"), QueryFailure)


async def test_where_columns_are_hidden_a_function_may_not_tell_them(url: str) -> None:
    async with await SQLConnector.from_url_async(url) as connector:
        registry = DataConnectorRegistry()
        registry.register("shop", connector, hidden_columns=["secret"])
        for sql in ("SELECT told()", "SELECT vat(1)"):
            answer = await registry.for_model("shop").run_query_async(sql)
            assert isinstance(answer, QueryFailure), (sql, answer)
            assert "nightingale" not in answer.message
