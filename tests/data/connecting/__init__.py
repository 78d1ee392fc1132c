"""From a URL to a connection, and what is said when there is none."""
