"""Readings that the question settles and a small model gets wrong: what is counted, and which way a difference goes."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.mend.tree import conjuncts, identifier, outer_select, tables_in
from tabulaflow_core.agents.retrieval import stem, words
from tabulaflow_core.agents.schema_text import is_numeric
from tabulaflow_core.data.schema import ColumnSchema, SourceSchema, TableSchema

_HOW_MANY: Final = re.compile(
    r"\bhow (?:many|much)\b|\bnumber of\b|\bwie ?viele?\b|\bcu[aá]nt[oa]s?\b|\bcombien\b", re.IGNORECASE
)
_COUNTED: Final = re.compile(
    r"\b(?:how many|number of|the most|the fewest|wie ?viele|die meisten|cu[aá]nt[oa]s|combien (?:de |d'))\s*"
    r"(?:different |distinct |unique |verschiedene )?"
    r"([^\W\d_]+)",
    re.IGNORECASE,
)


def count_distinct(tree: exp.Expr, schema: SourceSchema, question: str, dialect: str) -> list[str]:
    """Count the things asked for, not the rows, where a table has several rows a thing; return what to tell."""
    select, asked = outer_select(tree), _COUNTED.search(question)
    if select is None or asked is None:
        return []
    tables = [schema.table(t.name) for t in tables_in(tree)]
    if len(tables) != 1 or (table := tables[0]) is None:
        return []
    column = _column_of(asked[1], table)
    if column is None or _settled(select, column):
        return []
    changed = False
    for count in select.find_all(exp.Count):
        whole = isinstance(count.this, exp.Star)
        if whole or (isinstance(count.this, exp.Column) and count.this.name.casefold() == column.name.casefold()):
            count.set("this", exp.Distinct(expressions=[exp.column(identifier(column.name, dialect))]))
            changed = True
    return [f"counted different values of {column.name!r}"] if changed else []


def _column_of(noun: str, table: TableSchema) -> ColumnSchema | None:
    root = stem(noun.casefold())
    if root in words(table.name):
        return None
    found = [c for c in table.columns if root in words(c.name)]
    if len(found) != 1 or table.primary_key == (found[0].name,):
        return None
    # Two values are a mark such as Yes and No, and a plain number is a measure: neither is a thing to be counted.
    measure = is_numeric(found[0]) and not found[0].name.casefold().endswith(("id", "code", "no", "nr", "number"))
    return None if measure or len(found[0].samples) == 2 else found[0]


def _settled(select: exp.Select, column: ColumnSchema) -> bool:
    """Say whether the statement already uses the column to choose or to group."""
    parts = (select.args.get("where"), select.args.get("group"))
    used = {c.name.casefold() for part in parts if part is not None for c in part.find_all(exp.Column)}
    return column.name.casefold() in used


def turn_differences(tree: exp.Expr, question: str, dialect: str) -> list[str]:
    """Turn `a - b` round where WHERE says `a < b` and the question asks how many; return what to tell."""
    select = outer_select(tree)
    if select is None or not _HOW_MANY.search(question):
        return []
    smaller = set()
    for part in conjuncts(select):
        if isinstance(part, exp.LT | exp.LTE):
            smaller.add((_key(part.this), _key(part.expression)))
        elif isinstance(part, exp.GT | exp.GTE):
            smaller.add((_key(part.expression), _key(part.this)))
    notes = []
    for item in select.expressions:
        difference = item.unalias()
        if isinstance(difference, exp.Sub) and (_key(difference.this), _key(difference.expression)) in smaller:
            left, right = difference.this, difference.expression
            difference.set("this", right)
            difference.set("expression", left)
            notes.append(f"taken as {difference.sql(dialect=dialect)}, which is positive here")
    return notes


def plain_years(tree: exp.Expr, tables: dict[str, TableSchema]) -> list[str]:
    """Take a number that is a year as it is: `strftime('%Y', year)` reads it as a day and finds nothing, in silence."""
    notes = []
    for node in list(tree.walk()):
        column = _year_of(node)
        if column is None:
            continue
        stored = next(
            (c for t in tables.values() for c in t.columns if c.name.casefold() == column.name.casefold()), None
        )
        if stored is None or not is_numeric(stored):
            continue
        outer = node.parent if isinstance(node.parent, exp.Cast) else node
        compared = outer.parent
        outer.replace(column.copy())
        if isinstance(compared, exp.Binary):
            for literal in compared.find_all(exp.Literal):
                if literal.is_string and literal.name.isdigit():
                    literal.replace(exp.Literal.number(literal.name))
        notes.append(f"{stored.name!r} is a year already")
    return notes


def _year_of(node: exp.Expr) -> exp.Column | None:
    """Return the column whose year `node` takes, however the dialect writes it."""
    if isinstance(node, exp.Year):
        return node.find(exp.Column)
    if isinstance(node, exp.Extract) and str(node.this).upper() == "YEAR":
        return node.find(exp.Column)
    if isinstance(node, exp.TimeToStr | exp.Anonymous):
        formats = [literal.name for literal in node.find_all(exp.Literal)]
        name = str(node.this).upper() if isinstance(node, exp.Anonymous) else ""
        if formats == ["%Y"] or name == "YEAR":
            return node.find(exp.Column)
    return None


def _key(node: exp.Expr) -> str:
    return node.name.casefold() if isinstance(node, exp.Column) else node.sql().casefold()
