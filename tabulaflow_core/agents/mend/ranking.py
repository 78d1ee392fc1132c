"""The N things with the most of something: a table with several rows a thing is added up, not listed row by row."""

from __future__ import annotations

import difflib
import re
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.mend.literals import Values
from tabulaflow_core.agents.mend.tree import identifier, outer_select, tables_in
from tabulaflow_core.agents.retrieval import stem
from tabulaflow_core.agents.schema_text import is_numeric
from tabulaflow_core.data.schema import SourceSchema, TableSchema

_COUNT: Final = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)"
_NOUN: Final = r"(?P<noun>[^\W\d_]+(?:[ -][^\W\d_]+){0,2}?)"
#: "the five products with the highest revenue", "top 5 products by revenue", and the same in German.
_ASKED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_COUNT} {_NOUN} (?:with|that (?:have|had)|having|have|had) (?:the )?"
        r"(?:highest|lowest|most|least|largest|biggest|greatest|smallest|fewest)\b",
        rf"\btop {_COUNT} {_NOUN} (?:by|in)\b",
        rf"\b{_COUNT} {_NOUN} (?:mit|haben) (?:de[mnr]|das|die) "
        r"(?:höchsten|niedrigsten|meisten|wenigsten|größten|kleinsten|geringsten)\b",
        rf"\btop {_COUNT} {_NOUN} nach\b",
    )
)
#: Single rows, or something other than a sum, are asked for.
_NO_SUM: Final = re.compile(
    r"\b(?:average|avg|mean|median|single|individual|per|each|durchschnitt\w*|mittler\w*|einzel\w*|pro|je|je\w*s)\b",
    re.IGNORECASE,
)
#: Beginnings of words of measures whose rows add up. A population or a price is read again each time: it does not.
_FLOWS: Final = (
    "revenue", "sales", "turnover", "amount", "units", "quantit", "qty", "cost", "spend", "spent", "profit", "orders",
    "sold", "hours", "umsa", "betrag", "meng", "kosten", "erlös", "gewinn", "stück", "verkauf", "absatz", "stunden",
    "einheiten",
)  # fmt: skip
_NO_FLOWS: Final = re.compile(
    r".*(?:price|preis|rate|ratio|percent|prozent|durchschnitt|cumul|kumul)|"
    r"pct|avg|average|mean|median|per|pro|max|min|rank|unit|stock|balance|bestand|saldo|id|running|target|ziel"
)
#: What a name in the question may differ from the column's: `Produkte`, `product`.
_LIKENESS: Final = 0.75


async def add_up(tree: exp.Expr, schema: SourceSchema, question: str, dialect: str, values: Values) -> list[str]:
    """Group by the thing and add its measure up where the listed rows name one thing several times."""
    select, noun = outer_select(tree), _asked_for(question)
    if select is None or not noun or not _is_plain(select):
        return []
    tables = [schema.table(f"{t.db}.{t.name}" if t.db else t.name) for t in tables_in(tree)]
    if len(tables) != 1 or (table := tables[0]) is None:
        return []
    parts = _thing_and_measure(select, table, noun)
    if parts is None:
        return []
    thing, measure = parts
    probe = select.copy()
    probe.set("expressions", [thing.unalias().copy()])
    _order(probe).set("this", measure.unalias().copy())
    listed = await values(probe.sql(dialect=dialect))
    if listed is None or len(set(listed)) == len(listed):
        return []
    name = measure.unalias().name
    alias = _free_name(f"total_{name}", table)
    total = exp.alias_(exp.Sum(this=measure.unalias().copy()), identifier(alias, dialect))
    select.set("expressions", [total if item is measure else item for item in select.expressions])
    _order(select).set("this", exp.column(identifier(alias, dialect)))
    select.group_by(thing.unalias().copy(), copy=False)
    return [f"{name} added up per {thing.unalias().name}"]


def _asked_for(question: str) -> str:
    """Return the last word for the things of which several are asked for, empty when the question is another."""
    if _NO_SUM.search(question):
        return ""
    text = " ".join(question.split())
    found = next((match for pattern in _ASKED if (match := pattern.search(text))), None)
    words = re.split(r"[ -]", found["noun"].casefold()) if found else [""]
    return words[-2] if len(words) > 1 and words[-1] == "values" else words[-1]


def _is_plain(select: exp.Select) -> bool:
    """Say whether rows are listed by one column, as many as asked for."""
    if any(select.args.get(part) for part in ("distinct", "group", "having", "joins", "with_", "qualify")):
        return False
    order, limit = select.args.get("order"), select.args.get("limit")
    if order is None or limit is None or len(order.expressions) != 1 or select.find(exp.Subquery, exp.AggFunc):
        return False
    return len(select.expressions) == 2 and isinstance(_order(select).this, exp.Column)


def _order(select: exp.Select) -> exp.Expr:
    first: exp.Expr = select.args["order"].expressions[0]
    return first


def _thing_and_measure(select: exp.Select, table: TableSchema, noun: str) -> tuple[exp.Expr, exp.Expr] | None:
    columns = {c.name.casefold(): c for c in table.columns}
    for thing, measure in (select.expressions, select.expressions[::-1]):
        left, right = thing.unalias(), measure.unalias()
        if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
            return None
        known, number = columns.get(left.name.casefold()), columns.get(right.name.casefold())
        if known is None or number is None or not is_numeric(number) or not _is_flow(number.name):
            continue
        if table.primary_key == (known.name,) or not _means(noun, known.name):
            continue
        if _order(select).this.name.casefold() in (right.name.casefold(), measure.alias.casefold()):
            return thing, measure
    return None


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold())


def _means(noun: str, column: str) -> bool:
    return any(difflib.SequenceMatcher(None, stem(noun), stem(word)).ratio() >= _LIKENESS for word in _words(column))


def _is_flow(column: str) -> bool:
    parts = _words(column)
    return any(part.startswith(_FLOWS) for part in parts) and not any(_NO_FLOWS.fullmatch(part) for part in parts)


def _free_name(name: str, table: TableSchema) -> str:
    taken = {c.name.casefold() for c in table.columns}
    plain = re.sub(r"\W+", "_", name)
    return plain if plain.casefold() not in taken else f"{plain}_sum"
