"""No query gives a hidden column's values or name, on every engine; what does not need it is answered as before."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data import DataConnector, DataConnectorRegistry, FilesConnector, QueryFailure, QueryResult
from tabulaflow_core.data.files import read_file
from tabulaflow_core.data.sql import SQLConnector
from tests.data.contract import boxes

SECRET = "nightingale"
_TABLES = (
    "CREATE TABLE people (id {int} PRIMARY KEY, name {text}, pass_word {text})",
    f"INSERT INTO people VALUES (1, 'Ann', '{SECRET}-1'), (2, 'Bo', '{SECRET}-2')",
    "CREATE TABLE orders (id {int}, person_id {int}, note {text})",
    "INSERT INTO orders VALUES (10, 1, 'first'), (11, 2, 'second')",
    "CREATE INDEX by_person ON orders (person_id)",
    "CREATE VIEW renamed AS SELECT id, pass_word AS harmless FROM people",
    "CREATE VIEW deep AS SELECT id, harmless AS plain FROM renamed",
    "CREATE VIEW inner_star AS SELECT id, x FROM (SELECT id, pass_word AS x FROM people) AS p",
    "CREATE VIEW every AS SELECT * FROM people",
    "CREATE VIEW clean AS SELECT id, note FROM orders",
    "CREATE VIEW counted AS SELECT name, count(*) AS n FROM people GROUP BY name",
)
_ATTACKS = (
    "SELECT pass_word FROM people",
    "SELECT p.pass_word FROM people p",
    "SELECT PASS_WORD FROM PEOPLE",
    "SELECT {q}pass_word{q} FROM people",
    "SELECT max(pass_word) FROM people",
    "SELECT id FROM people WHERE pass_word LIKE 'night%'",
    "SELECT id FROM people ORDER BY pass_word",
    "SELECT x FROM (SELECT pass_word AS x FROM people) AS y",
    "WITH p AS (SELECT pass_word AS x FROM people) SELECT x FROM p",
    "SELECT (SELECT pass_word FROM people WHERE id = o.person_id) FROM orders o",
    "SELECT * FROM orders o WHERE EXISTS (SELECT 1 FROM people WHERE pass_word > 'a' AND id = o.person_id)",
    "SELECT harmless FROM renamed",
    "SELECT plain FROM deep",
    "SELECT x FROM inner_star",
    "SELECT pass_word FROM every",
    "SELECT a.id FROM people a JOIN people b USING (pass_word)",
)
#: Answered, without the hidden values.
_STARS = (
    "SELECT * FROM people",
    "SELECT p.* FROM people p",
    "SELECT people.* FROM people",
    "SELECT * FROM people NATURAL JOIN (SELECT 1 AS id) one",
    "SELECT * FROM people a JOIN people b USING (id)",
    "SELECT * FROM people, orders",
    "SELECT * FROM (SELECT * FROM people) p",
    "WITH people AS (SELECT * FROM people) SELECT * FROM people",
    "WITH p AS (SELECT * FROM people) SELECT * FROM p",
    "SELECT * FROM renamed",
    "SELECT * FROM deep",
    "SELECT * FROM every",
    "SELECT * FROM people UNION ALL SELECT id, note FROM orders",
)
_CATALOGUES = {
    "postgres": (
        "SELECT most_common_vals FROM pg_stats WHERE tablename = 'people'",
        "SELECT column_name FROM information_schema.columns",
        "SELECT attname FROM pg_attribute",
        "SELECT pg_get_viewdef('renamed'::regclass)",
        "SELECT to_jsonb(NULL::people)",
        "TABLE pg_catalog.pg_class",
        "WITH pg_class AS (SELECT 1 AS x) SELECT * FROM pg_catalog.pg_class",
        "SELECT * FROM (WITH pg_stats AS (SELECT 1 AS x) SELECT x FROM pg_stats) a, pg_stats",
        "EXPLAIN VERBOSE SELECT * FROM people",
        "SHOW search_path",
    ),
    "sqlite": (
        "SELECT sql FROM sqlite_master",
        "SELECT name FROM pragma_table_info('people')",
        "PRAGMA table_info(people)",
    ),
    "duckdb": (
        "SUMMARIZE people",
        "DESCRIBE people",
        "SELECT * FROM duckdb_columns()",
        "SELECT column_name FROM information_schema.columns",
        "SELECT * FROM pragma_table_info('people')",
        "FROM (SUMMARIZE people)",
        "FROM (DESCRIBE people)",
    ),
    "mysql": (
        "SELECT column_name FROM information_schema.columns",
        "DESCRIBE people",
        "SHOW COLUMNS FROM people",
        "SHOW CREATE TABLE people",
    ),
}
_WHOLE = {
    "postgres": (
        "SELECT people FROM people",
        "SELECT p FROM people AS p",
        "SELECT row_to_json(people) FROM people",
        "SELECT to_jsonb(p) FROM people p",
        "SELECT json_agg(p) FROM people p",
        "SELECT p::text FROM people p",
        "SELECT array_agg(p) FROM people p",
        "SELECT * FROM ONLY people",
        "SELECT public.people.* FROM public.people",
        "SELECT x.* FROM people p, LATERAL (SELECT p.*) x",
        "TABLE people",
    ),
    "duckdb": (
        "SELECT COLUMNS(*) FROM people",
        "SELECT COLUMNS('.*') FROM people",
        "SELECT p FROM people p",
        "SELECT people FROM people",
        "FROM people",
        "SELECT * EXCLUDE (id) FROM people",
        "SELECT to_json(p) FROM people p",
        "SELECT list(p) FROM people p",
        "SELECT histogram(p) FROM people p",
        "SELECT main.people.* FROM main.people",
        "PIVOT people ON name USING count(*)",
        "UNPIVOT people ON COLUMNS(* EXCLUDE (id))",
        "TABLE people",
    ),
    "mysql": ("TABLE people",),
    "sqlite": (),
}
_ANN, _BO = {"id": 1, "name": "Ann"}, {"id": 2, "name": "Bo"}
#: Clauses that only a table takes, and statements that name a table otherwise than in FROM.
_OF_A_TABLE: dict[str, tuple[tuple[str, list[dict[str, object]]], ...]] = {
    "postgres": (
        ("TABLE people ORDER BY id", [_ANN, _BO]),
        ("TABLE ONLY public.people ORDER BY id LIMIT 1", [_ANN]),
        ("WITH x AS (TABLE people) SELECT * FROM x ORDER BY id", [_ANN, _BO]),
        ("SELECT id, name FROM people WHERE id = 1 UNION TABLE people ORDER BY id", [_ANN, _BO]),
        ("SELECT * FROM ONLY people ORDER BY id", [_ANN, _BO]),
        ("SELECT p.name FROM ONLY people AS p (a, name) WHERE a = 2", [{"name": "Bo"}]),
        ("SELECT * FROM people TABLESAMPLE BERNOULLI (100) ORDER BY id", [_ANN, _BO]),
        (
            "SELECT p.*, o.id AS o FROM people AS p TABLESAMPLE SYSTEM (100) REPEATABLE (2) "
            "JOIN orders o ON o.person_id = p.id ORDER BY o.id",
            [_ANN | {"o": 10}, _BO | {"o": 11}],
        ),
    ),
    "duckdb": (
        ("TABLE people", [_ANN, _BO]),
        ("PIVOT people ON name USING count(*) GROUP BY id ORDER BY id",
         [{"id": 1, "Ann": 1, "Bo": 0}, {"id": 2, "Ann": 0, "Bo": 1}]),
        ("PIVOT people ON name", [{"id": 1, "Ann": 1, "Bo": 0}, {"id": 2, "Ann": 0, "Bo": 1}]),
        ("UNPIVOT people ON name INTO NAME n VALUE v",
         [{"id": 1, "n": "name", "v": "Ann"}, {"id": 2, "n": "name", "v": "Bo"}]),
        ("PIVOT orders ON note USING max(id) GROUP BY person_id ORDER BY ALL",
         [{"person_id": 1, "first": 10, "second": None}, {"person_id": 2, "first": None, "second": 11}]),
        ("FROM (PIVOT (SELECT name FROM people) ON name USING count(*))", [{"Ann": 1, "Bo": 1}]),
    ),
    "mysql": (
        ("TABLE people ORDER BY id", [_ANN, _BO]),
        ("SELECT * FROM people p USE INDEX FOR JOIN (PRIMARY) IGNORE INDEX (PRIMARY) WHERE p.id = 2", [_BO]),
        ("SELECT * FROM people FORCE KEY (PRIMARY) WHERE id = 1", [_ANN]),
    ),
    "sqlite": (
        ("SELECT * FROM people NOT INDEXED ORDER BY id", [_ANN, _BO]),
        (
            "SELECT p.* FROM people AS p NOT INDEXED JOIN orders o INDEXED BY by_person ON o.person_id = p.id "
            "ORDER BY p.id",
            [_ANN, _BO],
        ),
    ),
}  # fmt: skip


@pytest.fixture(params=["sqlite", "duckdb", "postgres", "mariadb"], scope="module")
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hiding")
    match request.param:
        case "sqlite":
            boxes._run_sqlite(folder / "x.db", *(s.format(int="INTEGER", text="TEXT") for s in _TABLES))
            yield f"sqlite:///{folder / 'x.db'}"
        case "duckdb":
            with duckdb.connect(str(folder / "x.duckdb")) as file:
                for statement in _TABLES:
                    file.execute(statement.format(int="BIGINT", text="VARCHAR"))
            yield f"duckdb:///{folder / 'x.duckdb'}"
        case "postgres":
            with boxes.postgres_database() as address:
                statements = (s.format(int="bigint", text="text") for s in _TABLES)
                boxes.outside_postgres(address, *statements, "ANALYZE people")
                yield address
        case _:
            with boxes.mariadb_database() as address:
                boxes.outside_mariadb(address, *(s.format(int="BIGINT", text="VARCHAR(90)") for s in _TABLES))
                yield address


@pytest.fixture
async def source(url: str) -> AsyncIterator[DataConnector]:
    async with await SQLConnector.from_url_async(url) as connector:
        yield connector


@pytest.fixture
async def hiding(source: DataConnector) -> DataConnector:
    registry = DataConnectorRegistry()
    registry.register("shop", source, hidden_columns=["people.pass*", "every.pass_word"])
    seen = registry.for_model("shop")
    await seen.refresh_schema_async(max_age=60)
    return seen


def _text(outcome: QueryResult | QueryFailure) -> str:
    if isinstance(outcome, QueryFailure):
        return f"{outcome.message} {outcome.hint}"
    return f"{outcome.table.column_names} {outcome.table.to_pylist() if _named_once(outcome) else outcome.table}"


def _named_once(outcome: QueryResult) -> bool:
    return len(set(outcome.table.column_names)) == outcome.table.num_columns


async def test_queries_on_hidden_columns_are_refused_and_say_so(hiding: DataConnector) -> None:
    quote = "`" if hiding.dialect == "mysql" else '"'
    for sql in _ATTACKS:
        outcome = await hiding.run_query_async(sql.format(q=quote))
        assert isinstance(outcome, QueryFailure), sql
        assert SECRET not in _text(outcome)
        if "pass_word" in sql.lower():
            assert "hidden from the model" in outcome.message, (sql, outcome)


async def test_everything_is_everything_else(hiding: DataConnector) -> None:
    answered = 0
    for sql in (*_STARS, *_WHOLE[hiding.dialect]):
        outcome = await hiding.run_query_async(sql)
        assert SECRET not in _text(outcome), sql
        assert "pass_word" not in _text(outcome), (sql, _text(outcome))
        answered += isinstance(outcome, QueryResult)
    assert answered >= len(_STARS) - 2


async def test_what_only_a_table_takes_is_answered_without_them(hiding: DataConnector) -> None:
    for sql, rows in _OF_A_TABLE[hiding.dialect]:
        outcome = await hiding.run_query_async(sql)
        assert isinstance(outcome, QueryResult), (sql, outcome)
        assert sorted(outcome.table.to_pylist(), key=str) == sorted(rows, key=str), sql
    pivots = ("PIVOT people ON pass_word", "PIVOT people ON name USING max(pass_word)", "UNPIVOT people ON pass_word")
    for sql in pivots if hiding.dialect == "duckdb" else ():
        outcome = await hiding.run_query_async(sql)
        assert isinstance(outcome, QueryFailure), sql
        assert "hidden from the model" in outcome.message
        assert SECRET not in _text(outcome)


async def test_the_catalogue_is_closed(hiding: DataConnector) -> None:
    for sql in _CATALOGUES[hiding.dialect]:
        outcome = await hiding.run_query_async(sql)
        assert isinstance(outcome, QueryFailure), (sql, outcome)
        assert SECRET not in _text(outcome)
        assert "pass_word" not in _text(outcome)


async def test_what_needs_no_hidden_column_runs_as_written(hiding: DataConnector) -> None:
    for sql, rows in (
        ("SELECT note FROM orders ORDER BY id", [{"note": "first"}, {"note": "second"}]),
        ("SELECT note AS pass_word FROM orders WHERE id = 10", [{"pass_word": "first"}]),
        ("SELECT name FROM people WHERE id = 2", [{"name": "Bo"}]),
        ("SELECT p.name, o.note FROM people p JOIN orders o ON o.person_id = p.id AND o.id = 11",
         [{"name": "Bo", "note": "second"}]),
        ("SELECT note FROM clean WHERE id = 10", [{"note": "first"}]),
        ("SELECT n FROM counted WHERE name = 'Ann'", [{"n": 1}]),
    ):  # fmt: skip
        outcome = await hiding.run_query_async(sql)
        assert isinstance(outcome, QueryResult), (sql, outcome)
        assert outcome.table.to_pylist() == rows
        if "people" not in sql:
            assert outcome.sql == sql


async def test_the_schema_has_no_word_of_it(hiding: DataConnector, source: DataConnector) -> None:
    names = {t.name: [c.name for c in t.columns] for t in hiding.schema.tables}
    assert "pass_word" not in str(hiding.schema)
    assert SECRET not in str(hiding.schema)
    assert names["people"] == ["id", "name"]
    assert names["renamed"] == ["id"]
    assert names["deep"] == ["id"]
    assert "inner_star" not in names
    assert names["clean"] == ["id", "note"]
    assert "pass_word" in str(source.schema), "the person sees it"


async def test_a_person_may_ask_for_it(source: DataConnector) -> None:
    registry = DataConnectorRegistry()
    registry.register("shop", source, hidden_columns=["pass_word"])
    outcome = await registry.get("shop").run_query_async("SELECT pass_word FROM people ORDER BY id")
    assert isinstance(outcome, QueryResult)
    assert outcome.table.to_pylist()[0] == {"pass_word": f"{SECRET}-1"}


async def test_patterns_can_change(source: DataConnector) -> None:
    registry = DataConnectorRegistry()
    registry.register("shop", source)
    assert registry.for_model("shop") is source
    registry.hide("shop", ["note"])
    seen = registry.for_model("shop", hidden_columns=["name"])
    await seen.refresh_schema_async(max_age=60)
    shown = {column.name for table in seen.schema.tables for column in table.columns}
    assert "id" in shown
    assert not {"note", "name"} & shown
    registry.hide("shop", [])
    assert registry.for_model("shop") is source


async def test_files_and_sources_together(tmp_path: Path, source: DataConnector) -> None:
    (tmp_path / "staff.csv").write_text(f"id,name,pass_word\n1,Ann,{SECRET}\n2,Bo,{SECRET}\n")
    reading = read_file(tmp_path / "staff.csv", storage=tmp_path)
    async with await FilesConnector.open_async([reading]) as files:
        from tabulaflow_core.data.workspace import AcrossConnector

        registry = DataConnectorRegistry()
        registry.register("files", files, hidden_columns=["staff.pass_word"])
        registry.register("shop", source, hidden_columns=["pass_word"])
        parts = {alias: registry.for_model(alias) for alias in registry.aliases}
        for part in parts.values():
            await part.refresh_schema_async()
        across = AcrossConnector(parts)
        for sql in (
            "SELECT * FROM files.staff",
            "SELECT * FROM files.staff s JOIN shop.people p ON s.id = p.id",
            "SELECT s, p FROM files.staff s JOIN shop.people p ON s.id = p.id",
        ):
            outcome = await across.run_query_async(sql)
            assert isinstance(outcome, QueryResult), (sql, outcome)
            assert SECRET not in str(outcome.table)
            assert "pass_word" not in str(outcome.table)
        for sql in ("SELECT pass_word FROM files.staff", "SELECT s.pass_word FROM files.staff s, shop.people p"):
            refused = await across.run_query_async(sql)
            assert isinstance(refused, QueryFailure)
            assert SECRET not in _text(refused)
