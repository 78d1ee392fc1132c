"""Whether what listens at an address is a PostgreSQL server at all, told by its first answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tabulaflow_core.data.urls import SourceUrl

#: An SSLRequest: postgresql.org/docs/current/protocol-message-formats.html.
_QUESTION: Final = bytes.fromhex("0000000804d2162f")
#: Yes and no, each of one byte; the error of a server of another age is longer.
_ANSWERS: Final = frozenset({b"S", b"N"})
_ERROR: Final = b"E"
_SECONDS: Final = 3.0


async def speaks_postgres_async(source: SourceUrl) -> bool:
    """Ask whether it encrypts, and look whether the answer is one; False also where nobody answers."""
    try:
        async with asyncio.timeout(_SECONDS):
            reader, writer = await asyncio.open_connection(source.host, source.port)
            try:
                writer.write(_QUESTION)
                await writer.drain()
                answer = await reader.read(16)
                return answer in _ANSWERS or answer.startswith(_ERROR)
            finally:
                writer.close()
    except OSError:  # a time-out too
        return False
