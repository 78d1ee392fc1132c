"""What a person sets for themselves."""

from __future__ import annotations

from pages.ui.shell import require_shell

require_shell()

from pages.ui import settings  # noqa: E402 - nothing of a page runs before its guard

settings.draw()
