"""Lines of standard input as they come, without holding up the event loop."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator
from typing import Final

_LONGEST: Final = 16 * 1024 * 1024


async def stdin_lines() -> AsyncIterator[str]:
    """Each line of standard input. Ctrl-C ends the wait for the next one where the system allows it."""
    if not _is_pipe():
        for line in sys.stdin:
            yield line
        return
    reader = asyncio.StreamReader(limit=_LONGEST)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    try:
        while line_bytes := await reader.readline():
            yield line_bytes.decode("utf-8", "replace")
    finally:
        transport.close()


def _is_pipe() -> bool:
    # A regular file never blocks and cannot be polled; Windows cannot poll a pipe of this kind.
    if sys.platform == "win32":
        return False
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):  # no real file behind it, as in a test
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)
