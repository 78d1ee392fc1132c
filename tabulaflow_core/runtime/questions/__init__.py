"""Questions that are kept with their queries, and what new data makes of them and of dashboards."""
