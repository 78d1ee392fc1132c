"""The read-only matrix."""
