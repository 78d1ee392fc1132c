"""What each question cost."""

from __future__ import annotations

from pages.ui.shell import require_shell

require_shell()

from pages.ui import usage  # noqa: E402 - nothing of a page runs before its guard

usage.draw()
