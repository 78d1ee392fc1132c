"""What would repair a query that names something unknown: the nearest names, or the table that has the column."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tabulaflow_core.data.schema import SourceSchema, TableSchema

#: The engines' words for an unknown column and table; the first group is the name, perhaps qualified.
_COLUMN: Final = (
    re.compile(r"no such column: (.+)$"),  # SQLite
    re.compile(r'column "?([^"]+?)"? does not exist'),  # PostgreSQL
    re.compile(r"Unknown column '([^']+)'"),  # MySQL, MariaDB
    re.compile(r'Referenced column "([^"]+)" not found'),  # DuckDB
    re.compile(r"Invalid column name '([^']+)'"),  # SQL Server
    re.compile(r"""ORA-00904: (?:"[^"]+"\.)*"([^"]+)"(?:: invalid identifier)?"""),  # Oracle
    re.compile(r"invalid identifier '([^']+)'"),  # Snowflake
    re.compile(r"Unrecognized name: (\S+?)(?:[;,.]? |;|$)"),  # BigQuery
    re.compile(r"(?:column|variable)[^`]* with name `([^']+?)` cannot be resolved"),  # Databricks
    re.compile(r"Column '([^']+)' cannot be resolved"),  # Trino
    re.compile(
        r"(?:Unknown (?:expression (?:or function )?)?identifier|Missing columns:) [`']([^`']+)[`']"
    ),  # ClickHouse
)
_TABLE: Final = (
    re.compile(r"no such table: (.+)$"),
    re.compile(r'relation "([^"]+)" does not exist'),
    re.compile(r"Table '([^']+)' doesn't exist"),
    re.compile(r"Table with name (\S+) does not exist"),
    re.compile(r"Invalid object name '([^']+)'"),  # SQL Server
    re.compile(r"""ORA-00942: table or view (?:"[^"]+"\.)*"([^"]+)" does not exist"""),  # Oracle since 23ai
    re.compile(r"Object '([^']+)' does not exist"),  # Snowflake
    re.compile(r"Not found: Table (\S+)"),  # BigQuery
    re.compile(r"The table or view `([^']+?)` cannot be found"),  # Databricks
    re.compile(r"Table '([^']+)' does not exist"),  # Trino
    re.compile(r"(?:Unknown table expression identifier '([^']+)')"),  # ClickHouse
)
#: A number compared with a day: PostgreSQL, DuckDB.
_NUMBER: Final = r"(?:bigint|integer|int|smallint|numeric|double precision|DOUBLE|HUGEINT)"
_DAY: Final = r"(?:date|timestamp\b[\w ()]*?)"
_NUMBER_AND_DAY: Final = tuple(
    re.compile(pattern.format(*pair), re.IGNORECASE)
    for pattern in (r"operator does not exist: {} [<>=]+ {}(?: |$)", r"compare values of type {} and type {} ")
    for pair in ((_NUMBER, _DAY), (_DAY, _NUMBER))
)
_SINCE_1970: Final = (
    "A number is compared with a day. Seconds since 1970 become a time by to_timestamp(column), "
    "milliseconds by to_timestamp(column / 1000.0)."
)
#: Names in SQL Server's brackets; a subscript such as `a[1]` stands behind a name.
_BRACKETS: Final = re.compile(r"(?:^|[\s,(.=])\[[^\W\d][\w .]*\]")
_NEAREST: Final = 3
#: Tables, and columns of a table, that are listed when none is near.
_FEW: Final = 10
_SHOWN_COLUMNS: Final = 30
#: Names that need no quotes: PostgreSQL folds unquoted ones to lower case, so that others must be quoted there.
_LOWER: Final = re.compile(r"[a-z_][a-z0-9_]*")
_UPPER: Final = re.compile(
    r"[A-Z][A-Z0-9_$#]*|[a-z][a-z0-9_]*"
)  # SQLAlchemy tells names that need no quotes in lower case
_PLAIN: Final = {"postgres": _LOWER, "redshift": _LOWER, "oracle": _UPPER, "snowflake": _UPPER}
#: Quotes of names, where they are not `"`.
_QUOTES: Final = {
    **dict.fromkeys(("mysql", "bigquery", "databricks", "clickhouse"), ("`", "`")),
    "tsql": ("[", "]"),
}
_PLAIN_ELSEWHERE: Final = re.compile(r"[^\W\d]\w*")


def hint_for(message: str, schema: SourceSchema, *, used: Iterable[object] = (), dialect: str = "") -> str:
    """A hint for an engine's message; empty when it is about neither an unknown name nor a number taken for a day.

    Args:
        used: The tables that the statement names; their columns come first.
        dialect: Names that need quotes there are shown with them.
    """
    names = {str(name).rpartition(".")[2].strip('"`[]').casefold() for name in used}
    write = _writer(dialect)
    for pattern in _COLUMN:
        if found := pattern.search(message):
            here = [table for table in schema.tables if table.name.casefold() in names]
            return _column_hint(_last(found[1]), schema, here, write)
    for pattern in _TABLE:
        if found := pattern.search(message):
            return _table_hint(_last(found[1]), schema, write)
    if any(pattern.search(message) for pattern in _NUMBER_AND_DAY):
        return _SINCE_1970
    return ""


def quotes_hint(sql: str, dialect: str) -> str:
    """A hint for a statement that failed and has back-ticks or brackets this engine does not know; else empty."""
    opening, closing = _QUOTES.get(dialect, ('"', '"'))
    if dialect == "sqlite":  # SQLite knows them all
        return ""
    if "`" in sql and opening != "`":
        return f"Names are quoted as {opening}name{closing} here, not with back-ticks."
    if opening != "[" and _BRACKETS.search(sql):
        return f"Names are quoted as {opening}name{closing} here, not with brackets."
    return ""


def _last(name: str) -> str:
    return name.rpartition(".")[2].strip('"`[]')


def _writer(dialect: str) -> Callable[[str], str]:
    """How a name is written in the dialect's SQL."""
    plain = _PLAIN.get(dialect, _PLAIN_ELSEWHERE)
    opening, closing = _QUOTES.get(dialect, ('"', '"'))
    return lambda name: name if plain.fullmatch(name) else opening + name.replace(closing, closing * 2) + closing


def _qualified(table: TableSchema, write: Callable[[str], str]) -> str:
    return ".".join(map(write, table.path))


def _table_hint(name: str, schema: SourceSchema, write: Callable[[str], str]) -> str:
    tables = {table.name: _qualified(table, write) for table in reversed(schema.tables)}
    if near := _near(name, list(tables)):
        return f"Nearest tables: {', '.join(tables[match] for match in near)}."
    if 0 < len(schema.tables) <= _FEW:
        return f"The tables are: {', '.join(_qualified(table, write) for table in schema.tables)}."
    return ""


def _column_hint(name: str, schema: SourceSchema, used: Sequence[TableSchema], write: Callable[[str], str]) -> str:
    hints = []
    here = sorted({column.name for table in used for column in table.columns})
    if near := _near(name, here):
        hints.append(f"Nearest columns: {', '.join(map(write, near))}.")
    others = [
        f"{_qualified(table, write)}.{write(column.name)}"
        for table in schema.tables
        if table not in used
        for column in table.columns
        if column.name.casefold() == name.casefold()
    ]
    if others:
        hints.append(f"The column stands in {', '.join(others[:_NEAREST])}.")
    if not hints and len(used) == 1:
        names = ", ".join(write(column.name) for column in used[0].columns[:_SHOWN_COLUMNS])
        hints.append(f"The columns of {_qualified(used[0], write)} are: {names}.")
    return " ".join(hints)


def _near(name: str, candidates: Sequence[str]) -> list[str]:
    folded: dict[str, str] = {}
    for candidate in candidates:
        folded.setdefault(candidate.casefold(), candidate)
    near = difflib.get_close_matches(name.casefold(), folded, n=_NEAREST, cutoff=0.6)
    return [folded[match] for match in near]
