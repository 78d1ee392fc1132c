"""The one runtime of a process.

It lives in a module of its own, which nobody edits, because a development server evicts edited modules and would
make a second one; and never in a page's cache, which any visitor can clear.
"""

from __future__ import annotations

import atexit
import threading

from tabulaflow_core.runtime.runtime import Runtime

_lock = threading.Lock()
_runtime: Runtime | None = None


def get_runtime() -> Runtime:
    """The runtime of this process, made on first use and closed when the process ends."""
    global _runtime
    with _lock:
        if _runtime is None:
            _runtime = Runtime()
            atexit.register(_runtime.close)
        return _runtime
