"""Memory that large readings leave behind, given back to the system.

What a reading took is free when it ends, but Python looks for what refers to itself only now and then, and the
allocators keep their pages for the next reading: hundreds of megabytes that nobody else can use meanwhile.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from functools import cache
from typing import Final

import pyarrow as pa

#: Bytes of a file below which a reading leaves nothing worth the time.
_WORTH: Final = 8 * 2**20


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


def give_back(read: int) -> None:
    """Give unused memory back, in a thread where nobody waits: it takes a tenth of a second.

    Args:
        read: Bytes of the files that were read; after small ones nothing is done.
    """
    if read < _WORTH:
        return
    gc.collect()
    pa.default_memory_pool().release_unused()
    _trim()()
