"""Days as SQLite stores them, which is as text: a year compared with a day, and a difference of two texts."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.mend.tree import owner_of, schemas_in
from tabulaflow_core.data.schema import ColumnSchema, SourceSchema

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d\Z")
_MONTH: Final = re.compile(r"\d{4}-\d\d\Z")
_DAYS: Final = re.compile(r"\b(?:days?|tage?n?|d[ií]as?|jours?)\b", re.IGNORECASE)
_STORED_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?\Z")


def compare_alike(tree: exp.Expr) -> list[str]:
    """Give `strftime('%Y', d) >= '2023-04-01'` the format of what it is compared with; return what to tell."""
    notes = []
    for node in tree.find_all(exp.TimeToStr):
        compared = node.parent
        if not isinstance(compared, exp.Between | exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
            continue
        texts = [part.name for part in compared.args.values() if isinstance(part, exp.Literal) and part.is_string]
        have = node.args["format"].name
        wanted = "%Y-%m-%d" if all(map(_DAY.match, texts)) else "%Y-%m" if all(map(_MONTH.match, texts)) else have
        if texts and have in ("%Y", "%Y-%m") and len(wanted) > len(have):
            node.set("format", exp.Literal.string(wanted))
            notes.append(f"compared as {'days' if wanted.endswith('d') else 'months'}")
    return notes


def subtract_days(tree: exp.Expr, schema: SourceSchema, question: str, dialect: str) -> list[str]:
    """Count the days between two days in SQLite, which else subtracts the years that the texts begin with.

    Also where the query subtracts the years and the question asks for days.
    """
    if dialect != "sqlite":
        return []
    tables = schemas_in(tree, schema)
    notes = []
    for difference in list(tree.find_all(exp.Sub)):
        sides = [_plain(difference.this, question), _plain(difference.expression, question)]
        columns = [side for side in sides if isinstance(side, exp.Column)]
        owners = [owner_of(column, tables) for column in columns]
        stored = [
            next(c for c in owner.columns if c.name.casefold() == column.name.casefold())
            for column, owner in zip(columns, owners, strict=True)
            if owner is not None and any(c.name.casefold() == column.name.casefold() for c in owner.columns)
        ]
        if len(stored) != 2 or not all(map(_holds_days, stored)):
            continue
        for key, column in zip(("this", "expression"), columns, strict=True):
            difference.set(key, exp.Anonymous(this="JULIANDAY", expressions=[column.copy()]))
        notes.append("counted in days")
    return notes


def _plain(side: exp.Expr, question: str) -> exp.Expr:
    """The column of `strftime('%Y', column)` where days are asked for; else what stands there."""
    year = isinstance(side, exp.TimeToStr) and side.args["format"].name == "%Y" and _DAYS.search(question)
    inner = side.this if year else side
    while isinstance(inner, exp.TsOrDsToTimestamp | exp.TsOrDsToDate | exp.Cast) and isinstance(inner.this, exp.Expr):
        inner = inner.this
    return inner if isinstance(inner, exp.Expr) else side


def _holds_days(column: ColumnSchema) -> bool:
    kind = column.type.upper()
    return (
        "DATE" in kind or "TIMESTAMP" in kind or (bool(column.samples) and all(map(_STORED_DAY.match, column.samples)))
    )
