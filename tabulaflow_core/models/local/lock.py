"""One download at a time, across processes: a lock file that the system releases when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_POLL_SECONDS = 0.2


@contextmanager
def file_lock(path: Path, *, waiting: Callable[[], None]) -> Iterator[bool]:
    """Hold an exclusive lock on `path`.

    Args:
        waiting: Called a few times a second while another holds it; may raise to give up.

    Yields:
        Whether another held it first.

    Raises:
        OSError: The file cannot be created.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        waited = False
        while not _try_lock(descriptor):
            waited = True
            waiting()
            time.sleep(_POLL_SECONDS)
        try:
            yield waited
        finally:
            _unlock(descriptor)
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
