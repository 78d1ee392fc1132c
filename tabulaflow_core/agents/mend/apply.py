"""The order of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabulaflow_core.agents.sources import Source

if TYPE_CHECKING:
    from sqlglot import exp

    from tabulaflow_core.agents.mend.literals import Values


@dataclass(frozen=True, slots=True)
class Mended:
    """A statement as it will run, and what was changed, in words for a person."""

    sql: str
    notes: tuple[str, ...] = ()


async def mend(
    sql: str, source: Source, question: str, *, values: Values | None = None, previous_sql: str = ""
) -> Mended:
    """Put right what the schema and the question settle; what cannot be parsed is left as it is.

    Args:
        values: Reads stored values; without it literals stay as they are.
        previous_sql: The last statement of the conversation, for follow-ups.
    """
    from tabulaflow_core.agents.mend import (
        both,
        direction,
        followup,
        grouping,
        joining,
        keys,
        literals,
        measuring,
        moments,
        names,
        pointing,
        ranking,
        reading,
        repeating,
    )
    from tabulaflow_core.agents.mend import tree as tree_tools

    dialect, schema = source.dialect, source.schema
    text = names.quote_spaced(followup.without_previous(sql, previous_sql), schema, dialect)
    tree = _parsed(text, dialect)
    if tree is None:
        text = names.quote_reserved(text, schema, dialect)
        tree = _parsed(text, dialect)
    if tree is None:
        return Mended(text)
    previous = _parsed(previous_sql, dialect) if previous_sql else None
    before = tree.sql(dialect=dialect)
    notes = joining.join_missing(tree, schema, dialect)
    notes += names.mend_names(tree, schema, dialect)
    notes += keys.right_keys(tree, schema, dialect)
    notes += reading.plain_years(tree, tree_tools.schemas_in(tree, schema))
    notes += followup.carry_filters(tree, previous, question, dialect)
    notes += followup.exchange_values(tree, previous, question, dialect)
    notes += measuring.named_measure(tree, question, dialect)
    notes += reading.count_distinct(tree, schema, question, dialect)
    notes += repeating.count_once(tree, schema, question)
    notes += reading.turn_differences(tree, question, dialect)
    notes += grouping.add_grouping(tree, dialect)
    notes += grouping.divide_exactly(tree, dialect)
    notes += grouping.drop_duplicates(tree, tree_tools.schemas_in(tree, schema), question)
    notes += moments.compare_alike(tree)
    notes += moments.subtract_days(tree, schema, question, dialect)
    if values is not None:
        notes += await pointing.follow_keys(tree, schema, dialect, values)
        notes += await literals.mend_literals(tree, schema, dialect, values)
        notes += await ranking.add_up(tree, schema, question, dialect, values)
    notes += direction.turn_round(tree, schema, question)
    tree, told = both.either_or_both(tree, schema, question, dialect)
    notes += told
    after = tree.sql(dialect=dialect)
    # An untouched statement is run as it was written.
    return Mended(text if after == before else after, tuple(dict.fromkeys(notes)))


def _parsed(sql: str, dialect: str) -> exp.Expr | None:
    import sqlglot

    try:
        return sqlglot.parse_one(sql, read=dialect)
    except sqlglot.errors.SqlglotError:
        return None


def mend_rejected(sql: str, source: Source) -> Iterator[Mended]:
    """Yield other forms of a statement that the engine could not compile: what it means in another engine's SQL."""
    from tabulaflow_core.agents.mend.foreign import translations

    for text in translations(sql, source.dialect):
        yield Mended(text, ("rewritten for this database",))


def unknown_names(sql: str, source: Source) -> tuple[str, ...]:
    """Return the columns of `sql` that no table of `source` has and the statement does not make itself."""
    from sqlglot import exp

    from tabulaflow_core.agents.mend.tree import folded, made_names

    tree = _parsed(sql, source.dialect)
    if tree is None:
        return ()
    have = {folded(c.name) for t in source.schema.tables for c in t.columns}
    made = made_names(tree)
    names = (c.name for c in tree.find_all(exp.Column) if not isinstance(c.this, exp.Star))
    return tuple(dict.fromkeys(n for n in names if folded(n) not in have and n.casefold() not in made))
