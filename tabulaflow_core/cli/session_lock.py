"""One question at a time on a session file, also across processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tabulaflow_core.errors import StoreUnavailable, TurnInProgress


@contextmanager
def session_lock(path: Path) -> Iterator[None]:
    """Hold the session file `path` for one turn, and make its folder; the system releases it when the process dies.

    Raises:
        TurnInProgress: Another process holds it.
        StoreUnavailable: Nothing can be written there, said before the question is asked.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise not_writable(path, error) from error
    try:
        if not _try_lock(descriptor):
            raise TurnInProgress(
                f"Another question is being answered with the session file {path}. Wait for it, then ask again."
            )
        yield
    finally:
        os.close(descriptor)


def not_writable(path: Path, error: OSError) -> StoreUnavailable:
    """What to say when `path` cannot be written."""
    return StoreUnavailable(
        f"The session file {path} cannot be written ({error.strerror or error}). Name another place with --session."
    )


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
