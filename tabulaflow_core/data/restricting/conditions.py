"""A test of a column as a condition in each engine's SQL, with a mark for each value.

Every value is bound as text and made a day or a number by a CAST in the statement: all drivers bind text, and what
the engine then compares is of its own type.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from tabulaflow_core.data.restricting.columns import ColumnKind
from tabulaflow_core.data.restricting.row_tests import Contains, DateRange, NumberRange, OneOf, RowTest

#: Stands for one value; whoever writes the statement puts the engine's own mark there.
VALUE: Final = "\0"
#: The engines whose drivers bind here; each is run in the contract suite.
ENGINES: Final = frozenset({"sqlite", "duckdb", "postgres", "mysql"})

#: Digits before and behind the point that the engines' decimals take beside any whole number of theirs.
_SCALE: Final = 10
_HUGE: Final = 2**127
_KINDS: Final[dict[type[RowTest], frozenset[ColumnKind]]] = {
    DateRange: frozenset({ColumnKind.DATE}),
    NumberRange: frozenset({ColumnKind.INTEGER, ColumnKind.DECIMAL, ColumnKind.FLOAT}),
    OneOf: frozenset(ColumnKind) - {ColumnKind.CLOSED},
    Contains: frozenset(ColumnKind) - {ColumnKind.CLOSED},
}


@dataclass(frozen=True, slots=True)
class Condition:
    """What stands after WHERE.

    Attributes:
        sql: With `VALUE` for each value, in the order of `values`.
        values: To be bound as text.
    """

    sql: str
    values: tuple[str, ...]


def takes(kind: ColumnKind, test: type[RowTest]) -> bool:
    """Whether a column of this kind can be tested so."""
    return kind in _KINDS[test]


def as_text(column: str, kind: ColumnKind, dialect: str) -> str:
    """The column, quoted, as text in the engine's own words."""
    if kind is ColumnKind.TEXT and dialect != "sqlite":  # SQLite's columns hold what they are given
        return column
    return f"CAST({column} AS {'CHAR' if dialect == 'mysql' else 'VARCHAR' if dialect == 'duckdb' else 'TEXT'})"


def condition(column: str, kind: ColumnKind, test: RowTest, dialect: str) -> Condition:
    """The condition for one test.

    Args:
        column: Its name, quoted.
        kind: One that `takes` the test.
        dialect: One of `ENGINES`.
    """
    match test:
        case DateRange():
            return _days(column, test, dialect)
        case NumberRange():
            return _numbers(column, kind, test, dialect)
        case OneOf():
            values = test.values
            listed = ", ".join([_text(dialect)] * len(values))
            return Condition(f"{as_text(column, kind, dialect)} IN ({listed})" if values else "1 = 0", values)
        case Contains():
            return _contains(as_text(column, kind, dialect), test.text, dialect)


def _joined(*sides: tuple[str, str]) -> Condition:
    return Condition(" AND ".join(sql for sql, _ in sides) or "1 = 1", tuple(value for _, value in sides))


def _text(dialect: str) -> str:
    # PostgreSQL and DuckDB find a value's type from what stands around it; it is text.
    return {"postgres": f"CAST({VALUE} AS text)", "duckdb": f"CAST({VALUE} AS VARCHAR)"}.get(dialect, VALUE)


def _days(column: str, test: DateRange, dialect: str) -> Condition:
    """Up to the day after, so that all moments of the last day belong to it."""
    value = VALUE if dialect == "sqlite" else f"CAST({_text(dialect)} AS DATE)"
    sides = []
    if test.low is not None:
        sides.append((f"{column} >= {value}", test.low.isoformat()))
    if test.high is not None and test.high < date.max:
        sides.append((f"{column} < {value}", (test.high + timedelta(days=1)).isoformat()))
    found = _joined(*sides)
    if test.high == date.max:  # no day comes after it, and none need be named
        return Condition(f"{found.sql} AND {column} IS NOT NULL", found.values)
    return found


def _numbers(column: str, kind: ColumnKind, test: NumberRange, dialect: str) -> Condition:
    ends = ((">=", test.low), ("<=", test.high))
    found = _joined(
        *((f"{column} {sign} {_number(end, kind, dialect)}", format(end, "f")) for sign, end in ends if end is not None)
    )
    if dialect == "sqlite" and found.values:  # any text is above any number there
        return Condition(f"typeof({column}) IN ('integer', 'real') AND {found.sql}", found.values)
    return found


def _number(value: Decimal, kind: ColumnKind, dialect: str) -> str:
    text = _text(dialect)
    if dialect == "sqlite":
        return f"CAST({text} AS NUMERIC)"
    floating = kind is ColumnKind.FLOAT
    if dialect == "postgres":
        return f"CAST({text} AS {'double precision' if floating else 'numeric'})"
    scale = max(0, -int(value.normalize().as_tuple().exponent))
    if dialect == "mysql":
        return f"({text} + 0e0)" if floating or scale > 2 * _SCALE else f"CAST({text} AS DECIMAL(65, {scale}))"
    if not floating and not scale and abs(value) < _HUGE:
        return f"CAST({text} AS HUGEINT)"
    short = scale <= _SCALE and abs(value) < Decimal(10) ** (38 - 2 * _SCALE)
    return f"CAST({text} AS {f'DECIMAL(38, {scale})' if short and not floating else 'DOUBLE'})"


def _contains(column: str, text: str, dialect: str) -> Condition:
    value = _text(dialect)
    if dialect == "postgres":
        return Condition(f"strpos(lower({column}), lower({value})) > 0", (text,))
    if dialect == "duckdb":
        return Condition(f"contains(lower({column}), lower({value}))", (text,))
    if dialect == "mysql":
        return Condition(f"INSTR(LOWER({column}), LOWER({value})) > 0", (text,))
    spelled = tuple(dict.fromkeys((text, text.lower(), text.upper(), text.capitalize())))
    found = " OR ".join([f"instr(lower({column}), lower({value})) > 0"] * len(spelled))
    return Condition(f"({found})", spelled)
