"""Another column that the question may have meant as well: `rating` where there are critics' and the audience's.

It is told beside the answer, which keeps the reading that was taken; nothing is asked of the model. Two cases count.
Columns of one kind in one table share a word with the question and nothing in it tells them apart. Or no word of the
question is in the column's name (a "creator" was found in `choreographer`), and a column of the same kind that the
question does not name either stands right beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tabulaflow_core.agents.retrieval import stem, words
from tabulaflow_core.agents.schema_text import is_numeric
from tabulaflow_core.data.schema import ColumnSchema, SourceSchema, TableSchema
from tabulaflow_core.output.sentences import question_language

if TYPE_CHECKING:
    from sqlglot import exp

_SAYS: Final = {
    "en": "This takes “{taken}”; “{other}” would be another reading.",
    "de": "Genommen ist „{taken}“; „{other}“ wäre eine andere Lesart.",
    "es": "Se tomó «{taken}»; «{other}» sería otra lectura.",
    "fr": "Ceci prend « {taken} » ; « {other} » serait une autre lecture.",
}
#: Ends of the names by which things are called; they are shown beside every answer, whatever was asked.
_LABELS: Final = ("name", "title", "label", "code", "key", "number", "symbol", "description", "type")
#: Kinds of things that many columns share: no reading of a question by themselves.
_KINDS: Final = frozenset(
    map(stem, ("name", "title", "id", "code", "key", "number", "date", "time", "year", "total", "value", "type"))
)
#: Words that ask for nothing.
_POLITE: Final = frozenset(map(stem, ("please", "could", "would", "can", "you", "your", "our", "here", "now", "want")))
#: A longer list names what it wants.
_FEW_ITEMS: Final = 2


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading that was taken, and the other one.

    Attributes:
        taken: The column of the query.
        other: The column that it could have been.
        sql: The query by the other column.
    """

    taken: str
    other: str
    sql: str

    def sentence(self, question: str) -> str:
        """Say it in the language of the question."""
        return _SAYS[question_language(question)].format(taken=_spoken(self.taken), other=_spoken(self.other))

    def question(self, question: str) -> str:
        """The question that means the other column, for a click."""
        return f"{question.strip().rstrip('?.! ')} ({_spoken(self.other)})?"


def other_reading(sql: str, question: str, tables: Sequence[TableSchema], dialect: str) -> Reading | None:
    """The other reading of the one column of `sql` that has one; None where the question settles it.

    Args:
        sql: A query that ran.
        tables: Those of its source.
    """
    import sqlglot
    from sqlglot import exp

    from tabulaflow_core.agents.mend.tree import identifier, outer_select, owner_of, schemas_in

    try:
        tree = sqlglot.parse_one(sql, read=dialect)
    except sqlglot.errors.SqlglotError:
        return None
    select = outer_select(tree)
    if select is None:
        return None
    inside = schemas_in(tree, SourceSchema(tuple(tables)))
    used = {column.name.casefold() for column in _columns(tree)}
    found: dict[tuple[str, str], TableSchema] = {}
    order = select.args.get("order")
    few = len(select.expressions) <= _FEW_ITEMS and tree.find(exp.With) is None
    for part in [*select.expressions, *([order] if order is not None else [])]:
        for column in _columns(part):
            table = owner_of(column, inside)
            if table is not None and (other := _sibling(column.name, table, used, question, few)):
                found[column.name, other] = table
    if len(found) != 1:
        return None
    ((taken, other), table) = found.popitem()
    for column in _columns(tree):
        if column.name.casefold() == taken.casefold() and owner_of(column, inside) is table:
            column.set("this", identifier(other, dialect))
    return Reading(taken, other, tree.sql(dialect=dialect))


def _columns(tree: exp.Expr) -> list[exp.Column]:
    from sqlglot import exp

    return [column for column in tree.find_all(exp.Column) if not isinstance(column.this, exp.Star)]


def _sibling(name: str, table: TableSchema, used: set[str], question: str, few: bool) -> str:
    """The one other column of `table` that the question may mean; empty when there is none, or are several.

    Args:
        few: Whether a column whose name the question has no word of counts.
    """
    place = next((i for i, c in enumerate(table.columns) if c.name.casefold() == name.casefold()), None)
    if place is None or _is_key(table.columns[place], table):
        return ""
    taken, asked = table.columns[place], set(words(question))
    mine = set(words(taken.name))
    alike = [
        (i, c)
        for i, c in enumerate(table.columns)
        if i != place and c.name.casefold() not in used and not _is_key(c, table) and is_numeric(c) == is_numeric(taken)
    ]
    named = []
    for _, other in alike:
        theirs = set(words(other.name))
        shared = (mine & theirs) - _KINDS
        if _touches(asked, shared) and mine - theirs and theirs - mine and not _touches(asked, mine ^ theirs):
            named.append(other.name)
    if named or not few or _touches(asked, mine) or _is_label(taken.name) or not _is_foreign(asked, table):
        return named[0] if len(named) == 1 else ""
    beside = [c.name for i, c in alike if abs(i - place) == 1 and not _is_label(c.name)]
    return beside[0] if len(beside) == 1 and not _touches(asked, set(words(beside[0]))) else ""


def _touches(asked: set[str], name: set[str]) -> bool:
    """Say whether a word of the question is one of the name, or begins as one does."""
    return any(a.startswith(n[:5]) or n.startswith(a[:5]) for a in asked for n in name if min(len(a), len(n)) > 2)


def _is_foreign(asked: set[str], table: TableSchema) -> bool:
    """Say whether the question has a word that neither the table nor a column is called after."""
    known = {w for text in (table.name, *(c.name for c in table.columns)) for w in words(text)}
    return any(len(word) > 2 and not _touches({word}, known) for word in asked - _POLITE)


def _is_label(name: str) -> bool:
    return name.casefold().endswith(_LABELS)


def _is_key(column: ColumnSchema, table: TableSchema) -> bool:
    name = column.name.casefold()
    pointing = {c.casefold() for key in table.foreign_keys for c in key.columns}
    return (
        name in pointing or name in map(str.casefold, table.primary_key) or name == "id" or name.endswith(("_id", "id"))
    )


def _spoken(name: str) -> str:
    return name.replace("_", " ").strip()
