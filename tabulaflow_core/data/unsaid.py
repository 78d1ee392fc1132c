"""What an engine does without a word: a misspelt name taken for a text, a number compared with a day.

DuckDB and PostgreSQL answer such statements with an error. SQLite takes a name in double quotes that is no column
for a text (sqlite.org/quirks.html, section 8), MariaDB and MySQL take any double quotes for those of a text unless
`ANSI_QUOTES` is set, and both compare a number with a day as if that made sense: the figures look like answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.schema import SourceSchema, TableSchema

if TYPE_CHECKING:
    from sqlglot import exp

#: How seconds since 1970 become a time, by dialect.
_TO_TIME: Final = {"sqlite": "datetime({}, 'unixepoch')", "mysql": "FROM_UNIXTIME({})"}
#: Characters of a statement that is looked at: the parser takes its time with more.
_LONGEST: Final = 20_000
_DAY: Final = re.compile(r"\d{4}-\d\d?-\d\d?(?:[ T].*)?")
_DAY_WORDS: Final = re.compile(r"\d{4}-\d|\bdate|\bnow|\bcurrent|\btimestamp", re.IGNORECASE)
_WHOLE: Final = re.compile(r"\s*(?:unsigned\s+)?(?:tiny|small|medium|big)?int(?:eger)?\b", re.IGNORECASE)
#: Names that every table of SQLite has.
_ROW_NUMBERS: Final = frozenset({"rowid", "oid", "_rowid_"})


def notices_of(sql: str, schema: SourceSchema, *, used: Iterable[str], dialect: str) -> tuple[str, ...]:
    """Sentences about what `sql` asks that its engine takes otherwise than it reads; empty for other dialects.

    Args:
        sql: A statement that the guard let pass.
        used: The tables it names, as written. With one that is not in `schema` nothing is said of names.
    """
    if dialect not in _TO_TIME or len(sql) > _LONGEST or not ('"' in sql or _DAY_WORDS.search(sql)):
        return ()
    import sqlglot

    found = [schema.table(name.replace('"', "").replace("`", "")) for name in used]
    tables = [table for table in found if table is not None]
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return ()
    texts: Iterator[str] = iter(())
    if tables and len(tables) == len(found):
        texts = _no_columns(tree, tables) if dialect == "sqlite" else _quoted_columns(sql, tables)
    return tuple(dict.fromkeys((*texts, *_numbers_and_days(tree, tables, _TO_TIME[dialect]))))


def _no_columns(tree: exp.Expr, tables: Sequence[TableSchema]) -> Iterator[str]:
    """SQLite: names in double quotes that no table has."""
    from sqlglot import exp

    known = {column.name.casefold() for table in tables for column in table.columns} | _ROW_NUMBERS
    known |= {alias.alias.casefold() for alias in tree.find_all(exp.Alias)}
    known |= {
        name.name.casefold() for alias in tree.find_all(exp.TableAlias) for name in alias.find_all(exp.Identifier)
    }
    for column in tree.find_all(exp.Column):
        if column.this.args.get("quoted") and not column.table and column.name.casefold() not in known:
            yield f"\"{column.name}\" is no column of these tables: SQLite took it for the text '{column.name}'."


def _quoted_columns(sql: str, tables: Sequence[TableSchema]) -> Iterator[str]:
    """MariaDB and MySQL: columns in double quotes, which are texts there."""
    from sqlglot.dialects.mysql import MySQL
    from sqlglot.tokenizer_core import TokenType

    known = {column.name.casefold(): column.name for table in tables for column in table.columns}
    before = None
    for token in MySQL().tokenize(sql):
        if (
            token.token_type is TokenType.STRING
            and sql[token.start : token.start + 1] == '"'
            and before is not TokenType.ALIAS
            and (name := known.get(token.text.casefold()))
        ):
            yield f'"{token.text}" is a text here, not the column: the name of a column is quoted as `{name}`.'
        before = token.token_type


def _numbers_and_days(tree: exp.Expr, tables: Sequence[TableSchema], to_time: str) -> Iterator[str]:
    """Columns of whole numbers that are compared with a day."""
    from sqlglot import exp

    kinds: dict[str, bool] = {}
    for table in tables:
        for column in table.columns:
            name = column.name.casefold()
            kinds[name] = bool(_WHOLE.match(column.type)) and kinds.get(name, True)
    for comparison in tree.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between):
        sides = [comparison.args.get(key) for key in ("this", "expression", "low", "high")]
        if any(side is not None and _is_day(side) for side in sides):
            for side in sides:
                if isinstance(side, exp.Column) and kinds.get(side.name.casefold()):
                    yield (
                        f"{side.name} holds whole numbers and was compared with a day. Where it counts seconds "
                        f"since 1970, {to_time.format(side.sql())} is the time."
                    )


def _is_day(side: exp.Expr) -> bool:
    from sqlglot import exp

    if isinstance(side, exp.Literal):
        return side.is_string and bool(_DAY.fullmatch(side.this))
    if isinstance(side, exp.Cast):
        return side.to.this in (exp.DataType.Type.DATE, exp.DataType.Type.DATETIME, exp.DataType.Type.TIMESTAMP)
    return isinstance(side, (exp.CurrentDate, exp.CurrentTimestamp, exp.Date, exp.DateAdd, exp.DateSub))
