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
    with _lock:
        return _runtime if _runtime is not None else _adopt(Runtime())


def adopt(runtime: Runtime) -> Runtime:
    """Make `runtime` the one of this process, for programs with models of their own; it is closed at exit.

    Raises:
        RuntimeError: There is one already.
    """
    with _lock:
        if _runtime is not None:
            raise RuntimeError("this process has a runtime already")
        return _adopt(runtime)


def _adopt(runtime: Runtime) -> Runtime:
    global _runtime
    _runtime = runtime
    # Before the interpreter waits for its worker threads: one that runs a long statement must be told to stop first.
    early = getattr(threading, "_register_atexit", None)
    if early is not None:
        early(runtime.close)
    atexit.register(runtime.close)
    return runtime


def close_runtime() -> None:
    """Close the runtime of this process, if there is one; the next `get_runtime` makes another."""
    global _runtime
    with _lock:
        runtime, _runtime = _runtime, None
    if runtime is not None:
        atexit.unregister(runtime.close)
        runtime.close()
