"""The tables of dashboards; part of the same metadata as `tables`."""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, MetaData, String, Table, Text

from tabulaflow_core.store.tables import metadata


def dashboard_tables(made: MetaData) -> tuple[Table, Table, Table]:
    """Dashboards, who may see them, and their tiles, as of version 5; a later version alters what this made."""
    return (
        Table(
            "dashboards",
            made,
            Column("id", String(64), primary_key=True),
            Column("owner", String(255), nullable=False),
            Column("owner_name", Text, nullable=False),
            Column("title", Text, nullable=False),
            # JSON of `output.dashboards`: a list of filters, a policy, and who may see it.
            Column("filters", Text, nullable=False),
            Column("refreshing", Text, nullable=False),
            Column("sharing", Text, nullable=False),
            Column("created_at", Double, nullable=False),
            Column("updated_at", Double, nullable=False),
            # When the schedule fires next, and which process refreshes it until when.
            Column("next_run_at", Double),
            Column("lease_holder", String(128)),
            Column("lease_until", Double),
            Index("ix_dashboards_owner", "owner"),
            Index("ix_dashboards_due", "next_run_at"),
        ),
        Table(
            "dashboard_grants",
            made,
            Column("dashboard_id", ForeignKey("dashboards.id", ondelete="CASCADE"), primary_key=True),
            Column("owner", String(255), nullable=False),
            # `team` with an empty name, `person` with an id, or `group`.
            Column("kind", String(8), primary_key=True),
            Column("name", String(255), primary_key=True),
            Index("ix_dashboard_grants_name", "kind", "name"),
        ),
        Table(
            "tiles",
            made,
            Column("id", String(64), primary_key=True),
            Column("dashboard_id", ForeignKey("dashboards.id", ondelete="CASCADE"), nullable=False),
            Column("owner", String(255), nullable=False),
            Column("position", Integer, nullable=False),
            Column("title", Text, nullable=False),
            Column("text", Text, nullable=False),
            Column("width", Integer, nullable=False),
            Column("height", String(16), nullable=False),
            # JSON of `output.dashboards.TileContent`.
            Column("content", Text, nullable=False),
            # The last good rows; empty before the first.
            Column("result_id", String(64), nullable=False),
            Column("refreshed_at", Double),
            Column("tried_at", Double),
            Column("fault", Text, nullable=False),
            # What the last good refresh changed, as JSON; empty before the second.
            Column("changes", Text, nullable=False),
            # A removed tile can be brought back.
            Column("removed_at", Double),
            Index("ix_tiles_dashboard", "dashboard_id", "position"),
            Index("ix_tiles_result", "owner", "result_id"),
        ),
    )


dashboards, dashboard_grants, tiles = dashboard_tables(metadata)
