"""The sum or the average that a question names, where the query took the other one."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.mend.tree import outer_select
from tabulaflow_core.agents.retrieval import stem

_TOTAL: Final = re.compile(
    r"\b(?:totals?|sum(?!m(?:er|ar))|summed|altogether|overall sum|summe|gesamt\w*|insgesamt|suma|sumados?|en total"
    r"|somme|au total|totaux)\b",
    re.IGNORECASE,
)
_AVERAGE: Final = re.compile(
    r"\b(?:averages?|avg|mean(?!\w|\s*[?.!:]|\s+(?:that|by|in)\b)|durchschnitt\w*|im schnitt|mittel(?:wert)?\w*"
    r"|mittler\w*|promedios?|medias?|valor medio|moyennes?)\b",
    re.IGNORECASE,
)


def named_measure(tree: exp.Expr, question: str, dialect: str) -> list[str]:
    """Add up where the question asks for a total and the query averages, and the other way; return what to tell.

    Only a statement of one level with one such aggregate is settled by a word of the question. A word that is part of
    the column's own name (`total`, `average_score`) says nothing of what is done with it.
    """
    select = outer_select(tree)
    if select is None or len(list(tree.find_all(exp.Select))) > 1:
        return []
    aggregates = list(select.find_all(exp.AggFunc))
    kinds = {type(aggregate) for aggregate in aggregates}
    if len(kinds) != 1 or not kinds <= {exp.Sum, exp.Avg} or select.find(exp.Window, exp.Div, exp.Distinct, exp.Case):
        return []
    inside = {part for column in select.find_all(exp.Column) for part in _stems(column.name)}
    total = _said(_TOTAL, question, inside)
    average = _said(_AVERAGE, question, inside)
    if total == average or kinds == {exp.Sum if total else exp.Avg}:
        return []
    made: type[exp.Sum] | type[exp.Avg] = exp.Sum if total else exp.Avg
    for aggregate in aggregates:
        aggregate.replace(made(this=aggregate.this.copy()))
    _rename(select, made)
    measure = aggregates[0].this.sql(dialect=dialect)
    return [f"{measure} added up, not averaged" if total else f"{measure} averaged, not added up"]


def _said(pattern: re.Pattern[str], question: str, inside: set[str]) -> bool:
    return any(not inside & _stems(found[0]) for found in pattern.finditer(question))


def _stems(name: str) -> set[str]:
    parts = re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
    return {stem(part.casefold()) for part in parts}


def _rename(select: exp.Select, made: type[exp.Sum] | type[exp.Avg]) -> None:
    """Give the results that were called after the other aggregate a name that is true."""
    old, new = ("avg", "sum") if made is exp.Sum else ("sum", "avg")
    long_old, long_new = ("average", "total") if made is exp.Sum else ("total", "average")
    renamed: dict[str, str] = {}
    for item in select.expressions:
        if isinstance(item, exp.Alias) and item.find(made):
            name = re.sub(long_old, long_new, item.alias, flags=re.IGNORECASE)
            name = re.sub(rf"(?<![^\W_]){old}(?![^\W_])", new, name, flags=re.IGNORECASE)
            if name != item.alias:
                renamed[item.alias.casefold()] = name
                item.args["alias"].set("this", name)
    for column in select.find_all(exp.Column):
        if not column.table and column.name.casefold() in renamed:
            column.this.set("this", renamed[column.name.casefold()])
