"""Ask, and see the answer with its query."""

from __future__ import annotations

from pages.ui.shell import require_shell

require_shell()

from pages.ui import chat  # noqa: E402 - nothing of a page runs before its guard

chat.draw()
