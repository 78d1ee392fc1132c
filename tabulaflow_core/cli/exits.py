"""How a command ends: its exit code, and a wrong use of the command line."""

from __future__ import annotations

from typing import Final

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130


class UsageError(Exception):
    """The command line cannot be used as written; the message says how it should be."""
