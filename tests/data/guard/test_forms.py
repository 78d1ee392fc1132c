"""Forms that the parser does not know, long lists, and the types that are left to the engine's lock."""

from __future__ import annotations

import pytest

from tabulaflow_core.data.guard import Allowed, RefusalCode, Refused, check_statement
from tabulaflow_core.data.guard.condense import condense
from tabulaflow_core.data.guard.lexer import Lexer
from tabulaflow_core.data.guard.lexicon import LEX_RULES
from tabulaflow_core.data.guard.types import cast_types, row_fields

FOUR = ("duckdb", "mysql", "postgres", "sqlite")


def condensed(sql: str) -> str:
    return condense(sql, Lexer(sql, LEX_RULES["postgres"]).tokens())


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("postgres", "SELECT a FROM t ORDER BY a USING >, b USING OPERATOR(pg_catalog.<) LIMIT 3"),
        ("postgres", "SELECT array_agg(a ORDER BY b USING ~<~) FROM t JOIN u USING (id)"),
        ("postgres", "SELECT j.id FROM t JOIN u USING (id) AS j WHERE j.id > 1"),
        ("postgres", "SELECT box '((0,0),(1,1))' @> point '(0,0)', inet '10.0.0.1', jsonb '{}', date '2025-01-31'"),
        ("postgres", "SELECT xmlexists('/a' PASSING BY REF x) FROM t"),
        (
            "postgres",
            "SELECT r.* FROM t, XMLTABLE('/r' PASSING x COLUMNS a int PATH '@a' NOT NULL, b text DEFAULT 'n') r",
        ),
        ("mysql", "SELECT a MEMBER OF ('[1, 2]') FROM t"),
        ("mysql", "SELECT {d '2025-01-31'}, { ts '2025-01-31 10:00:00' } FROM t WHERE a > {t '10:00'}"),
        ("sqlite", "SELECT title FROM notes('rye AND water') WHERE rank < 0"),
        ("sqlite", 'SELECT CAST(a AS UNSIGNED BIG INT), CAST((SELECT max(b) AS n FROM t) AS "my type") FROM t'),
        ("sqlite", "PRAGMA integrity_check(5)"),
        ("mysql", "SELECT a, count(*) FROM t GROUP BY a DESC, b ASC WITH ROLLUP"),
        ("mysql", "SELECT \\N, SQL_NO_CACHE FROM (SELECT SQL_NO_CACHE DISTINCT a FROM t LIMIT 5 ROWS EXAMINED 9) q"),
        ("mysql", "SELECT * FROM {OJ t LEFT OUTER JOIN u ON t.a = u.a} WHERE MATCH b, c AGAINST ('x')"),
        ("mysql", "SELECT group_concat(a SEPARATOR ';' LIMIT 3), CAST(b AS INET6), weight_string(a AS CHAR(3)) FROM t"),
        ("mysql", "SHOW VARIABLES LIKE 'sql_mode'"),
        ("mysql", "SHOW COLLATION WHERE Charset = 'utf8mb4'"),
        ("postgres", "SELECT make_interval(days := 3), collation for ('a'), now() AT LOCAL"),
        ("postgres", "SELECT char(3) 'abc', bit varying '101', timestamp(0) '2024-01-01', character varying(3) 'a'"),
        ("postgres", "SELECT xmlroot(x, version '1.0', standalone no value), (t).a FROM t"),
        ("postgres", "SELECT json_objectagg(a: b ABSENT ON NULL RETURNING jsonb), json_array(a NULL ON NULL) FROM t"),
        ("postgres", "SELECT json_query(a, '$' WITH UNCONDITIONAL ARRAY WRAPPER OMIT QUOTES NULL ON EMPTY) FROM t"),
        ("duckdb", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t"),
        ("duckdb", "SELECT generate_series(DATE '2025-01-31', DATE '2025-03-31', INTERVAL 1 MONTH)"),
    ],
)
def test_forms_are_allowed(dialect: str, sql: str) -> None:
    result = check_statement(sql, dialect=dialect)
    assert isinstance(result, Allowed), result
    assert result.sql == sql


@pytest.mark.parametrize(
    ("dialect", "sql", "code"),
    [
        ("postgres", "SELECT a FROM t ORDER BY a USING ~|~", RefusalCode.OPERATOR),
        ("postgres", "SELECT a FROM t ORDER BY a USING OPERATOR(app.<)", None),
        ("postgres", "SELECT a FROM t ORDER BY a USING < , stamp('x')", RefusalCode.FUNCTION),
        ("postgres", "SELECT a FROM t JOIN u USING (id) AS j, stamp('x')", RefusalCode.FUNCTION),
        ("postgres", "SELECT xmlexists('/a' PASSING stamp('x'))", RefusalCode.FUNCTION),
        ("postgres", "SELECT xmlroot(stamp('x'), version '1.0')", RefusalCode.FUNCTION),
        ("postgres", "SELECT json_objectagg(stamp('x'): 1)", RefusalCode.FUNCTION),
        ("postgres", "SELECT json_query(a, '$' RETURNING app.checked) FROM t", None),
        ("postgres", "SELECT make_interval(days := stamp('x'))", RefusalCode.FUNCTION),
        ("sqlite", "SELECT CAST(load_extension('x') AS BIG INT)", RefusalCode.FUNCTION),
        ("sqlite", "PRAGMA journal_mode(wal)", None),
        ("mysql", "SELECT a FROM t GROUP BY SLEEP(3) DESC", RefusalCode.FUNCTION),
        ("mysql", "SELECT * FROM {OJ mysql.user u LEFT JOIN t ON 1}", RefusalCode.CATALOG),
        ("mysql", "SELECT SQL_NO_CACHE DISTINCT @a := 1", None),
        ("mysql", "SHOW VARIABLES LIKE 'datadir'", RefusalCode.SETTING),
        ("mysql", "SHOW VARIABLES WHERE Variable_name = 'sql_mode' OR 1", None),
        ("mysql", "SHOW STATUS WHERE SLEEP(3)", RefusalCode.FUNCTION),
        ("postgres", "SELECT * FROM t, XMLTABLE('/r' PASSING x COLUMNS a int PATH '@a' DEFAULT stamp('x')) r", None),
        ("mysql", "SELECT a MEMBER OF (SLEEP(3)) FROM t", RefusalCode.FUNCTION),
        ("mysql", "SELECT {fn SLEEP(3)}", None),
        ("mysql", "SELECT {d SLEEP(3)}", None),
        ("sqlite", "SELECT * FROM notes(load_extension('x'))", RefusalCode.FUNCTION),
        ("sqlite", "SELECT * FROM fsdir('/')", None),
        ("sqlite", "SELECT * FROM sqlite_dbpage('main')", None),
        ("sqlite", "SELECT notes('x')", RefusalCode.FUNCTION),
        ("sqlite", "SELECT * FROM other.notes('x')", RefusalCode.FUNCTION),
        ("sqlite", "SELECT * FROM pragma_user_version(9)", RefusalCode.SETTING),
        ("duckdb", "SELECT percentile_cont(0.5)", RefusalCode.FUNCTION),
        ("duckdb", "SELECT generate_series(1, 5000000000)", RefusalCode.TOO_LARGE),
        ("duckdb", "SUMMARIZE UPDATE EXTENSIONS", RefusalCode.UNREADABLE),
    ],
)
def test_what_hides_in_a_form_is_refused(dialect: str, sql: str, code: RefusalCode | None) -> None:
    result = check_statement(sql, dialect=dialect)
    assert isinstance(result, Refused), result
    assert code is None or result.code is code, result


def test_a_type_newer_than_the_driver_is_refused() -> None:
    from tabulaflow_core.data.guard import duckdb_tree

    assert duckdb_tree.statement_type("UPDATE EXTENSIONS") == "OTHER"


def test_lists_of_plain_values_are_shortened_and_nothing_else() -> None:
    many = ", ".join(str(i) for i in range(500))
    assert len(condensed(f"SELECT 1 FROM t WHERE a IN ({many})")) < 100
    assert condensed("SELECT a, b FROM t WHERE a IN (1, 2, -3, 'x', NULL)").replace(" ", "") == (
        "SELECTa,bFROMtWHEREaIN(1,2,-3,'x',NULL)"
    )
    rows = ", ".join(f"({i}, 'x')" for i in range(500))
    assert len(condensed(f"VALUES {rows}")) < 120
    hidden = f"SELECT 1 FROM t WHERE a IN ({many}, stamp('x'), {many})"
    assert "stamp('x')" in condensed(hidden)
    hidden = f"VALUES {rows}, (1, stamp('x')), {rows}"
    assert "stamp('x')" in condensed(hidden)


@pytest.mark.parametrize("dialect", FOUR)
def test_long_lists(dialect: str) -> None:
    numbers = ",".join(str(i) for i in range(5_000))
    texts = ",".join(f"'it''s {i}'" for i in range(4_000))
    rows = ",".join(f"({i}, 'x', NULL)" for i in range(4_000))
    for sql in (f"SELECT 1 FROM t WHERE a IN ({numbers})", f"SELECT 1 FROM t WHERE a NOT IN ({texts})",
                f"SELECT count(*) FROM t WHERE (a, b, c) IN ({rows})"):  # fmt: skip
        result = check_statement(sql, dialect=dialect)
        assert isinstance(result, Allowed), result
        assert result.sql == sql
        hidden = check_statement(f"{sql} OR a IN ({numbers[:2000]}0, stamp('x'), {numbers[:2000]}0)", dialect=dialect)
        assert isinstance(hidden, Refused)
        assert hidden.code is RefusalCode.FUNCTION


@pytest.mark.parametrize("dialect", FOUR)
@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + ", ".join(["a"] * 26_000) + " FROM t", "SELECT 1 FROM " + ", ".join(["t"] * 26_000),
        " UNION ALL ".join(["SELECT 1"] * 7_000), "SELECT " + "+".join(["a"] * 26_000),
        "SELECT a FROM t ORDER BY " + ", ".join(["a"] * 26_000), "SELECT 1" + "::int" * 13_000,
        "SELECT coalesce(" + ", ".join(["a"] * 26_000) + ")", "SELECT '" + "x" * 1_000_000 + "'",
        "SELECT 1 " + " " * 1_000_000, "WITH " + ", ".join(f"c{i} AS (SELECT 1)" for i in range(5_000)) + " SELECT 1",
    ],
)  # fmt: skip
def test_words_and_signs_are_bounded(dialect: str, text: str) -> None:
    result = check_statement(text, dialect=dialect)
    assert isinstance(result, Refused)
    assert result.code in (RefusalCode.TOO_LONG, RefusalCode.UNREADABLE, RefusalCode.PLACEHOLDER), result


@pytest.mark.parametrize("dialect", FOUR)
@pytest.mark.parametrize("times", [900])
def test_deep_unions_and_chains_never_raise(dialect: str, times: int) -> None:
    for text in (
        " UNION ALL ".join(["SELECT a FROM t"] * times), " INTERSECT ".join(["SELECT 1"] * times),
        "SELECT " + " || ".join(["a"] * times), "SELECT " + "CASE WHEN 1 = 1 THEN " * times + "1" + " END" * times,
        "SELECT " + "NOT " * times + "1", "SELECT 1" + " IS NULL" * times,
    ):  # fmt: skip
        assert isinstance(check_statement(text, dialect=dialect), (Allowed, Refused))


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("SELECT 'a'::size", ("size",)),
        ("SELECT CAST(a AS app.size[]) FROM t", ("app.size",)),
        ("SELECT 'a'::\"Odd Size\", 1::int, 'x'::citext, '1'::pg_catalog.int8", ('"Odd Size"', "pg_catalog.int8")),
        ("EXPLAIN (COSTS off) SELECT 'a'::size", ("size",)),
        ("SELECT * FROM json_to_record('{}') AS t(a odd_number, b int)", ("odd_number",)),
        ("SELECT * FROM xmltable('/r' PASSING x COLUMNS a odd_number PATH '.')", ("odd_number",)),
        ("SELECT vat(1)::size", ("size",)),
        ("SELECT a AS size FROM t", ()),
        ("SELECT 1", ()),
        ("SELECT 'a", ()),
    ],
)
def test_types_of_a_user(sql: str, types: tuple[str, ...]) -> None:
    assert cast_types(sql) == types
    verdict = check_statement(sql, dialect="postgres", functions=["vat"])
    if isinstance(verdict, Allowed):
        assert set(verdict.types) <= set(types)


@pytest.mark.parametrize(
    ("sql", "fields", "of_tables"),
    [
        ("SELECT o.f, (o).g FROM t o", ("g",), ("g",)),
        ('SELECT ((o.*)) . "G", (a).b FROM t o', ("G", "b"), ("G",)),
        ("SELECT (ARRAY[o])[1].f, (json_each('{}')).key, app.t.c FROM t o", ("f", "key"), ()),
        ("SELECT ((SELECT o FROM t o LIMIT 1))/**/.f", ("f",), ()),
        ("SELECT (1) + a.b FROM a WHERE (c) IN (1)", (), ()),
    ],
)
def test_fields_of_rows(sql: str, fields: tuple[str, ...], of_tables: tuple[str, ...]) -> None:
    assert row_fields(sql) == fields
    assert row_fields(sql, of_tables=True) == of_tables


def test_a_type_allowed_by_name_is_not_told() -> None:
    verdict = check_statement("SELECT 1::odd", dialect="postgres", functions=["odd"])
    assert isinstance(verdict, Allowed)
    assert verdict.types == ()
