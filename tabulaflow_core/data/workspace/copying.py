"""What is asked of each source: the columns that a query uses, and the rows that pass its own simple conditions.

Conditions that go along must never leave out a row that the query itself would keep, so only those go whose meaning is
the same in the engine and in the workspace: a number compared with a number, a text equal to a text, and, where dates
are real ones, a day. The query applies them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.schema import ColumnSchema, TableSchema
from tabulaflow_core.data.statements import named_by
from tabulaflow_core.data.workspace.naming import Found, Reading
from tabulaflow_core.data.workspace.rewriting import known

if TYPE_CHECKING:
    from sqlglot import exp

_NUMBER: Final = re.compile(r"\b(?:(?:BIG|SMALL|TINY|MEDIUM|HUGE|U\w*)?INT|NUMERIC|NUMBER|DEC|REAL|FLOAT|DOUBLE)", re.I)
_TEXT: Final = re.compile(r"CHAR|TEXT|CLOB|STRING", re.I)
#: A text like this may be compared as a date in the workspace, where more than one spelling is the same day.
_LIKE_A_DATE: Final = re.compile(r"\d{4}-\d")
#: Of these engines it is known that a day in quotes is compared with a date, or a moment without a zone, as such.
_DATED: Final = frozenset({"postgres", "mysql", "duckdb"})
_MOMENT: Final = re.compile(r"\s*(?:DATE|DATETIME|TIMESTAMP)\b(?!.*\bWITH TIME ZONE)", re.I)
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
#: Engines whose columns hold what their type says; in SQLite any column may hold anything.
_LOOSE: Final = frozenset({"sqlite"})


@dataclass(frozen=True, slots=True)
class CopyLimits:
    """Bounds of what one query may bring together.

    Attributes:
        rows: Rows of one table.
        bytes: Arrow bytes of one table.
        total_bytes: Arrow bytes of all tables.
        tables: Tables of one query.
    """

    rows: int = 200_000
    bytes: int = 64 * 1024 * 1024
    total_bytes: int = 192 * 1024 * 1024
    tables: int = 12


@dataclass(frozen=True, slots=True)
class Copied:
    """A table that was brought into the workspace.

    Attributes:
        sql: The statement that its source ran.
    """

    source: str
    table: str
    rows: int
    columns: int
    sql: str


@dataclass(frozen=True, slots=True)
class Copy:
    """A table that a query needs."""

    alias: str
    table: TableSchema
    place: str
    columns: tuple[str, ...]
    sql: str


def copies(reading: Reading, dialects: dict[str, str]) -> tuple[Copy, ...]:
    """What must be asked of the sources for `reading`; each table once."""
    wanted: dict[tuple[str, str], list[Found]] = {}
    for found in reading.found:
        wanted.setdefault((found.alias, found.place), []).append(found)
    used = _names_used(reading)
    out = []
    for (alias, place), nodes in wanted.items():
        table = nodes[0].table
        names = tuple(c.name for c in table.columns if used is None or c.name.casefold() in used)
        names = names or tuple(c.name for c in table.columns[:1])
        where = _conditions(nodes[0], reading, dialects[alias]) if len(nodes) == 1 else []
        out.append(Copy(alias, table, place, names, _select(table, names, where, dialects[alias])))
    return tuple(out)


def _select(table: TableSchema, columns: Iterable[str], where: list[exp.Expr], dialect: str) -> str:
    from sqlglot import exp

    place = named_by(exp.Table(), [exp.to_identifier(part, quoted=True) for part in table.path])
    query = exp.select(*(exp.column(exp.to_identifier(c, quoted=True)) for c in columns)).from_(place)
    for condition in where:
        query = query.where(condition)
    return query.sql(dialect=known(dialect))


def _names_used(reading: Reading) -> set[str] | None:
    """Every name in the query in lower case, which is more than its columns; None when it may use all columns."""
    from sqlglot import exp

    if not isinstance(reading.tree, exp.Query):
        return None
    for star in reading.tree.find_all(exp.Star, exp.Columns):
        if not isinstance(star.parent, exp.Count):
            return None
    if any(join.args.get("method") == "NATURAL" for join in reading.tree.find_all(exp.Join)):
        return None
    tables = {name.casefold() for f in reading.found for name in (f.node.alias_or_name, f.node.name)}
    columns = {column.name.casefold() for column in reading.tree.find_all(exp.Column)}
    if tables & columns:  # a whole row as a value
        return None
    return {name.name.casefold() for name in reading.tree.find_all(exp.Identifier)}


def _conditions(found: Found, reading: Reading, dialect: str) -> list[exp.Expr]:
    from sqlglot import exp

    select = found.node.find_ancestor(exp.Select)
    where = select.args.get("where") if select is not None else None
    if where is None or found.node.find_ancestor(exp.Where, exp.Select) is not select:
        return []
    mine = {column.name.casefold(): column for column in found.table.columns}
    others = {c.name.casefold() for f in reading.found if f is not found for c in f.table.columns}
    derived = any(reading.tree.find_all(exp.CTE, exp.Subquery))
    name = found.node.alias_or_name.casefold()
    out: list[exp.Expr] = []
    for part in _conjuncts(where.this):
        used = list(part.find_all(exp.Column))
        if len(used) != 1:
            continue
        column = used[0]
        known = mine.get(column.name.casefold())
        qualifier = column.table.casefold()
        sure = qualifier == name or (not qualifier and not derived and column.name.casefold() not in others)
        if known is None or not sure or column.args.get("db"):
            continue
        if (simple := _simple(part, column, known, dialect)) is not None:
            out.append(simple)
    return out


def _conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    from sqlglot import exp

    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.And):
        yield from _conjuncts(node.left)
        yield from _conjuncts(node.right)
    else:
        yield node


def _simple(part: exp.Expr, column: exp.Column, known: ColumnSchema, dialect: str) -> exp.Expr | None:
    """The condition over the bare column, when it means the same in the source."""
    from sqlglot import exp

    bare = exp.column(exp.to_identifier(known.name, quoted=True))
    number = bool(_NUMBER.search(known.type)) and dialect not in _LOOSE
    text = bool(_TEXT.search(known.type)) and not number
    dated = dialect in _DATED and bool(_MOMENT.match(known.type))

    def fits(value: object, *, equal: bool) -> bool:
        if isinstance(value, exp.Neg):
            value = value.this
            return number and isinstance(value, exp.Literal) and not value.is_string
        if dated:
            day = value.this if isinstance(value, exp.Cast) and value.to.is_type("date") else value
            return isinstance(day, exp.Literal) and day.is_string and bool(_DAY.fullmatch(day.this))
        if not isinstance(value, exp.Literal):
            return False
        if value.is_string:
            return equal and text and value.this != "" and not _LIKE_A_DATE.match(value.this)
        return number

    if isinstance(part, exp.EQ | exp.GT | exp.GTE | exp.LT | exp.LTE) and part.left is column:
        if fits(part.right, equal=isinstance(part, exp.EQ)):
            return type(part)(this=bare, expression=part.right.copy())
    elif isinstance(part, exp.Between) and part.this is column:
        low, high = part.args["low"], part.args["high"]
        if fits(low, equal=False) and fits(high, equal=False) and not part.args.get("symmetric"):
            return exp.Between(this=bare, low=low.copy(), high=high.copy())
    elif (
        isinstance(part, exp.In)
        and part.this is column
        and part.expressions
        and all(fits(value, equal=True) for value in part.expressions)
    ):
        return exp.In(this=bare, expressions=[value.copy() for value in part.expressions])
    return None
