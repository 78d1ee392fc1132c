"""Memory that large readings leave with the allocators, given back to the system.

What a reading took is freed when it ends, but the allocators keep the pages for the next one: hundreds of megabytes
that no other program on the machine can use meanwhile.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache

import pyarrow as pa


@cache
def _trim() -> Callable[[], None]:
    """What the C library offers for it; nothing where there is nothing."""
    if sys.platform != "linux":
        return lambda: None
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library than glibc
        return lambda: None
    return lambda: trim(ctypes.c_size_t(0))


def give_back() -> None:
    """Give unused pages of all allocators back; some milliseconds, in a thread where nobody waits."""
    pa.default_memory_pool().release_unused()
    _trim()()
