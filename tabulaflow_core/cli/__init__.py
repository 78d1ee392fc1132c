"""The powers of the library from a terminal: one module a command, nothing heavy imported before it is needed."""
