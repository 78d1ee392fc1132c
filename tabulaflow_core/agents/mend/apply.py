"""The order of the rules."""

from __future__ import annotations

from dataclasses import dataclass

from tabulaflow_core.agents.sources import Source


@dataclass(frozen=True, slots=True)
class Mended:
    """A statement as it will run, and what was changed, in words for a person."""

    sql: str
    notes: tuple[str, ...] = ()


def mend(sql: str, source: Source, question: str, *, previous_sql: str = "") -> Mended:
    """Put right what the schema and the question settle; what cannot be parsed is left as it is."""
    import sqlglot

    from tabulaflow_core.agents.mend import followup, names, reading

    dialect, schema = source.dialect, source.schema
    text = names.quote_spaced(sql, schema, dialect)
    try:
        tree = sqlglot.parse_one(text, read=dialect)
        previous = sqlglot.parse_one(previous_sql, read=dialect) if previous_sql else None
    except sqlglot.errors.SqlglotError:
        return Mended(text)
    before = tree.sql(dialect=dialect)
    notes = names.mend_names(tree, schema, dialect)
    notes += followup.carry_filters(tree, previous, question, dialect)
    notes += reading.count_distinct(tree, schema, question, dialect)
    notes += reading.turn_differences(tree, question, dialect)
    after = tree.sql(dialect=dialect)
    # An untouched statement is run as it was written.
    return Mended(text if after == before else after, tuple(dict.fromkeys(notes)))


def mend_rejected(sql: str, source: Source, message: str) -> Mended | None:
    """Return another form of a statement that the engine rejected, None when no rule applies."""
    return None
