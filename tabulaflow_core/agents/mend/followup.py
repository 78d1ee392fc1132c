"""Filters of the last query that a follow-up means and its query forgot: the commonest fault of small models there."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.mend.tree import conjuncts, folded, outer_select, tables_in
from tabulaflow_core.agents.references import goes_on, refers_back

#: Both values are meant, the one before and the new one.
_BOTH: Final = re.compile(
    r"\b(?:both|together|combined|as well|besides|in addition|additionally|add|plus|compar\w*|versus|vs|than|too"
    r"|beide\w*|zusammen|zusätzlich|dazu|vergleich\w*|gegenüber|als|ambos|ambas|juntos|además|compara\w*|más"
    r"|ensemble|tous les deux|toutes les deux|en plus|par rapport)\b",
    re.IGNORECASE,
)


def without_previous(sql: str, previous_sql: str) -> str:
    """Leave out the last query where a model writes it once more before the new one; the text as it is otherwise."""
    before = r"\s+".join(map(re.escape, previous_sql.rstrip("; \n").split()))
    found = re.match(rf"\s*{before}[\s;]+(?=(?:select|with)\b)", sql, re.IGNORECASE) if before else None
    return sql[found.end() :] if found else sql


def exchange_values(tree: exp.Expr, previous: exp.Expr | None, question: str, dialect: str) -> list[str]:
    """Take the value of the last question out where a follow-up names another one; return what to tell.

    "And in Graz?" after a question on Wien asks for Graz alone. A column that is shown tells the two apart, so it
    is left.
    """
    now, before = outer_select(tree), outer_select(previous) if previous is not None else None
    if now is None or before is None or not goes_on(question) or _BOTH.search(question):
        return []
    shown = {column.name.casefold() for item in now.expressions for column in item.find_all(exp.Column)}
    earlier = {
        (name, folded(value)) for part in conjuncts(before) for name, values in [_chosen(part)] for value in values
    }
    said = folded(question)
    notes = []
    for part in conjuncts(now):
        name, values = _chosen(part)
        old = [value for value in values if (name, folded(value)) in earlier and folded(value) not in said]
        new = [value for value in values if value not in old]
        if name in shown or not old or not new or not all(folded(value) in said for value in new):
            continue
        column, texts = part.find(exp.Column), [exp.Literal.string(value) for value in new]
        assert column is not None  # `_chosen` found its name
        alone = len(texts) == 1
        outer = part.parent if isinstance(part.parent, exp.Paren) else part
        outer.replace(
            exp.EQ(this=column.copy(), expression=texts[0]) if alone else exp.In(this=column.copy(), expressions=texts)
        )
        notes.append(f"only {' and '.join(map(repr, new))}, not {' and '.join(map(repr, old))}")
    return notes


def _chosen(part: exp.Expr) -> tuple[str, list[str]]:
    """The column and the texts that a condition chooses: `=`, IN, or several `=` of one column with OR between."""
    part = part.unnest()
    if isinstance(part, exp.Or):
        found = [_chosen(each) for each in part.flatten()]
        names = {name for name, _ in found}
        return (names.pop(), [v for _, values in found for v in values]) if len(names) == 1 else ("", [])
    if not isinstance(part, exp.EQ | exp.In) or not isinstance(part.this, exp.Column):
        return "", []
    texts = [part.expression] if isinstance(part, exp.EQ) else part.expressions
    return (part.this.name.casefold(), [t.name for t in texts]) if texts and all(map(_is_text, texts)) else ("", [])


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


def carry_filters(tree: exp.Expr, previous: exp.Expr | None, question: str, dialect: str) -> list[str]:
    """Add the conditions of `previous` that `tree` lacks, when the question refers back; return what to tell."""
    now, before = outer_select(tree), outer_select(previous) if previous is not None else None
    if now is None or before is None or not refers_back(question):
        return []
    if _names(now) != _names(before) or len(_names(now)) != 1:
        return []
    used = {column.name.casefold() for part in conjuncts(now) for column in part.find_all(exp.Column)}
    carried = []
    for part in conjuncts(before):
        columns = {column.name.casefold() for column in part.find_all(exp.Column)}
        if not columns or columns & used or part.find(exp.Subquery, exp.Select):
            continue
        fresh = part.copy()
        for column in fresh.find_all(exp.Column):
            column.set("table", None)
        carried.append(fresh)
    for part in carried:
        now.where(part, copy=False)
    return [f"still: {part.sql(dialect=dialect)}" for part in carried]


def _names(select: exp.Select) -> set[str]:
    return {table.name.casefold() for table in tables_in(select)}
