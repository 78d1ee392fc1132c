"""What a query that runs may still have got wrong; told beside the answer, never changed in silence."""

from __future__ import annotations

import re
from typing import Final

from tabulaflow_core.agents.retrieval import stem, words
from tabulaflow_core.agents.sources import Source

_SUBJECT: Final = re.compile(
    r"\b(?:which|what|how many|number of|welche[rs]?|wie viele|qu[eé]|cu[aá]nt[oa]s|quels?|quelles?|combien de)\s+"
    r"(?:different\s+|distinct\s+|\d+\s+|two\s+|three\s+|five\s+|ten\s+)?([^\W\d_]{3,})",
    re.IGNORECASE,
)
#: Words that ask for a kind of answer, not for something that a table would be called after.
_GENERIC_WORDS: Final = (
    "one ones thing things item items row rows record records entry entries people person day days month months year "
    "years week weeks quarter time times date dates percent percentage share number numbers value values name names "
    "kind type types sort amount total average are was were has had have does did can the our most much happened "
    "percentage proportion fraction part parts times units unit others other"
)
_GENERIC: Final = frozenset(stem(word) for word in _GENERIC_WORDS.split())


def unknown_subject(question: str, source: Source, sql: str) -> str:
    """Return the thing that the question asks for when nothing in the data is called so; empty otherwise."""
    found = _SUBJECT.search(question)
    if found is None:
        return ""
    root = stem(found[1].casefold())
    if root in _GENERIC or not words(found[1]):
        return ""
    tables = source.schema.tables
    named = {w for t in tables for w in words(f"{t.name} {t.comment}")}
    named |= {w for t in tables for c in t.columns for w in words(f"{c.name} {c.comment} {' '.join(c.samples)}")}
    named |= {w for literal in re.findall(r"'([^']*)'", sql) for w in words(literal)}
    close = any(len(w) > 3 and (w.startswith(root) or root.startswith(w)) for w in named)
    return "" if root in named or close else found[1]


def wrong_way(sql: str, source: Source, question: str) -> str:
    """Return that a list of the most or the least is sorted the other way round; empty when it is not."""
    import sqlglot

    from tabulaflow_core.agents.mend.direction import doubt

    try:
        return doubt(sqlglot.parse_one(sql, read=source.dialect), source.schema, question)
    except sqlglot.errors.SqlglotError:
        return ""


def multiplied(sql: str, source: Source) -> tuple[str, ...]:
    """Return the sums and averages over a table whose rows a join repeats."""
    import sqlglot
    from sqlglot import exp

    from tabulaflow_core.agents.joins import joins_of
    from tabulaflow_core.agents.mend.tree import schemas_in

    try:
        tree = sqlglot.parse_one(sql, read=source.dialect)
    except sqlglot.errors.SqlglotError:
        return ()
    inside = schemas_in(tree, source.schema)
    if len(inside) < 2:
        return ()
    repeated = {join.right.name for join in joins_of(tuple(inside.values())) if join.left.name != join.right.name}
    found: dict[str, None] = {}
    for total in tree.find_all(exp.Sum, exp.Avg):
        column = total.find(exp.Column)
        if column is None or total.find(exp.Case, exp.Distinct):
            continue
        owners = [t for alias, t in inside.items() if not column.table or alias == column.table.casefold()]
        has = [t for t in owners if any(c.name.casefold() == column.name.casefold() for c in t.columns)]
        if len(has) == 1 and has[0].name in repeated:
            found[f"{total.sql(dialect=source.dialect)} may count a row of {has[0].name} several times."] = None
    return tuple(found)
