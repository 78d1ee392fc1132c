"""The tables of what a person adds to answers and sets for themselves; part of the same metadata as `tables`."""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, Index, String, Table, Text

from tabulaflow_core.store.tables import metadata

feedback = Table(
    "feedback",
    metadata,
    Column("turn_id", ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("owner", String(255), nullable=False),
    Column("verdict", String(8), nullable=False),
    Column("reason", Text, nullable=False),
    Column("updated_at", Double, nullable=False),
)

# What was changed on an answer by hand: its place in the answer, and what was chosen there as JSON.
choices = Table(
    "choices",
    metadata,
    Column("turn_id", ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("place", String(96), primary_key=True),
    Column("owner", String(255), nullable=False),
    Column("body", Text, nullable=False),
    Column("updated_at", Double, nullable=False),
)

preferences = Table(
    "preferences",
    metadata,
    Column("owner", String(255), primary_key=True),
    Column("name", String(64), primary_key=True),
    # JSON, or an encrypted text; see `secrets`.
    Column("body", Text, nullable=False),
)

# No foreign key, as for the calls: what was spent on a source stays counted when its conversation is deleted.
turn_sources = Table(
    "turn_sources",
    metadata,
    Column("turn_id", String(64), primary_key=True),
    Column("owner", String(255), nullable=False),
    # The aliases of all sources whose rows the answer rests on, in order, with ` + ` between them.
    Column("sources", Text, nullable=False),
    Index("ix_turn_sources_owner", "owner"),
)
