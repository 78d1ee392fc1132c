"""Statements that are not queries but only tell: EXPLAIN, DESCRIBE, SHOW, PRAGMA.

Each is read by a grammar of its own that is small enough to be seen through; what does not fit is refused.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.catalog import check_relation, check_setting
from tabulaflow_core.data.guard.context import Context
from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.guard.reader import Reader, Rest
from tabulaflow_core.data.guard.show_mysql import show_mysql
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

_EXPLAIN_OPTIONS = name_set(
    "analyze buffers costs format generic_plan memory serialize settings summary timing verbose wal"
)
_EXPLAIN_VALUES = name_set("binary false json none off on text tree traditional true xml yaml html graphviz mermaid")
_SQLITE_PRAGMAS_OF = name_set(
    """
    foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check quick_check table_info
    table_list table_xinfo
    """
)
PRAGMA_FUNCTIONS_OF = frozenset(f"pragma_{name}" for name in _SQLITE_PRAGMAS_OF)
"""SQLite's table functions whose argument names a table or an index; that of others may set a value."""
_SQLITE_PRAGMAS = name_set(
    """
    application_id auto_vacuum busy_timeout cache_size collation_list compile_options data_version encoding
    foreign_key_check foreign_keys freelist_count function_list integrity_check journal_mode locking_mode
    max_page_count module_list page_count page_size pragma_list query_only quick_check recursive_triggers
    schema_version secure_delete synchronous table_list temp_store user_version
    """
)
_COUNTING = frozenset({"integrity_check", "quick_check"})
"""Those that take how many faults to tell in place of a table."""
_DUCKDB_PRAGMAS_OF = frozenset({"show", "table_info"})
_DUCKDB_PRAGMAS = name_set("collations database_size functions platform show_tables show_tables_expanded version")
_SHOWN_PLAIN = frozenset({"tables", "schemas", "databases", "catalogs", "views", "columns"})


def read_head(tokens: list[Token], context: Context) -> Rest | None:
    """What stands before a query, or the whole of a statement that only tells; None for a plain query."""
    reader = Reader(tokens)
    match reader.peek(), context.dialect:
        case "explain", "postgres" | "duckdb" | "sqlite" | "trino" | "snowflake" | "mysql":
            return _explain(reader, context)
        case "analyze", "mysql":
            return _explain(reader, context)
        case "describe" | "desc", "mysql":
            return _explain(reader, context)
        case "show", "mysql":
            return show_mysql(reader, context)
        case "show", "snowflake" | "trino" | "databricks":
            return _show_plain(reader, context)
        case "describe" | "desc", "snowflake" | "trino" | "databricks":
            return _describe_plain(reader, context)
        case "show", "postgres":
            return _show_postgres(reader, context)
        case "pragma", "sqlite" | "duckdb":
            return _pragma(reader, context)
    return None


def _explain(reader: Reader, context: Context) -> Rest:
    first = reader.peek()
    reader.at += 1
    if context.dialect == "sqlite":
        if reader.take("query") and not reader.take("plan"):
            raise reader.unexpected()
        return Rest("explain", reader.at)
    if context.dialect in ("postgres", "duckdb") and reader.peek() == "(":
        following = reader.tokens[reader.at + 1].text.lower() if reader.at + 1 < len(reader.tokens) else ""
        if following in _EXPLAIN_OPTIONS:
            _explain_options(reader)
            return Rest("explain", reader.at)
    while reader.take("analyze", "verbose", "extended", "partitions", "format"):
        if reader.take("=") and not (reader.take(*_EXPLAIN_VALUES) or reader.literal()):
            raise reader.unexpected()
    if first == "analyze" and reader.peek() not in ("select", "with", "values", "("):
        raise reader.unexpected()
    if context.dialect == "mysql" and reader.peek() not in ("select", "with", "values", "table", "("):
        table = reader.name()
        check_relation(table, "mysql")
        context.tables.add(".".join(table))
        if not reader.done and not reader.literal():
            reader.name()
        if not reader.done:
            raise reader.unexpected()
        return Rest("describe", reader.at)
    return Rest("explain", reader.at)


def _explain_options(reader: Reader) -> None:
    reader.take("(")
    while True:
        if not reader.take(*_EXPLAIN_OPTIONS):
            raise reader.unexpected()
        if not (reader.take(*_EXPLAIN_VALUES) or reader.literal()):
            reader.number()
        if reader.take(")"):
            return
        if not reader.take(","):
            raise reader.unexpected()


def _show_postgres(reader: Reader, context: Context) -> Rest:
    reader.at += 1
    if reader.take("time"):
        name, fits = "timezone", reader.take("zone")
    elif reader.take("transaction"):
        name, fits = "transaction_isolation", reader.take("isolation") and reader.take("level")
    elif reader.take("session"):
        name, fits = "session_authorization", reader.take("authorization")
    else:
        name, fits = ".".join(reader.name()), True
    if not fits or not reader.done:
        raise reader.unexpected()
    check_setting(name, "postgres")
    return Rest("show", reader.at)


def _show_plain(reader: Reader, context: Context) -> Rest:
    """Lists of Snowflake, Trino and Databricks."""
    reader.at += 1
    listed = reader.peek()
    if not reader.take(*_SHOWN_PLAIN):
        raise reader.unexpected()
    if reader.take("from", "in"):
        reader.take("table", "schema", "database")
        name = reader.name()
        if listed == "columns":
            check_relation(name, context.dialect)
            context.tables.add(".".join(name))
    if reader.take("like") and not reader.literal():
        raise reader.unexpected()
    if not reader.done:
        raise reader.unexpected()
    return Rest("show", reader.at)


def _describe_plain(reader: Reader, context: Context) -> Rest:
    """What one table is made of."""
    reader.at += 1
    reader.take("table", "view")
    name = reader.name()
    check_relation(name, context.dialect)
    context.tables.add(".".join(name))
    if not reader.done:
        raise reader.unexpected()
    return Rest("describe", reader.at)


def _pragma(reader: Reader, context: Context) -> Rest:
    reader.at += 1
    name = reader.name()
    plain, of = (
        (_SQLITE_PRAGMAS, _SQLITE_PRAGMAS_OF) if context.dialect == "sqlite" else (_DUCKDB_PRAGMAS, _DUCKDB_PRAGMAS_OF)
    )
    word = name[-1].lower()
    if reader.done and word in plain:
        return Rest("pragma", reader.at)
    equals = context.dialect == "sqlite" and word in of and reader.take("=")
    if equals or (word in of and reader.take("(")):
        subject: tuple[str, ...] = ()
        if not reader.done and reader.tokens[reader.at].kind is Kind.STRING:
            subject = (reader.tokens[reader.at].text,)
            reader.at += 1
        elif not (word in _COUNTING and reader.number()):
            subject = reader.name()
        if (equals or reader.take(")")) and reader.done:
            if not subject:
                return Rest("pragma", reader.at)
            check_relation(subject, context.dialect)
            context.tables.add(".".join(subject))
            return Rest("pragma", reader.at)
    raise Refusal(
        RefusalCode.NOT_A_QUERY,
        f"PRAGMA {'.'.join(name)} in this form is not on the list of those that only read.",
    )
