"""A list of the most or the least of something that is sorted the other way round."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.mend.tree import outer_select, owner_of, schemas_in
from tabulaflow_core.agents.schema_text import is_numeric
from tabulaflow_core.data.schema import SourceSchema

_MOST: Final = re.compile(
    r"\b(?:top|highest|(?<!at )most|largest|biggest|greatest|höchste\w*|meisten?|größte\w*|mayor(?:es)?|plus grande?s?"
    r"|plus élevée?s?)\b",
    re.IGNORECASE,
)
_LEAST: Final = re.compile(
    r"\b(?:bottom|lowest|(?<!at )least|smallest|fewest|niedrigste\w*|wenigsten?|kleinste\w*|menor(?:es)?|plus petite?s?"
    r"|moins)\b",
    re.IGNORECASE,
)


def turn_round(tree: exp.Expr, schema: SourceSchema, question: str) -> list[str]:
    """Sort the other way where a sum, a count or an average is ranked against the question; return what to tell."""
    found = _against(tree, schema, question)
    if found is None or not isinstance(_meant(found, outer_select(tree)), exp.Sum | exp.Count | exp.Avg):
        return []
    down = not found.args.get("desc")
    found.set("desc", down)
    found.set("nulls_first", False)
    return [f"sorted from the {'largest down' if down else 'smallest up'}, as the question asks"]


def doubt(tree: exp.Expr, schema: SourceSchema, question: str) -> str:
    """Say that a list is sorted against the question; empty when it is not, or when that cannot be told."""
    found = _against(tree, schema, question)
    if found is None:
        return ""
    asked, way = ("lowest", "largest down") if found.args.get("desc") else ("highest", "smallest up")
    return f"The query sorts from the {way}, and the question asks for the {asked}."


def _against(tree: exp.Expr, schema: SourceSchema, question: str) -> exp.Ordered | None:
    """Return the first sort key when it is a number, the list is cut, and the question asks for the other end."""
    select = outer_select(tree)
    most, least = bool(_MOST.search(question)), bool(_LEAST.search(question))
    if select is None or most == least or not select.args.get("limit") or not (order := select.args.get("order")):
        return None
    key = order.expressions[0]
    if not isinstance(key, exp.Ordered) or bool(key.args.get("desc")) == most:
        return None
    meant = _meant(key, select)
    if isinstance(meant, exp.Column):
        owner = owner_of(meant, schemas_in(tree, schema))
        column = next((c for c in owner.columns if c.name.casefold() == meant.name.casefold()), None) if owner else None
        return key if column is not None and is_numeric(column) else None
    return key if isinstance(meant, exp.Sum | exp.Count | exp.Avg | exp.Max | exp.Min) else None


def _meant(key: exp.Ordered, select: exp.Select | None) -> exp.Expr:
    """Return what `key` sorts by, a name or a place in the list of columns followed to what it stands for."""
    by = key.this
    shown = select.expressions if select is not None else []
    if isinstance(by, exp.Literal) and by.name.isdigit() and 0 < int(by.name) <= len(shown):
        by = shown[int(by.name) - 1]
    elif isinstance(by, exp.Column) and not by.table:
        by = next((e for e in shown if isinstance(e, exp.Alias) and e.alias.casefold() == by.name.casefold()), by)
    found: exp.Expr = by.unalias()
    return found
