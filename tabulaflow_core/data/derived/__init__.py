"""Tables of a statement replaced by queries over them (derived tables), with the rest of its text left as it was."""
