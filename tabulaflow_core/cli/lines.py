"""Lines of standard input as they come, without holding up the event loop."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator
from typing import Final

#: Bytes. A longer line is given cut, so that it is answered as one that cannot be read.
_LONGEST: Final = 16 * 1024 * 1024
_BLOCK: Final = 64 * 1024
_BYTE_ORDER_MARK: Final = "\ufeff"


async def stdin_lines() -> AsyncIterator[str]:
    """Each line of standard input. Ctrl-C ends the wait for the next one where the system allows it."""
    first = True
    async for line in _piped_lines() if _is_pipe() else _plain_lines():
        yield line.removeprefix(_BYTE_ORDER_MARK) if first else line  # PowerShell pipes begin with one
        first = False


async def _plain_lines() -> AsyncIterator[str]:
    for line in getattr(sys.stdin, "buffer", sys.stdin) or ():  # UTF-8 whatever the locale
        yield line.decode("utf-8", "replace") if isinstance(line, bytes) else line


async def _piped_lines() -> AsyncIterator[str]:
    reader = asyncio.StreamReader(limit=_BLOCK)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    kept = bytearray()
    try:
        while block := await reader.read(_BLOCK):
            *ended, rest = block.split(b"\n")
            for part in ended:
                yield _text(kept, part)
                kept.clear()
            kept += rest[: max(0, _LONGEST - len(kept))]
        if kept:
            yield _text(kept, b"")
    finally:
        transport.close()


def _text(kept: bytearray, part: bytes) -> str:
    return (kept + part)[:_LONGEST].decode("utf-8", "replace")


def _is_pipe() -> bool:
    # A regular file never blocks and cannot be polled; Windows cannot poll a pipe of this kind.
    if sys.platform == "win32":
        return False
    if sys.stdin is None:  # closed
        return False
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):  # no real file behind it, as in a test
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)
