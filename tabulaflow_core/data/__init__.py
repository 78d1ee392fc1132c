"""What can be asked: connectors, registry, schema, files, and the read-only guard."""
