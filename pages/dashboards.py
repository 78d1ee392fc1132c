"""Dashboards: answers that were pinned, refreshed without a model and shared."""

from __future__ import annotations

from pages.ui.shell import require_shell

require_shell()

from pages.ui import dashboards  # noqa: E402 - nothing of a page runs before its guard

dashboards.draw()
