"""Functions of other engines become the engine's own: `YEAR(d)` in SQLite, `TOP 5`, `DATEDIFF`, `ILIKE`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import sqlglot
from sqlglot import exp

#: Whose SQL a small model writes when it does not write the engine's, most likely first.
_OTHERS: Final = ("mysql", "postgres", "tsql", "duckdb", "sqlite")
_PARTS: Final = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "DAYOFWEEK": "%w", "DOW": "%w"}


def translations(sql: str, dialect: str) -> Iterator[str]:
    """Yield what `sql` may mean in `dialect`, other than itself."""
    seen = {" ".join(sql.split())}
    for other in _OTHERS:
        try:
            tree = sqlglot.parse_one(sql, read=other)
            if dialect == "sqlite":
                tree = tree.transform(_for_sqlite)
            text = tree.sql(dialect=dialect)
        except (sqlglot.errors.SqlglotError, ValueError):
            continue
        if text not in seen:
            seen.add(text)
            yield text


def _for_sqlite(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Extract):
        return _part(str(node.this), node.expression)
    if isinstance(node, exp.Year | exp.Month | exp.Day):
        return _part(type(node).__name__, _bare(node.this))
    if isinstance(node, exp.Quarter):
        month = _part("MONTH", _bare(node.this))
        return exp.Paren(this=exp.Div(this=exp.Paren(this=exp.Add(this=month, expression=exp.Literal.number(2))),
                                      expression=exp.Literal.number(3)))  # fmt: skip
    if isinstance(node, exp.Anonymous) and str(node.this).upper() in _PARTS and len(node.expressions) == 1:
        return _part(str(node.this), node.expressions[0])
    if isinstance(node, exp.DateDiff):
        days = exp.Sub(this=_julian(node.this), expression=_julian(node.expression))
        return exp.cast(exp.Paren(this=days), "INTEGER")
    if isinstance(node, exp.DateAdd | exp.DateSub | exp.TsOrDsAdd) and isinstance(
        node.expression, exp.Literal | exp.Neg
    ):
        sign = "-" if isinstance(node, exp.DateSub) else "+"
        unit = str(node.args.get("unit") or "day").lower()
        return exp.func("DATE", _bare(node.this), exp.Literal.string(f"{sign}{node.expression.name} {unit}"))
    if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
        sign = "+" if isinstance(node, exp.Add) else "-"
        interval = node.expression
        amount = interval.this.name if interval.this is not None else "1"
        unit = str(interval.args.get("unit") or "day").lower()
        return exp.func("DATE", _bare(node.this), exp.Literal.string(f"{sign}{amount} {unit}"))
    if isinstance(node, exp.CurrentTimestamp | exp.CurrentDate):
        return exp.func("DATE", exp.Literal.string("now"))
    return node


def _part(name: str, value: exp.Expr) -> exp.Expr:
    pattern = _PARTS.get(name.upper())
    if pattern is None:
        return exp.Extract(this=exp.var(name), expression=value)
    return exp.cast(exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(pattern), value.copy()]), "INTEGER")


def _julian(value: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="JULIANDAY", expressions=[_bare(value).copy()])


def _bare(value: exp.Expr) -> exp.Expr:
    """Return `value` without the date casts that parsers wrap round it."""
    while isinstance(value, exp.TsOrDsToDate | exp.Date | exp.Cast) and isinstance(value.this, exp.Expr):
        value = value.this
    return value
