"""The table of saved questions; part of the same metadata as `tables`."""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, MetaData, String, Table, Text

from tabulaflow_core.store.tables import metadata


def question_table(made: MetaData) -> Table:
    """Saved questions as of version 6; a later version alters what this made."""
    return Table(
        "saved_questions",
        made,
        Column("id", String(64), primary_key=True),
        Column("owner", String(255), nullable=False),
        Column("question", Text, nullable=False),
        # JSON of `output.dashboards.QueryTile`: the source, the query, and how its rows are drawn.
        Column("content", Text, nullable=False),
        # The last good rows; empty when there are none any more.
        Column("result_id", String(64), nullable=False),
        Column("read_at", Double),
        Column("fault", Text, nullable=False),
        Column("created_at", Double, nullable=False),
        Index("ix_saved_questions_owner", "owner", "created_at"),
        Index("ix_saved_questions_result", "owner", "result_id"),
    )


saved_questions = question_table(metadata)
