"""Dashboards: kept, refreshed without a model, filtered, and shared with colleagues."""
