"""One adapter an engine: how it connects, locks, fetches, writes and tells its tables."""
