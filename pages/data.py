"""Bring files and databases, and see how they were read."""

from __future__ import annotations

from pages.ui.shell import require_shell

require_shell()

from pages.ui import sources  # noqa: E402 - nothing of a page runs before its guard

sources.draw()
