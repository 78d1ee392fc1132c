"""Views and macros of a file that somebody else made: what they would run is looked at before they are offered."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabulaflow_core.data.engines.duckdb_lock import literal, run
from tabulaflow_core.data.guard.bodies import StoredFunction

if TYPE_CHECKING:
    import duckdb


#: Macros of one file that are looked at; where there are more, each is allowed by name or not at all.
_MOST_MACROS = 500


@dataclass(frozen=True, slots=True)
class RefusedView:
    """A view that must not be queried, and why."""

    catalog: str
    schema: str
    name: str
    reason: str


def refused_views(
    connection: duckdb.DuckDBPyConnection, catalog: str, *, functions: Collection[str] = ()
) -> list[RefusedView]:
    """The views of a catalog whose own text the guard refuses, that use a macro of the file, or use such a view.

    A macro may carry the name of a built-in function and is found first inside a view of its file, so a view
    that calls one says nothing about what it runs; those of `functions` are known to be harmless.
    """
    from tabulaflow_core.data.guard import Refused, check_statement

    rows = run(
        connection,
        "SELECT schema_name, view_name, sql FROM duckdb_views() "
        f"WHERE NOT internal AND database_name = {literal(catalog)} ORDER BY ALL",
    )
    defined = macros(connection, catalog) - {name.rpartition(".")[2] for name in functions}
    reasons: dict[tuple[str, str], str] = {}
    uses: dict[tuple[str, str], set[str]] = {}
    for schema, name, sql in rows:
        key = (str(schema), str(name))
        body = _body(str(sql))
        if body is None:
            reasons[key] = "its definition cannot be read"
            continue
        text, tables, calls = body
        uses[key] = tables
        if called := sorted(calls & defined):
            reasons[key] = f"it calls the macro {called[0]}"
            continue
        verdict = check_statement(text, dialect="duckdb", functions=functions)
        if isinstance(verdict, Refused):
            reasons[key] = verdict.reason
    while more := {
        key: "it reads another view that may not be queried"
        for key, tables in uses.items()
        if key not in reasons and tables & {name.casefold() for _, name in reasons}
    }:
        reasons |= more
    return [RefusedView(catalog, schema, name, reason) for (schema, name), reason in sorted(reasons.items())]


def defining(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The catalogs that define a view or a macro; one query, where asking each of many files takes seconds."""
    rows = run(
        connection,
        "SELECT database_name FROM duckdb_views() WHERE NOT internal "
        "UNION SELECT database_name FROM duckdb_functions() WHERE NOT internal",
    )
    return {str(catalog) for (catalog,) in rows}


def macros(connection: duckdb.DuckDBPyConnection, catalog: str) -> set[str]:
    """Names of the macros of a catalog, in lower case."""
    rows = run(
        connection,
        "SELECT DISTINCT lower(function_name) FROM duckdb_functions() "
        f"WHERE NOT internal AND database_name = {literal(catalog)}",
    )
    return {str(name) for (name,) in rows}


def stored(connection: duckdb.DuckDBPyConnection, catalog: str) -> list[StoredFunction]:
    """The macros of a catalog with what they run."""
    rows = run(
        connection,
        "SELECT function_name, schema_name, function_type, macro_definition FROM duckdb_functions() "
        f"WHERE NOT internal AND database_name = {literal(catalog)} LIMIT {_MOST_MACROS}",
    )
    if len(rows) == _MOST_MACROS:
        return []
    return [
        StoredFunction(str(name), str(schema), _ran(str(kind), str(text) if text else None))
        for name, schema, kind, text in rows
    ]


def _ran(kind: str, text: str | None) -> str | None:
    if text is None or kind not in ("macro", "table_macro"):
        return None
    return text if kind == "table_macro" else f"SELECT ({text})"


def hides_built_in(connection: duckdb.DuckDBPyConnection, names: Collection[str]) -> bool:
    """Whether one of these macros bears the name of a function or operator of DuckDB's own, in lower case."""
    if not names:
        return False
    rows = run(connection, "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE internal")
    return not {str(name) for (name,) in rows}.isdisjoint(names)


def calls_macro(sql: str, names: Collection[str]) -> str:
    """The macro that a statement calls by a qualified name or as a method; empty when it calls none.

    Unqualified calls reach the built-in function, where there is one: the search path sees to it. Where there is
    none, the guard refuses the name.
    """
    if not names:
        return ""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        tokens = sqlglot.tokenize(sql, dialect="duckdb")
    except SqlglotError:
        return ""  # the guard refuses what cannot be read
    for before, name, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if before.text == "." and after.text == "(" and name.text.casefold() in names:
            return name.text
    return ""


def _body(sql: str) -> tuple[str, set[str], set[str]] | None:
    """The query of a CREATE VIEW, the tables it names and the functions it calls; None when it cannot be parsed."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        created = sqlglot.parse_one(sql, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return None
    query = created.args.get("expression") if isinstance(created, exp.Create) else None
    if query is None:
        return None
    tables = {table.name.casefold() for table in query.find_all(exp.Table)}
    functions = {
        (f.name if isinstance(f, exp.Anonymous) else f.sql_name()).casefold() for f in query.find_all(exp.Func)
    }
    # A macro called like a built-in is parsed into that built-in, whose canonical name may differ from its spelling.
    words = {token.text.casefold() for token in sqlglot.tokenize(sql, dialect="duckdb")}
    return query.sql(dialect="duckdb"), tables, functions | words
